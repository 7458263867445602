//! The read-only views about the database itself.

use std::sync::Arc;

use varve_bind::catalog_rows;
use varve_catalog::{Catalog, ColumnDef, TableDef};
use varve_dml::SystemViews;
use varve_store::{CacheStats, ColumnStorage, Transaction, ValueFrame, ValueFrameTotals};
use varve_system_views::{SystemView, session_view, system_view_columns};
use varve_types::{ColumnId, MemoryAccount, ObjectId, Result, Value};

use crate::host::SessionHost;
use crate::host::job_rows::job_rows;
use crate::shared::Shared;
use crate::shared::lru::CacheCounters;
use crate::transparent::config::shown_name;

impl SystemViews for SessionHost {
    fn rows(
        &self,
        transaction: &Transaction,
        catalog: &Arc<Catalog>,
        view: SystemView,
    ) -> Result<Vec<Vec<Value>>> {
        let shared = self.shared();
        Ok(match view {
            SystemView::Tables => {
                let tables = catalog.tables_by_name();
                tables.flat_map(|table| table_rows(table)).collect()
            }
            SystemView::Storage => {
                let mut rows = Vec::new();
                for table in catalog.tables_by_name() {
                    rows.extend(storage_rows(shared, transaction, table)?);
                }
                rows
            }
            SystemView::Catalog(which) => {
                let columns = system_view_columns(view);
                if let Some(name) = session_view(which) {
                    let mut rows = self.session_rows(name);
                    for row in &mut rows {
                        row.resize(columns.len(), Value::Null);
                    }
                    return Ok(rows);
                }
                let mut rows = catalog_rows(which, catalog);
                if let Some(at) = columns.iter().position(|one| one.name == "last_value") {
                    // The rows are the sequences in the catalog's order, without their states.
                    for (row, sequence) in rows.iter_mut().zip(catalog.sequences.values()) {
                        let (last, is_called) = shared.sequences.value(sequence)?;
                        if let Some(value) = row.get_mut(at).filter(|_| is_called) {
                            *value = Value::Int8(last);
                        }
                    }
                }
                if let Some(at) = columns.iter().position(|one| one.name == "invalid_ranges") {
                    for row in &mut rows {
                        count_ranges(transaction, catalog, row.get_mut(at));
                    }
                }
                rows
            }
            SystemView::Caches => cache_rows(shared),
            SystemView::Jobs => job_rows(shared),
            SystemView::Statistics => statistics_rows(shared),
            SystemView::ValueFrames => {
                let tables = catalog.tables_by_name();
                let rows = tables.map(|table| frame_rows(shared, catalog, table));
                rows.collect::<Result<Vec<_>>>()?.concat()
            }
        })
    }
}

/// Puts the number of rows in the place of a table's object.
fn count_ranges(transaction: &Transaction, catalog: &Catalog, cell: Option<&mut Value>) {
    if let Some(Value::Int8(object)) = cell {
        let table = catalog.tables.get(&ObjectId(object.cast_unsigned()));
        let rows = table.and_then(|table| transaction.row_count(table.tree));
        *object = i64::try_from(rows.unwrap_or(0)).unwrap_or(i64::MAX);
    }
}

fn table_rows(table: &TableDef) -> Vec<Vec<Value>> {
    let row = |(position, ordinal): (usize, i32)| {
        let column = table.columns.get(position)?;
        Some(vec![
            Value::text(table.name.as_str()),
            Value::text(column.name.as_str()),
            Value::Int4(ordinal),
            Value::text(column.ty.name()),
            Value::Boolean(column.nullable),
            Value::Boolean(table.declared_key().contains(&position)),
        ])
    };
    (0..table.columns.len()).zip(1..).filter_map(row).collect()
}

fn frame_rows(shared: &Shared, catalog: &Catalog, table: &TableDef) -> Result<Vec<Vec<Value>>> {
    let name = shown_name(catalog, table).to_string();
    let totals = shared.store.value_frame_totals(table.tree)?.into_iter();
    let row = |(id, totals): (ColumnId, ValueFrameTotals)| {
        let column = table.columns.iter().find(|column| column.id == id)?;
        Some(vec![
            Value::text(name.as_str()),
            Value::text(column.name.as_str()),
            match totals.frame {
                ValueFrame::Raw => Value::Null,
                ValueFrame::Alone => Value::Int4(-1),
                ValueFrame::With(number) => Value::Int4(number),
            },
            count(totals.bytes.values),
            count(totals.bytes.raw),
            count(totals.bytes.stored),
        ])
    };
    Ok(totals.filter_map(row).collect())
}

fn cache_rows(shared: &Shared) -> Vec<Vec<Value>> {
    let row = |name: &str, cache: CacheCounters| {
        vec![
            Value::text(name),
            count(cache.hits),
            count(cache.misses),
            count(cache.evictions),
            count(cache.entries),
            count(cache.bytes),
            count(cache.capacity),
        ]
    };
    let of_store = |name, cache: CacheStats| {
        let counters = CacheCounters {
            hits: cache.hits,
            misses: cache.misses,
            evictions: cache.evictions,
            entries: cache.entries,
            bytes: cache.bytes,
            capacity: cache.bytes_max,
        };
        row(name, counters)
    };
    let store = shared.store.stats();
    vec![
        row("parse", shared.statements.parsed.counters()),
        row("plan", shared.statements.plans.counters()),
        row("dictionary", shared.dictionaries.counters()),
        of_store("page", store.page_cache),
        of_store("group", store.group_cache),
        of_store("row", store.row_cache),
    ]
}

/// Counters stay far below 2^53, from where on doubles have gaps.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn statistics_rows(shared: &Shared) -> Vec<Vec<Value>> {
    let stats = shared.store.stats();
    let amplification = stats.written_bytes as f64 / stats.row_bytes.max(1) as f64;
    let lines = [
        ("last_commit", stats.last_commit as f64),
        ("commits", stats.commits as f64),
        ("conflicts", stats.conflicts as f64),
        ("flushes", stats.flushes as f64),
        ("compactions", stats.compactions as f64),
        ("row_bytes", stats.row_bytes as f64),
        ("written_bytes", stats.written_bytes as f64),
        ("write_amplification", amplification),
        ("run_bytes_written", stats.run_bytes_written as f64),
        (
            "compaction_bytes_written",
            stats.compaction_bytes_written as f64,
        ),
        ("runs", stats.runs as f64),
        ("content_values", stats.content_values as f64),
        ("content_bytes", stats.content_bytes as f64),
        ("log_values", stats.log_values as f64),
        ("memtable_bytes", stats.memtable_bytes as f64),
        ("scratch_bytes", stats.scratch_bytes as f64),
        ("storage_full", f64::from(u8::from(stats.storage_full))),
        ("memory_used_bytes", shared.memory.used_bytes() as f64),
        ("memory_limit_bytes", shared.memory.limit_bytes() as f64),
        // What all of the engine has taken from the browser, which never gets any of it back.
        #[cfg(target_arch = "wasm32")]
        (
            "wasm_memory_bytes",
            core::arch::wasm32::memory_size::<0>() as f64 * 65_536.0,
        ),
    ];
    let row = |name: &str, value: f64| vec![Value::text(name), Value::Float8(value)];
    let mut rows: Vec<Vec<Value>> = lines
        .iter()
        .map(|(name, value)| row(name, *value))
        .collect();
    let (executed, given) = shared.phases.executed();
    rows.push(row("statements", executed as f64));
    rows.push(row("statement_rows", given as f64));
    let phases = shared.phases.totals_us().into_iter();
    rows.extend(phases.map(|(phase, us)| row(&format!("{}_us", phase.name()), us as f64)));
    rows
}

fn count(number: u64) -> Value {
    Value::Int8(i64::try_from(number).unwrap_or(i64::MAX))
}

fn storage_rows(
    shared: &Shared,
    transaction: &Transaction,
    table: &TableDef,
) -> Result<Vec<Vec<Value>>> {
    let storage = shared.store.tree_storage(table.tree)?;
    let rows = transaction.row_count(table.tree).unwrap_or(storage.rows);
    let mut lines = Vec::new();
    let mut in_columns = 0;
    for column in &table.columns {
        let mut columns = storage.columns.iter();
        let stored = columns.find(|stored| stored.column == column.id);
        in_columns += stored.map_or(0, |stored| stored.stored_bytes);
        lines.push(column_row(&table.name, column, rows, stored));
    }
    let mut beside = |rows: u64, bytes: u64, what: &str| {
        if bytes > 0 || rows > 0 {
            let mut line = vec![
                Value::text(table.name.as_str()),
                Value::Null,
                count(rows),
                count(bytes),
                Value::text(what),
                Value::Null,
                Value::Null,
                per_row(bytes, rows),
            ];
            line.resize(STORAGE_COLUMNS, Value::Null);
            lines.push(line);
        }
    };
    let known = in_columns + storage.zone_map_bytes + storage.filter_bytes;
    let of_runs = |bytes: u64| if bytes > 0 { rows } else { 0 };
    for (bytes, what) in [
        (storage.zone_map_bytes, "zone maps"),
        (storage.filter_bytes, "filters"),
        (storage.total_bytes.saturating_sub(known), "heads"),
    ] {
        beside(of_runs(bytes), bytes, what);
    }
    beside(storage.deleted_rows, 0, "deleted, space not given back yet");
    beside(storage.memtable_rows, 0, "in memory and log");
    Ok(lines)
}

/// Columns of `varve_storage`.
const STORAGE_COLUMNS: usize = 10;

fn column_row(
    table: &str,
    column: &ColumnDef,
    rows: u64,
    stored: Option<&ColumnStorage>,
) -> Vec<Value> {
    let bytes = stored.map_or(0, |stored| stored.stored_bytes);
    vec![
        Value::text(table),
        Value::text(column.name.as_str()),
        count(rows),
        count(bytes),
        stored.map_or(Value::Null, |stored| {
            Value::text(stored.encodings.join(", "))
        }),
        count(stored.map_or(0, |stored| stored.pages)),
        count(stored.map_or(0, |stored| stored.encoded_bytes)),
        per_row(bytes, rows),
        Value::text(column.storage.mode.name()),
        Value::text(column.storage.compression.to_string()),
    ]
}

/// NULL without rows.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn per_row(bytes: u64, rows: u64) -> Value {
    match rows {
        0 => Value::Null,
        rows => Value::Float8(bytes as f64 / rows as f64),
    }
}
