//! Functions over the catalogues that need no look at them.

use varve_types::{LogicalType, Result, TypeMod, Value};

use super::Row;

/// `format_type(oid, modifier)`
pub(super) fn format_type(row: &Row<'_>) -> Result<Value> {
    let Value::Oid(oid) = row.value(0) else {
        return Ok(Value::Null);
    };
    let modifier = match row.value(1) {
        Value::Int4(modifier) => TypeMod(modifier),
        _ => TypeMod::NONE,
    };
    Ok(match LogicalType::from_oid(oid) {
        Some(ty) => Value::text(modifier.name_of(ty)),
        None if oid == 0 => Value::text("-"),
        None => Value::text("???"),
    })
}

/// `pg_table_is_visible(oid)` and its like.
pub(super) fn is_visible(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Boolean(true))
}

/// `pg_get_expr(text, oid)`: expressions are kept as text.
pub(super) fn expression(row: &Row<'_>) -> Result<Value> {
    Ok(row.value(0))
}

/// `pg_get_userbyid(oid)`: there is one role.
pub(super) fn role_name(_: &Row<'_>) -> Result<Value> {
    Ok(Value::text("postgres"))
}

/// `pg_encoding_to_char(integer)`, `getdatabaseencoding()`
pub(super) fn encoding(_: &Row<'_>) -> Result<Value> {
    Ok(Value::text("UTF8"))
}

/// `obj_description(oid, text)` and its like, where there are none.
pub(super) fn nothing(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Null)
}
