//! Who committed what, and what each of them was promised.
//!
//! A transaction that writes has a *token*, a number that it also adds to the journal tree. So the
//! rows of a snapshot tell which transactions it includes; the ledger knows which it may and must
//! include, and what all of their rows together are.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use varve_store::RowLockKind;
use varve_types::TreeId;

use crate::data::{JOURNAL, journal_key};
use crate::failure::{Outcome, broken};
use crate::model::{Delta, Model};

/// Rows that a transaction locks, by tree and `k`.
pub(crate) type RowLocks = BTreeMap<(TreeId, i64), RowLockKind>;

/// The number of a transaction that writes.
pub(crate) type Token = i64;

/// How far a transaction came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has not asked to commit: nobody else may see it.
    Running,
    /// It has asked, or the answer was lost: it is there as a whole or not at all.
    Unsure,
    /// It was answered that it is commit number `seq`.
    Committed {
        seq: u64,
        /// Before it was stored: another open need not find it.
        is_async: bool,
    },
    /// It was answered that it is stored for good, as one of the commits up to `by`.
    Loaded { by: u64 },
    /// It was rolled back or refused.
    Failed,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The commit that its snapshot includes last. Of two transactions that write the same row, the
    /// one with the older snapshot came first.
    snapshot: u64,
    /// Which opened handle it went through.
    handle: u64,
    progress: Progress,
    delta: Delta,
    row_locks: RowLocks,
}

impl Entry {
    /// Whether both cannot be committed where neither saw the other.
    fn excludes(&self, other: &Entry) -> bool {
        let breaks = |row_locks: &RowLocks, other: &Entry| {
            row_locks.iter().any(|((tree, k), kind)| {
                let rows = other.delta.rows.get(tree);
                let is_written = rows.is_some_and(|rows| rows.contains_key(k));
                let locked = other.row_locks.get(&(*tree, *k));
                is_written || locked.is_some_and(|other| (*kind).max(*other) == RowLockKind::Update)
            })
        };
        breaks(&self.row_locks, other) || breaks(&other.row_locks, self)
    }
}

/// What a snapshot was seen to include.
#[derive(Debug)]
struct Observation {
    handle: u64,
    seq: u64,
    tokens: BTreeSet<Token>,
}

/// The model and the transactions since.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    base: Model,
    next_token: Token,
    entries: BTreeMap<Token, Entry>,
    observations: Vec<Observation>,
    /// Up to which commit those of a handle survive a crash, and all before them that were stored.
    durable: BTreeMap<u64, u64>,
}

impl Ledger {
    pub(crate) fn new(base: Model, next_token: Token) -> Ledger {
        Ledger {
            base,
            next_token,
            ..Ledger::default()
        }
    }

    pub(crate) fn next_token(&self) -> Token {
        self.next_token
    }

    /// A transaction that is about to write.
    pub(crate) fn begin(&mut self, handle: u64, snapshot: u64) -> Token {
        let token = self.next_token;
        self.next_token += 1;
        let entry = Entry {
            snapshot,
            handle,
            progress: Progress::Running,
            delta: Delta::default(),
            row_locks: RowLocks::new(),
        };
        self.entries.insert(token, entry);
        token
    }

    /// It asks to commit these changes, relying on rows that it locks.
    pub(crate) fn ask(&mut self, token: Token, delta: Delta, row_locks: RowLocks) {
        if let Some(entry) = self.entries.get_mut(&token) {
            entry.delta = delta;
            entry.row_locks = row_locks;
            entry.progress = Progress::Unsure;
        }
    }

    /// It was answered that nothing of it is there.
    pub(crate) fn fail(&mut self, token: Token) {
        if let Some(entry) = self.entries.get_mut(&token) {
            entry.progress = Progress::Failed;
        }
    }

    /// It was answered that it is commit `seq`.
    pub(crate) fn commit(&mut self, token: Token, seq: u64, is_async: bool) -> Outcome<()> {
        let Some(entry) = self.entries.get_mut(&token) else {
            return broken(format!("there is no transaction {token}"));
        };
        entry.progress = Progress::Committed { seq, is_async };
        let (handle, entry) = (entry.handle, entry.clone());
        for (other_token, other) in &self.entries {
            if let Progress::Committed { seq: other_seq, .. } = other.progress
                && other.handle == handle
                && *other_token != token
                && entry.snapshot < other_seq
                && other.snapshot < seq
                && entry.excludes(other)
            {
                return broken(format!(
                    "transactions {token} and {other_token} are committed against a row lock"
                ));
            }
        }
        for seen in &self.observations {
            let expected = match seen.handle.cmp(&handle) {
                Ordering::Less => false,
                Ordering::Equal => seq <= seen.seq,
                Ordering::Greater if is_async => continue,
                // What is answered after another open was committed before it.
                Ordering::Greater => true,
            };
            if expected != seen.tokens.contains(&token) {
                return broken(format!(
                    "commit {seq} of transaction {token} and the snapshot of {} disagree",
                    seen.seq
                ));
            }
        }
        Ok(())
    }

    /// It was answered that it is stored, as one of the commits up to `by`.
    pub(crate) fn load(&mut self, token: Token, by: u64) {
        if let Some(entry) = self.entries.get_mut(&token) {
            entry.progress = Progress::Loaded { by };
        }
    }

    /// Every commit up to `seq` that this handle knows is promised to survive a crash.
    pub(crate) fn promise(&mut self, handle: u64, seq: u64) {
        let durable = self.durable.entry(handle).or_default();
        *durable = seq.max(*durable);
    }

    /// The newest commit of a handle that was answered.
    pub(crate) fn newest(&self, handle: u64) -> u64 {
        let own = self.entries.values().filter(|entry| entry.handle == handle);
        let seqs = own.filter_map(|entry| match entry.progress {
            Progress::Committed { seq, .. } => Some(seq),
            _ => None,
        });
        seqs.max().unwrap_or(0)
    }

    /// Which transactions a snapshot with this journal includes, after checking that it may.
    /// `answered` is what was answered when it began.
    pub(crate) fn observe(
        &mut self,
        handle: u64,
        seq: u64,
        answered: u64,
        journal: &BTreeSet<Token>,
    ) -> Outcome<BTreeSet<Token>> {
        if seq < answered {
            return broken(format!("snapshot of {seq} after the answer to {answered}"));
        }
        let tokens = self.among(journal);
        for (token, entry) in &self.entries {
            let included = tokens.contains(token);
            let fits = match entry.progress {
                Progress::Running | Progress::Failed => !included,
                Progress::Unsure => true,
                Progress::Loaded { by } => match entry.handle.cmp(&handle) {
                    Ordering::Less => included,
                    Ordering::Equal => included || by > seq,
                    Ordering::Greater => !included,
                },
                Progress::Committed {
                    seq: commit,
                    is_async,
                } => match entry.handle.cmp(&handle) {
                    Ordering::Less => included || is_async,
                    Ordering::Equal => included == (commit <= seq),
                    Ordering::Greater => !included,
                },
            };
            if !fits {
                let found = if included { "includes" } else { "lacks" };
                return broken(format!(
                    "the snapshot of {seq} {found} transaction {token}: {:?}",
                    entry.progress
                ));
            }
        }
        self.observations.push(Observation {
            handle,
            seq,
            tokens: tokens.clone(),
        });
        Ok(tokens)
    }

    /// Checks what is there after another open: after a crash a suffix of the commits may be gone,
    /// down to what was promised; otherwise none.
    pub(crate) fn check_opened(
        &self,
        journal: &BTreeSet<Token>,
        has_crashed: bool,
    ) -> Outcome<BTreeSet<Token>> {
        let tokens = self.among(journal);
        let found = |handle: Option<u64>| {
            let entries = tokens.iter().filter_map(|token| self.entries.get(token));
            let entries = entries.filter(|entry| handle.is_none_or(|own| own == entry.handle));
            let seqs = entries.filter_map(|entry| match entry.progress {
                Progress::Committed { seq, .. } => Some(seq),
                _ => None,
            });
            seqs.max().unwrap_or(0)
        };
        let all_durable = self.durable.values().copied().max().unwrap_or(0);
        for (token, entry) in &self.entries {
            let included = tokens.contains(token);
            let fits = match entry.progress {
                Progress::Running | Progress::Failed => !included,
                Progress::Unsure => true,
                Progress::Loaded { .. } => included,
                Progress::Committed { seq, is_async } => {
                    // A later handle may give a number again that was not stored.
                    let (durable, newest_found) = if is_async {
                        let own = self.durable.get(&entry.handle).copied();
                        (own.unwrap_or(0), found(Some(entry.handle)))
                    } else {
                        (all_durable, found(None))
                    };
                    let may_be_lost = has_crashed || is_async;
                    included || may_be_lost && seq > durable && seq > newest_found
                }
            };
            if !fits {
                let holds = if included { "holds" } else { "lacks" };
                return broken(format!(
                    "opened again, the store {holds} transaction {token} of handle {}: {:?}; \
                     durable up to {:?}, newest found {}",
                    entry.handle,
                    entry.progress,
                    self.durable,
                    found(None)
                ));
            }
        }
        Ok(tokens)
    }

    /// The rows of all trees with these transactions.
    pub(crate) fn model(&self, tokens: &BTreeSet<Token>) -> Model {
        let mut chosen: Vec<&Entry> = tokens
            .iter()
            .filter_map(|token| self.entries.get(token))
            .collect();
        chosen.sort_by_key(|entry| entry.snapshot);
        let mut model = self.base.clone();
        model.apply(chosen.iter().map(|entry| &entry.delta));
        model
    }

    /// The rows of all trees with every transaction that was answered.
    pub(crate) fn newest_model(&self) -> Model {
        let committed = self.entries.iter().filter_map(|(token, entry)| {
            let is_answered = matches!(
                entry.progress,
                Progress::Committed { .. } | Progress::Loaded { .. }
            );
            is_answered.then_some(*token)
        });
        self.model(&committed.collect())
    }

    /// Every tree and index that ever was.
    pub(crate) fn all_trees(&self) -> BTreeSet<TreeId> {
        let created = self
            .entries
            .values()
            .flat_map(|entry| entry.delta.created.keys());
        let indexes = self.entries.values();
        let indexes = indexes.flat_map(|entry| entry.delta.indexes.keys());
        let old = self.base.trees.keys().chain(self.base.indexes.keys());
        created.chain(indexes).chain(old).copied().collect()
    }

    /// Those of a journal that the base does not include already.
    fn among(&self, journal: &BTreeSet<Token>) -> BTreeSet<Token> {
        let old = self.base.rows(JOURNAL);
        let is_old =
            |token: &&Token| old.is_some_and(|rows| rows.contains_key(&journal_key(**token)));
        journal
            .iter()
            .filter(|token| !is_old(token))
            .copied()
            .collect()
    }
}
