//! What the views of the catalog ask of those who can bind the texts that it keeps.

use core::fmt::Debug;
use std::sync::Arc;

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::trigger_def::TriggerDef;
use varve_catalog::model::view::ViewDef;
use varve_types::SqlText;

/// Binds kept texts, to show them with the names that what they use has now. A text that cannot be
/// bound is shown as it is kept.
pub trait ShownTexts: Debug + Sync {
    /// The query of a view.
    fn view(&self, catalog: &Catalog, view: &Arc<ViewDef>) -> SqlText;

    /// The default of an argument.
    fn default(&self, catalog: &Catalog, text: &str) -> SqlText;

    /// The body of a function.
    fn body(&self, catalog: &Catalog, def: &FunctionDef) -> SqlText;

    /// The condition of a trigger, where it has one.
    fn condition(&self, catalog: &Catalog, def: &TriggerDef) -> Option<SqlText>;

    /// Which columns of a view can be written through it; `None` where no row can, not even by
    /// DELETE.
    fn updatable_columns(&self, catalog: &Catalog, view: &Arc<ViewDef>) -> Option<Vec<bool>>;
}
