//! Trees and rows of the simulation, and how a store is asked for them.

use std::sync::Arc;

use varve_store::Transaction;
use varve_types::{
    Batch, Column, ColumnId, ColumnPredicate, ColumnStorage, Compression, KeyColumn, KeyOrder,
    LogicalType, Partition, RowPosition, ScanSpec, SortKey, StorageMode, TreeColumn, TreeId,
    TreeOptions, TreeSchema, Value, encode_key_value, encode_ordered_key_value,
};

use crate::failure::{Outcome, broken};

/// One row: its identity, a text, a number. `k` is unique in every tree, whatever its sort key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) k: i64,
    pub(crate) t: Option<Arc<str>>,
    pub(crate) n: i32,
}

/// How a tree is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By `k`, which transactions compete for.
    Keyed,
    /// By a hidden row id.
    Plain,
    /// By `t`, then `k`.
    ByText,
    /// By `t`, the greatest first and NULLs before it, then `n`; rows may share both.
    Sorted,
    /// By `k`; `t` is content-addressed.
    Content,
    /// By `k`; each `t` is compressed on its own.
    Framed,
}

pub(crate) const KINDS: [Kind; 6] = [
    Kind::Keyed,
    Kind::Plain,
    Kind::ByText,
    Kind::Sorted,
    Kind::Content,
    Kind::Framed,
];

/// What rows of a sorted tree are sorted by.
const SORTED: [KeyColumn; 2] = [
    KeyColumn {
        position: 1,
        order: KeyOrder {
            descending: true,
            nulls_first: true,
        },
    },
    KeyColumn {
        position: 2,
        order: KeyOrder {
            descending: false,
            nulls_first: false,
        },
    },
];

impl Kind {
    /// Whether columns name a row.
    pub(crate) fn has_key(self) -> bool {
        !matches!(self, Kind::Plain | Kind::Sorted)
    }
}

/// Texts of so many bytes are content.
const CONTENT_BYTES_MIN: u32 = 64;

/// Rows of some trees are kept apart by this much of their numbers, which are below 1000.
pub(crate) const PARTITION_WIDTH: i64 = 200;

/// The column of the texts.
pub(crate) const TEXT: ColumnId = ColumnId(2);
/// The column of the numbers.
pub(crate) const NUMBER: ColumnId = ColumnId(3);

/// Every transaction that writes adds its number here, so that a snapshot tells by itself which of
/// them it includes.
pub(crate) const JOURNAL: TreeId = TreeId(1);

/// Keys of a transaction are its token times this, and those after: so no two are equal.
pub(crate) const KEYS_PER_TOKEN: i64 = 1000;

/// The key of a token in the journal. Those up to the next one are rows of a load.
pub(crate) fn journal_key(token: i64) -> i64 {
    token * KEYS_PER_TOKEN
}

/// Positions of all columns.
pub(crate) const COLUMNS: [usize; 3] = [0, 1, 2];

pub(crate) fn schema(tree: TreeId, kind: Kind) -> TreeSchema {
    let types = [LogicalType::Int8, LogicalType::Text, LogicalType::Int4];
    let column = |(id, ty)| TreeColumn {
        id: ColumnId(id),
        ty,
        nullable: true,
        missing: Value::Null,
        storage: match kind {
            _ if ColumnId(id) != TEXT => ColumnStorage::default(),
            Kind::Content => ColumnStorage {
                mode: StorageMode::ContentAddressed,
                ..ColumnStorage::default()
            },
            Kind::Framed => ColumnStorage {
                compression: Compression::ZstdValues,
                ..ColumnStorage::default()
            },
            _ => ColumnStorage::default(),
        },
    };
    let is_kept_apart = matches!(kind, Kind::Plain | Kind::ByText | Kind::Sorted);
    TreeSchema {
        tree,
        version: 1,
        columns: (1..).zip(types).map(column).collect(),
        key: match kind {
            Kind::Keyed | Kind::Content | Kind::Framed => SortKey::Columns(vec![0]),
            Kind::Plain => SortKey::RowId,
            Kind::ByText => SortKey::Columns(vec![1, 0]),
            Kind::Sorted => SortKey::Sorted(SORTED.to_vec()),
        },
        options: TreeOptions {
            content_bytes_min: CONTENT_BYTES_MIN,
            partition: is_kept_apart.then_some(Partition {
                column: NUMBER,
                width: PARTITION_WIDTH,
            }),
            ..TreeOptions::default()
        },
    }
}

/// The values of a row's sort key; `None` where it has none to look up.
pub(crate) fn key_of(kind: Kind, row: &Row) -> Option<Vec<Value>> {
    let text = || text_value(row);
    match kind {
        Kind::Keyed | Kind::Content | Kind::Framed => Some(vec![Value::Int8(row.k)]),
        Kind::Plain | Kind::Sorted => None,
        Kind::ByText => Some(vec![text(), Value::Int8(row.k)]),
    }
}

/// What a scan in the order of keys goes by; `None` where rows do not tell it.
pub(crate) fn order_of(kind: Kind, row: &Row) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    if kind == Kind::Sorted {
        for (value, column) in [text_value(row), Value::Int4(row.n)].iter().zip(SORTED) {
            encode_ordered_key_value(value, column.order, &mut bytes);
        }
        return Some(bytes);
    }
    for value in key_of(kind, row)? {
        encode_key_value(&value, &mut bytes);
    }
    Some(bytes)
}

fn text_value(row: &Row) -> Value {
    row.t.as_deref().map_or(Value::Null, Value::text)
}

pub(crate) fn batch(rows: &[Row]) -> Batch {
    let column = |ty, value: fn(&Row) -> Value| {
        let values: Vec<Value> = rows.iter().map(value).collect();
        Arc::new(Column::from_values(ty, &values))
    };
    let columns = vec![
        column(LogicalType::Int8, |row| Value::Int8(row.k)),
        column(LogicalType::Text, text_value),
        column(LogicalType::Int4, |row| Value::Int4(row.n)),
    ];
    Batch::new(columns, rows.len())
}

/// The rows of a batch whose first columns are all of ours.
pub(crate) fn rows_of(batch: &Batch) -> Outcome<Vec<Row>> {
    let [Some(k), Some(t), Some(n)] = COLUMNS.map(|at| batch.column(at)) else {
        return broken(format!("a batch of {} columns", batch.width()));
    };
    let row = |at| match (k.value(at), n.value(at)) {
        (Value::Int8(k), Value::Int4(n)) => Ok(Row {
            k,
            t: t.str_at(at).map(Arc::from),
            n,
        }),
        values => broken(format!("a row of {values:?}")),
    };
    (0..batch.rows()).map(row).collect()
}

pub(crate) fn everything(tree: TreeId) -> ScanSpec {
    ScanSpec {
        with_position: true,
        ..ScanSpec::of(tree, COLUMNS.to_vec())
    }
}

/// Rows with their positions, in the order of the scan, and whether that is the order of keys.
pub(crate) struct Scanned {
    pub(crate) rows: Vec<(Row, RowPosition)>,
    pub(crate) is_key_ordered: bool,
}

pub(crate) async fn scan(transaction: &Transaction, options: ScanSpec) -> Outcome<Scanned> {
    let mut scan = transaction.scan(options).await?;
    let mut rows = Vec::new();
    while let Some(batch) = scan.next_batch().await? {
        let Some(positions) = batch.column(COLUMNS.len()) else {
            return broken("a scan without positions");
        };
        for (at, row) in rows_of(&batch)?.into_iter().enumerate() {
            let Value::Int8(position) = positions.value(at) else {
                return broken("a position that is no number");
            };
            rows.push((row, RowPosition(position.cast_unsigned())));
        }
    }
    Ok(Scanned {
        rows,
        is_key_ordered: scan.is_key_ordered(),
    })
}

/// Scans rows that pass the predicates.
pub(crate) async fn scan_where(
    transaction: &Transaction,
    tree: TreeId,
    predicates: Vec<ColumnPredicate>,
) -> Outcome<Vec<(Row, RowPosition)>> {
    let options = ScanSpec {
        predicates,
        ..everything(tree)
    };
    Ok(scan(transaction, options).await?.rows)
}
