//! What can go wrong with a run.

use varve_codec::CodecError;
use varve_types::{Broken, Error, Failure, RunId, SqlState};

/// An error of the run format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// Stored bytes that are not what was written.
    Corrupt {
        /// The run.
        run: RunId,
        /// The value concerned; `None` for the head.
        value_number: Option<u32>,
        /// What is wrong with it.
        detail: CodecError,
    },
    /// A head or value of a format that this version does not know.
    UnsupportedVersion {
        /// The run.
        run: RunId,
        /// The version found.
        version: u16,
    },
    /// A row whose key is not above the one before it.
    KeysOutOfOrder {
        /// The run.
        run: RunId,
        /// Rows before the offending one.
        row: u64,
    },
    /// A batch or a request that does not fit the run; names what differs.
    Mismatch(&'static str),
    /// A broken invariant; names the place.
    Broken(&'static str),
    /// A row above [`crate::ROW_BYTES_MAX`].
    RowTooLarge {
        /// Bytes of the row.
        bytes: usize,
    },
    /// A column was asked of a group reader that was not given this value.
    MissingValue {
        /// The run.
        run: RunId,
        /// The value needed.
        value_number: u32,
    },
}

impl RunError {
    /// What a caller does about it; `None` where a row is too large.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            RunError::Corrupt { .. } => Some(Failure::Corrupt),
            RunError::UnsupportedVersion { .. } => Some(Failure::FormatTooNew),
            RunError::RowTooLarge { .. } => None,
            RunError::KeysOutOfOrder { .. }
            | RunError::Mismatch(_)
            | RunError::Broken(_)
            | RunError::MissingValue { .. } => Some(Failure::Internal),
        }
    }

    /// Places a codec's error in the head, or in a value.
    pub(crate) fn corrupt(
        run: RunId,
        value_number: Option<u32>,
    ) -> impl Fn(CodecError) -> RunError {
        move |detail| RunError::Corrupt {
            run,
            value_number,
            detail,
        }
    }
}

impl core::fmt::Display for RunError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            RunError::Corrupt {
                run,
                value_number: Some(number),
                detail,
            } => write!(f, "page {number} of run {run} is corrupt: {detail}"),
            RunError::Corrupt { run, detail, .. } => {
                write!(f, "head of run {run} is corrupt: {detail}")
            }
            RunError::UnsupportedVersion { run, version } => {
                write!(
                    f,
                    "run {run} has format version {version}; this VarveDB reads version 1"
                )
            }
            RunError::KeysOutOfOrder { run, row } => {
                write!(f, "row {row} of run {run} does not ascend in key order")
            }
            RunError::Mismatch(what) => write!(f, "{what} does not fit the run"),
            RunError::Broken(place) => write!(f, "broken invariant: {place}"),
            RunError::RowTooLarge { bytes } => {
                write!(
                    f,
                    "row of {bytes} bytes exceeds the limit of {}",
                    crate::ROW_BYTES_MAX
                )
            }
            RunError::MissingValue { run, value_number } => {
                write!(f, "page {value_number} of run {run} was not supplied")
            }
        }
    }
}

impl core::error::Error for RunError {}

impl From<Broken> for RunError {
    fn from(broken: Broken) -> RunError {
        RunError::Broken(broken.place())
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Error {
        let message = error.to_string();
        match error.failure() {
            Some(failure) => Error::failed(failure, message),
            None => Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message),
        }
    }
}
