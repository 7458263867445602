//! The parts of sorting: keys, sorted runs in memory or in scratch space, and their merge.

mod buffer;
mod keys;
mod merge;
mod run;

pub(crate) use buffer::{SortBuffer, types_of};
pub(crate) use keys::SortKeys;
pub(crate) use merge::Merge;
pub(crate) use run::Run;
