//! Binding definitions.

use varve_types::Result;

use varve_bind_query::context::binder::QueryBinder;
use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::trigger_def::TriggerDef;
use varve_catalog::model::view::ViewDef;

/// Writes the texts of definitions so that they mean the same whatever the search path is.
pub trait WholeTexts {
    /// A new view; one whose text cannot be written so is refused.
    fn view(&self, catalog: &Catalog, view: ViewDef) -> Result<ViewDef>;

    /// A new function.
    fn function(&self, catalog: &Catalog, def: FunctionDef) -> Result<FunctionDef>;

    /// A new trigger.
    fn trigger(&self, catalog: &Catalog, def: TriggerDef) -> Result<TriggerDef>;
}

/// Binds definitions, with what binds the queries and expressions in them.
pub struct DdlBinder<'b, 'a> {
    pub(crate) query: &'b mut QueryBinder<'a>,
    /// What names are looked up in.
    pub catalog: &'a Catalog,
    pub(crate) texts: &'b dyn WholeTexts,
    /// The statement that cannot run inside a transaction block.
    pub outside_block: Option<&'static str>,
}

impl<'b, 'a> DdlBinder<'b, 'a> {
    /// A binder over that of queries.
    pub fn new(query: &'b mut QueryBinder<'a>, texts: &'b dyn WholeTexts) -> DdlBinder<'b, 'a> {
        DdlBinder {
            catalog: query.statement.catalog,
            query,
            texts,
            outside_block: None,
        }
    }
}
