//! Reading a tree as one transaction sees it: its runs, the memtable, and its own writes.

mod gather;
mod key_range;
mod locate;
mod merge;
mod pages;
mod prune;
mod row_ref;
mod run_cursor;
mod scan;
mod table_chunk;
mod table_cursor;
mod view;

pub use key_range::KeyRange;
pub(crate) use pages::{PageSource, column_pages};
pub(crate) use row_ref::RowRef;
pub(crate) use run_cursor::{missing_column, ordinal, position_column, run_position};
pub use scan::{ScanOptions, TreeScan};
pub(crate) use table_chunk::{ChunkRequest, TableChunk, builders, decode_version};
pub(crate) use view::{OWN_SEQ, RunView, View, lock_own};
