//! Why a run ended.

use core::fmt;

use varve_store::{InsertError, StoreError};
use varve_types::{Error, SqlState};

/// A broken promise, with what is needed to see it again.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What was found.
    pub message: String,
    /// What every actor did in the run that failed.
    pub trace: Vec<String>,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            trace: Vec::new(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Why an actor stops early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The store broke a promise.
    Broken(String),
    /// The store answered an error, which the faults of the run may excuse.
    Refused(Error),
}

pub(crate) type Outcome<T> = Result<T, Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Refused(error)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Stop {
        Stop::Refused(error.into())
    }
}

impl From<InsertError> for Stop {
    fn from(error: InsertError) -> Stop {
        Stop::Refused(error.into())
    }
}

pub(crate) fn broken<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Stop::Broken(message.into()))
}

impl Stop {
    /// What is left of it where no error is excused.
    pub(crate) fn message(&self) -> String {
        match self {
            Stop::Broken(message) => message.clone(),
            Stop::Refused(error) => format!("{}: {error}", error.state().code()),
        }
    }
}

/// Whether a commit that answered this has surely written nothing.
pub(crate) fn has_surely_failed(error: &StoreError) -> bool {
    [
        SqlState::SERIALIZATION_FAILURE,
        SqlState::UNIQUE_VIOLATION,
        SqlState::DISK_FULL,
    ]
    .contains(&error.state())
}
