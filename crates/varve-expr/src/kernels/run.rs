//! Runs the kernel of a function over columns.

use std::sync::Arc;

use varve_types::meter;
use varve_types::{
    ArrayValue, Bitmap, Column, ColumnBuilder, ColumnRef, Error, Result, SqlState, Value,
};

use super::operand::{Native, validity_of};
use crate::tree::{Call, Entry, Function, Kernel};

/// The most text that one call makes for one batch.
const COLUMN_TEXT_BYTES_MAX: usize = 256 << 20;

/// The result of `function` for every row of the call.
pub(crate) fn run(function: Function, call: &Call<'_>) -> Result<Column> {
    run_by(&function.entry.kernel, function, call)
}

/// As [`run`], by a kernel that the table does not have.
pub(crate) fn run_by(kernel: &Kernel, function: Function, call: &Call<'_>) -> Result<Column> {
    let entry = function.entry;
    let validity = || validity_of(call.args).filter(|_| entry.strict);
    let result = match kernel {
        _ if function.spread => run_spread(function, call),
        Kernel::Columns(kernel) => kernel(call),
        Kernel::Float(kernel) => run_float(*kernel, call, validity()),
        kernel => run_rows(kernel, entry, call, validity().as_ref()),
    };
    meter::check()?;
    result
}

/// What making a value takes, in [`meter::steps`].
fn steps_of(bytes: usize) -> usize {
    const CALL: usize = 4;
    CALL + bytes / 64
}

/// `name(..., VARIADIC array)`: each row is a call of its own, with the elements as arguments; NULL
/// where the array is.
fn run_spread(function: Function, call: &Call<'_>) -> Result<Column> {
    let function = Function {
        spread: false,
        ..function
    };
    let mut results = ColumnBuilder::with_capacity(call.result, call.rows);
    for row in 0..call.rows {
        let mut args: Vec<ColumnRef> = call
            .args
            .iter()
            .map(|arg| Arc::new(Column::constant(arg.logical_type(), &arg.value(row), 1)))
            .collect();
        let Some(Value::Array(element, stored)) = args.pop().map(|array| array.value(0)) else {
            results.push_null();
            continue;
        };
        let array = ArrayValue::read(element, &stored)?;
        let ty = element.logical();
        let elements = array.values.iter();
        args.extend(elements.map(|value| Arc::new(Column::constant(ty, value, 1))));
        if function.entry.strict && args.iter().any(|arg| arg.is_null(0)) {
            results.push_null();
            continue;
        }
        let one = Call {
            args: &args,
            rows: 1,
            ..*call
        };
        results.push(&run(function, &one)?.value(0));
        meter::steps(steps_of(0))?;
    }
    Ok(results.finish())
}

fn run_float(
    kernel: fn(f64) -> Result<f64>,
    call: &Call<'_>,
    validity: Option<Bitmap>,
) -> Result<Column> {
    let [input] = call.args else {
        return Err(Error::internal("a function of one double without it"));
    };
    let input = f64::operand(input);
    let mut values = Vec::with_capacity(call.rows);
    for row in 0..call.rows {
        let is_present = validity.as_ref().is_none_or(|bits| bits.get(row));
        values.push(if is_present {
            kernel(input.get(row))?
        } else {
            0.0
        });
    }
    Column::plain(call.result, f64::data(values), validity)
        .ok_or_else(|| Error::internal("a result of unequal length"))
}

fn run_rows(
    kernel: &Kernel,
    entry: &Entry,
    call: &Call<'_>,
    validity: Option<&Bitmap>,
) -> Result<Column> {
    let mut builder = ColumnBuilder::with_capacity(call.result, call.rows);
    let mut text = String::new();
    let mut text_bytes = 0;
    for row in 0..call.rows {
        if validity.is_some_and(|bits| !bits.get(row)) {
            builder.push_null();
            continue;
        }
        let args = call.row(row);
        match kernel {
            Kernel::Rows(kernel) => {
                let value = kernel(&args)?;
                builder.push(&value);
                meter::steps(steps_of(value.heap_bytes()))?;
            }
            Kernel::Catalog => {
                let names = call.context.locale.names.as_ref();
                let names = names.ok_or_else(|| Error::unsupported("the catalog here"))?;
                let values: Vec<Value> = (0..call.args.len()).map(|i| args.value(i)).collect();
                builder.push(&names.0.answer(entry.name, &values)?);
            }
            Kernel::Text(kernel) => {
                text.clear();
                kernel(&args, &mut text)?;
                text_bytes += text.len();
                builder.push_str(&text);
                meter::steps(steps_of(text.len()))?;
            }
            Kernel::Columns(_)
            | Kernel::Float(_)
            | Kernel::Set(_)
            | Kernel::Aggregate(_)
            | Kernel::Nested(_) => {
                return Err(Error::internal("a column kernel run by rows"));
            }
        }
        if text_bytes > COLUMN_TEXT_BYTES_MAX {
            return Err(Error::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                "the texts that an expression makes are too long",
            ));
        }
    }
    Ok(builder.finish())
}
