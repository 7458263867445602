//! PostgreSQL's SQL as syntax trees.
//!
//! The trees are those of the crate `sqlparser`; lexer, keywords, precedence and the words of
//! errors are PostgreSQL 16's. What the trees cannot say is marked by names that no text can have
//! (see [`marker`]).
//!
//! Invariant: any text gives trees or an error with its place; no text overflows the stack.
//! Invariant: every loop over tokens ends at the end of the statement, which is all that it sees
//! where the text cannot be read on.
//! Invariant: nobody copies, compares or prints a node: each of these brings the code for all kinds
//! of nodes into the download, some 40 KB.
//! Invariant: every tree stands where PostgreSQL's grammar has it.

#![cfg_attr(
    target_pointer_width = "32",
    expect(
        clippy::boxed_local,
        reason = "a node stays on the heap: a frame that holds it by value fills a worker's stack"
    )
)]

pub mod alter;
mod alter_table;
mod call;
mod column;
mod copy;
pub mod create_function;
mod create_index;
mod create_table;
pub mod create_trigger;
mod expr;
mod fault;
mod from;
mod infix;
mod insert;
mod interval;
mod json_call;
mod keyword;
mod lexer;
pub mod marker;
mod merge;
mod name;
mod operator;
mod parser;
mod primary;
mod query;
mod quoted;
mod select;
mod special;
#[cfg(feature = "counted")]
pub mod steps;
mod table_factor;
mod token;
mod types;
mod update;
mod window;

pub use copy::{Copy, CopyOption, CopySource, CopyTarget, CopyValue};
pub use insert::{InsertClauses, Overriding};
pub use keyword::{Class, Keyword};
pub use lexer::{Lexer, tokenize};
pub use parser::{IsOptional, Parser};
pub use quoted::in_one_part;
pub use sqlparser::ast;
pub use token::{Fault, Lexeme, Token};

/// Deepest nesting of expressions, queries and joins. Each level takes less than 2 KiB of the stack
/// that a browser gives.
pub const NESTING_MAX: u32 = 250;
