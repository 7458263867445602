//! `pg_catalog`, `information_schema` and the views of our own that describe the database.
//!
//! The rows of the first two are made from the catalog when they are read; those of the others come
//! from the session (see [`SystemView`]).
//!
//! A text that the catalog keeps is shown with the names that its objects have now. Only a binder
//! knows what a name in a text means, so the views ask whoever implements [`ShownTexts`].
//!
//! Invariant: what the views print as SQL is a [`varve_types::SqlText`].

mod answers;
mod comments;
mod constraints;
mod continuous;
mod definitions;
mod functions;
mod information;
mod inheritance;
pub mod operator_class;
mod reg;
mod relations;
mod segments;
mod shown_texts;
mod system_view;
mod timescale;
mod trees;
mod triggers;
mod types;
mod views;

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::schema::DATABASE;
use varve_types::{ArrayValue, ElementType, LogicalType, Value, meter};
use views::VIEWS;

pub use answers::CatalogNames;
pub use comments::is_described;
pub use inheritance::shown_limits;
pub use shown_texts::ShownTexts;
pub use system_view::{SystemView, system_view, system_view_columns};
pub use trees::trees_of;
pub use types::length_of;

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name that the query gives it.
    pub name: String,
    /// Its type.
    pub ty: LogicalType,
}

/// A view of the catalog.
pub(crate) struct CatalogView {
    schema: &'static str,
    name: &'static str,
    /// The columns: names, each with a letter for its type before it; see [`column_type`].
    columns: &'static str,
    /// Its rows; columns that they do not have are NULL.
    rows: Rows,
}

/// What makes the rows of a view.
#[derive(Clone, Copy)]
enum Rows {
    Plain(fn(&Catalog) -> Vec<Vec<Value>>),
    WithTexts(fn(&Catalog, &dyn ShownTexts) -> Vec<Vec<Value>>),
}

impl CatalogView {
    const fn of(
        schema: &'static str,
        name: &'static str,
        columns: &'static str,
        rows: fn(&Catalog) -> Vec<Vec<Value>>,
    ) -> CatalogView {
        CatalogView {
            schema,
            name,
            columns,
            rows: Rows::Plain(rows),
        }
    }

    /// The view with rows that show kept texts.
    const fn with_texts(self, rows: fn(&Catalog, &dyn ShownTexts) -> Vec<Vec<Value>>) -> Self {
        CatalogView {
            rows: Rows::WithTexts(rows),
            ..self
        }
    }
}

/// All views, in the order of their numbers.
fn views() -> impl Iterator<Item = &'static CatalogView> {
    VIEWS.iter().chain(&segments::VIEWS)
}

/// The view with a number.
fn view_of(number: u16) -> Option<&'static CatalogView> {
    views().nth(usize::from(number))
}

/// The number of the view of a schema and name.
pub fn catalog_view(schema: &str, name: &str) -> Option<u16> {
    let found = views().position(|view| view.name == name && view.schema == schema);
    found.and_then(|place| u16::try_from(place).ok())
}

/// The views whose rows the session knows.
const OF_SESSION: [&str; 4] = [
    "pg_settings",
    "pg_prepared_statements",
    "pg_cursors",
    "pg_locks",
];

/// Whether the rows of the view of a name come from the session.
pub fn is_of_session(name: &str) -> bool {
    OF_SESSION.contains(&name)
}

/// The name of a view whose rows come from the session.
pub fn session_view(view: u16) -> Option<&'static str> {
    let view = view_of(view)?;
    is_of_session(view.name).then_some(view.name)
}

/// The OIDs of PostgreSQL's own catalogs that queries ask for by name.
const CATALOG_OIDS: [(&str, u32); 15] = [
    ("pg_class", 1259),
    ("pg_type", 1247),
    ("pg_proc", 1255),
    ("pg_attribute", 1249),
    ("pg_constraint", 2606),
    ("pg_attrdef", 2604),
    ("pg_namespace", 2615),
    ("pg_trigger", 2620),
    ("pg_rewrite", 2618),
    ("pg_index", 2610),
    ("pg_database", 1262),
    ("pg_authid", 1260),
    ("pg_description", 2609),
    ("pg_extension", 3079),
    ("pg_enum", 3501),
];
/// The first of those of the other views.
const FIRST_VIEW_OID: u32 = 12_000;

/// The OID of a view of the catalog.
fn view_oid(view: u16) -> u32 {
    let name = view_of(view).map_or("", |view| view.name);
    let known = CATALOG_OIDS.iter().find(|(known, _)| *known == name);
    known.map_or(FIRST_VIEW_OID + u32::from(view), |(_, number)| *number)
}

/// The columns of a view.
pub(crate) fn catalog_columns(view: u16) -> Vec<Field> {
    let Some(view) = view_of(view) else {
        return Vec::new();
    };
    // The system column of catalogs is their last.
    let own = if view.schema == "pg_catalog" {
        "otableoid"
    } else {
        ""
    };
    let columns = view.columns.split_ascii_whitespace();
    let columns = columns.chain(own.split_ascii_whitespace());
    let columns = columns.filter_map(|column| column.split_at_checked(1));
    columns
        .map(|(letter, name)| Field {
            name: name.to_owned(),
            ty: column_type(letter),
        })
        .collect()
}

fn column_type(letter: &str) -> LogicalType {
    match letter {
        "Z" => LogicalType::TimestampTz,
        "b" => LogicalType::Boolean,
        "f" => LogicalType::Float4,
        "i" => LogicalType::Int4,
        "c" => LogicalType::Regclass,
        "r" => LogicalType::Regtype,
        "v" => LogicalType::Interval,
        "l" => LogicalType::Int8,
        "o" => LogicalType::Oid,
        "s" => LogicalType::Int2,
        "n" => LogicalType::Name,
        "O" => LogicalType::Array(ElementType::Oid),
        "S" => LogicalType::Array(ElementType::Int2),
        "T" => LogicalType::Array(ElementType::Text),
        _ => LogicalType::Text,
    }
}

/// The rows of a view.
pub fn catalog_rows(view: u16, catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
    let width = catalog_columns(view).len();
    let number = view_oid(view);
    let Some(view) = view_of(view) else {
        return Vec::new();
    };
    let mut rows = match view.rows {
        Rows::Plain(rows) => rows(catalog),
        Rows::WithTexts(rows) => rows(catalog, texts),
    };
    for row in &mut rows {
        row.resize(width, Value::Null);
        if let Some(last) = row.last_mut().filter(|_| view.schema == "pg_catalog") {
            *last = oid(number);
        }
    }
    rows
}

/// The name of the owner of everything.
pub const OWNER: &str = "postgres";
/// The OIDs of PostgreSQL's own schemas and role.
const PG_CATALOG_OID: u32 = 11;
const PUBLIC_OID: u32 = 2200;
const TEMPORARY_OID: u32 = 2201;
const INFORMATION_OID: u32 = 13_000;
const OWNER_OID: u32 = 10;

fn text(text: impl AsRef<str>) -> Value {
    Value::text(text.as_ref())
}

fn oid(oid: u32) -> Value {
    Value::Oid(oid)
}

fn yes_or_no(truth: bool) -> Value {
    text(if truth { "YES" } else { "NO" })
}

fn int2(number: usize) -> Value {
    Value::Int2(meter::fitting(number, "a number of the catalog"))
}

fn int4(number: usize) -> Value {
    Value::Int4(meter::fitting(number, "a number of the catalog"))
}

/// An array whose subscripts begin at 0, as those of `int2vector` do.
fn from_zero(numbers: Vec<usize>) -> Value {
    vector(ElementType::Int2, numbers.into_iter().map(int2).collect())
}

/// An array that counts from 0.
fn vector(element: ElementType, numbers: Vec<Value>) -> Value {
    let mut array = ArrayValue::of(element, numbers);
    for dimension in &mut array.dimensions {
        dimension.lower = 0;
    }
    Value::array(&array)
}

fn int2s(numbers: Vec<usize>) -> Value {
    let numbers = numbers.into_iter().map(int2).collect();
    Value::array(&ArrayValue::of(ElementType::Int2, numbers))
}
