//! PostgreSQL's SQL as syntax trees.
//!
//! The trees are those of `varve-ast`, the tokens those of `varve-lexer`; precedence and errors are
//! PostgreSQL 16's.
//!
//! Invariant: any text gives trees or an error with its place; no text overflows the stack.
//! Invariant: every loop over tokens ends at the end of the statement, which is all that it sees
//! where the text cannot be read on.
//! Invariant: nobody copies, compares or prints a node: each of these brings the code for all kinds
//! of nodes into the download, some 40 KB.
//! Invariant: every tree stands where PostgreSQL's grammar has it.

#![expect(
    clippy::boxed_local,
    reason = "a node stays on the heap: a frame that holds it by value fills a worker's stack"
)]

mod ddl;
mod dml;
mod expr;
mod name;
mod option;
mod parser;
pub mod plpgsql;
mod query;
mod script;
mod session;
mod shape;
mod source;
mod statement;
#[cfg(feature = "counted")]
pub mod steps;

pub use parser::{IsOptional, Parser};
pub use script::{ParsedStatement, STATEMENT_BYTES_MAX, Script, parse};
pub use shape::{OpenLiteral, Shape, Written};
pub use source::Source;

/// Deepest nesting of expressions, queries and joins. Each level takes less than 2 KiB of the stack
/// that a browser gives.
pub const NESTING_MAX: u32 = 250;
