//! Compaction: runs of a tree are merged into fewer, without the rows that were deleted in them.
//! What to merge is decided in `choose.rs`; `work.rs` does it beside commits and other flushes, and
//! only takes the turn to publish; `forward.rs` tells transactions that began before where their
//! rows are now.

mod choose;
mod forward;
mod input;
mod job;
mod merge;
mod work;

#[cfg(test)]
pub(crate) use choose::Effort;
pub(crate) use forward::ForwardMap;
pub(crate) use job::due;
pub(crate) use work::Steps;
