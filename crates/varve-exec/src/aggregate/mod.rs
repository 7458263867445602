//! The parts of hash aggregation.

mod call;
mod group_rows;

pub(crate) use call::{Call, wanted_of};
pub(crate) use group_rows::GroupRows;
