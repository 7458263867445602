//! The parts of window functions: the rows of a partition, frames, and calls.

mod call;
mod frame;
mod partition;

pub(crate) use call::compute;
pub(crate) use partition::Partition;
