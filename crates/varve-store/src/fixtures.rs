//! The golden manifest and log record: fixed contents, for checking that every target writes the
//! same bytes.
//!
//! In `tests/format/v1`, `manifest.hex` holds what [`golden_manifest`] gives, `log.hex` what
//! [`golden_log`] gives and `merged-log.hex` what [`golden_merged_log`] gives. A test on another
//! target enables the feature `fixtures`, includes those files, and compares.

use std::fmt::Write;
use std::sync::Arc;

use varve_types::{
    Broken, Column, ColumnId, CommitSeq, IndexKey, IndexState, KeyColumn, KeyOrder, LogicalType,
    ObjectId, RunId, SortKey, TreeColumn, TreeId, TreeSchema, Uniqueness, Value,
};

use crate::catalog::CatalogChange;
use crate::format::log::{self, LogOp, Record};
use crate::format::manifest::{Manifest, RunEntry};
use crate::format::row::encode_row;

/// The sequence of the golden log record.
pub(crate) const GOLDEN_SEQ: CommitSeq = CommitSeq(0x0102_0304_0506);

/// The golden manifest, as text.
pub fn golden_manifest() -> Result<String, Broken> {
    Ok(to_hex([("manifest".to_owned(), manifest().encode()?)]))
}

/// The values of the golden log record, as text.
pub fn golden_log() -> Result<String, Broken> {
    let values = log::encode(&records(1)?, usize::MAX)?;
    let named = (0_u32..).zip(values);
    let named = named.map(|(part, value)| (format!("part {part}"), value.bytes));
    Ok(to_hex(named))
}

/// A golden value that several log records share, as text.
pub fn golden_merged_log() -> Result<String, Broken> {
    let values = log::encode(&records(3)?, usize::MAX)?.into_iter();
    let named = values.map(|value| ("merged".to_owned(), value.bytes));
    Ok(to_hex(named))
}

/// The first record is the golden one, those after it delete a key each.
pub(crate) fn records(count: u64) -> Result<Vec<Record>, Broken> {
    let rows = rows();
    let golden = ops(&rows);
    let small = [LogOp::DeleteKeys {
        tree: TreeId(6),
        keys: vec![b"key"],
    }];
    let record = |at| {
        Ok(Record {
            seq: CommitSeq(GOLDEN_SEQ.0 + at),
            bytes: log::encode_record(if at == 0 { &golden } else { &small })?,
        })
    };
    (0..count).map(record).collect()
}

pub(crate) fn manifest() -> Manifest {
    let entry = |tree, run, deletion_vector_version| RunEntry {
        tree: TreeId(tree),
        run: RunId(run),
        rows: 26_115,
        bytes: 1 << 40,
        deletion_vector_version,
        deleted_rows: deletion_vector_version * 11,
        entries_seq: CommitSeq(deletion_vector_version * 7),
    };
    Manifest {
        number: 300,
        catalog_version: 17,
        flushed: CommitSeq(70_000),
        deletions_through: CommitSeq(70_001),
        next_run: 9,
        next_object: 4,
        next_tree: 5,
        next_row: u64::from(u32::MAX) + 1,
        runs: vec![entry(1, 2, 0), entry(1, 8, 3), entry(4, 7, 200)],
        retired: vec![RunId(3), RunId(6)],
    }
}

/// Rows of one column of every type: full, and all NULL.
pub(crate) fn rows() -> [Vec<u8>; 2] {
    let values = [
        Value::Boolean(true),
        Value::Int4(-300),
        Value::Int8(1 << 40),
        Value::Float8(-0.5),
        Value::text("d\u{e9}p\u{f4}t"),
        Value::Date(-1),
        Value::Timestamp(1_700_000_000_000_000),
        Value::TimestampTz(0),
    ];
    let columns = |null: bool| -> Vec<Arc<Column>> {
        let value = |value| if null { &Value::Null } else { value };
        let columns = LogicalType::ALL.into_iter().zip(&values);
        let column = |(ty, v)| Arc::new(Column::from_values(ty, [value(v)]));
        columns.map(column).collect()
    };
    [false, true].map(|null| {
        let mut row = Vec::new();
        encode_row(&columns(null), 0, &mut row);
        row
    })
}

/// The key of an index of tree 6.
fn index_key() -> IndexKey {
    let column = |position, descending| KeyColumn {
        position,
        order: KeyOrder {
            descending,
            nulls_first: descending,
        },
    };
    IndexKey {
        of: TreeId(6),
        columns: vec![column(4, true), column(2, false), column(0, false)],
        own_columns: 1,
        uniqueness: Uniqueness::NullsDistinct,
        state: IndexState::Valid,
    }
}

/// One operation of every kind.
pub(crate) fn ops(rows: &[Vec<u8>]) -> Vec<LogOp<'_>> {
    let column = |(id, ty)| TreeColumn {
        id: ColumnId(id),
        ty,
        nullable: id != 1,
        missing: if id == 3 { Value::Int8(7) } else { Value::Null },
        storage: varve_types::ColumnStorage::default(),
    };
    let schema = |tree, key| TreeSchema {
        tree: TreeId(tree),
        version: 2,
        columns: (1..).zip(LogicalType::ALL).take(8).map(column).collect(),
        key,
        options: varve_types::TreeOptions::default(),
    };
    vec![
        LogOp::Catalog(CatalogChange::PutObject(
            ObjectId(3),
            5,
            Arc::from(*b"definition"),
        )),
        LogOp::Catalog(CatalogChange::DeleteObject(ObjectId(130))),
        LogOp::Catalog(CatalogChange::CreateTree(schema(
            6,
            SortKey::Columns(vec![2, 0]),
        ))),
        LogOp::Catalog(CatalogChange::CreateTree(schema(7, SortKey::RowId))),
        LogOp::Catalog(CatalogChange::CreateTree(schema(
            8,
            SortKey::Index(index_key()),
        ))),
        LogOp::Catalog(CatalogChange::DropTree(TreeId(1))),
        LogOp::DeleteKeys {
            tree: TreeId(6),
            keys: vec![b"key", b""],
        },
        LogOp::DeleteInRun {
            run: RunId(8),
            rows: vec![0..=2, 500..=500, u32::MAX..=u32::MAX],
        },
        LogOp::Insert {
            tree: TreeId(6),
            schema_version: 2,
            rows: rows.iter().map(Vec::as_slice).collect(),
        },
    ]
}

/// Values as text: the name of each, then its bytes in lines of 64 digits.
fn to_hex(values: impl IntoIterator<Item = (String, Vec<u8>)>) -> String {
    let mut text = String::new();
    for (name, bytes) in values {
        text.push_str(&name);
        for line in bytes.chunks(32) {
            text.push('\n');
            for byte in line {
                // Writing to a string cannot fail.
                let _ = write!(text, "{byte:02x}");
            }
        }
        text.push('\n');
    }
    text
}
