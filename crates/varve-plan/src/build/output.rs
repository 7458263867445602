//! The columns of a result, and what it is ordered by.

use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::plan::Field;
use crate::scope::error::located;

/// A column of a result.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its value.
    pub expr: Expr,
    /// Its name.
    pub name: String,
    /// The columns that it uses outside aggregates, with their positions.
    pub uses: Vec<(usize, u32)>,
    /// Whether it is a constant that no place has given a type.
    pub untyped: bool,
}

impl Output {
    /// A column that uses `uses`.
    pub fn of(name: String, expr: Expr, uses: Vec<(usize, u32)>) -> Output {
        Output {
            expr,
            name,
            uses,
            untyped: false,
        }
    }

    /// The columns of a finished result as they are.
    pub fn columns(fields: &[Field]) -> Vec<Output> {
        fields
            .iter()
            .enumerate()
            .map(|(index, field)| Output {
                expr: Expr::Column {
                    index,
                    ty: field.ty,
                },
                name: field.name.clone(),
                uses: Vec::new(),
                untyped: false,
            })
            .collect()
    }
}

/// One item of ORDER BY.
#[derive(Debug)]
pub struct OrderKey {
    /// What is compared.
    pub target: SortTarget,
    /// The greatest first.
    pub descending: bool,
    /// NULLs before all values.
    pub nulls_first: bool,
    /// Where it stands in the text.
    pub position: u32,
}

/// What an item of ORDER BY means.
#[derive(Debug)]
pub enum SortTarget {
    /// A result column.
    Output(usize),
    /// An expression over the columns of FROM.
    Expr {
        /// The expression.
        expr: Expr,
        /// As in [`Output`].
        uses: Vec<(usize, u32)>,
    },
}

impl SortTarget {
    /// The expression, where it is one.
    pub fn expr_mut(&mut self) -> Option<&mut Expr> {
        match self {
            SortTarget::Output(_) => None,
            SortTarget::Expr { expr, .. } => Some(expr),
        }
    }

    /// Its type.
    pub fn ty(&self, outputs: &[Output]) -> LogicalType {
        match self {
            SortTarget::Expr { expr, .. } => expr.logical_type(),
            SortTarget::Output(index) => match outputs.get(*index) {
                Some(output) => output.expr.logical_type(),
                None => LogicalType::Text,
            },
        }
    }

    /// The expression, or that of the result column.
    pub fn into_expr(self, outputs: &[Output]) -> Result<Expr> {
        match self {
            SortTarget::Expr { expr, .. } => Ok(expr),
            SortTarget::Output(index) => match outputs.get(index) {
                Some(output) => Ok(output.expr.clone()),
                None => Err(Error::internal("ORDER BY names no result column")),
            },
        }
    }
}

/// Refuses types whose values are not told apart (`is_order`: not ordered): json.
pub fn check_comparable(ty: LogicalType, is_order: bool, position: u32) -> Result<()> {
    if ty != LogicalType::Json {
        return Ok(());
    }
    let what = if is_order { "ordering" } else { "equality" };
    let message = format!("could not identify an {what} operator for type json");
    let error = located(Error::new(SqlState::UNDEFINED_FUNCTION, message), position);
    Err(match is_order {
        true => error.with_hint("Use an explicit ordering operator or modify the query."),
        false => error,
    })
}

/// Column `index` of a plan.
pub fn plan_column(index: usize, ty: LogicalType) -> Expr {
    Expr::Column { index, ty }
}
