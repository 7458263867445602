//! Content: large values of content-addressed columns, each stored once whatever rows and tables
//! have it.
//!
//! Every store has one tree of content (`content_tree.rs`). Its rows are the values, each with a
//! number (the hidden row id) and its BLAKE3 hash. They lie in ordinary runs: codecs, checksums,
//! caches, deletion vectors and compaction are those of all trees.
//!
//! # Writing
//!
//! Memtable and log hold values as they are. Whoever writes a run (flush, spill, bulk load,
//! compaction) puts references in the place of large values (`refer.rs`): the run keeps the
//! beginning of the value, so that zone maps stay true, and beside it the number in a column of
//! references. New values go to a run of content of the same sink, and the same commit publishes
//! both. A value is new unless the sink has it already or the index of published hashes does
//! (`store/addresses.rs`), which is read when it is first needed (`published.rs`). Compaction
//! passes references on; it neither reads nor writes what they lead to.
//!
//! # Reading
//!
//! Scans and lookups put content in the place of references once they know which rows are wanted
//! (`read/resolve.rs`). A snapshot sees the content of its own version.
//!
//! # Deleting
//!
//! When runs with references go, a job looks which numbers the others still have, and deletes the
//! rest of the content (`sweep.rs`); compaction gives the space back as it does of any tree.
//!
//! Invariant: each number that a listed run refers to is a living row of content in the same
//! version. What an unpublished run refers to is noted as in use, and no sweep takes it.

mod published;
mod refer;
mod sweep;

pub(crate) use sweep::due;
