//! The groups of a run: their vectors are gathered (`writer.rs`), encoded column by column
//! (`encoding.rs`) and laid out as values (`layout.rs`); `parts.rs` holds what was read of one.

mod encoding;
mod layout;
mod parts;
mod writer;

pub(crate) use encoding::GroupEncoding;
pub use layout::PAGE_BYTES_MAX;
pub use parts::GroupParts;
pub(crate) use parts::OpenColumn;
pub(crate) use writer::{ColumnWriter, GroupWriter};
