//! Rows in memory: of commits not yet flushed, and of one transaction before its commit.

mod arena;
mod art;
mod key_index;
mod shared;
mod table;

pub(crate) use shared::{FlushMap, Memtable};
pub(crate) use table::{RowTable, RowVersion};
