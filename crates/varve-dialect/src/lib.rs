//! Reads scripts in the dialects of other databases, SQLite's `.dump` and MySQL's `mysqldump` first
//! of all, and writes them as SQL of our own dialect. `sqlparser` reads; the rest is here. It knows
//! nothing of our parser, the engine or files: bytes go in, statements come out.
//!
//! A script is read twice. The first reading (`survey.rs`) notes the tables and the values of their
//! columns, since types of SQLite are advice only; the second one (`translate.rs`) writes.
//!
//! Invariant: any bytes give a [`Script`]; nothing makes it panic, nor recurse without bound.
//! Invariant: a statement is translated whole, or a fault names its line and nothing is written.
//! Invariant: text of the source gets into the translation as a name, a literal or a number only.

mod ddl;
mod dialect;
mod expression;
mod insert;
mod later;
mod names;
mod parse;
mod passed_over;
mod query;
mod schema;
mod scope;
mod script;
mod seen;
mod select;
mod split;
mod survey;
mod translate;
mod translator;
mod update;

pub use dialect::{Dialect, UnknownDialect};
pub use script::{Fault, Remark, Script, Statement};
pub use translate::translate;
