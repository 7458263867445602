//! What a store tells of itself.

use std::sync::Arc;

use varve_codec::tags::{TAG_VALUES_DUE, TAG_ZSTD, TAG_ZSTD_DUE};
use varve_codec::{bit_codec_names, integer_codec_names, string_codec_names};
use varve_types::{ColumnId, CommitSeq, LogicalType, PhysicalType};

use crate::CacheStats;
use crate::error::Result;
use crate::run::Run;
use crate::tree::{HIDDEN, Tree};

/// How the rows of a tree are stored, as of the newest commit.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TreeStorage {
    /// Number of runs.
    pub runs: u64,
    /// Rows in all, those in the memtable included.
    pub rows: u64,
    /// Rows that are in the memtable and the log only.
    pub memtable_rows: u64,
    /// Rows of runs that are deleted, yet take space.
    pub deleted_rows: u64,
    /// The columns in the order of a row.
    pub columns: Vec<ColumnStorage>,
    /// Bytes of all runs: pages, indexes, filters and heads.
    pub total_bytes: u64,
    /// Bytes of zone maps and first keys.
    pub zone_map_bytes: u64,
    /// Bytes of filters over keys.
    pub filter_bytes: u64,
}

/// How one column is stored in the runs of its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnStorage {
    /// The column.
    pub column: ColumnId,
    /// Its pages.
    pub pages: u64,
    /// Bytes of its pages as stored.
    pub stored_bytes: u64,
    /// Bytes of its vectors before the general stage.
    pub encoded_bytes: u64,
    /// The names of the encodings that its vectors use, each once, in a fixed order.
    pub encodings: Vec<&'static str>,
    /// Whether some of its values are content, whose bytes are not among these.
    pub refers: bool,
}

/// Counters of a store since it was opened, and what it holds now.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StoreStats {
    /// The sequence of the newest commit.
    pub last_commit: u64,
    /// Commits that wrote.
    pub commits: u64,
    /// Writes to the backend that stored commits; those that come together share one.
    pub kv_commits: u64,
    /// The most commits that shared one.
    pub group_max: u64,
    /// How often small values of the log were put together.
    pub log_merges: u64,
    /// Commits refused with 40001.
    pub conflicts: u64,
    /// Flushes that published.
    pub flushes: u64,
    /// Compactions that published.
    pub compactions: u64,
    /// Bytes of rows that commits inserted or put in the place of others.
    pub row_bytes: u64,
    /// Bytes written to the backend for them and since: log, runs, deletion vectors, manifests.
    /// Their ratio is the write amplification.
    pub written_bytes: u64,
    /// The part of `run_bytes_written` that compactions wrote.
    pub compaction_bytes_written: u64,
    /// Vectors of columns that scans decoded, filtered or took rows of.
    pub vectors_decoded: u64,
    /// Vectors of columns of which zone maps told scans all that was wanted.
    pub vectors_known: u64,
    /// Bytes of pages and heads that flushes and transactions wrote.
    pub run_bytes_written: u64,
    /// Values in the log.
    pub log_values: u64,
    /// Bytes of the memtable.
    pub memtable_bytes: u64,
    /// Runs in all trees.
    pub runs: u64,
    /// Values of content-addressed columns that are stored once, whoever has them.
    pub content_values: u64,
    /// Bytes that they take; no table's are among them.
    pub content_bytes: u64,
    /// Pages as stored.
    pub page_cache: CacheStats,
    /// What was made of the pages of groups.
    pub group_cache: CacheStats,
    /// Rows that were looked up by key.
    pub row_cache: CacheStats,
    /// Bytes in scratch space.
    pub scratch_bytes: u64,
    /// Whether the storage was full at the last try, so that no rows are added.
    pub storage_full: bool,
    /// Why the last flush failed, if it did; the next commit tries again.
    pub flush_error: Option<String>,
}

/// Adds up what the heads of a tree's runs tell.
pub(crate) fn tree_storage(
    tree: &Tree,
    runs: &[Arc<Run>],
    memtable_rows: u64,
    seq: CommitSeq,
) -> Result<TreeStorage> {
    let mut storage = TreeStorage {
        runs: runs.len() as u64,
        rows: memtable_rows,
        memtable_rows,
        ..TreeStorage::default()
    };
    let visible = tree.columns().iter().filter(|column| column.id != HIDDEN);
    let mut codecs = Vec::new();
    for column in visible {
        codecs.push((column.ty, 0_u32));
        storage.columns.push(ColumnStorage {
            column: column.id,
            pages: 0,
            stored_bytes: 0,
            encoded_bytes: 0,
            encodings: Vec::new(),
            refers: false,
        });
    }
    for run in runs {
        let deleted = run.deletion_vector.count(seq);
        storage.rows += run.rows.saturating_sub(deleted);
        storage.deleted_rows += deleted;
        storage.total_bytes += run.bytes;
        let head = run.head()?;
        let bytes = head.bytes_beside_columns();
        storage.zone_map_bytes += bytes.zone_maps;
        storage.filter_bytes += bytes.filters;
        for (column, (_, codecs)) in storage.columns.iter_mut().zip(&mut codecs) {
            let position = head.column_position(column.column);
            column.pages += position.map_or(0, |at| head.pages_of(at));
            if let Some(stats) = position.and_then(|at| head.stats().get(at)) {
                column.stored_bytes += stats.stored_bytes;
                column.encoded_bytes += stats.encoded_bytes;
                *codecs |= stats.codecs;
            }
            let reference = head.reference_position(column.column);
            if let Some(stats) = reference.and_then(|at| head.stats().get(at)) {
                column.pages += reference.map_or(0, |at| head.pages_of(at));
                column.stored_bytes += stats.stored_bytes;
                column.encoded_bytes += stats.encoded_bytes;
                column.refers |= stats.zone.has_values();
            }
        }
    }
    for (column, (ty, codecs)) in storage.columns.iter_mut().zip(codecs) {
        name_encodings(column, ty, codecs);
    }
    Ok(storage)
}

/// Names what a column of a type is encoded in, by the tags of its codecs.
fn name_encodings(column: &mut ColumnStorage, ty: LogicalType, codecs: u32) {
    column.encodings = encoding_names(ty, codecs);
    let is_staged = column.stored_bytes < column.encoded_bytes;
    let is_set = |tag: u8| codecs >> tag & 1 == 1;
    if is_staged && is_set(TAG_ZSTD) {
        column.encodings.push("zstd");
    } else if is_staged {
        column.encodings.push("lz4");
    }
    if column.refers {
        column.encodings.push("content");
    }
    if is_set(TAG_ZSTD_DUE) {
        column.encodings.push("zstd due");
    }
    if is_set(TAG_VALUES_DUE) {
        column.encodings.push("zstd values due");
    }
}

fn encoding_names(ty: LogicalType, codecs: u32) -> Vec<&'static str> {
    match ty.physical() {
        PhysicalType::Bits => bit_codec_names(codecs),
        PhysicalType::Bytes | PhysicalType::Binary => string_codec_names(codecs),
        _ => integer_codec_names(codecs),
    }
}
