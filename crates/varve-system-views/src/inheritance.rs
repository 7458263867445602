//! What the catalog tells of inheritance and partitions.

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::deparse::Printer;
use varve_catalog::model::inheritance::{Limit, PartitionBound, Strategy};
use varve_catalog::model::oid::{object_of, relation_oid};
use varve_catalog::model::table::TableDef;
use varve_expr::{DEFAULT_LOCALE, Expr, Locale, format_value};
use varve_types::{LogicalType, SqlText, Value, sql};

use crate::{from_zero, int2, oid, text};

pub(crate) fn inherits(catalog: &Catalog) -> Vec<Vec<Value>> {
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

pub(crate) fn partitioned(catalog: &Catalog) -> Vec<Vec<Value>> {
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
pub(crate) fn key_definition(catalog: &Catalog, number: u32) -> Option<SqlText> {
    let table = catalog.tables.get(&object_of(number)?)?;
    let by = table.partitioning()?;
    let columns = &table.column_texts();
    let printer = Printer {
        columns,
        catalog: Some(catalog),
    };
    let keys = by.keys.iter().map(|key| match printer.expr(key) {
        // A column and a call stand alone.
        text if matches!(key, Expr::Column { .. } | Expr::Call { .. }) => text,
        text if text != text.unparenthesized() => text,
        text => sql!["(", text, ")"],
    });
    let keys: Vec<SqlText> = keys.collect();
    let keys = SqlText::joined(&keys, ", ");
    Some(sql![by.strategy.word(), " (", keys, ")"])
}

/// What `pg_class.relpartbound` says, as text.
pub(crate) fn bound_of(catalog: &Catalog, table: &TableDef) -> Option<SqlText> {
    Some(match table.bound()? {
        PartitionBound::Default => sql!["DEFAULT"],
        PartitionBound::List(values) => {
            let values = values.iter().map(|value| shown_value(catalog, value));
            let values: Vec<SqlText> = values.collect();
            sql!["FOR VALUES IN (", SqlText::joined(&values, ", "), ")"]
        }
        PartitionBound::Range(from, to) => {
            let from = shown_limits(catalog, from);
            sql!["FOR VALUES FROM ", from, " TO ", shown_limits(catalog, to)]
        }
        PartitionBound::Hash(modulus, remainder) => {
            let (modulus, remainder) = (u64::from(*modulus), u64::from(*remainder));
            sql![
                "FOR VALUES WITH (modulus ",
                modulus,
                ", remainder ",
                remainder,
                ")"
            ]
        }
    })
}

/// The values of an end of a range in parentheses.
pub fn shown_limits(catalog: &Catalog, limits: &[Limit]) -> SqlText {
    let shown = limits.iter().map(|limit| match limit {
        Limit::Min => sql!["MINVALUE"],
        Limit::Max => sql!["MAXVALUE"],
        Limit::Value(expr) => shown_value(catalog, expr),
    });
    sql!["(", SqlText::joined(&shown.collect::<Vec<_>>(), ", "), ")"]
}

/// A constant as a bound shows it.
fn shown_value(catalog: &Catalog, expr: &Expr) -> SqlText {
    let Expr::Literal { value, ty } = expr else {
        return SqlText::default();
    };
    if value.is_null() {
        return sql!["NULL"];
    }
    let locale = Locale {
        enums: catalog.enums().cloned(),
        ..DEFAULT_LOCALE.clone()
    };
    let text = format_value(value, &locale);
    match *ty {
        LogicalType::Boolean if text == "t" => sql!["true"],
        LogicalType::Boolean => sql!["false"],
        ty if ty.is_numeric() && !text.starts_with('-') => SqlText::number(text),
        _ => SqlText::literal(&text),
    }
}
