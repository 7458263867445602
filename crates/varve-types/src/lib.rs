//! What every layer of VarveDB shares: logical types, values, columns in Arrow memory layout,
//! batches, column predicates, tree schemas, errors with SQLSTATE, ids, and the traits `Env` and
//! `MemoryAccount`. It knows nothing of storage, SQL text or the platform it runs on.
//!
//! Invariant: no I/O, clock, randomness or threads; those reach the engine through [`Env`].
//! Invariant: a [`Column`] of a [`Batch`] has as many rows as the batch, and never more than
//! [`VECTOR_ROWS`]. Invariant: public SQLSTATE codes are added, never reused.

#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, reason = "test values are small")
)]

mod array;
mod column;
mod decimal;
mod details;
mod env;
mod error;
mod float_text;
mod ids;
mod interval;
mod json;
mod json_view;
mod keycode;
mod logical_type;
mod memory;
pub mod meter;
mod partition;
mod row;
mod scan;
mod schema;
mod sql_text;
mod storage;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod type_mod;
mod value;

pub use array::{ARRAY_DIMENSIONS_MAX, ArrayDimension, ArrayValue};
pub use column::{
    Batch, BinaryData, Bitmap, Column, ColumnBuilder, ColumnData, ColumnRef, CommonRuns, Runs,
    Selection, TextData, VECTOR_ROWS, encode_key_cell, encode_ordered_key_cell,
};
pub use decimal::DecimalData;
pub use decimal::{DECIMAL_DIGITS_MAX, DECIMAL_SCALE_MAX, Decimal, DecimalMoments, Variation};
pub use details::{binary_order, has_details, put_details, with_details};
pub use env::{Env, Job, LocalFuture, Pacer, Parallel};
pub use error::{Broken, Error, ErrorFields, Failure, Invariant, Notice, Result, SqlState};
pub use float_text::{parse_f32, parse_f64};
pub use ids::{ColumnId, CommitSeq, EnumId, ObjectId, RowPosition, RowTypeId, RunId, TreeId};
pub use interval::Interval;
pub use json::{JSON_DEPTH_MAX, Json, NODE_BYTES, key_order};
pub use json_view::{JsonKind, JsonView};
pub use keycode::{
    KeyOrder, decode_key_value, decode_ordered_key_value, encode_key_text, encode_key_value,
    encode_ordered_key_value, key_prefix_end,
};
pub use logical_type::{ElementType, LogicalType, PhysicalType};
pub use memory::{MemoryAccount, MemoryBudget, Reservation};
pub use partition::Partition;
pub use row::RowValue;
pub use scan::{
    ColumnPredicate, ColumnSummary, CompareOp, Cutoff, KeyPart, KeyRange, PartPredicate, Predicate,
    PredicateTest, ScanSpec, Summary, TableScan, Wanted,
};
pub use schema::{IndexKey, IndexState, KeyColumn, SortKey, TreeColumn, TreeSchema, Uniqueness};
pub use sql_text::{SqlPart, SqlText, unparenthesized};
pub use storage::{
    CONTENT_BYTES_MIN_DEFAULT, CONTENT_BYTES_MIN_RANGE, ColumnStorage, Compression, NoCompression,
    PageCodec, STORAGE_BYTES, StorageMode, TreeOptions,
};
pub use type_mod::{IntervalFields, TypeMod};
pub use value::{Value, nearest_f32, unpadded};
