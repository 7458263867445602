//! Calls of set-returning functions.

use std::sync::Arc;

use varve_types::{Column, ColumnRef, Result};

use super::call;
use crate::tree::set_rows::{self, SetRows};
use crate::tree::{EvalContext, Function, Kernel, Row};

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
        return Ok(Some(set_rows::values(vec![value])));
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
