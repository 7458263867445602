//! The views of `pg_catalog` that show relations as their owners wrote them.

use std::sync::Arc;

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::TableDef;
use varve_catalog::model::view::ViewDef;
use varve_types::{SqlText, Value, sql};

use crate::reg::index_of;
use crate::relations::{
    Key, as_relation, kept_views, key_columns, keys, plain_views, predicate_text,
};
use crate::{OWNER, ShownTexts, oid, text};

pub(crate) fn tables(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        if catalog.view_of(table.object).is_some() {
            continue;
        }
        let mut row = vec![
            text(catalog.schema_name(table.schema)),
            text(&table.name),
            text(OWNER),
            Value::Null,
            Value::Boolean(!keys(table).is_empty()),
        ];
        row.extend((0..3).map(|_| Value::Boolean(false)));
        rows.push(row);
    }
    rows
}

pub(crate) fn views(catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
    let row = |view: &Arc<ViewDef>| {
        let schema = catalog.schema_name(view.schema);
        vec![
            text(schema),
            text(&view.name),
            text(OWNER),
            text(texts.view(catalog, view)),
        ]
    };
    plain_views(catalog).map(row).collect()
}

pub(crate) fn materialized_views(catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
    let row = |(view, is_populated): (&Arc<ViewDef>, bool)| {
        vec![
            text(catalog.schema_name(view.schema)),
            text(&view.name),
            text(OWNER),
            Value::Null,
            Value::Boolean(false),
            Value::Boolean(is_populated),
            text(texts.view(catalog, view)),
        ]
    };
    kept_views(catalog).map(row).collect()
}

pub(crate) fn index_definitions(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        let schema = catalog.schema_name(table.schema);
        let (_, relation, _) = as_relation(catalog, table);
        for key in keys(table) {
            rows.push(vec![
                text(schema),
                text(relation),
                text(&key.index.name),
                Value::Null,
                text(create_index(catalog, table, &key, false)),
            ]);
        }
    }
    rows
}

/// `pg_get_indexdef(oid, part)`: all of it, or one of its columns from 1.
pub(crate) fn index_definition(
    catalog: &Catalog,
    number: u32,
    part: usize,
    is_pretty: bool,
) -> Option<SqlText> {
    let (table, key) = index_of(catalog, number)?;
    let Some(at) = part.checked_sub(1) else {
        return Some(create_index(catalog, table, &key, is_pretty));
    };
    let part = key.parts().nth(at);
    Some(part.map_or_else(SqlText::default, |part| table.label_in(Some(catalog), part)))
}

fn create_index(catalog: &Catalog, table: &TableDef, key: &Key<'_>, is_pretty: bool) -> SqlText {
    let (_, relation, _) = as_relation(catalog, table);
    let relation = match is_pretty {
        true => catalog.shown_name(table.schema, relation),
        false => SqlText::name_in(catalog.schema_name(table.schema), relation),
    };
    let mut definition = sql![
        "CREATE ",
        key.index.options.words_before(),
        "INDEX ",
        SqlText::name(&key.index.name),
        " ON ",
        if table.partitioning().is_some() {
            "ONLY "
        } else {
            ""
        },
        relation,
        " USING btree (",
        key_columns(catalog, table, key),
        ")",
    ];
    let included = key.index.include.iter().filter_map(|at| table.name_at(*at));
    let included = SqlText::names(included);
    if !included.is_empty() {
        definition.push(sql![" INCLUDE (", included, ")"]);
    }
    for words in key.index.options.words_behind() {
        definition.push(words);
    }
    if let Some(pages) = key.index.pages {
        let pages = SqlText::literal(&pages.to_string());
        definition.push(sql![" WITH (compression=", pages, ")"]);
    }
    if let Some(predicate) = predicate_text(catalog, table, key) {
        let shown = match is_pretty {
            true => predicate.unparenthesized(),
            false => predicate,
        };
        definition.push(sql![" WHERE ", shown]);
    }
    definition
}

pub(crate) fn sequence_definitions(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |one: &SequenceDef| {
        vec![
            text(catalog.schema_name(one.schema)),
            text(&one.name),
            text(OWNER),
            text(one.ty.name()),
            Value::Int8(one.start),
            Value::Int8(one.min),
            Value::Int8(one.max),
            Value::Int8(one.increment),
            Value::Boolean(one.cycle),
            Value::Int8(one.cache),
        ]
    };
    catalog.sequences.values().map(|one| row(one)).collect()
}

/// Tables; what happens to them is not counted.
pub(crate) fn table_statistics(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |table: &TableDef| {
        let (number, name, _) = as_relation(catalog, table);
        let schema = text(catalog.schema_name(table.schema));
        vec![oid(number), schema, text(name)]
    };
    catalog.tables.values().map(|table| row(table)).collect()
}

/// Indexes; what happens to them is not counted.
pub(crate) fn index_statistics(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        let (number, name, _) = as_relation(catalog, table);
        for key in keys(table) {
            let schema = text(catalog.schema_name(table.schema));
            rows.push(vec![
                oid(number),
                oid(key.oid),
                schema,
                text(name),
                text(&key.index.name),
            ]);
        }
    }
    rows
}
