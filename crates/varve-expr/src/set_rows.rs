//! The rows that set-returning functions give.

use std::sync::Arc;

use varve_types::{Column, ColumnRef, Result, Value};

use crate::evaluate::call;
use crate::function::Kernel;
use crate::kernels::Row;
use crate::{EvalContext, Function};

/// The rows of one call, in order.
pub trait SetRows {
    /// Puts the values of the next row, one a column, into `row`, which is empty; false where there
    /// is none.
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool>;
}

/// The rows that a set-returning function gives for row `row` of its arguments; `None` where an
/// argument is NULL and it is strict.
pub fn set_rows(
    function: Function,
    args: &[ColumnRef],
    row: usize,
    context: &EvalContext<'_>,
) -> Result<Option<Box<dyn SetRows>>> {
    let Kernel::Set(kernel) = function.entry.kernel else {
        let constant = |arg: &ColumnRef| {
            let column = Column::constant(arg.logical_type(), &arg.value(row), 1);
            Arc::new(column)
        };
        let args = args.iter().map(constant).collect();
        let value = call(function, args, 1, context)?.value(0);
        return Ok(Some(values(vec![value])));
    };
    if function.entry.strict && args.iter().any(|arg| arg.is_null(row)) {
        return Ok(None);
    }
    let result = function.result_type();
    kernel(&Row {
        args,
        row,
        context,
        result,
    })
    .map(Some)
}

struct Values(std::vec::IntoIter<Value>);

impl SetRows for Values {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        row.extend(self.0.next());
        Ok(!row.is_empty())
    }
}

/// Values that are at hand, as rows of one column.
pub(crate) fn values(values: Vec<Value>) -> Box<dyn SetRows> {
    Box::new(Values(values.into_iter()))
}

struct Rows(std::vec::IntoIter<Vec<Value>>);

impl SetRows for Rows {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        match self.0.next() {
            Some(mut next) => {
                row.append(&mut next);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// Rows that are at hand.
pub(crate) fn rows(rows: Vec<Vec<Value>>) -> Box<dyn SetRows> {
    Box::new(Rows(rows.into_iter()))
}
