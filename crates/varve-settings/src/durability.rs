//! How safe a commit is when it has answered.

use varve_store::CommitDurability;

/// What a commit survives once it has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// A power failure.
    Strict,
    /// The end of the process, tab or browser.
    Relaxed,
    /// Nothing yet: it is written within a bounded delay.
    Async,
}

impl Durability {
    /// Its name, as settings have it.
    pub fn name(self) -> &'static str {
        match self {
            Durability::Strict => "strict",
            Durability::Relaxed => "relaxed",
            Durability::Async => "async",
        }
    }

    /// The durability of a name.
    pub fn from_name(name: &str) -> Option<Durability> {
        let all = [Durability::Strict, Durability::Relaxed, Durability::Async];
        all.into_iter().find(|durability| durability.name() == name)
    }

    /// The store's word for it.
    pub fn of_commit(self) -> CommitDurability {
        match self {
            Durability::Strict => CommitDurability::Strict,
            Durability::Relaxed => CommitDurability::Relaxed,
            Durability::Async => CommitDurability::Async,
        }
    }
}
