//! Tables and their columns, constraints, indexes and partitions.

pub(crate) mod alter;
pub(crate) mod alter_column;
pub(crate) mod alter_drop;
pub(crate) mod alter_family;
pub(crate) mod alter_name;
pub(crate) mod check;
pub(crate) mod columns;
pub(crate) mod create_as;
pub(crate) mod drop_columns;
pub(crate) mod foreign_key;
pub(crate) mod index;
pub(crate) mod inheritance;
pub(crate) mod like;
pub(crate) mod partition;
pub(crate) mod storage;
