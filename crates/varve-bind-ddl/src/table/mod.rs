//! Tables and their columns, constraints, indexes and partitions.

pub mod alter;
pub mod alter_column;
pub mod alter_drop;
pub mod alter_inheritance;
pub mod alter_name;
pub mod check;
pub mod chunk;
pub mod column_storage;
pub mod columns;
pub mod create_as;
pub mod drop_columns;
pub mod foreign_key;
pub mod hypertable;
pub mod index;
pub mod inheritance;
pub mod like;
pub mod partition;
pub mod segments;
pub mod storage;
