//! Arrays of rows.

use varve_expr::{AggregateArgs, Expr, Function, resolve_aggregate};
use varve_types::{Error, LogicalType, Result};

use crate::plan::{AggregateCall, Plan};

/// The function behind a form of SQL, for elements of a type.
pub fn form(
    name: &str,
    element: Option<LogicalType>,
    args: Vec<Expr>,
    position: u32,
) -> Result<Expr> {
    let function = Function::form(name, element);
    let function = function.ok_or_else(|| Error::internal("a form without a function"))?;
    Ok(Expr::Call {
        function,
        args,
        position,
    })
}

/// What the rows of a query become.
#[derive(Clone, Copy)]
pub enum RowsOf {
    /// An array, empty where there are none.
    Array,
    /// What this aggregate of JSON makes of them.
    Json(&'static str),
}

/// The rows of a plan of one column as one value, and its type.
pub fn gathered(
    plan: Plan,
    ty: LogicalType,
    of: RowsOf,
    position: u32,
) -> Result<(Plan, LogicalType)> {
    let args = AggregateArgs::List(&[Some(ty)]);
    let name = match of {
        RowsOf::Array => "array_agg",
        RowsOf::Json(name) => name,
    };
    let function = resolve_aggregate(name, args, position)?;
    let function = function.ok_or_else(|| Error::internal("no aggregate of rows"))?;
    let of_rows = function.result_type();
    let call = AggregateCall {
        function,
        args: vec![Expr::Column { index: 0, ty }],
        distinct: false,
        order: Vec::new(),
        filter: None,
        position,
    };
    let plan = Plan::Aggregate {
        input: Box::new(plan),
        groups: Vec::new(),
        aggregates: vec![call],
    };
    Ok((plan, of_rows))
}
