//! Texts of new definitions, whose names are made whole.

use varve_types::Result;

use crate::bind::ddl::binder::WholeTexts;
use crate::following::{whole_function, whole_trigger, whole_view};
use crate::function_def::FunctionDef;
use crate::schema::Catalog;
use crate::trigger_def::TriggerDef;
use crate::view::ViewDef;

/// Binds the texts to find what the names in them mean.
pub(crate) struct BoundTexts;

impl WholeTexts for BoundTexts {
    fn view(&self, catalog: &Catalog, view: ViewDef) -> Result<ViewDef> {
        whole_view(catalog, view)
    }

    fn function(&self, catalog: &Catalog, def: FunctionDef) -> Result<FunctionDef> {
        whole_function(catalog, def)
    }

    fn trigger(&self, catalog: &Catalog, def: TriggerDef) -> Result<TriggerDef> {
        whole_trigger(catalog, def)
    }
}
