//! COPY: bytes of a client become rows of a table, rows become bytes.
//!
//! A reader cuts bytes that come in pieces of any size into records, one a format; [`load`] makes
//! rows of them. [`out`] is the way back.

mod binary;
mod csv;
mod defaults;
mod fired;
mod load;
mod out;
mod record;
mod text;

pub(crate) use load::{CopyIn, CopyTarget};
pub use out::CopyData;
