//! What a backend answers when a call cannot be carried out.

use std::error::Error;
use std::fmt;

use crate::{Bytes, Key};

/// Why a call failed. Whatever the kind, a failed commit has written all of its batch or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KvError {
    /// The quota or the disk is full. Nothing of the batch was written; smaller batches and deletes
    /// may still succeed.
    StorageFull,
    /// The guard of the batch does not hold and the batch is no repeat. Nothing was written.
    GuardMismatch {
        /// The key that the guard names.
        key: Key,
        /// What the key holds instead.
        found: Option<Bytes>,
    },
    /// Another process or connection owns the store, so it cannot be opened.
    Locked {
        /// The backend's own words.
        message: String,
    },
    /// The connection was lost and could not be renewed. A commit may or may not have taken effect:
    /// repeating the same batch is safe while nothing else has been committed.
    Unavailable {
        /// The backend's own words.
        message: String,
    },
    /// What is stored cannot be read back, such as a large value whose file is gone.
    Corrupt {
        /// The key, where the backend can tell it.
        key: Option<Key>,
        /// The backend's own words.
        message: String,
    },
    /// Anything else that the backend reports. A commit may or may not have taken effect.
    Backend {
        /// The backend's own words.
        message: String,
    },
    /// The handle was closed before this call.
    Closed,
}

impl KvError {
    /// Whether a commit that answered this may nevertheless have taken effect.
    pub fn outcome_is_unknown(&self) -> bool {
        match self {
            Self::Unavailable { .. } | Self::Corrupt { .. } | Self::Backend { .. } => true,
            Self::StorageFull | Self::GuardMismatch { .. } | Self::Locked { .. } | Self::Closed => {
                false
            }
        }
    }
}

impl fmt::Display for KvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StorageFull => f.write_str("the storage is full"),
            Self::GuardMismatch { key, found } => {
                write!(f, "the guarded key {} ", Hex(key))?;
                match found {
                    Some(value) => write!(f, "holds {}", Hex(value)),
                    None => f.write_str("is absent"),
                }
            }
            Self::Locked { message } => write!(f, "the store is locked by another user: {message}"),
            Self::Unavailable { message } => write!(f, "the storage is unavailable: {message}"),
            Self::Corrupt {
                key: Some(key),
                message,
            } => {
                write!(f, "the value of key {} cannot be read: {message}", Hex(key))
            }
            Self::Corrupt { key: None, message } => {
                write!(f, "the storage cannot be read: {message}")
            }
            Self::Backend { message } => write!(f, "the storage failed: {message}"),
            Self::Closed => f.write_str("the store is closed"),
        }
    }
}

impl Error for KvError {}

/// Shows at most the first 32 bytes, which is all of a key and enough of a guard's value.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("x'")?;
        for byte in self.0.iter().take(32) {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(if self.0.len() > 32 { "...'" } else { "'" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_reads_as_one_lower_case_sentence() {
        let cases = [
            (KvError::StorageFull, "the storage is full"),
            (
                KvError::GuardMismatch {
                    key: vec![0, 255],
                    found: None,
                },
                "the guarded key x'00ff' is absent",
            ),
            (
                KvError::GuardMismatch {
                    key: vec![1],
                    found: Some(Bytes::from([2u8; 40])),
                },
                "the guarded key x'01' holds x'0202020202020202020202020202020202020202020202020202020202020202...'",
            ),
            (
                KvError::Corrupt {
                    key: Some(vec![7]),
                    message: "no file".into(),
                },
                "the value of key x'07' cannot be read: no file",
            ),
            (KvError::Closed, "the store is closed"),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
        }
    }
}
