//! Deletes the rows of a tree that lie in some of its partitions: of runs that lie there as a whole
//! no page is read.

use core::ops::Range;

use roaring::RoaringBitmap;
use varve_types::{
    ColumnPredicate, CompareOp, LogicalType, PredicateTest, RowPosition, RunId, ScanSpec, TreeId,
    Value,
};

use crate::TreeScan;
use crate::error::{Result, StoreError};
use crate::read::{View, ordinal};
use crate::transaction::Transaction;

impl Transaction {
    /// Removes the rows of a tree whose values lie in a range of the column by which it keeps rows
    /// apart, and answers how many they were. Of a run that lies in the range as a whole nothing is
    /// read; of others that column is.
    ///
    /// The tree must have no indexes: their entries cannot be told without reading the rows.
    pub async fn delete_range(&mut self, tree: TreeId, range: Range<i64>) -> Result<u64> {
        let savepoint = self.savepoint();
        let done = self.delete_parts(tree, &range).await;
        if done.is_err() {
            self.rollback_to(savepoint)?;
        }
        self.release(savepoint)?;
        done
    }

    async fn delete_parts(&mut self, tree: TreeId, range: &Range<i64>) -> Result<u64> {
        if self.has_indexes(tree) {
            let message = format!("tree {tree} has indexes, whose entries stay");
            return Err(StoreError::internal(message));
        }
        let whole = self.runs_within(tree, range).await?;
        let mut rows = 0;
        for (run, dying) in whole {
            rows += dying.len();
            self.write_set().delete_in_run(tree, run, &dying);
        }
        let rest = self.rows_within(tree, range).await?;
        self.delete(tree, &rest).await?;
        Ok(rows + rest.len() as u64)
    }

    /// The runs that lie in a range as a whole, with the rows of them that are alive.
    async fn runs_within(
        &self,
        tree: TreeId,
        range: &Range<i64>,
    ) -> Result<Vec<(RunId, RoaringBitmap)>> {
        let view = self.view(tree).await?;
        let mut within = Vec::new();
        for run in &view.runs {
            let head = run.run.head()?;
            if view.tree.values_of(head).lie_in(range) {
                let end = ordinal(head.rows())?;
                let mut alive = RoaringBitmap::new();
                alive.insert_range(0..end);
                alive -= run.dead(0, end, self.snapshot.seq);
                if !alive.is_empty() {
                    within.push((run.run.id, alive));
                }
            }
        }
        Ok(within)
    }

    /// The rows in a range that this transaction has not deleted.
    async fn rows_within(&self, tree: TreeId, range: &Range<i64>) -> Result<Vec<RowPosition>> {
        let view = self.view(tree).await?;
        let mut positions = Vec::new();
        let Some(spec) = spec_of(&view, range)? else {
            return Ok(positions);
        };
        self.write_set().note_read(tree);
        let mut scan = TreeScan::new(view, spec)?;
        while let Some(batch) = scan.next_batch().await? {
            let column = batch.column(0).ok_or_else(no_positions)?;
            for row in 0..batch.rows() {
                match column.value(row) {
                    Value::Int8(position) => positions.push(RowPosition(position.cast_unsigned())),
                    _ => return Err(no_positions()),
                }
            }
        }
        Ok(positions)
    }

    fn has_indexes(&self, tree: TreeId) -> bool {
        let catalog = self.catalog();
        let mut indexes = catalog.trees.values().filter_map(|tree| tree.index());
        indexes.any(|index| index.of == tree)
    }
}

/// A scan for the positions of rows in a range; `None` where it has no value of the type.
fn spec_of(view: &View, range: &Range<i64>) -> Result<Option<ScanSpec>> {
    let schema = view.tree.schema();
    let partition = schema.options.partition;
    let column = partition.and_then(|partition| schema.position_of(partition.column));
    let ty = column
        .and_then(|at| schema.columns.get(at))
        .map(|column| column.ty);
    let Some((column, ty)) = column.zip(ty) else {
        let message = format!("tree {} does not keep rows apart", schema.tree);
        return Err(StoreError::internal(message));
    };
    let (least, greatest) = bounds(ty);
    if range.is_empty() || greatest < range.start || range.end <= least {
        return Ok(None);
    }
    let mut predicates = Vec::new();
    let mut add = |op, bound| {
        if let Some(bound) = value(ty, bound) {
            let test = PredicateTest::Compare(op, bound);
            predicates.push(ColumnPredicate { column, test });
        }
    };
    // Every value is known to be above what lies below the type; NULLs are not.
    add(CompareOp::GtEq, range.start.max(least));
    if range.end <= greatest {
        add(CompareOp::Lt, range.end);
    }
    Ok(Some(ScanSpec {
        predicates,
        with_position: true,
        ..ScanSpec::of(schema.tree, Vec::new())
    }))
}

/// The least and the greatest integer that a type stores.
fn bounds(ty: LogicalType) -> (i64, i64) {
    match ty {
        LogicalType::Int2 => (i16::MIN.into(), i16::MAX.into()),
        LogicalType::Int4 | LogicalType::Date => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}

/// The value of a type that is stored as an integer.
fn value(ty: LogicalType, integer: i64) -> Option<Value> {
    Some(match ty {
        LogicalType::Int2 => Value::Int2(integer.try_into().ok()?),
        LogicalType::Int4 => Value::Int4(integer.try_into().ok()?),
        LogicalType::Date => Value::Date(integer.try_into().ok()?),
        LogicalType::Int8 => Value::Int8(integer),
        LogicalType::Timestamp => Value::Timestamp(integer),
        LogicalType::TimestampTz => Value::TimestampTz(integer),
        _ => return None,
    })
}

fn no_positions() -> StoreError {
    StoreError::internal("a scan gave no positions")
}
