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

mod batch;
mod bitmap;
mod builder;
mod column;
mod env;
mod error;
mod ids;
mod keycode;
mod logical_type;
mod memory;
mod predicate;
mod schema;
mod sqlstate;
mod text;
mod value;

pub use batch::{Batch, ColumnRef, Selection, VECTOR_ROWS};
pub use bitmap::Bitmap;
pub use builder::ColumnBuilder;
pub use column::{Column, ColumnData};
pub use env::{Env, Job, LocalFuture, Parallel};
pub use error::{Error, ErrorFields, Result};
pub use ids::{ColumnId, CommitSeq, ObjectId, RowPosition, RunId, TreeId};
pub use keycode::{
    KeyOrder, decode_key_value, decode_ordered_key_value, encode_key_cell, encode_key_text,
    encode_key_value, encode_ordered_key_cell, encode_ordered_key_value, key_prefix_end,
};
pub use logical_type::{LogicalType, PhysicalType};
pub use memory::{MemoryAccount, MemoryBudget, Reservation};
pub use predicate::{ColumnPredicate, CompareOp, PredicateTest};
pub use schema::{IndexKey, IndexState, KeyColumn, SortKey, TreeColumn, TreeSchema, Uniqueness};
pub use sqlstate::SqlState;
pub use text::TextData;
pub use value::Value;
