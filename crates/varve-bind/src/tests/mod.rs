//! Tests of the whole way from text to plan.

mod errors;
mod fuzz;
mod places;
mod plans;
mod results;

use std::sync::Arc;

use varve_catalog::{Catalog, ColumnDef, TableDef};
use varve_expr::DEFAULT_LOCALE;
use varve_parser::parse;
use varve_plan::Bound;
use varve_types::{ColumnId, LogicalType as T, ObjectId, Result, TreeId};

use crate::bind;

fn table(number: u64, name: &str, columns: &[(&str, T)], primary_key: &[usize]) -> TableDef {
    let columns = columns.iter().enumerate().map(|(index, (name, ty))| {
        let id = ColumnId(u32::try_from(index).unwrap());
        ColumnDef::new(id, *name, *ty, !primary_key.contains(&index))
    });
    TableDef {
        object: ObjectId(number),
        tree: TreeId(number),
        ..TableDef::new(name, columns.collect(), primary_key.to_vec())
    }
}

/// `t` with a column of each type, `u` to join with, `p` with a key of two columns.
fn catalog() -> Catalog {
    let tables = [
        table(
            1,
            "t",
            &[
                ("a", T::Int4),
                ("b", T::Int8),
                ("c", T::Text),
                ("d", T::Float8),
                ("e", T::Boolean),
                ("f", T::Date),
                ("g", T::Timestamp),
                ("h", T::TimestampTz),
            ],
            &[0],
        ),
        table(
            2,
            "u",
            &[("id", T::Int4), ("a", T::Int4), ("name", T::Text)],
            &[0],
        ),
        table(
            3,
            "p",
            &[("x", T::Int4), ("y", T::Text), ("v", T::Float8)],
            &[1, 0],
        ),
        table(4, "Mixed", &[("Id", T::Int4), ("n", T::Int4)], &[]),
    ];
    let mut catalog = Catalog::default();
    for table in tables {
        catalog.add_table(Arc::new(table));
    }
    catalog
}

/// Binds the last statement of a text, all of them being bound on the way.
fn bound(sql: &str) -> Result<Bound> {
    bound_with(sql, &[])
}

fn bound_with(sql: &str, parameters: &[Option<T>]) -> Result<Bound> {
    let mut last = None;
    for statement in parse(sql)? {
        last = Some(bind(
            &statement,
            &catalog().into(),
            parameters,
            &DEFAULT_LOCALE,
        )?);
    }
    Ok(last.expect("a statement"))
}
