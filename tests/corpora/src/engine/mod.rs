//! The database under test, as runners see it: text in, text out.

mod answer;
mod backend;
mod client;
mod postgres;
mod worker;

pub use answer::{Answer, Column, Failure, FailureKind, Kind, Notice, Outcome, Table, failure};
pub use backend::Backend;
pub use client::Client;
