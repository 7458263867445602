//! The information schema.

use varve_types::{LogicalType, TypeMod, Value};

use super::relations::{check_text, checked_columns, default_text, keys};
use super::types::stored_name;
use super::{DATABASE, OWNER, int4, text, yes_or_no};
use crate::catalog::{Filled, TableDef};
use crate::index::Deferral;
use crate::schema::{Catalog, is_temporary};
use crate::view::ViewKind;

fn plain_tables(catalog: &Catalog) -> impl Iterator<Item = &TableDef> {
    let tables = catalog.tables.values().map(AsRef::as_ref);
    tables.filter(|table| catalog.view_of(table.object).is_none())
}

/// Database, schema and name.
fn named(catalog: &Catalog, schema: varve_types::ObjectId, name: &str) -> Vec<Value> {
    vec![
        text(DATABASE),
        text(catalog.schema_name(schema)),
        text(name),
    ]
}

pub(super) fn schemata(catalog: &Catalog) -> Vec<Vec<Value>> {
    let own = ["pg_catalog", "information_schema"].into_iter();
    let names = own.chain(catalog.schemas().map(|(name, _)| name));
    names
        .map(|name| vec![text(DATABASE), text(name), text(OWNER)])
        .collect()
}

pub(super) fn tables(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in plain_tables(catalog) {
        let mut row = named(catalog, table.schema, &table.name);
        let kind = match is_temporary(table.schema) {
            true => "LOCAL TEMPORARY",
            false => "BASE TABLE",
        };
        row.extend([text(kind), text("YES"), text("NO")]);
        rows.push(row);
    }
    for view in catalog.views.values() {
        if matches!(view.kind, ViewKind::Plain { .. }) {
            let mut row = named(catalog, view.schema, &view.name);
            row.extend([text("VIEW"), text("NO"), text("NO")]);
            rows.push(row);
        }
    }
    rows
}

/// What a column is, from its name on.
struct Column<'a> {
    name: &'a str,
    number: usize,
    default: Option<String>,
    nullable: bool,
    ty: LogicalType,
    modifier: TypeMod,
    filled: Filled,
}

fn column_cells(catalog: &Catalog, column: Column<'_>) -> Vec<Value> {
    let Column { ty, modifier, .. } = column;
    let null = || Value::Null;
    let number = |number: Option<i32>| number.map_or(Value::Null, Value::Int4);
    let length = match ty {
        LogicalType::Varchar | LogicalType::Bpchar => modifier.length(),
        _ => None,
    };
    let octets = match ty {
        LogicalType::Text => Value::Int4(1 << 30),
        _ if ty.is_string() => length.map_or(Value::Int4(1 << 30), |length| int4(length * 4)),
        _ => Value::Null,
    };
    let numeric = modifier.numeric().filter(|_| ty == LogicalType::Numeric);
    let (precision, radix, scale) = match ty {
        LogicalType::Int2 => (Some(16), Some(2), Some(0)),
        LogicalType::Int4 => (Some(32), Some(2), Some(0)),
        LogicalType::Int8 => (Some(64), Some(2), Some(0)),
        LogicalType::Float4 => (Some(24), Some(2), None),
        LogicalType::Float8 => (Some(53), Some(2), None),
        LogicalType::Numeric => (
            numeric.map(|(precision, _)| i32::from(precision)),
            Some(10),
            numeric.map(|(_, scale)| i32::from(scale)),
        ),
        _ => (None, None, None),
    };
    let seconds = match ty {
        LogicalType::Date => Some(0),
        LogicalType::Time
        | LogicalType::Timestamp
        | LogicalType::TimestampTz
        | LogicalType::Interval => Some(i32::from(modifier.seconds(ty).unwrap_or(6))),
        _ => None,
    };
    let identity = match column.filled {
        Filled::IdentityAlways => text("ALWAYS"),
        Filled::IdentityByDefault => text("BY DEFAULT"),
        Filled::ByStatement | Filled::Generated => null(),
    };
    let is_generated = column.filled == Filled::Generated;
    let default = column.default.map_or(Value::Null, text);
    let (default, generation) = if is_generated {
        (null(), default)
    } else {
        (default, null())
    };
    let data_type = match ty {
        LogicalType::Array(_) => "ARRAY",
        LogicalType::Enum(_) => "USER-DEFINED",
        ty => ty.name(),
    };
    let (type_name, type_schema) = stored_name(catalog, ty);
    vec![
        text(column.name),
        int4(column.number),
        default,
        yes_or_no(column.nullable),
        text(data_type),
        length.map_or(Value::Null, int4),
        octets,
        number(precision),
        number(radix),
        number(scale),
        number(seconds),
        text(DATABASE),
        text(catalog.schema_text(type_schema).unwrap_or_default()),
        text(type_name),
        yes_or_no(!identity.is_null()),
        identity,
        text(if is_generated { "ALWAYS" } else { "NEVER" }),
        generation,
        text("YES"),
    ]
}

pub(super) fn columns(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in plain_tables(catalog) {
        for (number, column) in (1..).zip(&table.columns) {
            let mut row = named(catalog, table.schema, &table.name);
            row.extend(column_cells(
                catalog,
                Column {
                    name: &column.name,
                    number,
                    default: default_text(catalog, table, column),
                    nullable: column.nullable,
                    ty: column.ty,
                    modifier: column.modifier,
                    filled: column.filled,
                },
            ));
            rows.push(row);
        }
    }
    for view in catalog.views.values() {
        if matches!(view.kind, ViewKind::Materialized { .. }) {
            continue;
        }
        for (number, column) in (1..).zip(&view.columns) {
            let mut row = named(catalog, view.schema, &view.name);
            row.extend(column_cells(
                catalog,
                Column {
                    name: &column.name,
                    number,
                    default: None,
                    nullable: true,
                    ty: column.ty,
                    modifier: column.modifier,
                    filled: Filled::ByStatement,
                },
            ));
            rows.push(row);
        }
    }
    rows
}

pub(super) fn table_constraints(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in plain_tables(catalog) {
        let mut add = |name: &str, kind: &str, deferral: Deferral| {
            let mut row = named(catalog, table.schema, name);
            row.extend(named(catalog, table.schema, &table.name));
            row.extend([
                text(kind),
                yes_or_no(deferral != Deferral::Never),
                yes_or_no(deferral == Deferral::Deferred),
                text("YES"),
            ]);
            rows.push(row);
        };
        for key in keys(table).iter().filter(|key| key.is_constraint) {
            let kind = if key.is_primary {
                "PRIMARY KEY"
            } else {
                "UNIQUE"
            };
            add(&key.name, kind, key.deferral);
        }
        for check in &table.checks {
            add(&check.name, "CHECK", Deferral::Never);
        }
    }
    rows
}

pub(super) fn key_column_usage(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in plain_tables(catalog) {
        for key in keys(table).iter().filter(|key| key.is_constraint) {
            for (number, (at, _)) in (1..).zip(&key.columns) {
                let Some(column) = table.columns.get(*at) else {
                    continue;
                };
                let mut row = named(catalog, table.schema, &key.name);
                row.extend(named(catalog, table.schema, &table.name));
                row.extend([text(&column.name), int4(number)]);
                rows.push(row);
            }
        }
    }
    rows
}

pub(super) fn constraint_column_usage(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in plain_tables(catalog) {
        let keys = keys(table);
        let of_keys = keys.iter().filter(|key| key.is_constraint).map(|key| {
            let places = key.columns.iter().map(|(at, _)| *at);
            (key.name.as_str(), places.collect::<Vec<_>>())
        });
        let of_checks = table.checks.iter().map(|check| {
            let columns = checked_columns(table, &check.expr);
            (check.name.as_str(), columns)
        });
        for (name, places) in of_keys.chain(of_checks) {
            for column in places.iter().filter_map(|at| table.columns.get(*at)) {
                let mut row = named(catalog, table.schema, &table.name);
                row.push(text(&column.name));
                row.extend(named(catalog, table.schema, name));
                rows.push(row);
            }
        }
    }
    rows
}

pub(super) fn check_constraints(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in plain_tables(catalog) {
        for check in &table.checks {
            let mut row = named(catalog, table.schema, &check.name);
            row.push(text(check_text(table, &check.expr)));
            rows.push(row);
        }
    }
    rows
}

pub(super) fn views(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for view in catalog.views.values() {
        if matches!(view.kind, ViewKind::Plain { .. }) {
            let mut row = named(catalog, view.schema, &view.name);
            row.extend([text(&view.text), text("NONE"), text("NO"), text("NO")]);
            rows.push(row);
        }
    }
    rows
}

pub(super) fn sequences(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for one in catalog.sequences.values() {
        let precision = match one.ty {
            LogicalType::Int2 => 16,
            LogicalType::Int4 => 32,
            _ => 64,
        };
        let mut row = named(catalog, one.schema, &one.name);
        row.extend([
            text(one.ty.name()),
            Value::Int4(precision),
            Value::Int4(2),
            Value::Int4(0),
        ]);
        let bounds = [one.start, one.min, one.max, one.increment];
        row.extend(bounds.map(|number| text(number.to_string())));
        row.push(yes_or_no(one.cycle));
        rows.push(row);
    }
    rows
}
