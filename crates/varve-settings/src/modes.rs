//! What a transaction is asked to be: its isolation, whether it may write, whether it may wait.

use varve_ast::{Isolation, TransactionModes};
use varve_types::{Error, Result, SqlState};

/// The modes of one transaction, or those that new ones begin with.
///
/// Every transaction reads one snapshot and the first committer wins, which is more than all levels
/// up to REPEATABLE READ ask for. A SERIALIZABLE one that writes fails besides with `40001` if
/// somebody else has changed a table that it has read. DEFERRABLE changes nothing: a transaction
/// that only reads a snapshot never has to wait or fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// How far it is kept apart from others.
    pub isolation: Isolation,
    /// Whether it may not write.
    pub read_only: bool,
    /// Kept and shown.
    pub deferrable: bool,
}

impl Modes {
    /// These modes, as far as a statement does not say otherwise.
    pub fn with(self, wanted: TransactionModes) -> Modes {
        Modes {
            isolation: wanted.isolation.unwrap_or(self.isolation),
            read_only: wanted.read_only.unwrap_or(self.read_only),
            deferrable: wanted.deferrable.unwrap_or(self.deferrable),
        }
    }

    /// Whether it fails where it and others cannot have run one after the other.
    pub fn is_serializable(self) -> bool {
        self.isolation == Isolation::Serializable
    }
}

/// The modes of an open transaction, with what decides whether they may still change.
pub struct OpenModes<'a> {
    /// The modes.
    pub modes: &'a mut Modes,
    /// Whether a statement of the transaction has run.
    pub has_run: bool,
    /// Whether it has an open savepoint.
    pub in_savepoint: bool,
}

impl OpenModes<'_> {
    /// Changes the modes; `25001` for one that can no longer change.
    pub fn change(&mut self, wanted: TransactionModes) -> Result<()> {
        let next = self.modes.with(wanted);
        if next.isolation != self.modes.isolation {
            let command = "SET TRANSACTION ISOLATION LEVEL";
            self.check_begins(command, "must not be called in")?;
        }
        if next.deferrable != self.modes.deferrable {
            let command = "SET TRANSACTION [NOT] DEFERRABLE";
            self.check_begins(command, "cannot be called within")?;
        }
        if self.modes.read_only && !next.read_only {
            if self.in_savepoint {
                let inside = "inside a read-only transaction";
                return too_late(format!("cannot set transaction read-write mode {inside}"));
            }
            if self.has_run {
                let rule = "must be set before any query";
                return too_late(format!("transaction read-write mode {rule}"));
            }
        }
        *self.modes = next;
        Ok(())
    }

    fn check_begins(&self, command: &str, not_in: &str) -> Result<()> {
        if self.has_run {
            return too_late(format!("{command} must be called before any query"));
        }
        if self.in_savepoint {
            return too_late(format!("{command} {not_in} a subtransaction"));
        }
        Ok(())
    }
}

fn too_late(message: String) -> Result<()> {
    Err(Error::new(SqlState::ACTIVE_SQL_TRANSACTION, message))
}
