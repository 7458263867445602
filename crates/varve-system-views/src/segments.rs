//! What the rows of hypertables are sorted by, as options and in the views of
//! `timescaledb_information`.

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::hypertable::Segments;
use varve_catalog::model::table::TableDef;
use varve_types::{ColumnId, KeyOrder, SqlText, Value};

use crate::timescale::{all, class};
use crate::{CatalogView, text};

const SETTINGS: &str = "chypertable tsegmentby torderby tcompress_interval_length tindex";
const CHUNK_SETTINGS: &str = "chypertable cchunk tsegmentby torderby tindex";
const BY_COLUMN: &str = "nhypertable_schema nhypertable_name nattname ssegmentby_column_index \
     sorderby_column_index borderby_asc borderby_nullsfirst";

const fn view(
    name: &'static str,
    columns: &'static str,
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
) -> CatalogView {
    CatalogView::of("timescaledb_information", name, columns, rows)
}

/// The views, two of them by their older and their newer name.
pub(crate) static VIEWS: [CatalogView; 5] = [
    view("hypertable_compression_settings", SETTINGS, of_hypertables),
    view("hypertable_columnstore_settings", SETTINGS, of_hypertables),
    view("chunk_compression_settings", CHUNK_SETTINGS, of_chunks),
    view("chunk_columnstore_settings", CHUNK_SETTINGS, of_chunks),
    view("compression_settings", BY_COLUMN, by_column),
];

/// The options that have the rows of a table sorted so.
pub(crate) fn sort_options(table: &TableDef) -> Vec<String> {
    let Some(segments) = table.segments() else {
        return Vec::new();
    };
    let by = format!("tsdb.segmentby={}", segments_of(table, segments));
    let order = order_of(table, segments);
    let order = (!order.is_empty()).then(|| format!("tsdb.orderby={order}"));
    core::iter::once(by).chain(order).collect()
}

fn name_of(table: &TableDef, id: ColumnId) -> String {
    let mut columns = table.columns.iter();
    let column = columns.find(|column| column.id == id);
    column.map_or_else(String::new, |column| {
        SqlText::name(&column.name).to_string()
    })
}

fn segments_of(table: &TableDef, segments: &Segments) -> String {
    let names = segments.by.iter().map(|id| name_of(table, *id));
    names.collect::<Vec<String>>().join(",")
}

fn order_of(table: &TableDef, segments: &Segments) -> String {
    let shown = |(id, order): &(ColumnId, KeyOrder)| {
        let direction = if order.descending { " DESC" } else { "" };
        let nulls = match (order.nulls_first, order.descending) {
            (true, false) => " NULLS FIRST",
            (false, true) => " NULLS LAST",
            _ => "",
        };
        format!("{}{direction}{nulls}", name_of(table, *id))
    };
    let shown = segments.order.iter().map(shown);
    shown.collect::<Vec<String>>().join(",")
}

/// A text, or NULL for none.
fn some(shown: String) -> Value {
    match shown.is_empty() {
        true => Value::Null,
        false => text(shown),
    }
}

/// `timescaledb_information.hypertable_compression_settings`
fn of_hypertables(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |table: &TableDef| {
        let segments = table.segments()?;
        Some(vec![
            class(table.object),
            some(segments_of(table, segments)),
            some(order_of(table, segments)),
        ])
    };
    all(catalog)
        .iter()
        .filter_map(|hyper| row(hyper.table))
        .collect()
}

/// `timescaledb_information.chunk_compression_settings`
fn of_chunks(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for hyper in all(catalog) {
        let table = hyper.table;
        let Some(segments) = table.segments() else {
            continue;
        };
        for chunk in catalog.chunks_of(table.object) {
            rows.push(vec![
                class(table.object),
                class(chunk.object),
                some(segments_of(table, segments)),
                some(order_of(table, segments)),
            ]);
        }
    }
    rows
}

/// `timescaledb_information.compression_settings`
fn by_column(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let number = |at: usize| Value::Int2(i16::try_from(at + 1).unwrap_or(i16::MAX));
    for hyper in all(catalog) {
        let table = hyper.table;
        let Some(segments) = table.segments() else {
            continue;
        };
        let mut row = |id: ColumnId, settings: [Value; 4]| {
            let column = table.columns.iter().find(|column| column.id == id);
            let mut row = hyper.names(catalog).to_vec();
            row.push(column.map_or(Value::Null, |column| text(&column.name)));
            row.extend(settings);
            rows.push(row);
        };
        for (at, id) in segments.by.iter().enumerate() {
            row(*id, [number(at), Value::Null, Value::Null, Value::Null]);
        }
        for (at, (id, order)) in segments.order.iter().enumerate() {
            let ascending = Value::Boolean(!order.descending);
            let nulls_first = Value::Boolean(order.nulls_first);
            row(*id, [Value::Null, number(at), ascending, nulls_first]);
        }
    }
    rows
}
