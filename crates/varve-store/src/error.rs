//! What can go wrong in the store, as values, and the one place where they get their SQLSTATE and
//! their text.

use varve_kv::KvError;
use varve_run::{ROW_BYTES_MAX, RunError};
use varve_types::{Broken, CommitSeq, Error, Failure, LogicalType, SqlState, TreeId};

use crate::format::keys;

/// A result whose error is [`StoreError`].
pub type Result<T, E = StoreError> = core::result::Result<T, E>;

/// An error of the store, boxed so that results stay small.
#[derive(Clone, PartialEq)]
pub struct StoreError(Box<Placed>);

#[derive(Clone, PartialEq)]
struct Placed {
    kind: StoreErrorKind,
    /// The tree whose run could not be read.
    tree: Option<TreeId>,
}

/// What went wrong. [`StoreError::failure`] says what a caller does about it.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// Two transactions cannot both be right; says what the other one did.
    Conflict(&'static str),
    /// The backend failed, or the store is not this handle's (any more).
    Backend(KvError),
    /// A run could not be read or written.
    Run(RunError),
    /// The store is closed.
    Closed,
    /// Nobody can tell whether a commit took effect.
    CommitInterrupted,
    /// Rows of a transaction were lost on their way out of memory.
    SpillInterrupted,
    /// A bulk load goes on although a part of it failed.
    LoadInterrupted,
    /// An export goes on although a part of it failed.
    ExportInterrupted,
    /// A whole export is imported where something is.
    NotEmpty,
    /// An export is imported that goes on from what the store does not hold.
    OtherBase {
        /// The commit that it goes on from.
        wanted: CommitSeq,
        /// The last commit of the store.
        found: CommitSeq,
    },
    /// Somebody cancelled the job.
    JobCancelled,
    /// The table of a compaction was dropped.
    TableDropped,
    /// There is no scratch space, or none left.
    NoScratch,
    /// A row above [`ROW_BYTES_MAX`].
    RowTooLarge {
        /// Bytes of the row.
        bytes: usize,
    },
    /// An automatic id beyond the type of the key.
    IdOutOfRange(LogicalType),
    /// Automatic ids for a key that is not one integer column.
    NoAutoId,
    /// The index is not complete yet.
    IndexBuilding(TreeId),
    /// A row with this key is already there.
    Duplicate,
    /// A record is not there; names it.
    Missing(String),
    /// Stored bytes are not what was written; a whole message.
    Corrupt(String),
    /// A record and its copy are both corrupt; names the record.
    BothCorrupt(String),
    /// A later version wrote a record.
    FormatTooNew {
        /// Names the record.
        record: String,
        /// The version of its format.
        version: u16,
        /// The version that is read here.
        known: u16,
    },
    /// A call or a state that no caller should bring about; a whole message.
    Internal(String),
    /// An error of types, batches and accounts.
    Types(Error),
}

impl StoreError {
    /// Stored bytes that cannot be what was written; names the page or record.
    pub(crate) fn corrupted(message: impl Into<String>) -> StoreError {
        StoreErrorKind::Corrupt(message.into()).into()
    }

    /// The record at a key is not there.
    pub(crate) fn missing(key: &[u8]) -> StoreError {
        StoreErrorKind::Missing(keys::describe(key)).into()
    }

    /// A call or a state that no caller should bring about.
    pub(crate) fn internal(message: impl Into<String>) -> StoreError {
        StoreErrorKind::Internal(message.into()).into()
    }

    /// The same error, telling to which tree its run belongs.
    #[must_use]
    pub(crate) fn of_tree(mut self, tree: TreeId) -> StoreError {
        self.0.tree = Some(tree);
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> &StoreErrorKind {
        &self.0.kind
    }

    /// What a caller does about it; `None` where the statement or its data is at fault.
    pub fn failure(&self) -> Option<Failure> {
        Some(match self.kind() {
            StoreErrorKind::Conflict(_) => Failure::Conflict,
            StoreErrorKind::Backend(error) => backend_failure(error),
            StoreErrorKind::Run(error) => return error.failure(),
            StoreErrorKind::Closed => Failure::Closed,
            StoreErrorKind::CommitInterrupted | StoreErrorKind::SpillInterrupted => {
                Failure::Interrupted
            }
            StoreErrorKind::JobCancelled | StoreErrorKind::TableDropped => Failure::Canceled,
            StoreErrorKind::NoScratch => Failure::OutOfMemory,
            StoreErrorKind::Missing(_)
            | StoreErrorKind::Corrupt(_)
            | StoreErrorKind::BothCorrupt(_) => Failure::Corrupt,
            StoreErrorKind::FormatTooNew { .. } => Failure::FormatTooNew,
            StoreErrorKind::Internal(_) => Failure::Internal,
            StoreErrorKind::Types(error) => return error.failure(),
            StoreErrorKind::LoadInterrupted
            | StoreErrorKind::ExportInterrupted
            | StoreErrorKind::NotEmpty
            | StoreErrorKind::OtherBase { .. }
            | StoreErrorKind::RowTooLarge { .. }
            | StoreErrorKind::IdOutOfRange(_)
            | StoreErrorKind::NoAutoId
            | StoreErrorKind::IndexBuilding(_)
            | StoreErrorKind::Duplicate => return None,
        })
    }

    /// SQLSTATE.
    pub fn state(&self) -> SqlState {
        if let Some(failure) = self.failure() {
            return failure.state();
        }
        match self.kind() {
            StoreErrorKind::RowTooLarge { .. } | StoreErrorKind::Run(_) => {
                SqlState::PROGRAM_LIMIT_EXCEEDED
            }
            StoreErrorKind::IdOutOfRange(_) => SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            StoreErrorKind::NoAutoId => SqlState::FEATURE_NOT_SUPPORTED,
            StoreErrorKind::LoadInterrupted
            | StoreErrorKind::ExportInterrupted
            | StoreErrorKind::NotEmpty
            | StoreErrorKind::OtherBase { .. }
            | StoreErrorKind::IndexBuilding(_) => SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
            StoreErrorKind::Duplicate => SqlState::UNIQUE_VIOLATION,
            StoreErrorKind::Types(error) => error.state(),
            _ => SqlState::INTERNAL_ERROR,
        }
    }

    /// One sentence, lower case.
    pub fn message(&self) -> String {
        match self.kind() {
            StoreErrorKind::Conflict(cause) => format!("could not serialize access: {cause}"),
            StoreErrorKind::Backend(error) => backend_message(error),
            StoreErrorKind::Run(error) => error.to_string(),
            StoreErrorKind::Closed => "the store is closed".into(),
            StoreErrorKind::CommitInterrupted => {
                "an earlier commit was interrupted; the store must be opened again".into()
            }
            StoreErrorKind::SpillInterrupted => {
                "writing rows out was interrupted; the transaction must be rolled back".into()
            }
            StoreErrorKind::LoadInterrupted => {
                "an earlier part of the load failed or was interrupted".into()
            }
            StoreErrorKind::ExportInterrupted => {
                "an earlier part of the export failed or was interrupted".into()
            }
            StoreErrorKind::NotEmpty => "the store is not empty".into(),
            StoreErrorKind::OtherBase {
                wanted,
                found: CommitSeq(0),
            } => format!("the export goes on from one at commit {wanted}, and the store is empty"),
            StoreErrorKind::OtherBase { wanted, found } if wanted == found => format!(
                "the export goes on from one at commit {wanted}, whose values the store does not hold"
            ),
            StoreErrorKind::OtherBase { wanted, found } => format!(
                "the export goes on from one at commit {wanted}, and the store is at commit {found}"
            ),
            StoreErrorKind::JobCancelled => "the job was cancelled".into(),
            StoreErrorKind::TableDropped => "the table was dropped while it was compacted".into(),
            StoreErrorKind::NoScratch => {
                "there is not enough memory, and no scratch space to go on with".into()
            }
            StoreErrorKind::RowTooLarge { bytes } => {
                format!("row of {bytes} bytes exceeds the limit of {ROW_BYTES_MAX}")
            }
            StoreErrorKind::IdOutOfRange(ty) => format!("{ty} out of range"),
            StoreErrorKind::NoAutoId => {
                "automatic ids for a key that is not one integer column is not supported".into()
            }
            StoreErrorKind::IndexBuilding(index) => format!("index {index} is being built"),
            StoreErrorKind::Duplicate => "duplicate key value violates unique constraint".into(),
            StoreErrorKind::Missing(record) => format!("{record} is missing"),
            StoreErrorKind::BothCorrupt(record) => format!("{record} and its copy are corrupt"),
            StoreErrorKind::FormatTooNew {
                record,
                version,
                known,
            } => format!(
                "format_too_new: {record} has format version {version}; \
                 this VarveDB reads version {known}"
            ),
            StoreErrorKind::Corrupt(message) | StoreErrorKind::Internal(message) => message.clone(),
            StoreErrorKind::Types(error) => error.message().into(),
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self.kind() {
            StoreErrorKind::Backend(KvError::StorageFull) => Some(
                "Rows can be deleted, tables truncated and dropped; VACUUM gives their space back.",
            ),
            StoreErrorKind::NotEmpty => Some("Import a whole export into a new store."),
            StoreErrorKind::OtherBase { .. } => Some(
                "Import the exports since the whole one in their order, into a new store that \
                 nothing else changes in between.",
            ),
            StoreErrorKind::BothCorrupt(_) => Some("The store cannot be repaired."),
            _ => None,
        }
    }
}

/// What a caller does about a failing backend, whether or not a store is open on it.
pub fn backend_failure(error: &KvError) -> Failure {
    match error {
        KvError::StorageFull => Failure::StorageFull,
        KvError::GuardMismatch { found: None, .. } => Failure::Evicted,
        KvError::GuardMismatch { .. } => Failure::Fenced,
        KvError::Locked { .. } => Failure::Locked,
        KvError::Corrupt { .. } => Failure::Corrupt,
        KvError::Closed => Failure::Closed,
        _ => Failure::Io,
    }
}

fn backend_message(error: &KvError) -> String {
    match error {
        KvError::GuardMismatch { found: None, .. } => {
            "evicted: the storage was deleted while the store was open".into()
        }
        KvError::GuardMismatch { .. } => {
            "store_locked: the store was opened elsewhere, which fenced this handle".into()
        }
        KvError::Locked { message } => format!("store_locked: {message}"),
        KvError::Corrupt {
            key: Some(key),
            message,
        } => format!("{} is corrupt: {message}", keys::describe(key)),
        _ => error.to_string(),
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        let tree = error.0.tree;
        let made = match error.0.kind {
            StoreErrorKind::Types(error) => error,
            _ => {
                let message = error.message();
                let made = match error.failure() {
                    Some(failure) => Error::failed(failure, message),
                    None => Error::new(error.state(), message),
                };
                match error.hint() {
                    Some(hint) => made.with_hint(hint),
                    None => made,
                }
            }
        };
        match tree {
            Some(tree) => made.with_detail(format!("The run belongs to tree {tree}.")),
            None => made,
        }
    }
}

impl From<StoreErrorKind> for StoreError {
    #[cold]
    fn from(kind: StoreErrorKind) -> StoreError {
        StoreError(Box::new(Placed { kind, tree: None }))
    }
}

impl From<KvError> for StoreError {
    fn from(error: KvError) -> StoreError {
        StoreErrorKind::Backend(error).into()
    }
}

impl From<RunError> for StoreError {
    fn from(error: RunError) -> StoreError {
        StoreErrorKind::Run(error).into()
    }
}

impl From<Broken> for StoreError {
    fn from(broken: Broken) -> StoreError {
        StoreError::internal(broken.to_string())
    }
}

impl From<Error> for StoreError {
    fn from(error: Error) -> StoreError {
        StoreErrorKind::Types(error).into()
    }
}

impl core::fmt::Display for StoreError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message())
    }
}

impl core::fmt::Debug for StoreError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.state().code(), self.message())
    }
}

impl core::error::Error for StoreError {}

#[cfg(test)]
mod tests {
    use super::StoreError;
    use crate::format::keys;
    use varve_kv::KvError;
    use varve_types::RunId;

    #[test]
    fn each_failure_has_its_state() {
        let message = || "x".to_owned();
        let lost = keys::run_value(RunId(3), 4);
        let cases = [
            (KvError::StorageFull, "53100"),
            (KvError::Closed, "08003"),
            (KvError::Locked { message: message() }, "55006"),
            (
                KvError::GuardMismatch {
                    key: keys::epoch(),
                    found: Some(b"x".as_slice().into()),
                },
                "55006",
            ),
            (
                KvError::GuardMismatch {
                    key: keys::epoch(),
                    found: None,
                },
                "58P01",
            ),
            (
                KvError::Corrupt {
                    key: Some(lost),
                    message: message(),
                },
                "XX001",
            ),
            (
                KvError::Corrupt {
                    key: None,
                    message: message(),
                },
                "XX001",
            ),
            (KvError::Unavailable { message: message() }, "58030"),
            (KvError::Backend { message: message() }, "58030"),
        ];
        for (error, state) in cases {
            assert_eq!(
                StoreError::from(error.clone()).state().code(),
                state,
                "{error}"
            );
        }
        let lost = KvError::Corrupt {
            key: Some(keys::run_value(RunId(3), 4)),
            message: message(),
        };
        assert_eq!(
            StoreError::from(lost).message(),
            "page 4 of run 3 is corrupt: x"
        );
    }
}
