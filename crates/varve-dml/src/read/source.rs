//! Gives the executor the rows that a transaction sees.

use std::sync::Arc;

use varve_catalog::{Catalog, TableDef};
use varve_exec::{BatchStream, ScanSource};
use varve_plan::{
    LockStrength, LockWait, OrderChoice, OrderColumn, Relation, RowLock, choose_order,
};
use varve_store::{RowLockKind, Transaction, TreeScan};
use varve_system_views::{SystemView, system_view_columns};
use varve_types::{
    Batch, Column, Error, LocalFuture, PartPredicate, Result, RowPosition, ScanSpec, Summary,
    TableScan, TreeId, VECTOR_ROWS, Value, invariant,
};

use crate::read::before::{self, Before};
use crate::read::index_scan::{self, IndexBatches};
use crate::read::row_filter::RowFilter;
use crate::read::skip_scan;

/// The tables of the store and the system views, as one transaction sees them.
pub struct TransactionSource<'a> {
    /// What it reads in.
    pub transaction: &'a Transaction,
    /// The tables that there are.
    pub catalog: &'a Arc<Catalog>,
    /// What tables held before the statement, where they are read as they were.
    pub before: Option<&'a Before>,
    /// What knows the rows of system views; `None` where none are read.
    pub views: Option<&'a dyn SystemViews>,
}

/// Gives the rows of system views.
pub trait SystemViews {
    /// All rows of a view, as a transaction sees them.
    fn rows(
        &self,
        transaction: &Transaction,
        catalog: &Arc<Catalog>,
        view: SystemView,
    ) -> Result<Vec<Vec<Value>>>;
}

impl TransactionSource<'_> {
    /// Reads a table from its first row to its last.
    async fn scan_table<'a>(
        &'a self,
        table: Option<&TableDef>,
        spec: TableScan,
    ) -> Result<Box<dyn BatchStream + 'a>> {
        let (mut spec, other) = for_store(spec);
        let filter = table.map(|table| RowFilter::new(table, &spec.columns, other.iter()));
        let filter = filter.transpose()?.filter(|filter| !filter.is_empty());
        if let Some(filter) = &filter {
            spec.columns.clone_from(&filter.read);
            (spec.limit_rows, spec.wanted) = (None, None);
        }
        let scan = self.transaction.scan(spec).await?;
        Ok(match filter {
            Some(filter) => Box::new(FilteredStream { scan, filter }),
            None => Box::new(TreeStream(scan)),
        })
    }

    /// A table that is read as it was, and its rows.
    fn kept(&self, tree: TreeId) -> Option<(&TableDef, &[Batch])> {
        let rows = self.before?.rows(tree)?;
        let mut tables = self.catalog.tables.values();
        let table = tables.find(|table| table.tree == tree)?;
        Some((table, rows))
    }
}

/// What a spec asks of the store, and the tests that the store cannot make.
fn for_store(spec: TableScan) -> (ScanSpec, Vec<PartPredicate>) {
    let (mut predicates, mut other) = (Vec::new(), Vec::new());
    for test in spec.predicates {
        match test.of_column() {
            Ok(test) => predicates.push(test),
            Err(test) => other.push(test),
        }
    }
    let stored = ScanSpec {
        tree: spec.tree,
        columns: spec.columns,
        predicates,
        with_position: spec.with_position,
        range: spec.range,
        ordered: spec.ordered,
        reverse: spec.reverse,
        limit_rows: spec.limit_rows,
        wanted: spec.wanted,
        cutoff: spec.cutoff,
        first_of: spec.first_of,
    };
    (stored, other)
}

struct TreeStream(TreeScan);

/// Rows of a scan that pass tests which the store cannot make.
struct FilteredStream {
    scan: TreeScan,
    filter: RowFilter,
}

impl BatchStream for TreeStream {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async { Ok(self.0.next_batch().await?) })
    }

    fn known(&mut self) -> Summary {
        self.0.known()
    }
}

impl BatchStream for FilteredStream {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            while let Some(rows) = self.scan.next_batch().await? {
                let rows = self.filter.apply(rows)?;
                if !rows.is_empty() {
                    return Ok(Some(rows));
                }
            }
            Ok(None)
        })
    }
}

struct ReadyStream(std::vec::IntoIter<Batch>);

impl BatchStream for ReadyStream {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        let batch = self.0.next();
        Box::pin(async move { Ok(batch) })
    }
}

impl ScanSource for TransactionSource<'_> {
    fn scan<'a>(&'a self, spec: TableScan) -> LocalFuture<'a, Result<Box<dyn BatchStream + 'a>>> {
        Box::pin(async move {
            if let Some(kept) = self.kept(spec.tree) {
                let read = (spec.columns.as_slice(), spec.with_position);
                let rows = before::filtered(self, kept, read, &spec.predicates).await?;
                let stream: Box<dyn BatchStream + 'a> = Box::new(ReadyStream(rows.into_iter()));
                return Ok(stream);
            }
            let mut tables = self.catalog.tables.values();
            let table = tables.find(|table| table.tree == spec.tree);
            if let Some(table) = table
                && let Some(read) = index_scan::read(self.transaction, table, &spec).await?
            {
                let stream: Box<dyn BatchStream + 'a> = Box::new(IndexBatches {
                    transaction: self.transaction,
                    table,
                    read,
                });
                return Ok(stream);
            }
            self.scan_table(table.map(Arc::as_ref), spec).await
        })
    }

    fn scan_in_order<'a>(
        &'a self,
        spec: TableScan,
        order: &'a [OrderColumn],
    ) -> LocalFuture<'a, Result<Option<Box<dyn BatchStream + 'a>>>> {
        Box::pin(async move {
            if self.kept(spec.tree).is_some() {
                return Ok(None);
            }
            let mut tables = self.catalog.tables.values();
            let Some(table) = tables.find(|table| table.tree == spec.tree) else {
                return Ok(None);
            };
            let asked = index_scan::asked(&spec);
            let known: Vec<&PartPredicate> = spec.predicates.iter().collect();
            let (columns, with_position) = (&spec.columns, spec.with_position);
            let choice = choose_order(table, order, &asked, &known, columns, with_position);
            let Some(OrderChoice { index, reverse }) = choice else {
                return Ok(None);
            };
            if spec.first_of > 0 {
                let choice = OrderChoice { index, reverse };
                let read = skip_scan::read(self.transaction, table, spec, choice).await?;
                return Ok(read.map(|read| -> Box<dyn BatchStream + 'a> {
                    Box::new(IndexBatches {
                        transaction: self.transaction,
                        table,
                        read,
                    })
                }));
            }
            let stream: Box<dyn BatchStream + 'a> = match index {
                Some(index) => {
                    let transaction = self.transaction;
                    let read = index_scan::read_in_order(transaction, table, &spec, index, reverse);
                    let Some(read) = read.await? else {
                        return Ok(None);
                    };
                    Box::new(IndexBatches {
                        transaction,
                        table,
                        read,
                    })
                }
                None => {
                    let (spec, other) = for_store(spec);
                    invariant!(
                        other.is_empty(),
                        "a table gives an order with tests of expressions"
                    );
                    let scan = self.transaction.scan(ScanSpec {
                        ordered: true,
                        reverse,
                        ..spec
                    });
                    Box::new(TreeStream(scan.await?))
                }
            };
            Ok(Some(stream))
        })
    }

    fn view_rows(
        &self,
        view: SystemView,
        columns: &[usize],
        predicates: &[PartPredicate],
    ) -> Result<Vec<Batch>> {
        let views = self.views;
        let views = views.ok_or_else(|| Error::internal("a change reads a system view"))?;
        let mut rows = views.rows(self.transaction, self.catalog, view)?;
        rows.retain(|row| {
            predicates.iter().all(|predicate| {
                let value = predicate.column.column().and_then(|at| row.get(at));
                value.is_some_and(|value| predicate.test.accepts(value))
            })
        });
        let types = system_view_columns(view);
        let batch = |chunk: &[Vec<Value>]| {
            let columns = columns.iter().filter_map(|position| {
                let ty = types.get(*position)?.ty;
                let values = chunk.iter().filter_map(|row| row.get(*position));
                Some(Arc::new(Column::from_values(ty, values)))
            });
            Batch::new(columns.collect(), chunk.len())
        };
        Ok(rows.chunks(VECTOR_ROWS).map(batch).collect())
    }

    fn lookup<'a>(
        &'a self,
        tree: TreeId,
        keys: &'a [Vec<Value>],
        columns: &'a [usize],
        with_position: bool,
    ) -> LocalFuture<'a, Result<Vec<Batch>>> {
        Box::pin(async move {
            match self.kept(tree) {
                None => {
                    let found = self.transaction.lookup(tree, keys, columns, with_position);
                    Ok(found.await?)
                }
                Some(kept) => before::with_keys(self, kept, (columns, with_position), keys).await,
            }
        })
    }

    fn fetch<'a>(
        &'a self,
        tree: TreeId,
        positions: &'a [RowPosition],
        columns: &'a [usize],
    ) -> LocalFuture<'a, Result<Vec<Batch>>> {
        Box::pin(async move { Ok(self.transaction.fetch(tree, positions, columns).await?) })
    }

    fn lock_rows<'a>(
        &'a self,
        tree: TreeId,
        positions: &'a [RowPosition],
        lock: RowLock,
        most: usize,
    ) -> LocalFuture<'a, Result<Vec<bool>>> {
        Box::pin(async move {
            let transaction = self.transaction;
            let kind = match lock.strength {
                LockStrength::KeyShare | LockStrength::Share => RowLockKind::Share,
                LockStrength::NoKeyUpdate | LockStrength::Update => RowLockKind::Update,
            };
            match lock.wait {
                LockWait::LockAnyway => {
                    transaction.lock_rows(tree, positions, kind).await?;
                    Ok(vec![true; positions.len()])
                }
                LockWait::Skip | LockWait::Fail => {
                    let free = transaction.lock_free_rows(tree, positions, kind, most);
                    Ok(free.await?)
                }
            }
        })
    }

    fn row_count(&self, relation: &Relation) -> Option<u64> {
        match relation {
            Relation::Tree(tree) => match self.kept(*tree) {
                Some((_, rows)) => {
                    let rows = rows.iter().map(Batch::rows).sum::<usize>();
                    u64::try_from(rows).ok()
                }
                None => self.transaction.row_count(*tree),
            },
            Relation::System(_) => None,
        }
    }
}
