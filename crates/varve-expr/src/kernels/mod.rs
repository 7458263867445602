//! The function table and its kernels.

mod advisory;
mod array;
mod catalog;
mod compare;
mod enums;
mod in_list;
mod input;
mod jobs;
mod json;
mod math;
mod operand;
mod row;
mod run;
mod sequences;
mod series;
mod session;
mod size;
mod summary;
mod table;
mod text;
mod time;
mod zstd;

pub(crate) use compare::{compare_columns, distinct_columns};
pub(crate) use in_list::ConstantList;
pub(crate) use math::arithmetic::checked_float;
pub(crate) use operand::{Native, TextOperand, boolean_column, pack};
pub(crate) use run::{run, run_by};
pub(crate) use table::{TABLE, strict};
pub use time::shifted_value;
