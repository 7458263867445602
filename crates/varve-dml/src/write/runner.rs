//! What DML asks of the session around it: rows of plans, and functions of triggers. Functions run
//! statements in turn, so DML and routines meet at these traits and know nothing of each other.

use varve_catalog::{Event, TableDef};
use varve_plan::Plan;
use varve_store::Transaction;
use varve_types::{Batch, LocalFuture, Result, Value};

use super::statement_txn::StatementTxn;

/// When a trigger fires, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// `BEFORE`, else `AFTER`.
    pub before: bool,
    /// `FOR EACH ROW`, else once a statement.
    pub for_each_row: bool,
}

impl Timing {
    /// Before the statement.
    pub const BEFORE_STATEMENT: Timing = Timing {
        before: true,
        for_each_row: false,
    };
    /// After the statement.
    pub const AFTER_STATEMENT: Timing = Timing {
        before: false,
        for_each_row: false,
    };
    /// Before each row.
    pub const BEFORE_ROW: Timing = Timing {
        before: true,
        for_each_row: true,
    };
    /// After each row. The triggers of a view instead of a change have it too.
    pub const AFTER_ROW: Timing = Timing {
        before: false,
        for_each_row: true,
    };
}

/// A row as it was and as it is to be.
#[derive(Debug)]
pub struct RowPair {
    /// Its values before; `None` for a row that is inserted.
    pub old: Option<Vec<Value>>,
    /// Its values after; `None` for a row that is deleted.
    pub new: Option<Vec<Value>>,
}

/// Runs plans and functions for a statement that changes rows.
pub trait StatementRunner {
    /// All rows of a plan, within the memory limit.
    fn rows_of<'a>(
        &'a self,
        transaction: &'a Transaction,
        plan: &'a Plan,
    ) -> LocalFuture<'a, Result<Vec<Batch>>>;

    /// The triggers of a table that fire at an event, in the order of their names. `assigned` are
    /// the columns that an UPDATE sets.
    fn triggers<'a>(
        &'a self,
        table: &'a TableDef,
        event: Event,
        timing: Timing,
        assigned: &[usize],
    ) -> Result<Vec<Box<dyn Trigger + 'a>>>;
}

/// A trigger that is ready to be fired, for many rows.
pub trait Trigger {
    /// Fires before a row is written; answers the row as it is to be, or `None` where it is left
    /// out.
    fn before_row<'a>(
        &'a mut self,
        txn: &'a mut StatementTxn,
        pair: RowPair,
    ) -> LocalFuture<'a, Result<Option<RowPair>>>;

    /// Fires after a row was written, or for a statement; its answer does not matter.
    fn fire<'a>(
        &'a mut self,
        txn: &'a mut StatementTxn,
        pair: Option<&'a RowPair>,
    ) -> LocalFuture<'a, Result<()>>;
}
