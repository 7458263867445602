//! What is there from the beginning: types, roles, the database.

use varve_types::{LogicalType, PhysicalType, Value};

use super::{DATABASE, OWNER, OWNER_OID, PG_CATALOG_OID, oid, text};
use crate::bind::internal_name;
use crate::schema::Catalog;

pub(super) fn types(_: &Catalog) -> Vec<Vec<Value>> {
    let arrays = LogicalType::ALL.into_iter().filter_map(LogicalType::array);
    LogicalType::ALL
        .into_iter()
        .chain(arrays)
        .map(type_row)
        .collect()
}

/// The name in `pg_type`: arrays have a `_` before that of their elements.
pub(super) fn type_name(ty: LogicalType) -> String {
    match ty {
        LogicalType::Array(element) => format!("_{}", internal_name(element.logical())),
        ty => internal_name(ty).to_owned(),
    }
}

fn type_row(ty: LogicalType) -> Vec<Value> {
    let length = length_of(ty);
    let element = match ty {
        LogicalType::Array(element) => element.logical().oid(),
        _ => 0,
    };
    let array = ty.array().map_or(0, LogicalType::oid);
    let collation = if ty.is_string() { 100 } else { 0 };
    vec![
        oid(ty.oid()),
        text(type_name(ty)),
        oid(PG_CATALOG_OID),
        oid(OWNER_OID),
        Value::Int2(length),
        Value::Boolean((1..=8).contains(&length)),
        text("b"),
        text(char::from(ty.category()).to_string()),
        Value::Boolean(ty.is_preferred()),
        Value::Boolean(true),
        text(","),
        oid(0),
        oid(element),
        oid(array),
        Value::Boolean(false),
        oid(0),
        Value::Int4(-1),
        Value::Int4(0),
        oid(collation),
    ]
}

/// `typlen`: the bytes of a value, -1 where they differ.
pub(super) fn length_of(ty: LogicalType) -> i16 {
    match (ty, ty.physical()) {
        (LogicalType::Boolean, _) => 1,
        (LogicalType::Int2, _) => 2,
        (LogicalType::Float4 | LogicalType::Oid, _) => 4,
        (LogicalType::Uuid | LogicalType::Interval, _) => 16,
        (_, PhysicalType::Int32) => 4,
        (_, PhysicalType::Int64 | PhysicalType::Float64) => 8,
        _ => -1,
    }
}

pub(super) fn databases(_: &Catalog) -> Vec<Vec<Value>> {
    vec![vec![
        oid(5),
        text(DATABASE),
        oid(OWNER_OID),
        Value::Int4(6),
        text("C"),
        text("C"),
        Value::Boolean(false),
        Value::Boolean(true),
    ]]
}

pub(super) fn roles(_: &Catalog) -> Vec<Vec<Value>> {
    let mut role = vec![oid(OWNER_OID), text(OWNER)];
    role.extend((0..6).map(|_| Value::Boolean(true)));
    role.extend([Value::Int4(-1), Value::Boolean(true)]);
    vec![role]
}

pub(super) fn access_methods(_: &Catalog) -> Vec<Vec<Value>> {
    let methods = [(2, "heap", "t"), (403, "btree", "i")];
    let row = |(number, name, kind): (u32, &str, &str)| vec![oid(number), text(name), text(kind)];
    methods.into_iter().map(row).collect()
}

pub(super) fn collations(_: &Catalog) -> Vec<Vec<Value>> {
    let collations = [(100, "default", "d"), (950, "C", "c"), (951, "POSIX", "c")];
    let row = |(number, name, provider): (u32, &str, &str)| {
        let catalog = oid(PG_CATALOG_OID);
        vec![
            oid(number),
            text(name),
            catalog,
            oid(OWNER_OID),
            text(provider),
        ]
    };
    collations.into_iter().map(row).collect()
}
