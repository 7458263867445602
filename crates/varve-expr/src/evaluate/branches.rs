//! CASE and COALESCE: a branch is evaluated only for the rows that reach it.

use std::sync::Arc;

use varve_types::{Batch, Column, ColumnBuilder, ColumnRef, LogicalType, Result, Selection, Value};

use super::conditions::{chosen_of, evaluate_filter, narrowed};
use super::evaluate;
use crate::tree::{EvalContext, Expr};

pub(super) fn case(
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    ty: LogicalType,
    batch: &Batch,
    context: &EvalContext<'_>,
) -> Result<ColumnRef> {
    let mut result = Patchwork::new(ty, batch.rows());
    for (condition, value) in branches {
        if result.open.is_empty() {
            break;
        }
        let reached = narrowed(batch, &result.open);
        let found = evaluate_filter(condition, &reached, context)?;
        if found.is_empty() {
            continue;
        }
        let column = evaluate(value, &narrowed(&reached, &found), context)?;
        result.fill(&found, column);
    }
    if let Some(value) = otherwise
        && !result.open.is_empty()
    {
        let column = evaluate(value, &narrowed(batch, &result.open), context)?;
        result.fill(&Selection::all(result.open.len()), column);
    }
    Ok(result.finish())
}

pub(super) fn coalesce(
    args: &[Expr],
    ty: LogicalType,
    batch: &Batch,
    context: &EvalContext<'_>,
) -> Result<ColumnRef> {
    let mut result = Patchwork::new(ty, batch.rows());
    for arg in args {
        if result.open.is_empty() {
            break;
        }
        let column = evaluate(arg, &narrowed(batch, &result.open), context)?;
        let all = Selection::all(column.len());
        let present = |row: &u32| !column.is_null(*row as usize);
        let found = Selection::new(all.rows().iter().copied().filter(present).collect());
        let values = if found.len() == column.len() {
            column
        } else {
            Arc::new(column.take(found.rows()))
        };
        result.fill(&found, values);
    }
    Ok(result.finish())
}

/// A column put together from columns that each hold some of its rows.
struct Patchwork {
    ty: LogicalType,
    parts: Vec<ColumnRef>,
    /// Where each row is: its part and the row in it.
    places: Vec<Option<(usize, usize)>>,
    /// The rows that have no value yet; in the end they are NULL.
    open: Selection,
}

impl Patchwork {
    fn new(ty: LogicalType, rows: usize) -> Patchwork {
        Patchwork {
            ty,
            parts: Vec::new(),
            places: vec![None; rows],
            open: Selection::all(rows),
        }
    }

    /// Gives the open rows at the positions `found` the values of a column.
    fn fill(&mut self, found: &Selection, column: ColumnRef) {
        for (in_part, row) in chosen_of(&self.open, found).rows().iter().enumerate() {
            if let Some(place) = self.places.get_mut(*row as usize) {
                *place = Some((self.parts.len(), in_part));
            }
        }
        let places = &self.places;
        let is_open = |row: &u32| places.get(*row as usize) == Some(&None);
        self.open = Selection::new(self.open.rows().iter().copied().filter(is_open).collect());
        self.parts.push(column);
    }

    fn finish(self) -> ColumnRef {
        let rows = self.places.len();
        match self.parts.as_slice() {
            [] => return Arc::new(Column::constant(self.ty, &Value::Null, rows)),
            [whole] if whole.len() == rows => return Arc::clone(whole),
            _ => {}
        }
        let mut builder = ColumnBuilder::with_capacity(self.ty, rows);
        for place in self.places {
            match place.and_then(|(part, row)| Some((self.parts.get(part)?, row))) {
                Some((part, row)) => builder.push_row(part, row),
                None => builder.push_null(),
            }
        }
        Arc::new(builder.finish())
    }
}
