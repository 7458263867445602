//! Evaluation of expressions over batches.

mod branches;
mod conditions;
mod domain;
mod encoded;
mod quantified;
mod set_rows;

#[cfg(test)]
pub(crate) mod forms;
#[cfg(test)]
mod function_tests;
#[cfg(test)]
mod nested_tests;
#[cfg(test)]
pub(crate) mod twin_tests;

use std::sync::Arc;

use varve_types::{
    Batch, Bitmap, Column, ColumnData, ColumnRef, CompareOp, Error, LogicalType, Result, SqlState,
    Value,
};

use crate::cast::{cast_column, cast_value};
use crate::kernels::{
    ConstantList, boolean_column, compare_columns, distinct_columns, pack, run_by,
};
#[cfg(feature = "planted")]
use crate::planted::{Planted, is_planted};
use crate::tree::{Call, EvalContext, Expr, Function, Kernel, Nested, Parameter, Volatility};

pub use conditions::evaluate_filter;

pub use set_rows::set_rows;

use encoded::map_columns;

/// The value of `expr` for each of the chosen rows of `batch`.
pub fn evaluate(expr: &Expr, batch: &Batch, context: &EvalContext<'_>) -> Result<ColumnRef> {
    let rows = batch.rows();
    match expr {
        Expr::Column { index, .. } => batch
            .column(*index)
            .ok_or_else(|| Error::internal("an expression reads a column that its input lacks")),
        Expr::Placeholder { .. } => Err(Error::internal("a placeholder has no column yet")),
        Expr::Literal { value, ty } => Ok(Arc::new(Column::constant(*ty, value, rows))),
        Expr::Parameter { parameter, ty } => {
            let value = parameter_value(*parameter, *ty, context)?;
            Ok(Arc::new(Column::constant(*ty, &value, rows)))
        }
        Expr::Outer { slot, ty } => Ok(Arc::new(Column::constant(
            *ty,
            outer(*slot, context)?,
            rows,
        ))),
        Expr::Compare { op, left, right } => {
            let args = vec![
                evaluate(left, batch, context)?,
                evaluate(right, batch, context)?,
            ];
            compare(*op, args, rows)
        }
        Expr::Distinct {
            left,
            right,
            negated,
        } => {
            let args = vec![
                evaluate(left, batch, context)?,
                evaluate(right, batch, context)?,
            ];
            map_columns(
                args,
                rows,
                LogicalType::Boolean,
                false,
                &|args, rows| match args {
                    [left, right] => distinct_columns(left, right, rows, *negated),
                    _ => Err(Error::internal("a comparison without two sides")),
                },
            )
        }
        Expr::And(operands) => conditions::connect(operands, false, batch, context),
        Expr::Or(operands) => conditions::connect(operands, true, batch, context),
        #[cfg(feature = "planted")]
        Expr::Not(input) if is_planted(Planted::NotOfNull) => {
            let kept = |row: usize, input: &Column| input.value(row) != Value::Boolean(true);
            let input = evaluate(input, batch, context)?;
            let values: Vec<Value> = (0..rows)
                .map(|row| Value::Boolean(kept(row, &input)))
                .collect();
            Ok(Arc::new(Column::from_values(LogicalType::Boolean, &values)))
        }
        #[cfg(feature = "planted")]
        Expr::Coalesce { args, .. } if is_planted(Planted::FirstOfCoalesce) && args.len() > 1 => {
            args.first().map_or_else(
                || Err(Error::internal("COALESCE of nothing")),
                |first| evaluate(first, batch, context),
            )
        }
        Expr::Not(input) => conditions::negate(&evaluate(input, batch, context)?),
        Expr::IsNull { input, negated } => is_null(&*evaluate(input, batch, context)?, *negated),
        Expr::InList {
            input,
            list,
            negated,
        } => in_list(input, list, *negated, batch, context),
        Expr::Call { function, args, .. } => {
            let args = args
                .iter()
                .map(|arg| evaluate(arg, batch, context))
                .collect::<Result<Vec<_>>>()?;
            call(*function, args, rows, context)
        }
        Expr::Cast {
            input,
            to,
            modifier,
            explicit,
            ..
        } => {
            let args = vec![evaluate(input, batch, context)?];
            map_columns(args, rows, *to, true, &|args, _| match args {
                [input] => cast_column(input, *to, *modifier, *explicit, context.locale),
                _ => Err(Error::internal("a cast without its input")),
            })
        }
        Expr::Case {
            branches,
            otherwise,
            ty,
        } => branches::case(branches, otherwise.as_deref(), *ty, batch, context),
        Expr::Coalesce { args, ty } => branches::coalesce(args, *ty, batch, context),
    }
}

/// The value of an expression without column references.
pub fn evaluate_constant(expr: &Expr, context: &EvalContext<'_>) -> Result<Value> {
    match expr {
        Expr::Literal { value, .. } => return Ok(value.clone()),
        Expr::Parameter { parameter, ty } => return parameter_value(*parameter, *ty, context),
        Expr::Outer { slot, .. } => return Ok(outer(*slot, context)?.clone()),
        _ => {}
    }
    Ok(evaluate(expr, &Batch::new(Vec::new(), 1), context)?.value(0))
}

fn outer<'a>(slot: usize, context: &EvalContext<'a>) -> Result<&'a Value> {
    let value = context.outer.get(slot);
    value.ok_or_else(|| Error::internal("a subquery reads a value that nothing set"))
}

fn parameter_value(
    parameter: Parameter,
    ty: LogicalType,
    context: &EvalContext<'_>,
) -> Result<Value> {
    let value = match parameter {
        Parameter::Given(index) => context.params.given.get(index).ok_or_else(|| {
            Error::new(
                SqlState::UNDEFINED_PARAMETER,
                format!("there is no parameter ${}", index + 1),
            )
        })?,
        Parameter::Called(index) => {
            let value = context.params.called.get(index);
            value.ok_or_else(|| Error::internal("a function did not run before its statement"))?
        }
    };
    if value.is_of(ty) {
        Ok(value.clone())
    } else {
        cast_value(value, ty, true, context.locale)
    }
}

/// The kernel of a function of which the table has the name only.
fn nested_kernel(nested: Nested) -> Kernel {
    match nested {
        Nested::Any => Kernel::Columns(quantified::any),
        Nested::All => Kernel::Columns(quantified::all),
        Nested::ElementsHold => Kernel::Rows(domain::elements_hold),
    }
}

fn run(function: Function, call: &Call<'_>) -> Result<Column> {
    match function.entry.kernel {
        Kernel::Nested(nested) => run_by(&nested_kernel(nested), function, call),
        ref kernel => run_by(kernel, function, call),
    }
}

fn call(
    function: Function,
    args: Vec<ColumnRef>,
    rows: usize,
    context: &EvalContext<'_>,
) -> Result<ColumnRef> {
    let result = function.result_type();
    if function.volatility() == Volatility::Volatile {
        // Each row is a call of its own; a form may hold values that no row has.
        let args: Vec<ColumnRef> = args.iter().map(|arg| arg.flatten()).collect();
        let call = Call {
            args: &args,
            rows,
            context,
            result,
        };
        return run(function, &call).map(Arc::new);
    }
    map_columns(args, rows, result, function.entry.strict, &|args, rows| {
        let call = Call {
            args,
            rows,
            context,
            result,
        };
        run(function, &call)
    })
}

fn compare(op: CompareOp, args: Vec<ColumnRef>, rows: usize) -> Result<ColumnRef> {
    map_columns(
        args,
        rows,
        LogicalType::Boolean,
        true,
        &|args, rows| match args {
            [left, right] => compare_columns(op, left, right, rows),
            _ => Err(Error::internal("a comparison without two sides")),
        },
    )
}

fn is_null(column: &Column, negated: bool) -> Result<ColumnRef> {
    let rows = column.len();
    let has_no_null = column.validity().is_none()
        && !matches!(
            column.data(),
            ColumnData::Constant(_) | ColumnData::RunEnds { .. }
        );
    let bits = if has_no_null {
        Bitmap::filled(rows, negated)
    } else {
        pack((0..rows).map(|row| column.is_null(row) != negated))
    };
    boolean_column(bits, None).map(Arc::new)
}

fn in_list(
    input: &Expr,
    list: &[Expr],
    negated: bool,
    batch: &Batch,
    context: &EvalContext<'_>,
) -> Result<ColumnRef> {
    let rows = batch.rows();
    let searched = evaluate(input, batch, context)?;
    let constants: Option<Vec<Value>> = list
        .iter()
        .map(|item| match item {
            Expr::Literal { value, .. } => Some(Ok(value.clone())),
            Expr::Parameter { parameter, ty } => Some(parameter_value(*parameter, *ty, context)),
            _ => None,
        })
        .collect::<Option<Result<_>>>()
        .transpose()?;
    if let Some(values) = constants {
        let list = ConstantList::new(searched.logical_type(), values);
        return map_columns(
            vec![searched],
            rows,
            LogicalType::Boolean,
            true,
            &|args, rows| match args {
                [input] => list.test(input, rows, negated),
                _ => Err(Error::internal("IN without its input")),
            },
        );
    }
    let mut found = vec![Some(false); rows];
    for item in list {
        let args = vec![Arc::clone(&searched), evaluate(item, batch, context)?];
        let equal = compare(CompareOp::Eq, args, rows)?;
        conditions::join(&mut found, &equal, true);
    }
    let column = conditions::column_of(&found)?;
    if negated {
        conditions::negate(&Arc::new(column))
    } else {
        Ok(Arc::new(column))
    }
}
