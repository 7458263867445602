//! What goes on at the same time on one handle.

mod jobs;
mod maintenance;
mod reader;
mod statements;
mod writer;

pub(crate) use jobs::{check_jobs, end_jobs, order_jobs};
pub(crate) use maintenance::{flush, maintain};
pub(crate) use reader::{check_newest, read};
pub(crate) use writer::write;
