//! What a failing backend means to the store's callers: the one place where its errors are mapped.

use varve_kv::KvError;
use varve_types::{Error, SqlState};

use crate::format::keys;

/// The error that callers see.
pub(crate) fn kv_error(error: &KvError) -> Error {
    match error {
        KvError::StorageFull => Error::new(SqlState::DISK_FULL, "the storage is full").with_hint(
            "Rows can be deleted, tables truncated and dropped; VACUUM gives their space back.",
        ),
        KvError::GuardMismatch { found: None, .. } => Error::new(
            SqlState::UNDEFINED_FILE,
            "evicted: the storage was deleted while the store was open",
        ),
        KvError::GuardMismatch { .. } => Error::new(
            SqlState::OBJECT_IN_USE,
            "store_locked: the store was opened elsewhere, which fenced this handle",
        ),
        KvError::Locked { message } => {
            Error::new(SqlState::OBJECT_IN_USE, format!("store_locked: {message}"))
        }
        KvError::Corrupt {
            key: Some(key),
            message,
        } => Error::corrupted(format!("{} is corrupt: {message}", keys::describe(key))),
        KvError::Corrupt { key: None, .. } => Error::corrupted(error.to_string()),
        KvError::Closed => Error::new(SqlState::CONNECTION_DOES_NOT_EXIST, "the store is closed"),
        _ => Error::new(SqlState::IO_ERROR, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::kv_error;
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
            assert_eq!(kv_error(&error).state().code(), state, "{error}");
        }
        let lost = KvError::Corrupt {
            key: Some(keys::run_value(RunId(3), 4)),
            message: message(),
        };
        assert_eq!(kv_error(&lost).message(), "page 4 of run 3 is corrupt: x");
    }
}
