//! A client of PostgreSQL's simple query protocol over TCP, without a password. It sends and reads
//! messages; what an answer means to a test is the test's business.
//!
//! Invariant: a torn message does no harm: what is missing reads as zeros and empty texts.

mod connection;
mod message;

pub use connection::{Connection, Message};
pub use message::{ColumnHead, cells, columns, fields};
