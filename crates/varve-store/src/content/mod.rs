//! Content: large values of content-addressed columns, each stored once whatever rows and tables
//! have it.
//!
//! Every store has one tree of content ([`TREE`]). Its rows are the values, each with a number (the
//! hidden row id) and its BLAKE3 hash. They lie in ordinary runs: codecs, checksums, caches,
//! deletion vectors and compaction are those of all trees.
//!
//! # Writing
//!
//! Memtable and log hold values as they are. Whoever writes a run (flush, spill, bulk load,
//! compaction) puts references in the place of large values (`refer.rs`): the run keeps the
//! beginning of the value, so that zone maps stay true, and beside it the number in a column of
//! references. New values go to a run of content of the same sink, and the same commit publishes
//! both. A value is new unless the sink has it already or the index of published hashes does
//! (`addresses.rs`), which is read when it is first needed. Compaction passes references on; it
//! neither reads nor writes what they lead to.
//!
//! # Reading
//!
//! Scans and lookups put content in the place of references once they know which rows are wanted
//! (`resolve.rs`). A snapshot sees the content of its own version.
//!
//! # Deleting
//!
//! When runs with references go, a job looks which numbers the others still have, and deletes the
//! rest of the content (`sweep.rs`); compaction gives the space back as it does of any tree.
//!
//! Invariant: each number that a listed run refers to is a living row of content in the same
//! version. What an unpublished run refers to is noted as in use, and no sweep takes it.

mod addresses;
mod refer;
mod resolve;
mod sweep;
mod vectors;

use std::sync::Arc;

use varve_types::{
    ColumnId, ColumnStorage, LogicalType, SortKey, TreeColumn, TreeId, TreeOptions, TreeSchema,
    Value,
};

use crate::tree::Tree;

pub(crate) use addresses::{Addresses, Hash, hash};
pub(crate) use refer::ContentSink;
pub(crate) use resolve::{Unresolved, resolve, resolve_now};
pub(crate) use sweep::due;
pub(crate) use vectors::{each_vector, number_at};

/// The tree of content. Trees that are created begin at 1.
pub(crate) const TREE: TreeId = TreeId(0);

/// Among the stored columns of content the number of a value.
pub(crate) const NUMBER: usize = 0;
/// Its hash.
pub(crate) const HASH: usize = 1;
/// Its bytes.
pub(crate) const DATA: usize = 2;

/// The shape of the tree of content.
pub(crate) fn tree() -> Arc<Tree> {
    let column = |id| TreeColumn {
        id: ColumnId(id),
        ty: LogicalType::Bytea,
        nullable: false,
        missing: Value::Null,
        storage: ColumnStorage::default(),
    };
    Arc::new(Tree::of_sound(TreeSchema {
        tree: TREE,
        version: 1,
        columns: vec![column(1), column(2)],
        key: SortKey::RowId,
        options: TreeOptions::default(),
    }))
}

/// Bytes of a value of a column that can be content; `None` for NULL.
pub(crate) fn bytes_at(column: &varve_types::Column, row: usize) -> Option<&[u8]> {
    match column.str_at(row) {
        Some(text) => Some(text.as_bytes()),
        None => column.binary_at(row),
    }
}
