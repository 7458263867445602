//! Failures that are not the statement's own, by what a caller does about them.

use crate::SqlState;

/// What failed, where neither the statement nor its data is at fault. Several failures share a
/// SQLSTATE, and statements answer the same SQLSTATEs for reasons of their own: so code that acts
/// on a failure reads this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A concurrent commit was first. Run the transaction again.
    Conflict,
    /// Somebody asked for it to end, or its time was up. Nothing is to be done.
    Canceled,
    /// The store is open elsewhere. Close it there, then open it.
    Locked,
    /// The store was opened elsewhere since. This handle takes no more commits.
    Fenced,
    /// The storage is gone. Open the store again to begin anew.
    Evicted,
    /// The store was closed. Open it again.
    Closed,
    /// The disk or the quota is full. Delete rows, or make room.
    StorageFull,
    /// The memory limit was reached. Ask for less at once, or raise it.
    OutOfMemory,
    /// Stored bytes are not what was written. Check and repair the store.
    Corrupt,
    /// A later version wrote the store. Open it with that one.
    FormatTooNew,
    /// An earlier write was interrupted. Roll back, or open the store again, as the message says.
    Interrupted,
    /// A part of the engine that is fetched when it is first used could not be. The next call tries
    /// again.
    NotLoaded,
    /// The backend failed. Try again.
    Io,
    /// A broken promise inside the engine. Report it.
    Internal,
}

impl Failure {
    /// Its SQLSTATE.
    pub fn state(self) -> SqlState {
        match self {
            Failure::Conflict => SqlState::SERIALIZATION_FAILURE,
            Failure::Canceled => SqlState::QUERY_CANCELED,
            Failure::Locked | Failure::Fenced => SqlState::OBJECT_IN_USE,
            Failure::Evicted => SqlState::UNDEFINED_FILE,
            Failure::Closed => SqlState::CONNECTION_DOES_NOT_EXIST,
            Failure::StorageFull => SqlState::DISK_FULL,
            Failure::OutOfMemory => SqlState::OUT_OF_MEMORY,
            Failure::Corrupt => SqlState::DATA_CORRUPTED,
            Failure::FormatTooNew => SqlState::FEATURE_NOT_SUPPORTED,
            Failure::Interrupted | Failure::NotLoaded | Failure::Io => SqlState::IO_ERROR,
            Failure::Internal => SqlState::INTERNAL_ERROR,
        }
    }

    /// Its name outside of Rust; names are added, never reused.
    pub fn name(self) -> &'static str {
        match self {
            Failure::Conflict => "conflict",
            Failure::Canceled => "canceled",
            Failure::Locked => "locked",
            Failure::Fenced => "fenced",
            Failure::Evicted => "evicted",
            Failure::Closed => "closed",
            Failure::StorageFull => "storage_full",
            Failure::OutOfMemory => "out_of_memory",
            Failure::Corrupt => "corrupt",
            Failure::FormatTooNew => "format_too_new",
            Failure::Interrupted => "interrupted",
            Failure::NotLoaded => "wasm_load_failed",
            Failure::Io => "io",
            Failure::Internal => "internal",
        }
    }
}
