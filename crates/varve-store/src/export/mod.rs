//! A whole store as one checksummed stream of bytes, and a store made of such a stream.
//!
//! # What is exported
//!
//! The state after one commit, while others commit. `pin.rs` freezes the memtable, pins the runs of
//! that moment, and has the memtable flushed: the runs that the flush writes are the rest of the
//! state, before any later commit deletes a row of them. So an export holds no log: catalog, runs
//! and, as bitmaps, the rows that were deleted in them. Pins keep the values until the export ends.
//!
//! `contents.rs` lists this state with a hash of each part. Nothing is in it that an import changes
//! (epoch, number of the manifest, versions of deletion vectors): so an export of an imported store
//! is the same bytes.
//!
//! # The stream
//!
//! `records.rs` says how records are framed, `record_kind.rs` which there are. The list of contents
//! comes before what it lists: an import knows at once whether the file fits the store, and which
//! record must be next.
//!
//! # Exports since an earlier one
//!
//! They lack runs and deletion vectors that the earlier one lists with the same hashes. Their list
//! is whole, and they name the list that they go on from by its hash.
//!
//! # Import
//!
//! Values go to storage under an intent; one commit publishes them (`import.rs`). Whatever comes in
//! between leaves the store as it was: empty, or as the exports before left it.

mod contents;
mod import;
mod incoming;
mod known_contents;
mod pin;
mod record_kind;
mod records;
mod stream;

pub use import::StoreImport;
pub use known_contents::KnownContents;
pub use stream::Export;
