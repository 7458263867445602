//! What one commit writes, under which condition, and how durably.

use crate::{Bytes, Key, KeyRange};

/// How much a crash of the machine may take back. A commit that answered is visible to every later
/// call either way, also after the store is reopened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Durability {
    /// Once the call answers, neither this commit nor any before it can be lost. The one exception
    /// are values of [`LARGE_VALUE_BYTES`](crate::LARGE_VALUE_BYTES) and more that an earlier
    /// commit wrote `Relaxed`.
    Strict,
    /// A crash may lose this commit, and then all after it. It may also lose single values of
    /// [`LARGE_VALUE_BYTES`](crate::LARGE_VALUE_BYTES) and more that the commit wrote, even when
    /// the commit itself stays.
    Relaxed,
}

/// What a key must hold for a commit to go through. The check and the writes are one transaction.
///
/// A commit whose answer was lost is repeated as it is. So where the guard fails, but the batch
/// itself puts a value at the guarded key and the key holds just that value, the commit has already
/// happened: it answers success and writes nothing again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    /// The key holds exactly this value.
    Holds {
        /// The guarded key.
        key: Key,
        /// What it must hold.
        value: Bytes,
    },
    /// The key is absent.
    Absent {
        /// The guarded key.
        key: Key,
    },
}

/// What a backend does with a batch once it has read the guarded key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardOutcome {
    /// The guard holds: carry out the writes.
    Apply,
    /// The batch is a repeat of a commit that took effect: answer success, write nothing.
    AlreadyApplied,
    /// Answer [`KvError::GuardMismatch`](crate::KvError::GuardMismatch), write nothing.
    Mismatch,
}

impl Guard {
    /// The guarded key.
    pub fn key(&self) -> &Key {
        match self {
            Self::Holds { key, .. } | Self::Absent { key } => key,
        }
    }
}

/// One step of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Sets a key to a value.
    Put {
        /// The key.
        key: Key,
        /// What it holds from now on.
        value: Bytes,
    },
    /// Removes a key; an absent one is no error.
    Delete {
        /// The key.
        key: Key,
    },
    /// Removes every key of a range.
    DeleteRange(KeyRange),
}

/// Writes that take effect in order, all or none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteBatch {
    /// The writes; a later one wins over an earlier one.
    pub writes: Vec<Write>,
    /// The condition, if any.
    pub guard: Option<Guard>,
}

impl WriteBatch {
    /// A batch that writes nothing, without condition.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a put.
    pub fn put(&mut self, key: impl Into<Key>, value: impl Into<Bytes>) -> &mut Self {
        self.writes.push(Write::Put {
            key: key.into(),
            value: value.into(),
        });
        self
    }

    /// Appends a delete.
    pub fn delete(&mut self, key: impl Into<Key>) -> &mut Self {
        self.writes.push(Write::Delete { key: key.into() });
        self
    }

    /// Appends a range delete.
    pub fn delete_range(&mut self, range: KeyRange) -> &mut Self {
        self.writes.push(Write::DeleteRange(range));
        self
    }

    /// Sets the condition; a batch has one at most, the last one set.
    pub fn guard(&mut self, guard: Guard) -> &mut Self {
        self.guard = Some(guard);
        self
    }

    /// Whether the batch neither writes nor checks anything.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.guard.is_none()
    }

    /// Whether it removes keys.
    pub fn deletes(&self) -> bool {
        let is_put = |write: &Write| matches!(write, Write::Put { .. });
        !self.writes.iter().all(is_put)
    }

    /// The bytes of all keys and values, by which callers bound their batches.
    pub fn bytes(&self) -> u64 {
        let len = |part: &[u8]| part.len() as u64;
        self.writes
            .iter()
            .map(|write| match write {
                Write::Put { key, value } => len(key).saturating_add(len(value)),
                Write::Delete { key } => len(key),
                Write::DeleteRange(range) => {
                    len(&range.start).saturating_add(range.end.as_deref().map_or(0, len))
                }
            })
            .sum()
    }

    /// Decides what a guarded batch does, given what its guarded key holds. Backends share this one
    /// rule.
    pub fn check_guard(&self, found: Option<&[u8]>) -> GuardOutcome {
        let holds = match &self.guard {
            None => true,
            Some(Guard::Holds { value, .. }) => found == Some(&**value),
            Some(Guard::Absent { .. }) => found.is_none(),
        };
        if holds {
            GuardOutcome::Apply
        } else if found.is_some() && found == self.value_left_at_guard() {
            GuardOutcome::AlreadyApplied
        } else {
            GuardOutcome::Mismatch
        }
    }

    /// The value that the batch leaves at its guarded key, if it leaves one.
    fn value_left_at_guard(&self) -> Option<&[u8]> {
        let guarded = self.guard.as_ref()?.key();
        self.writes.iter().rev().find_map(|write| match write {
            Write::Put { key, value } if key == guarded => Some(Some(&**value)),
            Write::Delete { key } if key == guarded => Some(None),
            Write::DeleteRange(range) if range.contains(guarded) => Some(None),
            _ => None,
        })?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guard_rule() {
        use GuardOutcome::{AlreadyApplied, Apply, Mismatch};
        let holds = |value: &[u8]| Guard::Holds {
            key: b"k".to_vec(),
            value: Bytes::from(value),
        };
        let absent = || Guard::Absent { key: b"k".to_vec() };
        let put = |value: &[u8]| {
            let mut batch = WriteBatch::new();
            batch.put("k", value);
            batch
        };
        let mut put_then_cleared = put(b"2");
        put_then_cleared.delete_range(KeyRange::prefix("k"));
        let cases: [(WriteBatch, Guard, Option<&[u8]>, GuardOutcome); 10] = [
            (put(b"2"), holds(b"1"), Some(b"1"), Apply),
            (put(b"2"), holds(b"1"), Some(b"2"), AlreadyApplied),
            (put(b"2"), holds(b"1"), Some(b"3"), Mismatch),
            (put(b"2"), holds(b"1"), None, Mismatch),
            (put(b"2"), absent(), None, Apply),
            (put(b"2"), absent(), Some(b"2"), AlreadyApplied),
            (put(b"2"), absent(), Some(b"1"), Mismatch),
            (WriteBatch::new(), holds(b"1"), Some(b"2"), Mismatch),
            (put_then_cleared, holds(b"1"), Some(b"2"), Mismatch),
            (put(b""), holds(b"1"), None, Mismatch),
        ];
        for (mut batch, guard, found, outcome) in cases {
            batch.guard(guard);
            assert_eq!(batch.check_guard(found), outcome, "{batch:?} on {found:?}");
        }
    }

    #[test]
    fn bytes_count_keys_and_values() {
        let mut batch = WriteBatch::new();
        batch
            .put("key", [0u8; 7])
            .delete("gone")
            .delete_range(KeyRange::new("a", "bc"));
        assert_eq!(batch.bytes(), 10 + 4 + 3);
    }
}
