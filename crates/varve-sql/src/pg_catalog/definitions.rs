//! The views of `pg_catalog` that show relations as their owners wrote them.

use varve_types::Value;

use super::relations::{as_relation, column_name, kept_views, key_columns, keys, plain_views};
use super::{OWNER, text};
use crate::schema::{Catalog, quoted_as_needed};
use crate::sequence::SequenceDef;
use crate::view::ViewDef;

pub(super) fn tables(catalog: &Catalog) -> Vec<Vec<Value>> {
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

pub(super) fn views(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |view: &ViewDef| {
        let schema = catalog.schema_name(view.schema);
        vec![
            text(schema),
            text(&view.name),
            text(OWNER),
            text(&view.text),
        ]
    };
    plain_views(catalog).map(row).collect()
}

pub(super) fn materialized_views(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |(view, is_populated): (&ViewDef, bool)| {
        vec![
            text(catalog.schema_name(view.schema)),
            text(&view.name),
            text(OWNER),
            Value::Null,
            Value::Boolean(false),
            Value::Boolean(is_populated),
            text(&view.text),
        ]
    };
    kept_views(catalog).map(row).collect()
}

pub(super) fn index_definitions(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        let schema = catalog.schema_name(table.schema);
        let (_, relation, _) = as_relation(catalog, table);
        for key in keys(table) {
            let unique = if key.is_unique { "UNIQUE " } else { "" };
            let mut definition = format!(
                "CREATE {unique}INDEX {} ON {}.{} USING btree ({})",
                quoted_as_needed(&key.name),
                quoted_as_needed(schema),
                quoted_as_needed(relation),
                key_columns(table, &key)
            );
            let included = key.include.iter().filter_map(|at| column_name(table, *at));
            let included: Vec<String> = included.map(|name| quoted_as_needed(&name)).collect();
            if !included.is_empty() {
                definition.push_str(&format!(" INCLUDE ({})", included.join(", ")));
            }
            if key.equal_nulls {
                definition.push_str(" NULLS NOT DISTINCT");
            }
            rows.push(vec![
                text(schema),
                text(relation),
                text(&key.name),
                Value::Null,
                text(definition),
            ]);
        }
    }
    rows
}

pub(super) fn sequence_definitions(catalog: &Catalog) -> Vec<Vec<Value>> {
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
