//! Binding definitions.

use varve_types::Result;

use crate::bind::query::context::binder::QueryBinder;
use crate::function_def::FunctionDef;
use crate::schema::Catalog;
use crate::trigger_def::TriggerDef;
use crate::view::ViewDef;

/// Writes the texts of definitions so that they mean the same whatever the search path is.
pub(crate) trait WholeTexts {
    /// A new view; one whose text cannot be written so is refused.
    fn view(&self, catalog: &Catalog, view: ViewDef) -> Result<ViewDef>;

    /// A new function.
    fn function(&self, catalog: &Catalog, def: FunctionDef) -> Result<FunctionDef>;

    /// A new trigger.
    fn trigger(&self, catalog: &Catalog, def: TriggerDef) -> Result<TriggerDef>;
}

/// Binds definitions, with what binds the queries and expressions in them.
pub(crate) struct DdlBinder<'b, 'a> {
    pub(crate) query: &'b mut QueryBinder<'a>,
    pub(crate) catalog: &'a Catalog,
    pub(crate) texts: &'b dyn WholeTexts,
    /// The statement that cannot run inside a transaction block.
    pub(crate) outside_block: Option<&'static str>,
}

impl<'b, 'a> DdlBinder<'b, 'a> {
    pub(crate) fn new(
        query: &'b mut QueryBinder<'a>,
        texts: &'b dyn WholeTexts,
    ) -> DdlBinder<'b, 'a> {
        DdlBinder {
            catalog: query.statement.catalog,
            query,
            texts,
            outside_block: None,
        }
    }
}
