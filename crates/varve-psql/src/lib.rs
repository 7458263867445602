//! What PostgreSQL's shell, psql, does with text: it cuts a script into statements and backslash
//! commands, puts variables in, and prints tables and messages. It runs nothing.
//!
//! Invariant: any text is taken without a panic, and a line is looked at once, however long it is.

mod argument;
mod message;
mod scan;
mod statement;
mod table;
mod variables;

pub use argument::ArgumentKind;
pub use message::{Message, Verbosity, write_message};
pub use scan::{Event, Scanner};
pub use statement::{Statement, identifier, quoted_identifier, quoted_literal};
pub use table::{Align, Cells, Format, Layout, Table, write_table};
pub use variables::{Variables, switch};
