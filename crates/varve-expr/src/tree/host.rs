//! What functions that have an effect ask of the database that runs them.

use core::fmt;

use varve_types::Result;

/// What can be asked of a background job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobOrder {
    /// To end at its next step.
    Cancel,
    /// To stop there until it is resumed.
    Pause,
    /// To go on.
    Resume,
}

/// A sequence of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceRef<'a> {
    /// By its catalog object.
    Id(i64),
    /// By its name, as SQL writes it.
    Name(&'a str),
}

/// What is asked of sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceCall<'a> {
    /// `nextval`
    Next(SequenceRef<'a>),
    /// `currval`
    Current(SequenceRef<'a>),
    /// `lastval`
    Last,
    /// The value that was handed out last.
    LastValue(SequenceRef<'a>),
    /// Whether that was handed out (1) or is the next one (0).
    IsCalled(SequenceRef<'a>),
    /// `setval`: the value, and whether it counts as handed out.
    Set(SequenceRef<'a>, i64, bool),
}

/// What sessions agree on an advisory lock by: numbers and pairs are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdvisoryKey {
    /// A number.
    One(i64),
    /// A pair of numbers.
    Pair(i32, i32),
}

/// An advisory lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvisoryLock {
    /// What it is on.
    pub key: AdvisoryKey,
    /// Whether others may have it so, too.
    pub shared: bool,
    /// Whether it ends with the transaction, else with the session.
    pub of_transaction: bool,
}

/// What is asked of advisory locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdvisoryCall {
    /// To take one, for which the statement waits.
    Lock(AdvisoryLock),
    /// To take one if it can be had now, and whether it was.
    Try(AdvisoryLock),
    /// To give one back, and whether it was held.
    Unlock(AdvisoryLock),
    /// To give back all of the session.
    UnlockAll,
}

/// What a session counts of the rows that it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowCount {
    /// The rows that the last INSERT, UPDATE, DELETE or MERGE changed.
    Last,
    /// Those that all of the session's have changed.
    Total,
    /// The key of the row that was inserted last.
    InsertedKey,
}

/// The database that a statement runs in.
pub trait Host: fmt::Debug {
    /// What time it is: microseconds since 1970-01-01 00:00 UTC.
    fn now_us(&self) -> i64;

    /// 64 random bits.
    fn random_u64(&self) -> u64;

    /// Makes the random numbers to come those of a seed.
    fn seed(&self, seed: u64);

    /// Makes the statement wait so much longer.
    fn sleep(&self, duration_us: u64);

    /// Takes an advisory lock or gives it back.
    fn advisory(&self, call: AdvisoryCall) -> Result<bool>;

    /// The value of a setting; `None` where there is none of this name.
    fn setting(&self, name: &str) -> Option<String>;

    /// Sets a setting for the session, or when `local` until the end of the transaction; without a
    /// value to what it was at first. Answers the value that it has then.
    fn set_setting(&self, name: &str, value: Option<&str>, local: bool) -> Result<String>;

    /// The bytes that are stored of a relation by its OID, or of all: of its rows, of its indexes.
    fn stored_bytes(&self, relation: Option<u32>, rows: bool, indexes: bool) -> Option<u64>;

    /// How many committed rows a table by its OID and those below it have, as far as is known
    /// without reading them; `None` for what is no table.
    fn stored_rows(&self, table: u32) -> Option<u64>;

    /// Gives an order to the job with this number; false where no such job is under way.
    fn order_job(&self, job: i64, order: JobOrder) -> bool;

    /// What the session has counted before the statement.
    fn row_count(&self, count: RowCount) -> i64;

    /// Takes a value of a sequence, or sets it.
    fn sequence(&self, call: SequenceCall<'_>) -> Result<i64>;
}
