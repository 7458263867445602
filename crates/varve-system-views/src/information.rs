//! The information schema.

use std::sync::Arc;

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::domain::DomainDef;
use varve_catalog::model::foreign_key::ForeignKeyDef;
use varve_catalog::model::index::Deferral;
use varve_catalog::model::schema::is_temporary;
use varve_catalog::model::table::{ColumnDef, Filled, TableDef};
use varve_catalog::model::view::{ViewCheck, ViewDef, ViewKind};
use varve_types::{LogicalType, ObjectId, SqlText, TypeMod, Value};

use crate::constraints::{
    Constraint, DomainCheck, action_words, constraints_of, domain_checks, parent_key,
};
use crate::reg::schema_text;
use crate::relations::{check_text, checked_columns, default_text, domain_default};
use crate::types::stored_name;
use crate::{DATABASE, OWNER, ShownTexts, int4, text, yes_or_no};

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

pub(crate) fn schemata(catalog: &Catalog) -> Vec<Vec<Value>> {
    let own = ["pg_catalog", "information_schema"].into_iter();
    let names = own.chain(catalog.schemas().map(|(name, _)| name));
    names
        .map(|name| vec![text(DATABASE), text(name), text(OWNER)])
        .collect()
}

pub(crate) fn tables(catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
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
            row.extend([text("VIEW"), is_updatable(catalog, texts, view), text("NO")]);
            rows.push(row);
        }
    }
    rows
}

/// What a column is, from its name on.
struct Column<'a> {
    name: &'a str,
    number: usize,
    default: Option<SqlText>,
    nullable: bool,
    ty: LogicalType,
    modifier: TypeMod,
    filled: Filled,
    is_updatable: bool,
}

fn column_cells(catalog: &Catalog, column: Column<'_>) -> Vec<Value> {
    let ty = column.ty;
    let identity = match column.filled {
        Filled::IdentityAlways => text("ALWAYS"),
        Filled::IdentityByDefault => text("BY DEFAULT"),
        Filled::ByStatement | Filled::Generated => Value::Null,
    };
    let is_generated = column.filled == Filled::Generated;
    let default = column.default.map_or(Value::Null, text);
    let (default, generation) = match is_generated {
        true => (Value::Null, default),
        false => (default, Value::Null),
    };
    let data_type = match ty {
        LogicalType::Array(_) => "ARRAY",
        LogicalType::Enum(_) | LogicalType::Row(_) => "USER-DEFINED",
        ty => ty.name(),
    };
    let mut cells = vec![
        text(column.name),
        int4(column.number),
        default,
        yes_or_no(column.nullable),
        text(data_type),
    ];
    cells.extend(measure_cells(ty, column.modifier));
    let (type_name, type_schema) = stored_name(catalog, ty);
    cells.extend([
        text(DATABASE),
        text(schema_text(catalog, type_schema).unwrap_or_default()),
        text(type_name),
        yes_or_no(!identity.is_null()),
        identity,
        text(if is_generated { "ALWAYS" } else { "NEVER" }),
        generation,
        yes_or_no(column.is_updatable),
    ]);
    cells
}

/// How long and how exact values of a type are, from `character_maximum_length` on.
fn measure_cells(ty: LogicalType, modifier: TypeMod) -> [Value; 6] {
    let length = match ty {
        LogicalType::Varchar | LogicalType::Bpchar => modifier.length(),
        _ => None,
    };
    let octets = match ty {
        LogicalType::Text => Value::Int4(1 << 30),
        _ if ty.is_string() => length.map_or(Value::Int4(1 << 30), |length| int4(length * 4)),
        _ => Value::Null,
    };
    let (precision, radix, scale) = match ty {
        LogicalType::Int2 => (Some(16), Some(2), Some(0)),
        LogicalType::Int4 => (Some(32), Some(2), Some(0)),
        LogicalType::Int8 => (Some(64), Some(2), Some(0)),
        LogicalType::Float4 => (Some(24), Some(2), None),
        LogicalType::Float8 => (Some(53), Some(2), None),
        LogicalType::Numeric => {
            let (precision, scale) = modifier.numeric().unzip();
            (precision.map(i32::from), Some(10), scale.map(i32::from))
        }
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
    let number = |number: Option<i32>| number.map_or(Value::Null, Value::Int4);
    [
        length.map_or(Value::Null, int4),
        octets,
        number(precision),
        number(radix),
        number(scale),
        number(seconds),
    ]
}

/// The place of `udt_schema`, with `udt_name` behind it.
const UDT_SCHEMA: usize = 15;

/// The place of `identity_start`.
const IDENTITY_START: usize = 39;

/// What the sequence of an identity column counts by.
fn identity_cells(catalog: &Catalog, table: ObjectId, column: &ColumnDef) -> Vec<Value> {
    let is_identity = matches!(
        column.filled,
        Filled::IdentityAlways | Filled::IdentityByDefault
    );
    let owner = Some((table, column.id)).filter(|_| is_identity);
    let mut all = catalog.sequences.values();
    let own = all.find(|sequence| owner.is_some() && sequence.owner == owner);
    let numbers = own.map(|own| [own.start, own.increment, own.max, own.min].map(Some));
    let numbers = numbers.unwrap_or_default().into_iter();
    let cells = numbers.map(|number| number.map_or(Value::Null, |one| text(one.to_string())));
    let cycles = yes_or_no(own.is_some_and(|own| own.cycle));
    cells.chain([cycles]).collect()
}

pub(crate) fn columns(catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in plain_tables(catalog) {
        for (number, column) in (1..).zip(&table.columns) {
            let of = table.domain_of(number - 1);
            let mut all = catalog.domains.values();
            let domain = all.find(|def| Some(def.oid()) == of);
            let mut row = named(catalog, table.schema, &table.name);
            row.extend(column_cells(
                catalog,
                Column {
                    name: &column.name,
                    number,
                    default: default_text(catalog, table, column),
                    nullable: column.nullable && domain.is_none_or(|domain| !domain.not_null),
                    ty: column.ty,
                    modifier: column.modifier,
                    filled: column.filled,
                    is_updatable: true,
                },
            ));
            let mut all = catalog.domains.values();
            let of_array = all.find(|def| Some(def.array_oid()) == of);
            if let Some(of) = of_array
                && let Some([schema, name, ..]) = row.get_mut(UDT_SCHEMA..)
            {
                *schema = text(catalog.schema_name(of.schema));
                *name = text(format!("_{}", of.name));
            }
            if let Some(domain) = domain {
                // Behind the collation: name, database and schema.
                row.push(Value::Null);
                let mut of = named(catalog, domain.schema, &domain.name);
                row.extend(of.pop());
                row.extend(of);
            }
            row.resize(IDENTITY_START, Value::Null);
            row.extend(identity_cells(catalog, table.object, column));
            rows.push(row);
        }
    }
    for view in catalog.views.values() {
        if matches!(view.kind, ViewKind::Materialized { .. }) {
            continue;
        }
        let updatable = texts.updatable_columns(catalog, view).unwrap_or_default();
        for (number, column) in (1..).zip(&view.columns) {
            let mut row = named(catalog, view.schema, &view.name);
            let is_updatable = updatable.get(number - 1) == Some(&true);
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
                    is_updatable,
                },
            ));
            rows.push(row);
        }
    }
    rows
}

/// The kind of a constraint in words.
fn kind_of(constraint: &Constraint<'_>) -> &'static str {
    match constraint {
        Constraint::Key(key) if key.is_primary => "PRIMARY KEY",
        Constraint::Key(_) => "UNIQUE",
        Constraint::Check(_) => "CHECK",
        Constraint::Foreign(_) => "FOREIGN KEY",
    }
}

/// The constraints of all tables.
fn each_constraint(catalog: &Catalog, add: &mut dyn FnMut(&TableDef, &Constraint<'_>)) {
    for table in plain_tables(catalog) {
        for (_, constraint) in constraints_of(table) {
            add(table, &constraint);
        }
    }
}

pub(crate) fn table_constraints(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    each_constraint(catalog, &mut |table, constraint| {
        let deferral = constraint.deferral();
        let mut row = named(catalog, table.schema, constraint.name());
        row.extend(named(catalog, table.schema, &table.name));
        row.extend([
            text(kind_of(constraint)),
            yes_or_no(deferral != Deferral::Never),
            yes_or_no(deferral == Deferral::Deferred),
            text("YES"),
        ]);
        if let Constraint::Key(key) = constraint
            && !key.is_primary
        {
            row.push(yes_or_no(!key.index.options.nulls_not_distinct));
        }
        rows.push(row);
    });
    rows
}

pub(crate) fn key_column_usage(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    each_constraint(catalog, &mut |table, constraint| {
        let places: Vec<usize> = match constraint {
            Constraint::Key(key) => key.own_columns().collect(),
            Constraint::Foreign(key) => key.columns.clone(),
            Constraint::Check(_) => return,
        };
        for (number, at) in (1..).zip(places) {
            let Some(column) = table.columns.get(at) else {
                continue;
            };
            let mut row = named(catalog, table.schema, constraint.name());
            row.extend(named(catalog, table.schema, &table.name));
            row.extend([text(&column.name), int4(number)]);
            if let Constraint::Foreign(key) = constraint {
                row.push(place_in_parent(catalog, key, number - 1));
            }
            rows.push(row);
        }
    });
    rows
}

/// The place in the key of the other table of a column of a foreign key, from 1.
fn place_in_parent(catalog: &Catalog, key: &ForeignKeyDef, number: usize) -> Value {
    let place = || {
        let parent = catalog.tables.get(&key.parent)?;
        let places = key.parent_positions(parent);
        let of = parent_key(parent, &places)?;
        let wanted = places.get(number)?;
        of.own_columns().position(|at| at == *wanted)
    };
    place().map_or(Value::Null, |place| int4(place + 1))
}

pub(crate) fn constraint_column_usage(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    each_constraint(catalog, &mut |table, constraint| {
        let (of, places) = match constraint {
            Constraint::Key(key) => {
                let places = key.own_columns();
                (Some(table), places.collect())
            }
            Constraint::Check(check) => (Some(table), checked_columns(table, &check.expr)),
            Constraint::Foreign(key) => {
                let parent = catalog.tables.get(&key.parent).map(AsRef::as_ref);
                let places = parent.map(|parent| key.parent_positions(parent));
                (parent, places.unwrap_or_default())
            }
        };
        let Some(of) = of else {
            return;
        };
        for column in places.iter().filter_map(|at| of.columns.get(*at)) {
            let mut row = named(catalog, of.schema, &of.name);
            row.push(text(&column.name));
            row.extend(named(catalog, table.schema, constraint.name()));
            rows.push(row);
        }
    });
    rows
}

pub(crate) fn constraint_table_usage(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    each_constraint(catalog, &mut |table, constraint| {
        let of = match constraint {
            Constraint::Foreign(key) => catalog.tables.get(&key.parent).map(AsRef::as_ref),
            Constraint::Key(_) => Some(table),
            Constraint::Check(_) => None,
        };
        if let Some(of) = of {
            let mut row = named(catalog, of.schema, &of.name);
            row.extend(named(catalog, table.schema, constraint.name()));
            rows.push(row);
        }
    });
    rows
}

pub(crate) fn referential_constraints(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    each_constraint(catalog, &mut |table, constraint| {
        let Constraint::Foreign(key) = constraint else {
            return;
        };
        let Some(parent) = catalog.tables.get(&key.parent) else {
            return;
        };
        let unique = parent_key(parent, &key.parent_positions(parent));
        let unique = unique.filter(|key| key.index.is_constraint);
        let mut row = named(catalog, table.schema, &key.name);
        match unique {
            Some(unique) => row.extend(named(catalog, parent.schema, &unique.index.name)),
            None => row.extend([Value::Null, Value::Null, Value::Null]),
        }
        row.extend([
            text(if key.is_full { "FULL" } else { "NONE" }),
            text(action_words(key.on_update)),
            text(action_words(key.on_delete)),
        ]);
        rows.push(row);
    });
    rows
}

pub(crate) fn table_privileges(catalog: &Catalog) -> Vec<Vec<Value>> {
    const PRIVILEGES: [&str; 7] = [
        "INSERT",
        "SELECT",
        "UPDATE",
        "DELETE",
        "TRUNCATE",
        "REFERENCES",
        "TRIGGER",
    ];
    let tables = plain_tables(catalog).map(|table| (table.schema, &table.name));
    let views = catalog.views.values();
    let views = views.filter(|view| matches!(view.kind, ViewKind::Plain { .. }));
    let views = views.map(|view| (view.schema, &view.name));
    let mut rows = Vec::new();
    for (schema, name) in tables.chain(views) {
        for privilege in PRIVILEGES {
            let mut row = vec![text(OWNER), text(OWNER)];
            row.extend(named(catalog, schema, name));
            row.extend([
                text(privilege),
                text("YES"),
                yes_or_no(privilege == "SELECT"),
            ]);
            rows.push(row);
        }
    }
    rows
}

pub(crate) fn roles(_: &Catalog) -> Vec<Vec<Value>> {
    vec![vec![text(OWNER)]]
}

pub(crate) fn catalog_name(_: &Catalog) -> Vec<Vec<Value>> {
    vec![vec![text(DATABASE)]]
}

pub(crate) fn check_constraints(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in plain_tables(catalog) {
        let checks = table.checks.iter();
        for check in checks.filter(|check| check.domain().is_none()) {
            let mut row = named(catalog, table.schema, &check.name);
            row.push(text(check_text(catalog, table, &check.expr)));
            rows.push(row);
        }
    }
    rows
}

pub(crate) fn domains(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |def: &DomainDef| {
        let default = domain_default(catalog, def);
        let cells = column_cells(
            catalog,
            Column {
                name: "",
                number: 0,
                default,
                nullable: true,
                ty: def.base,
                modifier: def.modifier,
                filled: Filled::ByStatement,
                is_updatable: true,
            },
        );
        let mut row = named(catalog, def.schema, &def.name);
        // The type with its lengths, the default, and the name of the type.
        let places = [4, 5, 6, 7, 8, 9, 10, 2, 11, 12, 13];
        row.extend(places.map(|at| cells.get(at).cloned().unwrap_or(Value::Null)));
        row
    };
    catalog.domains.values().map(|def| row(def)).collect()
}

pub(crate) fn domain_constraints(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |check: &DomainCheck<'_>| {
        let mut row = named(catalog, check.domain.schema, check.name);
        row.extend(named(catalog, check.domain.schema, &check.domain.name));
        row.extend([text("NO"), text("NO")]);
        row
    };
    domain_checks(catalog)
        .map(|(_, check)| row(&check))
        .collect()
}

pub(crate) fn views(catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for view in catalog.views.values() {
        if matches!(view.kind, ViewKind::Plain { .. }) {
            let mut row = named(catalog, view.schema, &view.name);
            let updatable = is_updatable(catalog, texts, view);
            let check = match view.kind {
                ViewKind::Plain {
                    check: ViewCheck::Local,
                } => "LOCAL",
                ViewKind::Plain {
                    check: ViewCheck::Cascaded,
                } => "CASCADED",
                _ => "NONE",
            };
            row.extend([
                text(texts.view(catalog, view)),
                text(check),
                updatable.clone(),
                updatable,
            ]);
            row.extend([text("NO"), text("NO"), text("NO")]);
            rows.push(row);
        }
    }
    rows
}

/// Whether a view takes new rows, and whether its rows can be changed.
fn is_updatable(catalog: &Catalog, texts: &dyn ShownTexts, view: &Arc<ViewDef>) -> Value {
    let columns = texts.updatable_columns(catalog, view).unwrap_or_default();
    yes_or_no(columns.contains(&true))
}

pub(crate) fn sequences(catalog: &Catalog) -> Vec<Vec<Value>> {
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
