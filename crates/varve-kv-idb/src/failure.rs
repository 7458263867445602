//! What browsers call their errors, and what we make of them.

use varve_kv::{Key, KvError};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DomException;

/// Why one attempt of a call failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection is gone: reopen it and repeat the call.
    ConnectionLost(String),
    /// Repeating would not help.
    Final(KvError),
}

impl Failure {
    pub(crate) fn lost() -> Self {
        Self::ConnectionLost("the browser closed the connection".to_owned())
    }

    pub(crate) fn backend(message: impl Into<String>) -> Self {
        Self::Final(KvError::Backend {
            message: message.into(),
        })
    }

    pub(crate) fn corrupt(key: Option<Key>, message: impl Into<String>) -> Self {
        Self::Final(KvError::Corrupt {
            key,
            message: message.into(),
        })
    }

    /// Sorts what a call of IndexedDB threw, or what its `error` holds.
    pub(crate) fn from_exception(exception: &DomException, key: Option<Key>) -> Self {
        let message = format!("{}: {}", exception.name(), exception.message());
        match exception.name().as_str() {
            "QuotaExceededError" => Self::Final(KvError::StorageFull),
            // A transaction on a connection that is closing cannot be opened (InvalidStateError).
            // One under way when the browser closes the connection by force is aborted with
            // AbortError by the standard and with UnknownError in Chromium ("Connection is
            // closing") and Safari, which suspends pages ("Connection to Indexed Database server
            // lost"). Other unknown errors pass with time; repeating them does no harm.
            "InvalidStateError" | "AbortError" | "UnknownError" => Self::ConnectionLost(message),
            // Chromium keeps large values in files of their own, and answers this when such a file
            // is gone.
            "DataError" | "NotReadableError" | "NotFoundError" => Self::corrupt(key, message),
            _ => Self::backend(message),
        }
    }

    pub(crate) fn from_thrown(thrown: &JsValue) -> Self {
        match thrown.dyn_ref::<DomException>() {
            Some(exception) => Self::from_exception(exception, None),
            None => Self::backend(format!("{thrown:?}")),
        }
    }
}

impl From<idb::Error> for Failure {
    fn from(error: idb::Error) -> Self {
        use idb::Error::{
            DeleteFailed, DomException, GetAllFailed, GetAllKeysFailed, GetFailed,
            IndexedDbDeleteFailed, IndexedDbNotFound, IndexedDbOpenFailed, ObjectStoreNotFound,
            OpenCursorFailed, TransactionCommitError, TransactionOpenFailed, UpdateFailed,
        };
        match error {
            DomException(exception) => Self::from_exception(&exception, None),
            IndexedDbNotFound(_) => Self::Final(KvError::Unavailable {
                message: "this environment has no IndexedDB".to_owned(),
            }),
            DeleteFailed(thrown)
            | GetAllFailed(thrown)
            | GetAllKeysFailed(thrown)
            | GetFailed(thrown)
            | IndexedDbDeleteFailed(thrown)
            | IndexedDbOpenFailed(thrown)
            | ObjectStoreNotFound(thrown)
            | OpenCursorFailed(thrown)
            | TransactionCommitError(thrown)
            | TransactionOpenFailed(thrown)
            | UpdateFailed(thrown) => Self::from_thrown(&thrown),
            other => Self::backend(other.to_string()),
        }
    }
}

impl From<Failure> for KvError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::ConnectionLost(message) => Self::Unavailable { message },
            Failure::Final(error) => error,
        }
    }
}
