//! COPY: bytes of a client become rows of a table, rows become bytes.
//!
//! A reader cuts bytes that come in pieces of any size into records, one reader a format: text,
//! CSV and PostgreSQL's binary one. [`CopyIn`] makes rows of them and gives them to a
//! [`CopyTarget`]: a transaction, or a bulk load where the COPY is all that happens. [`CopyData`]
//! is the way back.
//!
//! Invariant: all rows of a COPY are written or none, and an error names the line.

mod binary;
mod csv;
mod defaults;
mod fired;
mod load;
mod out;
mod record;
mod text;

pub use load::{CopyHost, CopyIn, CopyTarget};
pub use out::CopyData;
