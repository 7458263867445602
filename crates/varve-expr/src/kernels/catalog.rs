//! Functions about the database that need no look at its catalog.

use varve_types::{Error, Invariant, LogicalType, Result, SqlState, Value, unparenthesized};

use crate::tree::set_rows::values;
use crate::tree::{Row, SetRows};

/// `pg_typeof(any)`
pub(super) fn type_of(row: &Row<'_>) -> Result<Value> {
    let ty = row.args.first().map(|arg| arg.logical_type());
    Ok(ty.map_or(Value::Null, |ty| Value::Reg(LogicalType::Regtype, ty.oid())))
}

/// `pg_collation_for(any)`
pub(super) fn collation(row: &Row<'_>) -> Result<Value> {
    let ty = row.args.first().map(|arg| arg.logical_type());
    match ty {
        Some(ty) if ty.is_string() => Ok(Value::text("\"default\"")),
        ty => {
            let ty = ty.map_or_else(String::new, |ty| ty.to_string());
            let message = format!("collations are not supported by type {ty}");
            Err(Error::new(SqlState::DATATYPE_MISMATCH, message))
        }
    }
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

/// `pg_get_expr(text, oid [, pretty])`: expressions are kept as text.
pub(super) fn expression(row: &Row<'_>) -> Result<Value> {
    Ok(match row.value(2) {
        Value::Boolean(true) => Value::text(unparenthesized(row.text(0))),
        _ => row.value(0),
    })
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

/// `pg_char_to_encoding(name)`
pub(super) fn encoding_number(row: &Row<'_>) -> Result<Value> {
    let is_known = matches!(
        row.text(0).to_ascii_uppercase().as_str(),
        "UTF8" | "UTF-8" | "UNICODE"
    );
    Ok(Value::Int4(if is_known { 6 } else { -1 }))
}

/// What is empty everywhere.
pub(super) fn empty(_: &Row<'_>) -> Result<Value> {
    Ok(Value::text(""))
}

/// Rows that there are none of.
pub(super) fn no_rows(_: &Row<'_>) -> Result<Box<dyn SetRows>> {
    Ok(values(Vec::new()))
}

/// Whether a value is one of a domain: the value, the domain, then names of constraints and what
/// must hold; without a name it is NOT NULL.
pub(super) fn domain(row: &Row<'_>) -> Result<Value> {
    for at in (2..row.args.len()).step_by(2) {
        if row.value(at + 1) != Value::Boolean(false) {
            continue;
        }
        let number = u32::try_from(row.int8(1)).or_broken("the type of a domain")?;
        let domain = Value::Reg(LogicalType::Regtype, number);
        let domain = crate::format_value(&domain, row.context.locale);
        return Err(match row.text(at) {
            "" => {
                let message = format!("domain {domain} does not allow null values");
                Error::new(SqlState::NOT_NULL_VIOLATION, message)
            }
            name => {
                let message =
                    format!("value for domain {domain} violates check constraint \"{name}\"");
                Error::new(SqlState::CHECK_VIOLATION, message).with_constraint(name)
            }
        });
    }
    Ok(Value::Boolean(true))
}

/// What there is none of.
pub(super) fn nothing(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Null)
}
