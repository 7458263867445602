//! RocksDB's files, read by ourselves: to know whether they are all there before RocksDB changes
//! them, and to get back what can be read where RocksDB cannot open them.

mod batch;
mod crc32c;
mod folder;
mod log;
mod manifest;
mod table;
mod wire;

pub(crate) use batch::Batch;
pub(crate) use folder::Folder;
pub(crate) use log::{Found, LogReader};
pub(crate) use manifest::Manifest;
pub(crate) use table::Table;

/// One write that a log or a table holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Write<'a> {
    pub(crate) key: Vec<u8>,
    /// The greater one is the later one. RocksDB sets it to 0 where no other write of the key is
    /// left.
    pub(crate) sequence: u64,
    pub(crate) op: Op<'a>,
}

/// What is done to a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Op<'a> {
    Put(&'a [u8]),
    Delete,
    /// The keys from this one to before that one.
    DeleteTo(&'a [u8]),
}
