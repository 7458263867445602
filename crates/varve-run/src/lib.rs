//! The sorted-run format: immutable columnar runs of rows in key order, their zone maps and
//! filters. It turns batches into key-value values and values into columns; which keys they get and
//! when they are read is the store's business.
//!
//! Invariant: reading accepts any bytes and answers with a [`RunError`]: never a panic, never an
//! unbounded allocation.
//! Invariant: equal batches give equal bytes on every target.
//! Invariant: a run never changes after it is written, and its keys ascend strictly.
//!
//! A *vector* is 1,024 rows, a *group* up to 64 vectors, ended early when its encoded bytes pass 1
//! MiB. A run is a head ([`RunHead`]) and values numbered from 0. A group's values hold its
//! *segments*: one index (zone maps and first keys by vector), one filter where asked for, and one
//! or more pages a column. A page is cut at 256 KiB; pages under 32 KiB share a value (a *bundle*),
//! and a group under 128 KiB is one value.
//!
//! Every value and the head begin with the envelope (see [`CheckedValue`]): magic, version, kind,
//! checksum.
//!
//! A reader undoes the general stage by frame and decodes single vectors into columns;
//! dictionaries, run ends and constants stay what they are. When few rows of a vector are wanted
//! they are gathered without decoding the others. A column that mostly equals another one of its
//! group is stored as where it differs (`same_column.rs`).

mod column_encoder;
mod decimal;
mod envelope;
mod error;
mod filter;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
mod group;
mod head;
mod head_codec;
mod index;
mod key;
mod key_vector;
mod reader;
mod same_column;
mod single_frame;
mod spec;
mod value;
mod value_frames;
mod vector;
mod vector_filter;
mod verify;
mod writer;
mod zone;

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "test data is small"
)]
mod tests;

pub use envelope::CheckedValue;
pub use error::RunError;
pub use filter::{KeyFilter, key_hash};
pub use group::{GroupParts, PAGE_BYTES_MAX};
pub use head::{
    BytesBeside, ColumnPlaces, ColumnStats, GroupInfo, Place, RowPlace, RunHead, Segment,
};
pub use index::{GroupIndex, VectorIndex};
pub use key::{encode_ordered_row_key, encode_row_key};
pub use key_vector::KeyVector;
pub use reader::GroupReader;
pub use spec::{ColumnEncoding, ColumnSpec, Holds, RunSpec};
pub use value::RunValue;
pub use value_frames::ValueFrames;
pub use varve_codec::ValueFrame;
pub use vector_filter::VectorFilter;
pub use verify::{GroupFacts, verify_vector};
pub use writer::{FinishedRun, RunWriter};
pub use zone::ZoneMap;

/// The most vectors in a group.
pub const GROUP_VECTORS_MAX: usize = 64;
/// A group ends with the vector in which its encoded bytes are expected to pass this.
pub const GROUP_BYTES_MAX: usize = 1 << 20;
/// A vector, and with it its group, ends early when its values in memory pass this.
pub const VECTOR_BYTES_MAX: usize = 1 << 20;
/// The most bytes of one row; larger values must be stored elsewhere and referenced.
pub const ROW_BYTES_MAX: usize = 32 << 20;
