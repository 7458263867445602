//! What the catalogue tells of inheritance and partitions.

use varve_expr::Expr;
use varve_types::Value;

use super::relations::{object_of, relation_oid};
use super::{from_zero, int2, oid, text};
use crate::bind::{shown_limits, shown_value};
use crate::catalog::TableDef;
use crate::family::{PartitionBound, Strategy};
use crate::schema::Catalog;

pub(super) fn inherits(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        for (number, parent) in (1..).zip(table.parents()) {
            rows.push(vec![
                oid(relation_oid(table.object)),
                oid(relation_oid(*parent)),
                Value::Int4(number),
                Value::Boolean(false),
            ]);
        }
    }
    rows
}

pub(super) fn partitioned(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        let Some(by) = table.partitioning() else {
            continue;
        };
        let mut children = catalog.children_of(table).into_iter();
        let default = children.find(|child| child.bound() == Some(&PartitionBound::Default));
        let number = |key: &Expr| match key {
            Expr::Column { index, .. } => index + 1,
            _ => 0,
        };
        let numbers = from_zero(by.keys.iter().map(number).collect());
        rows.push(vec![
            oid(relation_oid(table.object)),
            text(match by.strategy {
                Strategy::Range => "r",
                Strategy::List => "l",
                Strategy::Hash => "h",
            }),
            int2(by.keys.len()),
            oid(default.map_or(0, |default| relation_oid(default.object))),
            numbers,
        ]);
    }
    rows
}

/// `pg_get_partkeydef(oid)`
pub(super) fn key_definition(catalog: &Catalog, number: u32) -> Option<String> {
    let table = catalog.tables.get(&object_of(number)?)?;
    let by = table.partitioning()?;
    let keys = by.keys.iter().map(|key| table.shown_expr(key));
    let keys: Vec<String> = keys.collect();
    Some(format!("{} ({})", by.strategy.word(), keys.join(", ")))
}

/// What `pg_class.relpartbound` says, as text.
pub(super) fn bound_of(table: &TableDef) -> Option<String> {
    Some(match table.bound()? {
        PartitionBound::Default => "DEFAULT".to_owned(),
        PartitionBound::List(values) => {
            let values: Vec<String> = values.iter().map(shown_value).collect();
            format!("FOR VALUES IN ({})", values.join(", "))
        }
        PartitionBound::Range(from, to) => format!(
            "FOR VALUES FROM {} TO {}",
            shown_limits(from),
            shown_limits(to)
        ),
        PartitionBound::Hash(modulus, remainder) => {
            format!("FOR VALUES WITH (modulus {modulus}, remainder {remainder})")
        }
    })
}
