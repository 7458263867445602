//! The parts of hash aggregation.

mod call;
mod group_rows;

pub(crate) use call::Call;
pub(crate) use group_rows::GroupRows;
