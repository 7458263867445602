//! What psql does: it cuts a script into statements, puts variables in, and prints results.

mod print;
mod scan;
mod variables;

pub use print::{write_failure, write_table};
pub use scan::{Item, ItemKind, Script, Send, scan};
pub use variables::{Variables, substitute};
