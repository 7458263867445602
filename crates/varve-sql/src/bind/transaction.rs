//! BEGIN and its modes.

use sqlparser::ast::{TransactionAccessMode, TransactionIsolationLevel, TransactionMode};
use varve_types::Result;

use crate::bind::{Binder, unsupported_at};
use crate::plan::Statement;

impl Binder<'_> {
    /// Every transaction reads one snapshot, so all levels up to REPEATABLE READ get at least what
    /// they ask for; SERIALIZABLE would not.
    pub(crate) fn begin(&self, modes: &[TransactionMode]) -> Result<Statement> {
        for mode in modes {
            let refused = match mode {
                TransactionMode::AccessMode(TransactionAccessMode::ReadWrite)
                | TransactionMode::IsolationLevel(
                    TransactionIsolationLevel::ReadUncommitted
                    | TransactionIsolationLevel::ReadCommitted
                    | TransactionIsolationLevel::RepeatableRead
                    | TransactionIsolationLevel::Snapshot,
                ) => continue,
                TransactionMode::AccessMode(TransactionAccessMode::ReadOnly) => "READ ONLY",
                TransactionMode::IsolationLevel(TransactionIsolationLevel::Serializable) => {
                    "ISOLATION LEVEL SERIALIZABLE"
                }
            };
            return Err(unsupported_at(refused, self.source.first())
                .with_hint("Use ISOLATION LEVEL REPEATABLE READ."));
        }
        Ok(Statement::Begin)
    }
}
