//! Compaction: runs of a tree are merged into fewer, without the rows that were deleted in them. It
//! keeps few runs over each other and gives space back.
//!
//! `choose.rs` decides what to merge from sizes, key ranges and dead rows alone: four runs of a
//! *tier* become one, full runs that are apart stay, and a run of which a third is dead is written
//! again. Runs of two partitions are never merged. VACUUM is the same with a stricter choice. A run
//! that is dead as a whole is taken off the list (`retire.rs`).
//!
//! `value_frames.rs` rewrites runs whose values are to be compressed one by one. Where the time of
//! whoever asked is over, a rewrite ends behind a group: the rows that are left stay in their run,
//! whose deletion vector takes the others out.
//!
//! `work.rs` carries a choice out. Inputs are merged by key (`merge.rs`), without the rows that are
//! dead at the start, to runs of one partition each (`output.rs`), beside commits and flushes. The
//! end takes the commit lock: one strict commit lists the outputs instead of the inputs, with
//! deletion vectors for the rows that died meanwhile.
//!
//! A forward map for each input (`forward.rs`) tells transactions that began before where their
//! rows are now; rows that stay are in the same run, under a new trace. Their snapshots go on
//! reading the inputs, whose pages stay until no snapshot holds them.

mod choose;
mod extent;
mod input;
mod job;
mod merge;
mod output;
mod retire;
mod value_frames;
mod work;

#[cfg(test)]
pub(crate) use choose::Effort;
#[cfg(test)]
pub(crate) use extent::Extent;
pub(crate) use job::due;
pub(crate) use value_frames::{are_chosen, are_compressed};
pub(crate) use work::Steps;
