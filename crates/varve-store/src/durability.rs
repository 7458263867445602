//! How durable a commit is when it answers.

use crate::Durability;

/// When a commit answers, and what a crash may take back. Whatever was chosen, a crash takes back a
/// suffix of the commits only, and a `Strict` commit makes all earlier ones durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitDurability {
    /// Answers before it is stored; it is stored with the next commit, or after a bounded delay.
    Async,
    /// Answers when it is stored; the crash of a machine may take it back.
    Relaxed,
    /// Answers when no crash can take it back.
    Strict,
}

impl From<Durability> for CommitDurability {
    fn from(durability: Durability) -> CommitDurability {
        match durability {
            Durability::Relaxed => CommitDurability::Relaxed,
            Durability::Strict => CommitDurability::Strict,
        }
    }
}
