//! Reads a table by one of its indexes.

use std::collections::VecDeque;

use crate::row_filter::RowFilter;
use varve_exec::{BatchStream, ScanRequest};
use varve_sql::{Asked, IndexChoice, TableDef, choose_index};
use varve_store::{KeyRange, ScanOptions, Transaction, TreeScan};
use varve_types::{Batch, ColumnPredicate, LocalFuture, Result, VECTOR_ROWS, Value};

/// So many entries are looked up in any case.
const ENTRIES_MIN: u64 = 1024;
/// A table is scanned where more than one in so many of its rows would have to be looked up.
const LOOKUP_SHARE: u64 = 16;

/// The rows that an index finds.
pub(crate) enum IndexRead {
    /// Its entries hold all that is read.
    Only(TreeScan),
    /// The rows are looked up.
    Lookup(IndexStream),
}

/// Looks up the rows of entries.
pub(crate) struct IndexStream {
    /// Entries read so far.
    read: VecDeque<Batch>,
    rest: Option<TreeScan>,
    /// The columns of the key of the row.
    key: usize,
    filter: RowFilter,
    with_position: bool,
}

/// Reads by an index what is asked of a table, where one helps: few enough rows pass.
pub(crate) async fn read(
    transaction: &Transaction,
    table: &TableDef,
    request: &ScanRequest,
) -> Result<Option<IndexRead>> {
    let tests = &request.predicates;
    let asked: Vec<(usize, Asked)> = tests
        .iter()
        .map(|test| (test.column, Asked::of(&test.test)))
        .collect();
    let known: Vec<&ColumnPredicate> = tests.iter().collect();
    let columns = &request.columns;
    let choice = choose_index(table, &asked, &known, columns, request.with_position);
    let Some(IndexChoice { index, covers }) = choice else {
        return Ok(None);
    };
    let held = index.columns(table);
    let place = |column: usize| held.iter().position(|held| *held == column);
    let predicates = tests.iter().filter_map(|test| {
        Some(ColumnPredicate {
            column: place(test.column)?,
            test: test.test.clone(),
        })
    });
    let key = index.keys.len()..index.keys.len() + table.row_key().len();
    // What entries tell needs no second look.
    let untold = tests.iter().filter(|test| place(test.column).is_none());
    let filter = RowFilter::new(table, columns, untold);
    let mut scan = transaction
        .scan(ScanOptions {
            tree: index.tree,
            columns: if covers {
                columns.iter().filter_map(|column| place(*column)).collect()
            } else {
                key.clone().collect()
            },
            predicates: predicates.collect(),
            with_position: false,
            range: KeyRange::default(),
            ordered: true,
            reverse: request.reverse,
            limit_rows: request.limit_rows.filter(|_| filter.is_empty()),
        })
        .await?;
    if covers {
        return Ok(Some(IndexRead::Only(scan)));
    }
    let mut read = VecDeque::new();
    let mut rest = None;
    if request.limit_rows.is_some() {
        rest = Some(scan);
    } else {
        let rows = transaction.row_count(table.tree).unwrap_or(0);
        let entries_max = ENTRIES_MIN.max(rows / LOOKUP_SHARE);
        let mut entries = 0;
        while let Some(batch) = scan.next().await? {
            entries += batch.rows() as u64;
            if entries > entries_max {
                return Ok(None);
            }
            read.push_back(batch);
        }
    }
    Ok(Some(IndexRead::Lookup(IndexStream {
        read,
        rest,
        key: key.len(),
        filter,
        with_position: request.with_position,
    })))
}

impl IndexStream {
    /// The next rows that pass; `None` at the end.
    async fn next(&mut self, transaction: &Transaction, table: &TableDef) -> Result<Option<Batch>> {
        loop {
            let entries = match (self.read.pop_front(), &mut self.rest) {
                (Some(entries), _) => entries,
                (None, Some(rest)) => match rest.next().await? {
                    Some(entries) => entries,
                    None => return Ok(None),
                },
                (None, None) => return Ok(None),
            };
            let columns: Vec<_> = (0..self.key).filter_map(|at| entries.column(at)).collect();
            let key =
                |row| -> Vec<Value> { columns.iter().map(|column| column.value(row)).collect() };
            let keys: Vec<Vec<Value>> = (0..entries.rows()).map(key).collect();
            let found = transaction
                .lookup(table.tree, &keys, &self.filter.read, self.with_position)
                .await?;
            // As many keys as a vector has rows are looked up at once, and give one batch.
            debug_assert!(found.len() <= 1 && keys.len() <= VECTOR_ROWS);
            for rows in found {
                let rows = self.filter.apply(rows)?;
                if !rows.is_empty() {
                    return Ok(Some(rows));
                }
            }
        }
    }
}

/// What an index finds, as the executor reads it.
pub(crate) struct IndexBatches<'a> {
    pub transaction: &'a Transaction,
    pub table: &'a TableDef,
    pub read: IndexRead,
}

impl BatchStream for IndexBatches<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            match &mut self.read {
                IndexRead::Only(scan) => scan.next().await,
                IndexRead::Lookup(stream) => stream.next(self.transaction, self.table).await,
            }
        })
    }
}
