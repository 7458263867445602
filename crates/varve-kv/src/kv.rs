//! The trait that every backend implements.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{Durability, KvError, KvSetting, Scan, WriteBatch};

/// A future that stays on its thread: JavaScript's promises are not `Send`, and a native thread
/// polls to the end what it began.
pub type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A key: any bytes, the empty key included, ordered as unsigned bytes, a prefix before what it
/// begins.
pub type Key = Vec<u8>;

/// A value: any bytes, the empty value included, which differs from an absent key. Cloning it
/// copies nothing.
pub type Bytes = Arc<[u8]>;

/// A key and what it holds.
pub type Entry = (Key, Bytes);

/// From this size on, values that were written with [`Durability::Relaxed`] may be lost one by one:
/// Chromium keeps them in files of their own.
pub const LARGE_VALUE_BYTES: usize = 64 * 1024;

/// What [`Kv::read`] answers: all of it from one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadResult {
    /// One answer for each key asked for, in the same order.
    pub values: Vec<Option<Bytes>>,
    /// The entries of the scan, or none if none was asked for.
    pub entries: Vec<Entry>,
}

/// An ordered key-value store with atomic batches.
///
/// Promises of every backend, kept by the suite in `conformance`:
///
/// 1. *One call, one transaction.* A call does nothing before its future is first polled; then it
///    is one transaction that sees one state and, for `commit`, makes the next one. No state
///    between two steps of a batch can be read.
/// 2. *What has answered is seen.* A call sees every commit that answered before the call was first
///    polled. Of calls in flight together the order is open: who needs an order waits for the
///    answer.
/// 3. *All or none.* A failed commit has written its whole batch or nothing.
///    [`KvError::outcome_is_unknown`] tells whether "whole" is possible; if so, a read tells which,
///    and repeating the batch is safe while nothing else has been committed.
/// 4. *Crashes lose suffixes.* What a crash takes back is a run of the latest commits, never one
///    from the middle, and nothing up to the last [`Durability::Strict`] one; the exception are
///    large relaxed values (see [`Durability`]), whose reads then answer [`KvError::Corrupt`].
/// 5. *A dropped future* of a commit leaves it done or not done, whole in either case.
/// 6. *A connection that the platform closes* is renewed and the call repeated once, unseen by the
///    caller; only if that fails too does the call answer [`KvError::Unavailable`], and a later
///    call tries anew.
pub trait Kv: Send + Sync {
    /// Answers for each key what it holds, in the order of `keys`; a key may occur more than once.
    /// All of it is read from one state.
    fn get_many<'a>(
        &'a self,
        keys: &'a [Key],
    ) -> LocalFuture<'a, Result<Vec<Option<Bytes>>, KvError>>;

    /// Answers the entries of a range in the asked order, up to the entry that reaches a limit;
    /// [`Scan::rest`] gives the scan of what is left. Two scans are two transactions: commits may
    /// fall between them.
    fn scan<'a>(&'a self, scan: &'a Scan) -> LocalFuture<'a, Result<Vec<Entry>, KvError>>;

    /// Answers gets and one scan from the same state.
    fn read<'a>(
        &'a self,
        gets: &'a [Key],
        scan: Option<&'a Scan>,
    ) -> LocalFuture<'a, Result<ReadResult, KvError>>;

    /// Carries out the writes of a batch in order, all or none, if its guard holds; answers when
    /// they are visible and as durable as asked. An empty batch answers success, but a `Strict` one
    /// still makes all earlier commits durable.
    fn commit(
        &self,
        batch: WriteBatch,
        durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>>;

    /// Whether so little space is left that only what frees some should be written. Whoever goes on
    /// to add to the store is answered [`KvError::StorageFull`](crate::KvError::StorageFull) before
    /// long.
    fn is_nearly_full(&self) -> bool {
        false
    }

    /// The settings with which the store was opened, where the backend has any.
    fn settings(&self) -> Vec<KvSetting> {
        Vec::new()
    }

    /// Gives up the store, once calls in flight on other threads are finished. Every later call
    /// answers [`KvError::Closed`], but `close` itself answers success again. Once it answers, the
    /// store can be opened anew.
    fn close(&self) -> LocalFuture<'_, Result<(), KvError>>;
}
