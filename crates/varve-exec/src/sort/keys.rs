//! Sort keys of batches.

use varve_expr::{EvalContext, Expr, evaluate};
use varve_plan::SortKeyExpr;
use varve_types::{Batch, ColumnRef, Result};

use crate::keys::{KeyBlock, KeyOrder, encode_keys};

/// What rows are ordered by. Keys that are not columns of the input are evaluated once and travel
/// behind its columns, so that a volatile expression keeps its value.
pub(crate) struct SortKeys<'a> {
    exprs: &'a [SortKeyExpr],
    orders: Vec<KeyOrder>,
    added: usize,
}

impl<'a> SortKeys<'a> {
    pub(crate) fn new(exprs: &'a [SortKeyExpr]) -> SortKeys<'a> {
        let order = |key: &SortKeyExpr| KeyOrder {
            descending: key.descending,
            nulls_first: key.nulls_first,
        };
        SortKeys {
            exprs,
            orders: exprs.iter().map(order).collect(),
            added: exprs.iter().filter(|key| column_of(key).is_none()).count(),
        }
    }

    /// The chosen rows of a batch, with the key columns that it lacks behind its own.
    pub(crate) fn extend(&self, batch: &Batch, eval: &EvalContext<'_>) -> Result<Batch> {
        let batch = batch.compact();
        if self.added == 0 {
            return Ok(batch);
        }
        let mut columns = batch.physical_columns().to_vec();
        for key in self.exprs.iter().filter(|key| column_of(key).is_none()) {
            columns.push(evaluate(&key.expr, &batch, eval)?);
        }
        Ok(Batch::new(columns, batch.rows()))
    }

    /// Adds the keys of the rows of an extended batch to `block`.
    pub(crate) fn encode(&self, extended: &Batch, block: &mut KeyBlock) {
        let columns = extended.physical_columns();
        let mut added = columns.len().saturating_sub(self.added);
        let mut next_added = || {
            added += 1;
            added - 1
        };
        let places = self
            .exprs
            .iter()
            .map(|key| column_of(key).unwrap_or_else(&mut next_added));
        let keys: Vec<ColumnRef> = places
            .filter_map(|place| columns.get(place).cloned())
            .collect();
        encode_keys(&keys, &self.orders, extended.rows(), block);
    }

    /// The value of the first key, if that is a column, in the last row of an extended batch.
    pub(crate) fn last_of_first(&self, extended: &Batch) -> Option<i64> {
        let column = column_of(self.exprs.first()?)?;
        let column = extended.physical_columns().get(column)?;
        column.value(extended.rows().checked_sub(1)?).integer()
    }

    /// An extended batch without what [`SortKeys::extend`] added.
    pub(crate) fn strip(&self, extended: &Batch) -> Batch {
        let columns = extended.physical_columns();
        let own = columns.len().saturating_sub(self.added);
        Batch::new(columns.iter().take(own).cloned().collect(), extended.rows())
    }
}

fn column_of(key: &SortKeyExpr) -> Option<usize> {
    match key.expr {
        Expr::Column { index, .. } => Some(index),
        _ => None,
    }
}
