//! Definitions as a transaction has them: the store's objects. [`CatalogCache`] reads them as a
//! catalog, a [`Definer`] changes them as a statement says, with the rows that depend on them, and
//! [`Sequences`] hands out the values of those that are sequences.
//!
//! The session around is a [`DdlSession`]: it reads the rows of queries and fires triggers. What is
//! left to do after the commit, the build of an index, is in what a statement answers.
//!
//! Invariant: what a new definition promises of rows holds when its statement answers; an index
//! that is being built promises nothing yet.
//! Invariant: a crash leaves a gap in the values of a sequence, and never repeats one.

mod alter;
mod catalog_cache;
mod chunks;
mod continuous;
mod define;
mod definer;
mod drop;
mod sequences;
mod utility;

pub use catalog_cache::CatalogCache;
pub use define::emptied;
pub use definer::{DdlSession, Defined, Definer};
pub use drop::{drop_relations, drop_sequence, drop_table};
pub use sequences::Sequences;
