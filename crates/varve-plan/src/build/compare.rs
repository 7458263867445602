//! Comparisons of values and of rows.

use varve_ast::Operator;
use varve_expr::{Expr, common_type, implicit_cast_allowed, operator_named};
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState};

use crate::build::array::form;
use crate::scope::error::located;

/// What an infix operator is.
pub enum Infix {
    /// A comparison.
    Compare(CompareOp),
    /// A function by its name.
    Function(&'static str),
}

/// What an operator between two operands is; `None` where it is not supported.
pub fn infix(operator: &Operator) -> Option<Infix> {
    match CompareOp::of_symbol(&operator.name) {
        Some(op) => Some(Infix::Compare(op)),
        None => operator_named(&operator.name).map(Infix::Function),
    }
}

/// The type in which values of these types are compared.
pub fn comparison_type(types: &[Option<LogicalType>]) -> Option<LogicalType> {
    let common = common_type(types)?;
    // Arrays are compared with arrays of the same type only.
    if common.array().is_none() && types.iter().flatten().any(|ty| *ty != common) {
        return None;
    }
    types
        .iter()
        .flatten()
        .all(|ty| *ty == common || implicit_cast_allowed(*ty, common))
        .then_some(common)
}

/// `42883`: there is no operator for these types.
pub fn undefined_operator(symbol: &str, types: [Option<LogicalType>; 2], position: u32) -> Error {
    let shown =
        |ty: Option<LogicalType>| ty.map_or_else(|| "unknown".to_owned(), |ty| ty.to_string());
    let [left, right] = types;
    let error = Error::new(
        SqlState::UNDEFINED_FUNCTION,
        format!(
            "operator does not exist: {} {symbol} {}",
            shown(left),
            shown(right)
        ),
    );
    located(error, position).with_hint(
        "No operator matches the given name and argument types. You might need to add explicit \
         type casts.",
    )
}

/// `input IS [NOT] NULL`; of a row, whether all its fields are or none is.
pub fn is_null(input: Expr, negated: bool, position: u32) -> Result<Expr> {
    if !matches!(input.logical_type(), LogicalType::Row(_)) {
        return Ok(Expr::IsNull {
            input: Box::new(input),
            negated,
        });
    }
    let name = match negated {
        true => "\0row is not null",
        false => "\0row is null",
    };
    form(name, None, vec![input], position)
}

/// A comparison of rows, field by field, as three-valued conditions.
pub fn compare_rows(op: CompareOp, pairs: &[(Expr, Expr)]) -> Result<Expr> {
    let field = |op: CompareOp, (left, right): &(Expr, Expr)| Expr::Compare {
        op,
        left: Box::new(left.clone()),
        right: Box::new(right.clone()),
    };
    let strict = match op {
        CompareOp::Eq | CompareOp::NotEq => {
            let mut fields: Vec<Expr> = pairs.iter().map(|pair| field(op, pair)).collect();
            return Ok(match (fields.len(), op) {
                (1, _) => fields.remove(0),
                (_, CompareOp::Eq) => Expr::And(fields),
                _ => Expr::Or(fields),
            });
        }
        CompareOp::Lt | CompareOp::LtEq => CompareOp::Lt,
        CompareOp::Gt | CompareOp::GtEq => CompareOp::Gt,
    };
    // From the last field on: less, or equal and the rest decides.
    let mut pairs = pairs.iter().rev();
    let Some(last) = pairs.next() else {
        return Err(Error::internal("rows without fields are compared"));
    };
    let mut result = field(op, last);
    for pair in pairs {
        let rest = Expr::And(vec![field(CompareOp::Eq, pair), result]);
        result = Expr::Or(vec![field(strict, pair), rest]);
    }
    Ok(result)
}
