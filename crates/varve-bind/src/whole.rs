//! Texts of new definitions, whose names are made whole.

use varve_bind_ddl::binder::WholeTexts;
use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::trigger_def::TriggerDef;
use varve_catalog::model::view::ViewDef;
use varve_types::Result;

use crate::following::{whole_function, whole_trigger, whole_view};

/// Binds the texts to find what the names in them mean.
pub struct BoundTexts;

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
