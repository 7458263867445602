//! Compaction: runs of a tree are merged into fewer, without the rows that were deleted in them.

mod forward;

pub(crate) use forward::{ForwardBuilder, ForwardMap};
