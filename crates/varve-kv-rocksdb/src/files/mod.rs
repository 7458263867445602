//! RocksDB's files, read by ourselves: to know whether they are all there before RocksDB changes
//! them, and to get back what can be read where RocksDB cannot open them.

mod batch;
mod crc32c;
mod folder;
mod log;
mod manifest;
mod wire;

pub(crate) use batch::Batch;
pub(crate) use folder::Folder;
pub(crate) use log::{Found, LogReader};
pub(crate) use manifest::Manifest;
