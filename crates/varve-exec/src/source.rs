//! How the executor reaches rows and temporary space: the only places where it waits.

use varve_plan::SystemView;
use varve_types::{
    Batch, Error, LocalFuture, LogicalType, PartPredicate, Result, RowPosition, Summary, TableScan,
    TreeId, Value,
};

use varve_plan::{OrderColumn, Relation, RowLock};

/// A stream of batches of at most 1,024 rows.
pub trait BatchStream {
    /// The next batch, or `None` after the last one. Batches are not empty.
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>>;

    /// After the last batch: what is known of rows that were not given, because a summary of them
    /// was wanted.
    fn known(&mut self) -> Summary {
        Summary::default()
    }
}

/// Rows as one snapshot sees them.
pub trait ScanSource {
    /// Streams rows of a table.
    fn scan<'a>(&'a self, spec: TableScan) -> LocalFuture<'a, Result<Box<dyn BatchStream + 'a>>>;

    /// Streams rows of a table in an order; `None` where they are better sorted.
    fn scan_in_order<'a>(
        &'a self,
        _spec: TableScan,
        _order: &'a [OrderColumn],
    ) -> LocalFuture<'a, Result<Option<Box<dyn BatchStream + 'a>>>> {
        Box::pin(async { Ok(None) })
    }

    /// Some columns of the rows of a system view that pass all of these tests.
    fn view_rows(
        &self,
        view: SystemView,
        columns: &[usize],
        predicates: &[PartPredicate],
    ) -> Result<Vec<Batch>>;

    /// The rows of a tree that have these primary keys, in any order; absent keys give no row.
    fn lookup<'a>(
        &'a self,
        tree: TreeId,
        keys: &'a [Vec<Value>],
        columns: &'a [usize],
        with_position: bool,
    ) -> LocalFuture<'a, Result<Vec<Batch>>>;

    /// Columns of the rows at these positions, in their order.
    fn fetch<'a>(
        &'a self,
        tree: TreeId,
        positions: &'a [RowPosition],
        columns: &'a [usize],
    ) -> LocalFuture<'a, Result<Vec<Batch>>>;

    /// Locks rows for the transaction. Where those that somebody else holds are not to be locked,
    /// it locks the first `most` of the others only. Answers for each row whether it is locked.
    fn lock_rows<'a>(
        &'a self,
        _tree: TreeId,
        _positions: &'a [RowPosition],
        _lock: RowLock,
        _most: usize,
    ) -> LocalFuture<'a, Result<Vec<bool>>> {
        Box::pin(async { Err(Error::internal("this source has no rows to be locked")) })
    }

    /// How many rows a relation has in this snapshot, where that is known without reading any.
    fn row_count(&self, relation: &Relation) -> Option<u64>;
}

/// Temporary space for batches that do not fit the memory limit; gone when the last handle is
/// dropped.
pub trait Scratch {
    /// Writes a batch out and answers a ticket for it. `53200` where there is no space to write to.
    fn write<'a>(&'a self, batch: &'a Batch) -> LocalFuture<'a, Result<ScratchTicket>>;

    /// Reads a batch back; `types` are the types of its columns.
    fn read<'a>(
        &'a self,
        ticket: ScratchTicket,
        types: &'a [LogicalType],
    ) -> LocalFuture<'a, Result<Batch>>;

    /// Gives the space of a batch back.
    fn free(&self, ticket: ScratchTicket);
}

/// Names a batch in a [`Scratch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchTicket(pub u64);
