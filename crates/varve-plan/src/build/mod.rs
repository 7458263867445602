//! Plans made of bound parts: subqueries, groups, windows and limits come in here.

pub(crate) mod aggregate;
pub(crate) mod array;
pub(crate) mod compare;
pub(crate) mod finish;
pub(crate) mod gapfill;
pub(crate) mod grouped;
pub(crate) mod limit;
pub(crate) mod lock;
pub(crate) mod modifier;
pub(crate) mod operand;
pub(crate) mod output;
pub(crate) mod placeholder;
pub(crate) mod routine;
pub(crate) mod row_value;
pub(crate) mod same_plan;
pub(crate) mod set_operation;
pub(crate) mod sets;
pub(crate) mod stage;
pub(crate) mod statement;
pub(crate) mod subquery;
pub(crate) mod table;
pub(crate) mod window;
