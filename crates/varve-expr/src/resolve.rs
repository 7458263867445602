//! Overload resolution and the rules of implicit conversion, as in PostgreSQL.

use varve_types::{Error, LogicalType, Result};

use crate::{AggregateFunction, Function};

/// The function that `name(args)` means; `None` is an argument whose type is not known yet (a string literal, NULL or
/// a parameter).
pub fn resolve_function(
    name: &str,
    args: &[Option<LogicalType>],
    position: u32,
) -> Result<Function> {
    let _ = (args, position);
    Err(Error::unsupported(name))
}

/// The operator that `op` means: one argument for a prefix operator, two for an infix one.
///
/// Arithmetic `+ - * / % ^`, `||`, and `~~ !~~ ~~* !~~*` for LIKE, NOT LIKE, ILIKE, NOT ILIKE.
pub fn resolve_operator(op: &str, args: &[Option<LogicalType>], position: u32) -> Result<Function> {
    let _ = (args, position);
    Err(Error::unsupported(op))
}

/// The aggregate that `name` means, or `None` when it is no aggregate's name. `argument` is `None` for `count(*)`;
/// `Some(None)` is an argument of unknown type.
pub fn resolve_aggregate(
    name: &str,
    argument: Option<Option<LogicalType>>,
    position: u32,
) -> Result<Option<AggregateFunction>> {
    let _ = (argument, position);
    Err(Error::unsupported(name))
}

/// Whether an expression of type `from` may stand where `to` is wanted, without being asked.
pub fn implicit_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    from == to
}

/// Whether a value of type `from` may be stored in a column of type `to`.
pub fn assignment_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    from == to
}

/// Whether `CAST` converts `from` to `to`.
pub fn explicit_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    from == to
}

/// The type of a CASE, COALESCE, IN, VALUES column or comparison over arguments of these types; `None` where they do
/// not go together. Arguments of unknown type follow the others; text where all are unknown.
pub fn common_type(types: &[Option<LogicalType>]) -> Option<LogicalType> {
    types.iter().copied().flatten().next()
}
