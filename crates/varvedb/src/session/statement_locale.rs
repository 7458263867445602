//! How the statements of a session read and write text.

use std::sync::Arc;

use varve_bind::names_of;
use varve_catalog::Catalog;
use varve_expr::Locale;
use varve_store::Transaction;
use varve_types::Result;

use super::Session;

impl Session {
    /// How a statement of a transaction reads and writes text.
    pub(super) fn locale_in(&mut self, transaction: &Transaction, now_us: i64) -> Result<Locale> {
        let catalog = self
            .catalog
            .borrow_mut()
            .get(transaction, &self.settings.search_path)?;
        Ok(self.locale(now_us, &catalog))
    }

    /// How a statement that begins now reads and writes text.
    pub(super) fn locale(&self, now_us: i64, catalog: &Arc<Catalog>) -> Locale {
        Locale {
            now_us,
            statement_us: self.shared.env.now_us(),
            enums: catalog.enums().cloned(),
            names: Some(names_of(catalog)),
            ..self.settings.locale.clone()
        }
    }
}
