//! The function table and its kernels.

mod angle;
mod arithmetic;
mod array;
mod bucket_number;
mod bytes;
mod catalog;
mod compare;
mod enums;
mod hash;
mod in_list;
mod input;
mod jobs;
mod json;
mod like;
mod math;
mod numeric;
mod operand;
mod regexp;
mod row;
mod run;
mod sequences;
mod series;
mod session;
mod size;
mod strings;
mod table;
mod text;
mod time;
mod whole;

pub(crate) use arithmetic::checked_float;
pub(crate) use compare::{compare_columns, distinct_columns};
pub(crate) use in_list::ConstantList;
pub(crate) use operand::{Native, Row, TextOperand, pack};
pub(crate) use run::run;
pub(crate) use table::{TABLE, strict};
pub use time::shifted_value;
