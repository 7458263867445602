//! What is there from the beginning: types, roles, the database.

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::domain::DomainDef;
use varve_catalog::model::type_def::PLACES_APART;
use varve_catalog::text::type_name::internal_name;
use varve_types::{LogicalType, PhysicalType, Value, nearest_f32};

use crate::operator_class::CLASSES;
use crate::relations::{domain_default, schema_oid};
use crate::{DATABASE, OWNER, OWNER_OID, PG_CATALOG_OID, oid, text};

pub(crate) const DATABASE_OID: u32 = 5;
/// The OIDs of labels.
const FIRST_LABEL: u32 = 1 << 28;
const LABELS_MAX: u32 = 10_000;

pub(crate) fn types(catalog: &Catalog) -> Vec<Vec<Value>> {
    let own = LogicalType::ALL.into_iter();
    let users = catalog.types.values().filter_map(|def| def.ty());
    let scalars: Vec<LogicalType> = own.chain(users).collect();
    let arrays = scalars.iter().copied().filter_map(LogicalType::array);
    let all = scalars.iter().copied().chain(arrays);
    let domains = catalog.domains.values();
    let domains = domains.flat_map(|def| [Some(domain_row(catalog, def)), array_row(catalog, def)]);
    all.map(|ty| type_row(catalog, ty))
        .chain(domains.flatten())
        .collect()
}

/// A domain: as its base type, but for what it is called and based on.
fn domain_row(catalog: &Catalog, def: &DomainDef) -> Vec<Value> {
    let mut row = type_row(catalog, def.base);
    let default = domain_default(catalog, def);
    let own = [
        (0, oid(def.oid())),
        (1, text(&def.name)),
        (2, oid(schema_oid(def.schema))),
        (6, text("d")),
        (8, Value::Boolean(false)),
        (12, oid(0)),
        (13, oid(def.base.array().map_or(0, |_| def.array_oid()))),
        (14, Value::Boolean(def.not_null)),
        (15, oid(def.base.oid())),
        (16, Value::Int4(def.modifier.0)),
    ];
    put_cells(&mut row, own);
    row.push(default.map_or(Value::Null, text));
    row
}

/// The arrays of a domain.
fn array_row(catalog: &Catalog, def: &DomainDef) -> Option<Vec<Value>> {
    let mut row = type_row(catalog, def.base.array()?);
    let own = [
        (0, oid(def.array_oid())),
        (1, text(format!("_{}", def.name))),
        (2, oid(schema_oid(def.schema))),
        (12, oid(def.oid())),
    ];
    put_cells(&mut row, own);
    Some(row)
}

fn put_cells<const N: usize>(row: &mut [Value], cells: [(usize, Value); N]) {
    for (at, value) in cells {
        if let Some(cell) = row.get_mut(at) {
            *cell = value;
        }
    }
}

/// Labels, their places counted from 1.
pub(crate) fn enum_labels(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for def in catalog.types.values() {
        let Some(id) = def.id() else {
            continue;
        };
        for (number, (place, label)) in (0_u32..).zip(&def.labels) {
            let order = f64::from(*place) / f64::from(PLACES_APART) + 1.0;
            rows.push(vec![
                oid(FIRST_LABEL
                    .wrapping_add(id.0.wrapping_mul(LABELS_MAX))
                    .wrapping_add(number)),
                oid(id.oid()),
                Value::Float4(nearest_f32(order)),
                text(label),
            ]);
        }
    }
    rows
}

/// How values would be stored in PostgreSQL.
pub(crate) fn storage_of(ty: LogicalType) -> &'static str {
    match ty {
        LogicalType::Numeric => "m",
        ty if length_of(ty) < 0 => "x",
        _ => "p",
    }
}

/// The name in `pg_type`: arrays have a `_` before that of their elements.
pub(crate) fn type_name(ty: LogicalType) -> String {
    match ty {
        LogicalType::Array(element) => format!("_{}", internal_name(element.logical())),
        ty => internal_name(ty).to_owned(),
    }
}

/// The name in `pg_type` of any type, and the OID of its schema.
pub(crate) fn stored_name(catalog: &Catalog, ty: LogicalType) -> (String, u32) {
    let element = match ty {
        LogicalType::Array(element) => element.logical(),
        ty => ty,
    };
    let mut types = catalog.types.values();
    match types.find(|def| def.ty() == Some(element)) {
        Some(def) if element == ty => (def.name.clone(), schema_oid(def.schema)),
        Some(def) => (format!("_{}", def.name), schema_oid(def.schema)),
        None => (type_name(ty), PG_CATALOG_OID),
    }
}

fn type_row(catalog: &Catalog, ty: LogicalType) -> Vec<Value> {
    let (name, schema) = stored_name(catalog, ty);
    let kind = match ty {
        LogicalType::Enum(_) => "e",
        LogicalType::Row(_) => "c",
        _ => "b",
    };
    let length = length_of(ty);
    let element = match ty {
        LogicalType::Array(element) => element.logical().oid(),
        _ => 0,
    };
    let array = ty.array().map_or(0, LogicalType::oid);
    let collation = if ty.is_string() { 100 } else { 0 };
    vec![
        oid(ty.oid()),
        text(name),
        oid(schema),
        oid(OWNER_OID),
        Value::Int2(length),
        Value::Boolean((1..=8).contains(&length)),
        text(kind),
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
pub fn length_of(ty: LogicalType) -> i16 {
    match (ty, ty.physical()) {
        (LogicalType::Boolean, _) => 1,
        (LogicalType::Int2, _) => 2,
        (LogicalType::Float4 | LogicalType::Oid, _) => 4,
        (ty, _) if ty.is_reg() => 4,
        (LogicalType::Name, _) => 64,
        (LogicalType::Uuid | LogicalType::Interval, _) => 16,
        (_, PhysicalType::Int32) => 4,
        (_, PhysicalType::Int64 | PhysicalType::Float64) => 8,
        _ => -1,
    }
}

pub(crate) fn databases(_: &Catalog) -> Vec<Vec<Value>> {
    vec![vec![
        oid(DATABASE_OID),
        text(DATABASE),
        oid(OWNER_OID),
        Value::Int4(6),
        text("C"),
        text("C"),
        Value::Boolean(false),
        Value::Boolean(true),
        text("c"),
        Value::Null,
        Value::Null,
        oid(1663),
        Value::Int4(-1),
    ]]
}

pub(crate) fn roles(_: &Catalog) -> Vec<Vec<Value>> {
    let mut role = vec![oid(OWNER_OID), text(OWNER)];
    role.extend((0..6).map(|_| Value::Boolean(true)));
    role.extend([Value::Int4(-1), Value::Boolean(true)]);
    vec![role]
}

pub(crate) fn access_methods(_: &Catalog) -> Vec<Vec<Value>> {
    let methods = [(2, "heap", "t"), (403, "btree", "i")];
    let row = |(number, name, kind): (u32, &str, &str)| vec![oid(number), text(name), text(kind)];
    methods.into_iter().map(row).collect()
}

pub(crate) fn operator_classes(_: &Catalog) -> Vec<Vec<Value>> {
    let row = |(number, name, ty): (u32, &str, u32)| {
        let is_own = CLASSES.iter().find(|(_, _, of)| *of == ty);
        vec![
            oid(number),
            oid(403),
            text(format!("{name}_ops")),
            oid(PG_CATALOG_OID),
            oid(OWNER_OID),
            oid(0),
            oid(ty),
            Value::Boolean(is_own.is_some_and(|(own, ..)| *own == number)),
            oid(0),
        ]
    };
    CLASSES.into_iter().map(row).collect()
}

pub(crate) fn collations(_: &Catalog) -> Vec<Vec<Value>> {
    let collations = [(100, "default", "d"), (950, "C", "c"), (951, "POSIX", "c")];
    let row = |(number, name, provider): (u32, &str, &str)| {
        let catalog = oid(PG_CATALOG_OID);
        vec![
            oid(number),
            text(name),
            catalog,
            oid(OWNER_OID),
            text(provider),
            Value::Int4(-1),
            text(if provider == "c" { name } else { "" }),
            text(if provider == "c" { name } else { "" }),
            Value::Null,
            Value::Null,
            Value::Boolean(true),
        ]
    };
    collations.into_iter().map(row).collect()
}

pub(crate) fn users(_: &Catalog) -> Vec<Vec<Value>> {
    let mut user = vec![text(OWNER), oid(OWNER_OID)];
    user.extend((0..4).map(|_| Value::Boolean(true)));
    vec![user]
}

pub(crate) fn tablespaces(_: &Catalog) -> Vec<Vec<Value>> {
    let spaces = [(1663, "pg_default"), (1664, "pg_global")];
    let row = |(number, name)| vec![oid(number), text(name), oid(OWNER_OID)];
    spaces.into_iter().map(row).collect()
}

pub(crate) fn languages(_: &Catalog) -> Vec<Vec<Value>> {
    let languages = [(12, "internal", false), (14, "sql", true)];
    let row = |(number, name, trusted): (u32, &str, bool)| {
        let (is_procedural, trusted) = (Value::Boolean(false), Value::Boolean(trusted));
        vec![
            oid(number),
            text(name),
            oid(OWNER_OID),
            is_procedural,
            trusted,
        ]
    };
    languages.into_iter().map(row).collect()
}

/// The session that asks.
pub(crate) fn activity(_: &Catalog) -> Vec<Vec<Value>> {
    let mut row = vec![
        oid(DATABASE_OID),
        text(DATABASE),
        Value::Int4(1),
        oid(OWNER_OID),
    ];
    row.push(text(OWNER));
    row.extend((0..5).map(|_| Value::Null));
    row.extend([text("active"), Value::Null, text("client backend")]);
    vec![row]
}
