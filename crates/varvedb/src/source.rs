//! Gives the executor the rows that a transaction sees.

use std::sync::Arc;

use varve_exec::{BatchStream, ScanRequest, ScanSource};
use varve_sql::{Catalog, Relation};
use varve_store::{KeyRange, ScanOptions, Transaction, TreeScan};
use varve_types::{Batch, LocalFuture, Result, RowPosition, TreeId, Value};

use crate::database::Shared;
use crate::index_scan::{self, IndexBatches};
use crate::system_view;

/// The tables of the store and the system views, as one transaction sees them.
pub(crate) struct TransactionSource<'a> {
    pub shared: &'a Shared,
    pub transaction: &'a Transaction,
    pub catalog: &'a Arc<Catalog>,
}

struct TreeStream(TreeScan);

impl BatchStream for TreeStream {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(self.0.next())
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
    fn scan<'a>(
        &'a self,
        request: ScanRequest,
    ) -> LocalFuture<'a, Result<Box<dyn BatchStream + 'a>>> {
        Box::pin(async move {
            let tree = match request.relation {
                Relation::Tree(tree) => tree,
                Relation::System(view) => {
                    let batches = system_view::rows(
                        self.shared,
                        self.transaction,
                        self.catalog,
                        view,
                        &request,
                    )?;
                    let stream: Box<dyn BatchStream + 'a> =
                        Box::new(ReadyStream(batches.into_iter()));
                    return Ok(stream);
                }
            };
            let mut tables = self.catalog.tables.values();
            let table = tables.find(|table| table.tree == tree && !table.indexes.is_empty());
            if let Some(table) = table
                && let Some(read) = index_scan::read(self.transaction, table, &request).await?
            {
                let stream: Box<dyn BatchStream + 'a> = Box::new(IndexBatches {
                    transaction: self.transaction,
                    table,
                    read,
                });
                return Ok(stream);
            }
            let scan = self.transaction.scan(ScanOptions {
                tree,
                columns: request.columns,
                predicates: request.predicates,
                with_position: request.with_position,
                range: KeyRange::default(),
                ordered: false,
                reverse: request.reverse,
                limit_rows: request.limit_rows,
            });
            let scan = scan.await?;
            let stream: Box<dyn BatchStream + 'a> = Box::new(TreeStream(scan));
            Ok(stream)
        })
    }

    fn lookup<'a>(
        &'a self,
        tree: TreeId,
        keys: &'a [Vec<Value>],
        columns: &'a [usize],
        with_position: bool,
    ) -> LocalFuture<'a, Result<Vec<Batch>>> {
        Box::pin(self.transaction.lookup(tree, keys, columns, with_position))
    }

    fn fetch<'a>(
        &'a self,
        tree: TreeId,
        positions: &'a [RowPosition],
        columns: &'a [usize],
    ) -> LocalFuture<'a, Result<Vec<Batch>>> {
        Box::pin(self.transaction.fetch(tree, positions, columns))
    }

    fn row_count(&self, relation: &Relation) -> Option<u64> {
        match relation {
            Relation::Tree(tree) => self.transaction.row_count(*tree),
            Relation::System(_) => None,
        }
    }
}
