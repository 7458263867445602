//! Plans made of bound parts: subqueries, groups, windows and limits come in here.

pub mod aggregate;
pub mod array;
pub mod compare;
pub mod finish;
pub mod gapfill;
pub mod grouped;
pub mod limit;
pub mod lock;
pub mod modifier;
pub mod open_literal;
pub mod operand;
pub mod output;
pub mod routine;
pub mod row_value;
pub mod same_plan;
pub mod set_operation;
pub mod sets;
pub mod stage;
pub mod subquery;
pub mod table;
pub mod window;
