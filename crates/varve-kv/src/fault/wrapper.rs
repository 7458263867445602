//! The backend that wraps another one.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use crate::fault::crash::{CrashReport, History};
use crate::fault::plan::{CallFault, FaultPlan, SplitMix64};
use crate::state::{self, Entries};
use crate::{
    Bytes, Durability, Entry, GuardOutcome, Key, KeyRange, Kv, KvError, KvSetting, LocalFuture,
    ReadResult, Scan, ScanLimit, Write, WriteBatch,
};

/// A backend `K` with faults. With no plan it behaves as `K` does.
///
/// Commits are carried out one at a time, because a crash must know what each of them replaced.
pub struct FaultKv<K> {
    inner: K,
    control: Mutex<Control>,
    is_committing: AtomicBool,
}

struct Control {
    plan: FaultPlan,
    random: SplitMix64,
    calls: u64,
    commits: u64,
    /// What the store holds, known from the first commit under a quota on.
    used_bytes: Option<u64>,
    history: History,
    is_crashing: bool,
}

/// What was decided for one call when it began.
struct Decision {
    yields_before: u64,
    yields_after: u64,
    fault: Option<CallFault>,
    /// Whether a call under [`CallFault::Close`] is carried out.
    close_carries_out: bool,
}

impl<K: Kv> FaultKv<K> {
    /// Wraps a backend.
    pub fn new(inner: K, plan: FaultPlan) -> Self {
        let random = SplitMix64::new(plan.seed);
        let control = Control {
            plan,
            random,
            calls: 0,
            commits: 0,
            used_bytes: None,
            history: History::default(),
            is_crashing: false,
        };
        Self {
            inner,
            control: Mutex::new(control),
            is_committing: AtomicBool::new(false),
        }
    }

    /// The wrapped backend, on which no fault is injected.
    pub fn inner(&self) -> &K {
        &self.inner
    }

    /// How many calls have begun.
    pub fn calls(&self) -> u64 {
        self.control().calls
    }

    /// How many commits have come to be carried out, those included that found the storage full.
    pub fn commits(&self) -> u64 {
        self.control().commits
    }

    /// Whether a call has met [`CallFault::Crash`] since the last [`FaultKv::crash`].
    pub fn is_crashing(&self) -> bool {
        self.control().is_crashing
    }

    /// Injects a fault into the `n`th call from now; 1 is the next one.
    pub fn fault_in(&self, n: u64, fault: CallFault) {
        let mut control = self.control();
        let number = control.calls.saturating_add(n);
        control.plan.at_call.insert(number, fault);
    }

    /// Takes back the faults of all calls that have not begun.
    pub fn forget_faults(&self) {
        self.control().plan.at_call.clear();
    }

    /// Puts another plan in the place of the one that there was; commits are counted from here.
    pub fn set_plan(&self, plan: FaultPlan) {
        let mut control = self.control();
        control.plan = plan;
        control.commits = 0;
    }

    /// Changes or lifts the quota.
    pub fn set_quota_bytes(&self, quota_bytes: Option<u64>) {
        self.control().plan.quota_bytes = quota_bytes;
    }

    /// Puts the store into a state that a crash of the machine may leave, as the promises of [`Kv`]
    /// allow it: some suffix of the commits since the last strict one is gone, and so are single
    /// large values of relaxed ones. No call may be in flight. Afterwards the wrapper is the store
    /// as reopened.
    pub async fn crash(&self) -> Result<CrashReport, KvError> {
        let (batch, report) = {
            let mut control = self.control();
            let Control {
                history,
                random,
                used_bytes,
                is_crashing,
                ..
            } = &mut *control;
            *used_bytes = None;
            *is_crashing = false;
            history.crash(random)
        };
        self.inner.commit(batch, Durability::Strict).await?;
        Ok(report)
    }

    async fn call<T>(&self, work: impl Future<Output = Result<T, KvError>>) -> Result<T, KvError> {
        let decision = self.control().decide();
        yield_times(decision.yields_before).await;
        let unavailable = |message: &str| KvError::Unavailable {
            message: message.to_owned(),
        };
        let result = match decision.fault {
            None => work.await,
            Some(CallFault::Fail(error)) => Err(error),
            Some(CallFault::LoseAnswer) => {
                work.await?;
                Err(unavailable("the answer was lost"))
            }
            Some(CallFault::Close) => {
                if decision.close_carries_out {
                    work.await?;
                }
                Err(unavailable("the connection was closed"))
            }
            Some(CallFault::Crash { carried_out }) => {
                if carried_out {
                    work.await?;
                }
                self.control().is_crashing = true;
                std::future::pending().await
            }
        };
        yield_times(decision.yields_after).await;
        result
    }

    async fn commit_recorded(
        &self,
        batch: WriteBatch,
        durability: Durability,
    ) -> Result<(), KvError> {
        let _turn = self.take_turn().await;
        if let Some(guard) = &batch.guard {
            let found = self
                .inner
                .get_many(std::slice::from_ref(guard.key()))
                .await?
                .pop()
                .flatten();
            if batch.check_guard(found.as_deref()) != GuardOutcome::Apply {
                return self.inner.commit(batch, durability).await;
            }
        }
        if self.control().is_next_commit_full() {
            return Err(KvError::StorageFull);
        }
        let before = self.touched(&batch.writes).await?;
        let mut after: Entries = before
            .iter()
            .filter_map(|(key, value)| Some((key.clone(), value.clone()?)))
            .collect();
        let bytes_before = total_bytes(&after);
        state::apply(&mut after, &batch.writes);
        let used_bytes = self
            .used_bytes_within_quota(bytes_before, total_bytes(&after))
            .await?;
        self.inner.commit(batch, durability).await?;
        let mut control = self.control();
        control.used_bytes = used_bytes;
        control.history.record(before, &after, durability);
        Ok(())
    }

    /// What stands at every key that the writes may change.
    async fn touched(&self, writes: &[Write]) -> Result<BTreeMap<Key, Option<Bytes>>, KvError> {
        let mut keys = Vec::new();
        let mut before = BTreeMap::new();
        for write in writes {
            match write {
                Write::Put { key, .. } | Write::Delete { key } => keys.push(key.clone()),
                Write::DeleteRange(range) => {
                    let scan = Scan::forward(range.clone(), ScanLimit::NONE);
                    let entries = self.inner.scan(&scan).await?;
                    before.extend(entries.into_iter().map(|(key, value)| (key, Some(value))));
                }
            }
        }
        let values = self.inner.get_many(&keys).await?;
        before.extend(keys.into_iter().zip(values));
        Ok(before)
    }

    /// What the store will hold after a commit, or [`KvError::StorageFull`]; `None` where no quota
    /// is set. A commit that frees bytes always fits.
    async fn used_bytes_within_quota(
        &self,
        before: u64,
        after: u64,
    ) -> Result<Option<u64>, KvError> {
        let (quota, known) = {
            let control = self.control();
            (control.plan.quota_bytes, control.used_bytes)
        };
        let Some(quota) = quota else { return Ok(None) };
        let used = match known {
            Some(used) => used,
            None => {
                let scan = Scan::forward(KeyRange::all(), ScanLimit::NONE);
                total_bytes(&self.inner.scan(&scan).await?.into_iter().collect())
            }
        };
        let used = used.saturating_sub(before).saturating_add(after);
        if used > quota && after > before {
            Err(KvError::StorageFull)
        } else {
            Ok(Some(used))
        }
    }

    /// Fails with the first key among those answered whose value a crash took.
    fn refuse_lost<'a>(&self, keys: impl Iterator<Item = &'a Key>) -> Result<(), KvError> {
        match self.control().history.first_lost(keys) {
            None => Ok(()),
            Some(key) => Err(KvError::Corrupt {
                key: Some(key),
                message: "the file of the large value is gone".to_owned(),
            }),
        }
    }

    async fn take_turn(&self) -> Turn<'_> {
        while self.is_committing.swap(true, Ordering::Acquire) {
            yield_times(1).await;
        }
        Turn(&self.is_committing)
    }

    /// No step under this lock can panic half-way.
    fn control(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Kv> Kv for FaultKv<K> {
    fn get_many<'a>(
        &'a self,
        keys: &'a [Key],
    ) -> LocalFuture<'a, Result<Vec<Option<Bytes>>, KvError>> {
        Box::pin(self.call(async move {
            let values = self.inner.get_many(keys).await?;
            self.refuse_lost(keys.iter())?;
            Ok(values)
        }))
    }

    fn scan<'a>(&'a self, scan: &'a Scan) -> LocalFuture<'a, Result<Vec<Entry>, KvError>> {
        Box::pin(self.call(async move {
            let entries = self.inner.scan(scan).await?;
            self.refuse_lost(entries.iter().map(|(key, _)| key))?;
            Ok(entries)
        }))
    }

    fn read<'a>(
        &'a self,
        gets: &'a [Key],
        scan: Option<&'a Scan>,
    ) -> LocalFuture<'a, Result<ReadResult, KvError>> {
        Box::pin(self.call(async move {
            let result = self.inner.read(gets, scan).await?;
            self.refuse_lost(gets.iter().chain(result.entries.iter().map(|(key, _)| key)))?;
            Ok(result)
        }))
    }

    fn commit(
        &self,
        batch: WriteBatch,
        durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(self.call(self.commit_recorded(batch, durability)))
    }

    fn is_nearly_full(&self) -> bool {
        self.inner.is_nearly_full()
    }

    fn settings(&self) -> Vec<KvSetting> {
        self.inner.settings()
    }

    fn close(&self) -> LocalFuture<'_, Result<(), KvError>> {
        self.inner.close()
    }
}

impl<K> fmt::Debug for FaultKv<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultKv").finish_non_exhaustive()
    }
}

impl Control {
    fn is_next_commit_full(&mut self) -> bool {
        self.commits = self.commits.saturating_add(1);
        self.plan.full_at_commit == Some(self.commits)
    }

    fn decide(&mut self) -> Decision {
        self.calls = self.calls.saturating_add(1);
        let yields_max = u64::from(self.plan.yields_max);
        Decision {
            yields_before: self.random.up_to(yields_max),
            yields_after: self.random.up_to(yields_max),
            fault: self.plan.at_call.remove(&self.calls),
            close_carries_out: self.random.coin(),
        }
    }
}

/// The right to commit, given back also when the commit's future is dropped.
struct Turn<'a>(&'a AtomicBool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

struct YieldOnce(bool);

impl Future for YieldOnce {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

async fn yield_times(count: u64) {
    for _ in 0..count {
        YieldOnce(false).await;
    }
}

fn total_bytes(entries: &Entries) -> u64 {
    entries
        .iter()
        .map(|(key, value)| state::entry_bytes(key, value))
        .sum()
}
