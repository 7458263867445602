//! Rows and partitions: which partition a row goes to, and whether it belongs where it goes.

use std::sync::Arc;

use varve_catalog::{Catalog, PartitionBound, Partitioning, TableDef};
use varve_expr::{EvalContext, evaluate};
use varve_sort::VecMap;
use varve_types::{Batch, Error, ObjectId, Result, Selection, SqlState, SqlText, Value};

use crate::write::table_rows::{checked, failing_row};
use crate::write::writer::shown_key;

/// Rows of one table, with their numbers among those that were given.
pub(super) struct Routed {
    pub table: Arc<TableDef>,
    pub rows: Batch,
    pub numbers: Vec<usize>,
}

/// Rows of a table in the order of columns of another one; those that it has not are left out.
pub fn in_order_of(places: &[usize], rows: &Batch) -> Batch {
    let columns = rows.physical_columns();
    let columns = places.iter().filter_map(|at| columns.get(*at));
    Batch::new(columns.map(Arc::clone).collect(), rows.rows())
}

/// The values of the keys of each row.
fn keys_of(by: &Partitioning, rows: &Batch, context: &EvalContext<'_>) -> Result<Vec<Vec<Value>>> {
    let columns = by.keys.iter().map(|key| evaluate(key, rows, context));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let keys = |row| columns.iter().map(|column| column.value(row)).collect();
    Ok((0..rows.rows()).map(keys).collect())
}

/// The number of the bound that takes rows with these keys; `last` is where the search begins, as
/// rows come side by side.
fn place_of(bounds: &[&PartitionBound], keys: &[Value], last: usize) -> Option<usize> {
    if bounds.get(last).is_some_and(|bound| bound.accepts(keys)) {
        return Some(last);
    }
    let takes = bounds.iter().position(|bound| bound.accepts(keys));
    let default = || {
        bounds
            .iter()
            .position(|bound| **bound == PartitionBound::Default)
    };
    takes.or_else(default)
}

/// Puts rows of a partitioned table into its partitions, those of these into theirs.
pub(super) fn routed(
    catalog: &Catalog,
    table: &Arc<TableDef>,
    rows: &[Batch],
    context: &EvalContext<'_>,
) -> Result<Vec<Routed>> {
    let mut first = 0;
    let mut waiting = Vec::with_capacity(rows.len());
    for batch in rows {
        let rows = batch.compact();
        let numbers = (first..first + rows.rows()).collect();
        first += rows.rows();
        waiting.push(Routed {
            table: Arc::clone(table),
            rows,
            numbers,
        });
    }
    waiting.reverse();
    let mut found: Vec<Routed> = Vec::new();
    while let Some(group) = waiting.pop() {
        let Some(by) = group.table.partitioning() else {
            found.push(group);
            continue;
        };
        let children = catalog.children_of(&group.table);
        let bounds: Vec<&PartitionBound> =
            children.iter().filter_map(|child| child.bound()).collect();
        let mut rows_of: VecMap<usize, Vec<u32>> = VecMap::new();
        let mut last = 0;
        for (row, keys) in (0..).zip(keys_of(by, &group.rows, context)?) {
            let place = place_of(&bounds, &keys, last);
            last = place.ok_or_else(|| no_partition(&group.table, by, (&keys, catalog)))?;
            rows_of.entry(last).or_default().push(row);
        }
        for (place, chosen) in rows_of.into_iter().rev() {
            let Some(child) = children.get(place) else {
                continue;
            };
            let places = child.places_in(&group.table);
            let places = places.ok_or_else(|| Error::internal("a partition of other columns"))?;
            let numbers = chosen.iter();
            let numbers = numbers
                .filter_map(|row| group.numbers.get(*row as usize))
                .copied();
            waiting.push(Routed {
                table: Arc::clone(child),
                numbers: numbers.collect(),
                rows: in_order_of(&places, &group.rows)
                    .select(&Selection::new(chosen))
                    .compact(),
            });
        }
    }
    Ok(found)
}

fn no_partition(
    table: &TableDef,
    by: &Partitioning,
    (keys, catalog): (&[Value], &Catalog),
) -> Error {
    let message = format!("no partition of relation \"{}\" found for row", table.name);
    let names: Vec<SqlText> = by.keys.iter().map(|key| table.shown_expr(key)).collect();
    let values = shown_key(keys, catalog.enums());
    Error::new(SqlState::CHECK_VIOLATION, message)
        .with_detail(format!(
            "Partition key of the failing row contains ({}) = ({}).",
            SqlText::joined(&names, ", "),
            values
        ))
        .with_table(&table.name)
}

/// The rows that do not belong to a partition or to those around it, ascending.
pub fn astray(
    catalog: &Catalog,
    table: &TableDef,
    rows: &Batch,
    context: &EvalContext<'_>,
) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    let mut known = Some(table);
    let mut rows = rows.clone();
    let mut seen: Vec<ObjectId> = Vec::new();
    while let Some(child) = known.take() {
        let (Some(bound), [parent]) = (child.bound(), child.parents()) else {
            break;
        };
        let Some(parent) = catalog
            .tables
            .get(parent)
            .filter(|of| !seen.contains(&of.object))
        else {
            break;
        };
        let (Some(by), Some(places)) = (parent.partitioning(), parent.places_in(child)) else {
            break;
        };
        rows = in_order_of(&places, &rows);
        let others = catalog.children_of(parent);
        let takes = |keys: &[Value]| match bound {
            PartitionBound::Default => !others
                .iter()
                .any(|other| other.bound().is_some_and(|bound| bound.accepts(keys))),
            bound => bound.accepts(keys),
        };
        let keys = keys_of(by, &rows, context)?;
        let rows = keys.iter().enumerate();
        found.extend(rows.filter(|(_, keys)| !takes(keys)).map(|(row, _)| row));
        seen.push(child.object);
        known = Some(parent);
    }
    varve_sort::sort(&mut found);
    found.dedup();
    Ok(found)
}

/// Rows after [`checked`], and after a look at whether they belong to the partition.
pub fn checked_inside(
    catalog: &Catalog,
    table: &TableDef,
    rows: &Batch,
    context: &EvalContext<'_>,
) -> Result<Batch> {
    let rows = checked(table, rows, context)?;
    check_bounds(catalog, table, &rows, context)?;
    Ok(rows)
}

/// `23514` where a row does not belong to the partition that it is written to.
pub fn check_bounds(
    catalog: &Catalog,
    table: &TableDef,
    rows: &Batch,
    context: &EvalContext<'_>,
) -> Result<()> {
    if table.bound().is_none() {
        return Ok(());
    }
    match astray(catalog, table, rows, context)?.first() {
        None => Ok(()),
        Some(row) => {
            let message = format!(
                "new row for relation \"{}\" violates partition constraint",
                table.name
            );
            Err(Error::new(SqlState::CHECK_VIOLATION, message)
                .with_detail(failing_row(table, rows, *row, context))
                .with_table(&table.name))
        }
    }
}
