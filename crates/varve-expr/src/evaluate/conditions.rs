//! Three-valued logic, and filters.

use std::sync::Arc;

use varve_types::{Batch, Bitmap, Column, ColumnData, ColumnRef, Result, Selection};

use super::evaluate;
use crate::kernels::{boolean_column, pack};
use crate::tree::{EvalContext, Expr};

/// The chosen rows of `batch` for which a condition is true, in the form that [`Batch::select`]
/// takes.
pub fn evaluate_filter(expr: &Expr, batch: &Batch, context: &EvalContext<'_>) -> Result<Selection> {
    match expr {
        Expr::And(operands) => all_of(operands, batch, context),
        Expr::Or(operands) => any_of(operands, batch, context),
        _ => Ok(Truth::new(&evaluate(expr, batch, context)?).true_rows()),
    }
}

/// Each operand sees only the rows for which those before it were true.
fn all_of(operands: &[Expr], batch: &Batch, context: &EvalContext<'_>) -> Result<Selection> {
    let mut kept = Selection::all(batch.rows());
    for operand in operands {
        let found = evaluate_filter(operand, &narrowed(batch, &kept), context)?;
        kept = chosen_of(&kept, &found);
        if kept.is_empty() {
            break;
        }
    }
    Ok(kept)
}

/// Each operand sees only the rows for which those before it were not true.
fn any_of(operands: &[Expr], batch: &Batch, context: &EvalContext<'_>) -> Result<Selection> {
    let mut passed = Bitmap::filled(batch.rows(), false);
    let mut open = Selection::all(batch.rows());
    for operand in operands {
        let found = evaluate_filter(operand, &narrowed(batch, &open), context)?;
        for row in chosen_of(&open, &found).rows() {
            passed.set(*row as usize, true);
        }
        let still_open = open.rows().iter().copied();
        open = Selection::new(
            still_open
                .filter(|row| !passed.get(*row as usize))
                .collect(),
        );
        if open.is_empty() {
            break;
        }
    }
    let all = Selection::all(batch.rows());
    let rows = all.rows().iter().copied();
    Ok(Selection::new(
        rows.filter(|row| passed.get(*row as usize)).collect(),
    ))
}

/// The batch with `kept` chosen; as it is where all are.
pub(super) fn narrowed(batch: &Batch, kept: &Selection) -> Batch {
    if kept.len() == batch.rows() {
        batch.clone()
    } else {
        batch.select(kept)
    }
}

/// The rows of `outer` at the positions of `inner`.
pub(super) fn chosen_of(outer: &Selection, inner: &Selection) -> Selection {
    let rows = inner.rows().iter();
    Selection::new(
        rows.filter_map(|row| outer.rows().get(*row as usize).copied())
            .collect(),
    )
}

/// AND (`decisive` is false) or OR (`decisive` is true): an operand is evaluated only for the rows
/// for which none before it had the decisive value.
pub(super) fn connect(
    operands: &[Expr],
    decisive: bool,
    batch: &Batch,
    context: &EvalContext<'_>,
) -> Result<ColumnRef> {
    let mut states = vec![Some(!decisive); batch.rows()];
    let mut open = Selection::all(batch.rows());
    for operand in operands {
        let column = evaluate(operand, &narrowed(batch, &open), context)?;
        if open.len() == states.len() {
            join(&mut states, &column, decisive);
        } else {
            let mut joined: Vec<Option<bool>> = open
                .rows()
                .iter()
                .map(|row| states.get(*row as usize).copied().flatten())
                .collect();
            join(&mut joined, &column, decisive);
            for (row, state) in open.rows().iter().zip(joined) {
                if let Some(place) = states.get_mut(*row as usize) {
                    *place = state;
                }
            }
        }
        let undecided = |row: &u32| states.get(*row as usize) != Some(&Some(decisive));
        open = Selection::new(open.rows().iter().copied().filter(undecided).collect());
        if open.is_empty() {
            break;
        }
    }
    column_of(&states).map(Arc::new)
}

/// Joins one more operand to the states so far: the decisive value wins, then NULL.
pub(super) fn join(states: &mut [Option<bool>], operand: &ColumnRef, decisive: bool) {
    let truth = Truth::new(operand);
    for (row, state) in states.iter_mut().enumerate() {
        *state = match (*state, truth.get(row)) {
            (Some(known), _) | (_, Some(known)) if known == decisive => Some(decisive),
            (None, _) | (_, None) => None,
            _ => Some(!decisive),
        };
    }
}

pub(super) fn column_of(states: &[Option<bool>]) -> Result<Column> {
    let bits = pack(states.iter().map(|state| *state == Some(true)));
    let validity = pack(states.iter().map(Option::is_some));
    boolean_column(bits, Some(validity))
}

/// NOT.
pub(super) fn negate(column: &ColumnRef) -> Result<ColumnRef> {
    let plain = column.flatten();
    let truth = Truth::new(&plain);
    let bits = pack((0..plain.len()).map(|row| truth.get(row) == Some(false)));
    boolean_column(bits, plain.validity().cloned()).map(Arc::new)
}

/// A boolean column in plain form.
struct Truth {
    column: ColumnRef,
}

impl Truth {
    fn new(column: &ColumnRef) -> Truth {
        Truth {
            column: column.flatten(),
        }
    }

    fn get(&self, row: usize) -> Option<bool> {
        let bits = match self.column.data() {
            ColumnData::Boolean(bits) => bits,
            _ => return None,
        };
        let is_present = self.column.validity().is_none_or(|bits| bits.get(row));
        is_present.then(|| bits.get(row))
    }

    /// The rows that are true; eight rows without one are passed over at once.
    fn true_rows(&self) -> Selection {
        let ColumnData::Boolean(bits) = self.column.data() else {
            return Selection::default();
        };
        let valid = self.column.validity().map(Bitmap::as_bytes);
        let mut rows = Vec::with_capacity(bits.count_ones());
        for (i, (byte, first)) in bits.as_bytes().iter().zip((0..).step_by(8)).enumerate() {
            let valid = valid.map_or(u8::MAX, |bytes| bytes.get(i).copied().unwrap_or(0));
            let mut left = byte & valid;
            while left != 0 {
                rows.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
        Selection::new(rows)
    }
}
