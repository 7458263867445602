//! What psql does: it cuts a script into statements and prints results.

mod print;
mod scan;

pub use print::{write_failure, write_table};
pub use scan::{Item, ItemKind, Script, Send, scan};
