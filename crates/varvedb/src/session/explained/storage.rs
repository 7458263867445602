//! `EXPLAIN (STORAGE)`: how the columns are stored that a plan reads.

use varve_plan::Statement;
use varve_plan::plan::Plan;
use varve_store::{Store, TreeStorage};
use varve_types::{Result, TreeId};

/// Columns of a table that a node of a plan reads.
struct Reads<'a> {
    name: &'a str,
    tree: TreeId,
    column_names: &'a [String],
    columns: &'a [usize],
}

/// Lines about each table that the plan of a statement reads, in the order of its nodes.
pub(in crate::session) fn storage_lines(
    store: &Store,
    statement: &Statement,
) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    match statement {
        Statement::Query(query) => put_plan(store, &query.plan, &mut lines)?,
        Statement::Insert(insert) => put_plan(store, &insert.source, &mut lines)?,
        Statement::Update(modify) | Statement::Delete(modify) => {
            put_plan(store, &modify.source, &mut lines)?;
        }
        Statement::Merge(merge) => put_plan(store, &merge.source, &mut lines)?,
        _ => {}
    }
    Ok(lines)
}

fn put_plan(store: &Store, plan: &Plan, lines: &mut Vec<String>) -> Result<()> {
    let read = match plan {
        Plan::Scan(scan) => scan.table.as_ref().map(|table| Reads {
            name: &scan.name,
            tree: table.tree,
            column_names: &scan.column_names,
            columns: &scan.columns,
        }),
        Plan::Lookup(lookup) => Some(Reads {
            name: &lookup.name,
            tree: lookup.tree,
            column_names: &lookup.column_names,
            columns: &lookup.columns,
        }),
        _ => None,
    };
    if let Some(read) = read {
        put_lines(&read, &store.tree_storage(read.tree)?, lines);
    }
    let mut done = Ok(());
    plan.for_each_input(&mut |input| {
        if done.is_ok() {
            done = put_plan(store, input, lines);
        }
    });
    done
}

fn put_lines(read: &Reads<'_>, storage: &TreeStorage, lines: &mut Vec<String>) {
    let rows = storage.rows.saturating_sub(storage.memtable_rows);
    let bytes = |bytes: u64| match rows {
        0 => format!("{bytes} bytes"),
        rows => format!("{bytes} bytes ({} a row)", per_row(bytes, rows)),
    };
    lines.push(format!(
        "Storage of {}: runs={} rows={} in memory={}, {}",
        read.name,
        storage.runs,
        storage.rows,
        storage.memtable_rows,
        bytes(storage.total_bytes)
    ));
    for at in read.columns {
        let (Some(name), Some(column)) = (read.column_names.get(*at), storage.columns.get(*at))
        else {
            continue;
        };
        if column.pages > 0 {
            lines.push(format!(
                "  {name}: {}, pages={}, {}",
                column.encodings.join(", "),
                column.pages,
                bytes(column.stored_bytes)
            ));
        }
    }
    if storage.runs > 0 {
        lines.push(format!("  zone maps: {}", bytes(storage.zone_map_bytes)));
        lines.push(format!("  filters: {}", bytes(storage.filter_bytes)));
    }
}

/// Bytes a row, in hundredths rounded down.
fn per_row(bytes: u64, rows: u64) -> String {
    let hundredths = u128::from(bytes) * 100 / u128::from(rows.max(1));
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
