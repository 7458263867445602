//! What goes on at the same time on one handle.

mod maintenance;
mod reader;
mod statements;
mod writer;

pub(crate) use maintenance::{flush, maintain};
pub(crate) use reader::{check_newest, read};
pub(crate) use writer::write;
