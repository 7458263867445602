//! Rows in memory: of commits not yet flushed, and of one transaction before its commit.

mod arena;
mod art;
mod key_index;
mod pair;
mod shared;
mod table;
mod table_chunk;

pub(crate) use pair::{MemtableSlot, Memtables};
pub(crate) use shared::{FlushMap, FlushPlaces, Memtable};
pub(crate) use table::{RowTable, RowVersion};
pub(crate) use table_chunk::{ChunkRequest, TableChunk, builders, decode_version};
