//! What psql does: it cuts a script into statements, puts variables in, and prints results.

mod format;
mod message;
mod scan;
mod variables;

pub use format::{Format, Layout, write_table};
pub use message::{Verbosity, write_failure};
pub use scan::{Item, ItemKind, Script, Send, scan};
pub use variables::{Variables, substitute};
