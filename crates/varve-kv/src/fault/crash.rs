//! What a crash may take back: the commits since the last strict one, and single large values of
//! relaxed ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::fault::SplitMix64;
use crate::{Bytes, Durability, Key, LARGE_VALUE_BYTES, WriteBatch};

/// What a simulated crash took back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrashReport {
    /// How many of the latest commits are lost.
    pub commits_lost: u64,
    /// How many commits before them were not yet durable, yet stayed.
    pub commits_kept: u64,
    /// Keys whose large value is lost; reading them answers
    /// [`KvError::Corrupt`](crate::KvError::Corrupt).
    pub values_lost: Vec<Key>,
}

/// What stood at the keys that one commit touched, before it.
pub(super) struct Undo {
    pub(super) before: BTreeMap<Key, Option<Bytes>>,
    /// Those of the keys whose value could get lost, or was lost, before the commit.
    unsynced_before: BTreeSet<Key>,
    lost_before: BTreeSet<Key>,
}

/// Everything that a crash would need to know about the commits so far.
#[derive(Default)]
pub(super) struct History {
    /// The commits since the last strict one, oldest first.
    relaxed: Vec<Undo>,
    /// Keys whose large value was written relaxed. A later strict commit does not save them: the
    /// file that holds such a value is not synced with it.
    unsynced: BTreeSet<Key>,
    /// Keys whose value a crash took.
    lost: BTreeSet<Key>,
}

impl History {
    pub(super) fn is_lost(&self, key: &Key) -> bool {
        self.lost.contains(key)
    }

    /// The first key of a range of an answer that cannot be read, if any.
    pub(super) fn first_lost<'a>(&self, mut keys: impl Iterator<Item = &'a Key>) -> Option<Key> {
        keys.find(|key| self.is_lost(key)).cloned()
    }

    /// Notes a commit that took effect.
    pub(super) fn record(
        &mut self,
        before: BTreeMap<Key, Option<Bytes>>,
        after: &BTreeMap<Key, Bytes>,
        durability: Durability,
    ) {
        let among = |set: &BTreeSet<Key>| {
            before
                .keys()
                .filter(|key| set.contains(*key))
                .cloned()
                .collect()
        };
        let undo = Undo {
            unsynced_before: among(&self.unsynced),
            lost_before: among(&self.lost),
            before,
        };
        for key in undo.before.keys() {
            self.lost.remove(key);
            let is_large = after
                .get(key)
                .is_some_and(|value| value.len() >= LARGE_VALUE_BYTES);
            if is_large && durability == Durability::Relaxed {
                self.unsynced.insert(key.clone());
            } else {
                self.unsynced.remove(key);
            }
        }
        match durability {
            Durability::Strict => self.relaxed.clear(),
            Durability::Relaxed => self.relaxed.push(undo),
        }
    }

    /// Decides what is lost; the answered batch puts the store into that state.
    pub(super) fn crash(&mut self, random: &mut SplitMix64) -> (WriteBatch, CrashReport) {
        let total = self.relaxed.len() as u64;
        let commits_lost = random.up_to(total);
        let mut batch = WriteBatch::new();
        for _ in 0..commits_lost {
            let Some(undo) = self.relaxed.pop() else {
                break;
            };
            for (key, value) in undo.before {
                self.unsynced.remove(&key);
                self.lost.remove(&key);
                match value {
                    Some(value) => batch.put(key, value),
                    None => batch.delete(key),
                };
            }
            self.unsynced.extend(undo.unsynced_before);
            self.lost.extend(undo.lost_before);
        }
        let values_lost: Vec<Key> = self
            .unsynced
            .iter()
            .filter(|_| random.coin())
            .cloned()
            .collect();
        self.lost.extend(values_lost.iter().cloned());
        // What a crash left in place is on the disk.
        self.unsynced.clear();
        self.relaxed.clear();
        let commits_kept = total.saturating_sub(commits_lost);
        (
            batch,
            CrashReport {
                commits_lost,
                commits_kept,
                values_lost,
            },
        )
    }
}
