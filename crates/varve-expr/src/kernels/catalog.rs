//! Functions about the database that need no look at its catalogue.

use varve_types::{LogicalType, Result, Value};

use super::Row;

/// `pg_typeof(any)`
pub(super) fn type_of(row: &Row<'_>) -> Result<Value> {
    let ty = row.args.first().map(|arg| arg.logical_type());
    Ok(ty.map_or(Value::Null, |ty| Value::Reg(LogicalType::Regtype, ty.oid())))
}

/// What is always so.
pub(super) fn yes(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Boolean(true))
}

/// What is never so.
pub(super) fn no(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Boolean(false))
}

/// There is one session.
pub(super) fn one(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Int4(1))
}

/// `pg_relation_is_updatable(regclass, boolean)`: INSERT, UPDATE and DELETE.
pub(super) fn every_change(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Int4(28))
}

/// `pg_get_expr(text, oid)`: expressions are kept as text.
pub(super) fn expression(row: &Row<'_>) -> Result<Value> {
    Ok(row.value(0))
}

/// `pg_get_userbyid(oid)`, `current_user`: there is one role.
pub(super) fn role_name(_: &Row<'_>) -> Result<Value> {
    Ok(Value::text("postgres"))
}

/// `current_database()`
pub(super) fn database(_: &Row<'_>) -> Result<Value> {
    Ok(Value::text("varvedb"))
}

/// `version()`
pub(super) fn version(_: &Row<'_>) -> Result<Value> {
    Ok(Value::text(concat!(
        "PostgreSQL 16.0 (VarveDB ",
        env!("CARGO_PKG_VERSION"),
        ")"
    )))
}

/// `pg_encoding_to_char(integer)`, `getdatabaseencoding()`
pub(super) fn encoding(_: &Row<'_>) -> Result<Value> {
    Ok(Value::text("UTF8"))
}

/// What there is none of.
pub(super) fn nothing(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Null)
}
