//! Schemas, relations, their columns, indexes and constraints.

use std::borrow::Cow;
use std::sync::Arc;

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::deparse::Printer;
use varve_catalog::model::domain::DomainDef;
use varve_catalog::model::hypertable::CHUNK_SCHEMA;
use varve_catalog::model::index::{Deferral, IndexDef, IndexOptions};
use varve_catalog::model::oid::{FIRST_OID, numbered, relation_oid};
use varve_catalog::model::schema::{PUBLIC, is_temporary};
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::{ColumnDef, Filled, TableDef};
use varve_catalog::model::view::{ViewDef, ViewKind};
use varve_expr::Expr;
use varve_types::{
    ArrayValue, ColumnStorage, Compression, ElementType, KeyOrder, KeyPart, LogicalType, ObjectId,
    SqlText, StorageMode, TypeMod, Value, sql,
};

use crate::continuous::aggregate_options;
use crate::inheritance::bound_of;
use crate::operator_class::class_of;
use crate::timescale::hypertable_options;
use crate::types::{length_of, storage_of};
use crate::{
    INFORMATION_OID, OWNER_OID, PG_CATALOG_OID, PUBLIC_OID, TEMPORARY_OID, from_zero, int2, oid,
    text, vector,
};

/// What an object has beside itself.
const KEY_INDEX: u64 = 1;
const KEY_CONSTRAINT: u64 = 2;
const OF_TREE: u64 = 8;
const TREE_CONSTRAINT: u64 = 9;
/// Where numbers of things that an object has many of begin.
const FIRST_DEFAULT: u64 = 1 << 29;
pub(crate) const FIRST_CHECK: u64 = 1 << 30;
/// Foreign keys have the upper half of the numbers of CHECK constraints.
pub(crate) const FIRST_FOREIGN: u64 = FIRST_CHECK + MANY / 2;
pub(crate) const MANY: u64 = 2048;

pub(crate) fn schema_oid(schema: ObjectId) -> u32 {
    if schema == PUBLIC {
        PUBLIC_OID
    } else if is_temporary(schema) {
        TEMPORARY_OID
    } else {
        relation_oid(schema)
    }
}

/// An index, or the order of the primary key that is none.
pub(crate) struct Key<'a> {
    pub(crate) index: Cow<'a, IndexDef>,
    pub(crate) oid: u32,
    pub(crate) constraint: u32,
    pub(crate) is_primary: bool,
}

impl Key<'_> {
    /// The columns that its key is on, expressions left out.
    pub(crate) fn own_columns(&self) -> impl Iterator<Item = usize> {
        self.index.key_parts().filter_map(KeyPart::column)
    }

    /// Its key, then what is included.
    pub(crate) fn parts(&self) -> impl Iterator<Item = KeyPart> {
        let own = self.index.key_parts();
        own.chain(self.index.include.iter().copied().map(KeyPart::Column))
    }
}

/// The primary key and the indexes of a table.
pub(crate) fn keys(table: &TableDef) -> Vec<Key<'_>> {
    let mut keys = Vec::new();
    let object = table.object.0;
    if !table.primary_key.is_empty() {
        let columns = table.key_parts().map(|part| (part, KeyOrder::default()));
        let columns = columns.collect();
        let index = IndexDef {
            is_constraint: true,
            ..IndexDef::new(table.key_name(), IndexOptions::UNIQUE, columns)
        };
        keys.push(Key {
            index: Cow::Owned(index),
            oid: numbered(FIRST_OID, object, 16, KEY_INDEX),
            constraint: numbered(FIRST_OID, object, 16, KEY_CONSTRAINT),
            is_primary: true,
        });
    }
    for index in &table.indexes {
        keys.push(Key {
            index: Cow::Borrowed(index),
            oid: numbered(FIRST_OID, index.tree.0, 16, OF_TREE),
            constraint: numbered(FIRST_OID, index.tree.0, 16, TREE_CONSTRAINT),
            is_primary: index.is_primary,
        });
    }
    keys
}

pub(crate) fn namespaces(catalog: &Catalog) -> Vec<Vec<Value>> {
    let own = [
        (PG_CATALOG_OID, "pg_catalog"),
        (INFORMATION_OID, "information_schema"),
    ];
    let known = catalog.schemas();
    let known = known.map(|(name, schema)| (schema_oid(schema), name));
    let temporary = catalog.temporary().into_iter();
    let temporary = temporary.map(|schema| (TEMPORARY_OID, catalog.schema_name(schema)));
    own.into_iter()
        .chain(known)
        .chain(temporary)
        .map(|(number, name)| vec![oid(number), text(name), oid(OWNER_OID)])
        .collect()
}

/// Columns of `pg_class`.
const HAS_CHILDREN: usize = 16;
const IS_PARTITION: usize = 21;
const OPTIONS: usize = 29;
/// Of `pg_attribute`.
const IS_LOCAL: usize = 11;
const COLUMN_OPTIONS: usize = 21;

/// What `pg_class` tells of a relation.
struct Class<'a> {
    oid: u32,
    name: &'a str,
    schema: ObjectId,
    kind: &'a str,
    columns: usize,
    checks: usize,
    has_index: bool,
    is_populated: bool,
}

fn class(class: &Class<'_>) -> Vec<Value> {
    let no = || Value::Boolean(false);
    let method = match class.kind {
        "i" | "I" => 403,
        "r" | "m" => 2,
        _ => 0,
    };
    vec![
        oid(class.oid),
        text(class.name),
        oid(schema_oid(class.schema)),
        oid(0),
        oid(OWNER_OID),
        oid(method),
        Value::Float4(-1.0),
        Value::Int4(0),
        Value::Boolean(class.has_index),
        no(),
        text(if is_temporary(class.schema) { "t" } else { "p" }),
        text(class.kind),
        int2(class.columns),
        int2(class.checks),
        no(),
        no(),
        no(),
        no(),
        no(),
        Value::Boolean(class.is_populated),
        text("d"),
        no(),
        oid(0),
        oid(0),
        oid(0),
    ]
}

/// The materialized view whose rows a table holds gives it its name and number.
pub(crate) fn as_relation<'a>(
    catalog: &'a Catalog,
    table: &'a TableDef,
) -> (u32, &'a str, &'static str) {
    match catalog.view_of(table.object) {
        Some(view) => (relation_oid(table.object), view.name.as_str(), "m"),
        None => {
            let kind = match table.partitioning() {
                Some(_) => "p",
                None => "r",
            };
            (relation_oid(table.object), table.name.as_str(), kind)
        }
    }
}

pub(crate) fn plain_views(catalog: &Catalog) -> impl Iterator<Item = &Arc<ViewDef>> {
    let views = catalog.views.values();
    views.filter(|view| matches!(view.kind, ViewKind::Plain { .. }))
}

pub(crate) fn kept_views(catalog: &Catalog) -> impl Iterator<Item = (&Arc<ViewDef>, bool)> {
    catalog.views.values().filter_map(|view| match view.kind {
        ViewKind::Materialized { is_populated, .. } => Some((view, is_populated)),
        ViewKind::Plain { .. } => None,
    })
}

/// The tables that users know, with those of materialized views.
fn shown_tables(catalog: &Catalog) -> impl Iterator<Item = &Arc<TableDef>> {
    let tables = catalog.tables.values();
    tables.filter(|table| table.schema != CHUNK_SCHEMA)
}

pub(crate) fn classes(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in shown_tables(catalog) {
        let (number, name, kind) = as_relation(catalog, table);
        let keys = keys(table);
        let mut row = class(&Class {
            oid: number,
            name,
            schema: table.schema,
            kind,
            columns: table.columns.len(),
            checks: table.checks.len(),
            has_index: !keys.is_empty(),
            is_populated: true,
        });
        row.resize(OPTIONS, Value::Null);
        row.push(table_options(catalog, table));
        row.extend(bound_of(catalog, table).map(text));
        for (at, truth) in [
            (HAS_CHILDREN, !table.children().is_empty()),
            (IS_PARTITION, table.bound().is_some()),
        ] {
            if let Some(cell) = row.get_mut(at) {
                *cell = Value::Boolean(truth);
            }
        }
        rows.push(row);
        for key in &keys {
            let mut row = class(&Class {
                oid: key.oid,
                name: &key.index.name,
                schema: table.schema,
                kind: if kind == "p" { "I" } else { "i" },
                columns: key.index.keys.len() + key.index.include.len(),
                checks: 0,
                has_index: false,
                is_populated: true,
            });
            row.resize(OPTIONS, Value::Null);
            let pages = key.index.pages.iter();
            row.push(listed(pages.map(|pages| format!("compression={pages}"))));
            rows.push(row);
        }
    }
    let of_views = plain_views(catalog).map(|view| {
        (
            view.object,
            &view.name,
            view.schema,
            "v",
            view.columns.len(),
        )
    });
    let sequences = catalog.sequences.values();
    let of_sequences = sequences.map(|one| (one.object, &one.name, one.schema, "S", 3));
    for (object, name, schema, kind, columns) in of_views.chain(of_sequences) {
        rows.push(class(&Class {
            oid: relation_oid(object),
            name,
            schema,
            kind,
            columns,
            checks: 0,
            has_index: false,
            is_populated: true,
        }));
    }
    rows
}

/// Options as an array of texts; NULL without any.
fn listed(options: impl Iterator<Item = String>) -> Value {
    let options: Vec<Value> = options.map(text).collect();
    match options.is_empty() {
        true => Value::Null,
        false => Value::array(&ArrayValue::of(ElementType::Text, options)),
    }
}

/// The storage options of a table: `{compression=none,tsdb.hypertable=true}`.
fn table_options(catalog: &Catalog, table: &TableDef) -> Value {
    let options = table.options.iter();
    let own = options.map(|option| format!("{}={}", option.name, option.value));
    let others = aggregate_options(catalog, table);
    listed(own.chain(others.unwrap_or_else(|| hypertable_options(table))))
}

/// What was said of the storage of a column: `{storage=dictionary,compression=zstd(9)}`.
fn column_options(storage: ColumnStorage) -> Value {
    let mode = (storage.mode != StorageMode::Default).then(|| storage.mode.name());
    let compression = (storage.compression != Compression::Auto).then_some(storage.compression);
    let mode = mode.map(|mode| format!("storage={mode}"));
    let compression = compression.map(|compression| format!("compression={compression}"));
    listed(mode.into_iter().chain(compression))
}

fn attribute(
    relation: u32,
    name: &str,
    (ty, modifier): (LogicalType, TypeMod),
    number: usize,
    column: Option<&ColumnDef>,
) -> Vec<Value> {
    let filled = column.map_or(Filled::ByStatement, |column| column.filled);
    let identity = match filled {
        Filled::IdentityAlways => "a",
        Filled::IdentityByDefault => "d",
        Filled::ByStatement | Filled::Generated => "",
    };
    let generated = if filled == Filled::Generated { "s" } else { "" };
    let is_array = matches!(ty, LogicalType::Array(_));
    vec![
        oid(relation),
        text(name),
        oid(ty.oid()),
        Value::Int2(length_of(ty)),
        int2(number),
        Value::Int4(modifier.0),
        Value::Boolean(column.is_some_and(|column| !column.nullable)),
        Value::Boolean(column.is_some_and(has_default)),
        text(identity),
        text(generated),
        Value::Boolean(false),
        Value::Boolean(true),
        Value::Int4(i32::from(is_array)),
        oid(if ty.is_string() { 100 } else { 0 }),
        Value::Boolean(false),
        Value::Int2(0),
        text("i"),
        text(storage_of(ty)),
    ]
}

fn has_default(column: &ColumnDef) -> bool {
    let of_identity = matches!(
        column.filled,
        Filled::IdentityAlways | Filled::IdentityByDefault
    );
    column.default.is_some() && !of_identity
}

pub(crate) fn attributes(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in shown_tables(catalog) {
        let relation = relation_oid(table.object);
        for (number, column) in (1..).zip(&table.columns) {
            let ty = (column.ty, column.modifier);
            let mut row = attribute(relation, &column.name, ty, number, Some(column));
            let parents = table.parents().iter();
            let parents = parents.filter_map(|parent| catalog.tables.get(parent));
            let parents = parents.filter(|parent| {
                let mut columns = parent.columns.iter();
                columns.any(|known| known.name == column.name)
            });
            let count = parents.count();
            let inheritance = table.inheritance.as_ref();
            if let (true, Some(inheritance)) = (count > 0, inheritance)
                && let Some(cells) = row.get_mut(IS_LOCAL..)
                && let [is_local, .., inherited, _, _] = cells
            {
                *is_local = Value::Boolean(inheritance.own.contains(&column.id));
                *inherited = int2(count);
            }
            if let (Some(domain), Some(of)) = (table.domain_of(number - 1), row.get_mut(2)) {
                *of = oid(domain);
            }
            let is_lz4 = column.storage.compression == Compression::Lz4;
            row.push(text(if is_lz4 { "l" } else { "" }));
            row.resize(COLUMN_OPTIONS, Value::Null);
            row.push(column_options(column.storage));
            rows.push(row);
        }
        for key in keys(table) {
            for (number, part) in (1..).zip(key.parts()) {
                let name = part.column().and_then(|at| column_name(table, at));
                let name = name.unwrap_or_else(|| format!("expr{number}"));
                let ty = (table.type_of(part), TypeMod::NONE);
                rows.push(attribute(key.oid, &name, ty, number, None));
            }
        }
    }
    for view in plain_views(catalog) {
        for (number, column) in (1..).zip(&view.columns) {
            let ty = (column.ty, column.modifier);
            rows.push(attribute(
                relation_oid(view.object),
                &column.name,
                ty,
                number,
                None,
            ));
        }
    }
    rows
}

pub(crate) fn column_name(table: &TableDef, at: usize) -> Option<String> {
    table.columns.get(at).map(|column| column.name.clone())
}

/// The default of a column as text.
pub(crate) fn default_text(
    catalog: &Catalog,
    table: &TableDef,
    column: &ColumnDef,
) -> Option<SqlText> {
    let default = column.default.as_ref().filter(|_| has_default(column))?;
    // What a column does to every value is not shown.
    let default = match default {
        Expr::Cast {
            input,
            explicit: false,
            ..
        } => input,
        other => other,
    };
    let printer = Printer {
        columns: &table.column_texts(),
        catalog: Some(catalog),
    };
    Some(match default {
        Expr::Literal { value, ty } => printer.value(value, *ty),
        other => printer.expr(other),
    })
}

/// The default of a domain as text.
pub(crate) fn domain_default(catalog: &Catalog, def: &DomainDef) -> Option<SqlText> {
    let printer = Printer {
        columns: &[],
        catalog: Some(catalog),
    };
    Some(printer.expr(def.default.as_ref()?))
}

pub(crate) fn defaults(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        for (number, column) in (1..).zip(&table.columns) {
            if let Some(default) = default_text(catalog, table, column) {
                rows.push(vec![
                    oid(numbered(FIRST_DEFAULT, table.object.0, MANY, number)),
                    oid(relation_oid(table.object)),
                    int2(usize::try_from(number).unwrap_or(0)),
                    text(default),
                ]);
            }
        }
    }
    rows
}

/// The number of a column; 0 for the hidden row id.
pub(crate) fn number_of(table: &TableDef, at: usize) -> usize {
    if at < table.columns.len() { at + 1 } else { 0 }
}

pub(crate) fn indexes(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        for key in keys(table) {
            let number = |part: KeyPart| part.column().map_or(0, |at| number_of(table, at));
            let numbers = key.parts().map(number).collect();
            let options = key.index.keys.iter();
            let options = options.map(|(_, order)| usize::from(order.code()));
            let has_expression = key.parts().any(|part| part.column().is_none());
            let types = || key.index.keys.iter().map(|(part, _)| table.type_of(*part));
            let collations = types().map(|ty| oid(if ty.is_string() { 100 } else { 0 }));
            let classes = types().map(|ty| oid(class_of(ty)));
            let yes = Value::Boolean;
            rows.push(vec![
                oid(key.oid),
                oid(relation_oid(table.object)),
                int2(key.index.keys.len() + key.index.include.len()),
                int2(key.index.keys.len()),
                yes(key.index.options.is_unique),
                yes(key.index.options.nulls_not_distinct),
                yes(key.is_primary),
                yes(false),
                yes(key.index.deferral == Deferral::Never),
                yes(false),
                yes(!key.index.is_building),
                yes(true),
                yes(true),
                yes(false),
                from_zero(numbers),
                vector(ElementType::Oid, collations.collect()),
                vector(ElementType::Oid, classes.collect()),
                from_zero(options.collect()),
                if has_expression {
                    text(key_columns(catalog, table, &key))
                } else {
                    Value::Null
                },
                predicate_text(catalog, table, &key).map_or(Value::Null, text),
            ]);
        }
    }
    rows
}

pub(crate) fn check_text(catalog: &Catalog, table: &TableDef, check: &Expr) -> SqlText {
    let printer = Printer {
        columns: &table.column_texts(),
        catalog: Some(catalog),
    };
    printer.expr(check)
}

/// The columns that a CHECK reads.
pub(crate) fn checked_columns(table: &TableDef, check: &Expr) -> Vec<usize> {
    let mut read = Vec::new();
    varve_expr::walk::for_each_column(check, &mut |at| read.push(at));
    varve_sort::sort(&mut read);
    read.dedup();
    read.retain(|at| *at < table.columns.len());
    read
}

pub(crate) fn sequences(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |one: &SequenceDef| {
        vec![
            oid(relation_oid(one.object)),
            oid(one.ty.oid()),
            Value::Int8(one.start),
            Value::Int8(one.increment),
            Value::Int8(one.max),
            Value::Int8(one.min),
            Value::Int8(one.cache),
            Value::Boolean(one.cycle),
        ]
    };
    catalog.sequences.values().map(|one| row(one)).collect()
}

/// The columns of an index as CREATE INDEX writes them.
pub(crate) fn key_columns(catalog: &Catalog, table: &TableDef, key: &Key<'_>) -> SqlText {
    let mut parts = Vec::new();
    for (part, order) in &key.index.keys {
        let mut part = table.label_in(Some(catalog), *part);
        match (order.descending, order.nulls_first) {
            (false, false) => {}
            (false, true) => part.push(" NULLS FIRST"),
            (true, true) => part.push(" DESC"),
            (true, false) => part.push(" DESC NULLS LAST"),
        }
        parts.push(part);
    }
    SqlText::joined(&parts, ", ")
}

/// The condition of a partial index.
pub(crate) fn predicate_text(
    catalog: &Catalog,
    table: &TableDef,
    key: &Key<'_>,
) -> Option<SqlText> {
    let printer = Printer {
        columns: &table.column_texts(),
        catalog: Some(catalog),
    };
    let tests = key
        .index
        .predicate
        .iter()
        .map(|one| match table.expression(one.column) {
            Some(expr) => printer.expr(expr),
            None => printer.predicate(&table.label_of(one.column), &one.test),
        });
    let tests: Vec<SqlText> = tests.collect();
    match tests.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(sql!["(", SqlText::joined(several, " AND "), ")"]),
    }
}
