//! What functions ask of the session that calls them.

pub(crate) mod job_rows;
pub(crate) mod system_view;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_bind::names_of;
use varve_catalog::model::oid::object_of;
use varve_catalog::{Catalog, SequenceDef};
use varve_expr::{
    AdvisoryCall, AdvisoryLock, EvalContext, Host, JobOrder, Locale, Parameters, RowCount,
    SequenceCall, SequenceRef,
};
use varve_sort::VecMap;
use varve_store::{CommitDurability, Transaction};
use varve_types::meter::Cancel;
use varve_types::{Error, Notice, ObjectId, Result, SqlState, TreeId, Value};

use crate::shared::Shared;
use crate::shared::cancel::CancelFlag;
use varve_settings::SettingsOverlay;

impl varve_copy::CopyHost for SessionHost {
    fn catalog(&self) -> Arc<Catalog> {
        SessionHost::catalog(self)
    }
}

/// A session as functions see it.
#[derive(Debug)]
pub(crate) struct SessionHost {
    shared: Arc<Shared>,
    /// Among the holders of advisory locks.
    number: u64,
    state: Mutex<HostState>,
}

impl Drop for SessionHost {
    fn drop(&mut self) {
        self.shared.advisory.release_all(self.number, true);
    }
}

#[derive(Debug, Default)]
struct HostState {
    /// What the running statement sees.
    catalog: Arc<Catalog>,
    /// `currval` by sequence.
    current: VecMap<ObjectId, i64>,
    /// The sequence whose value was taken last.
    last: Option<ObjectId>,
    /// Where the running statement reads settings: those of the session.
    settings: Option<SettingsOverlay>,
    /// What random numbers follow from, where a seed was given.
    seed: Option<u64>,
    /// How long the running statement is to wait yet.
    sleep_us: u64,
    /// The advisory locks that it is to wait for.
    wanted: Vec<AdvisoryLock>,
    /// Those that the transaction has taken for its own time.
    of_transaction: Vec<AdvisoryLock>,
    /// How long one may be waited for; 0 for any time.
    lock_timeout_us: u64,
    /// What functions had to say.
    notices: Vec<Notice>,
    /// What the session has changed.
    counts: RowCounts,
}

/// What a session has changed: rows of the last change, of all, and the key that was inserted last.
#[derive(Clone, Copy, Debug, Default)]
struct RowCounts {
    last: u64,
    total: u64,
    inserted_key: i64,
}

impl SessionHost {
    pub fn new(shared: Arc<Shared>) -> SessionHost {
        SessionHost {
            number: shared.advisory.new_session(),
            shared,
            state: Mutex::default(),
        }
    }

    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// What the running statement sees.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.state().catalog)
    }

    /// What expressions are evaluated with.
    pub fn context<'a>(&'a self, params: Parameters<'a>, locale: &'a Locale) -> EvalContext<'a> {
        EvalContext {
            outer: &[],
            params,
            locale,
            host: Some(self),
        }
    }

    /// PostgreSQL's defaults at the time that it is.
    pub fn locale(&self) -> Locale {
        let now_us = self.shared.env.now_us();
        let catalog = self.catalog();
        Locale {
            now_us,
            statement_us: now_us,
            enums: catalog.enums().cloned(),
            names: Some(names_of(&catalog)),
            ..Locale::default()
        }
    }

    /// Says what the next statement sees.
    pub async fn enter(&self, transaction: &Transaction, catalog: &Arc<Catalog>) -> Result<()> {
        self.take_sleep();
        self.state().wanted.clear();
        if !Arc::ptr_eq(&self.state().catalog, catalog) {
            self.shared.sequences.load(transaction, catalog).await?;
            self.state().catalog = Arc::clone(catalog);
        }
        Ok(())
    }

    /// How long functions have asked the statement to wait since this was asked last.
    pub fn take_sleep(&self) -> u64 {
        std::mem::take(&mut self.state().sleep_us)
    }

    /// Says how long a lock may be waited for.
    pub fn allow_wait(&self, lock_timeout_us: u64) {
        self.state().lock_timeout_us = lock_timeout_us;
    }

    /// The warnings of functions since this was asked last.
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.state().notices)
    }

    /// How many advisory locks the transaction has taken for its own time.
    pub fn locks_of_transaction(&self) -> usize {
        self.state().of_transaction.len()
    }

    /// Gives those back that were taken behind so many.
    pub fn release_locks(&self, behind: usize) {
        let mut state = self.state();
        if state.of_transaction.len() > behind {
            for lock in state.of_transaction.drain(behind..) {
                self.shared.advisory.release(self.number, lock);
            }
        }
    }

    /// Gives back all that were taken for the session's time.
    pub fn release_session_locks(&self) {
        self.shared.advisory.release_all(self.number, false);
    }

    fn take_lock(&self, lock: AdvisoryLock) -> Result<bool> {
        let taken = self.shared.advisory.take(self.number, lock)?;
        if taken && lock.of_transaction {
            self.state().of_transaction.push(lock);
        }
        Ok(taken)
    }

    /// Waits for the advisory locks that functions could not have at once.
    pub async fn wait_for_locks(&self, cancel: &CancelFlag) -> Result<()> {
        /// How late a release or a cancel is noticed.
        const SLICE_US: u64 = 5_000;
        let wanted = std::mem::take(&mut self.state().wanted);
        let (env, locks) = (&self.shared.env, &self.shared.advisory);
        for lock in wanted {
            let timeout_us = self.state().lock_timeout_us;
            let begun_us = env.monotonic_us();
            let _waiting = locks.wait(self.number, lock);
            while !self.take_lock(lock)? {
                cancel.check()?;
                locks.check_circle(self.number)?;
                let waited_us = env.monotonic_us().saturating_sub(begun_us);
                if timeout_us > 0 && waited_us >= timeout_us {
                    let message = "canceling statement due to lock timeout";
                    return Err(Error::new(SqlState::LOCK_NOT_AVAILABLE, message));
                }
                env.sleep(SLICE_US).await;
            }
        }
        Ok(())
    }

    /// Counts the rows of a change.
    pub fn note_changes(&self, rows: u64) {
        let counts = &mut self.state().counts;
        counts.last = rows;
        counts.total = counts.total.saturating_add(rows);
    }

    /// Keeps the key of a row that was inserted.
    pub fn note_inserted(&self, key: i64) {
        self.state().counts.inserted_key = key;
    }

    /// Forgets what `currval` and `lastval` say.
    pub fn forget_sequences(&self) {
        let mut state = self.state();
        state.current.clear();
        state.last = None;
    }

    /// Lends settings to a statement, or takes back what became of them.
    pub fn swap_settings(&self, settings: Option<SettingsOverlay>) -> Option<SettingsOverlay> {
        std::mem::replace(&mut self.state().settings, settings)
    }

    /// The rows of a view that tells of the session.
    pub fn session_rows(&self, view: &str) -> Vec<Vec<Value>> {
        if view == "pg_locks" {
            return self.shared.advisory.rows();
        }
        let state = self.state();
        let overlay = state.settings.as_ref();
        overlay.map_or_else(Vec::new, |overlay| overlay.rows(&*self.shared, view))
    }

    /// Makes values of sequences that were handed out durable.
    pub async fn keep_sequences(
        &self,
        transaction: &mut Transaction,
        durability: CommitDurability,
    ) -> Result<()> {
        let sequences = &self.shared.sequences;
        sequences
            .keep(&self.shared.store, transaction, durability)
            .await
    }

    fn state(&self) -> MutexGuard<'_, HostState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sequence_of(&self, sequence: SequenceRef<'_>) -> Result<Arc<SequenceDef>> {
        let catalog = Arc::clone(&self.state().catalog);
        let found = match sequence {
            SequenceRef::Id(id) => catalog.sequences.get(&ObjectId(id.cast_unsigned())),
            SequenceRef::Name(name) => catalog.sequence_named(&varve_catalog::folded_path(name)?),
        };
        found.map(Arc::clone).ok_or_else(|| {
            let message = match sequence {
                SequenceRef::Id(id) => format!("could not open relation with OID {id}"),
                SequenceRef::Name(name) => format!("relation \"{name}\" does not exist"),
            };
            Error::new(SqlState::UNDEFINED_TABLE, message)
        })
    }
}

impl SessionHost {
    /// The tree of the hypertable and the range of a chunk, by its OID.
    fn chunk_range(&self, number: u32) -> Option<(TreeId, core::ops::Range<i64>)> {
        let catalog = self.catalog();
        let chunk = catalog.chunk(object_of(number)?)?;
        let table = catalog.tables.get(&chunk.table)?;
        Some((table.tree, chunk.start..chunk.end))
    }
}

impl Host for SessionHost {
    fn now_us(&self) -> i64 {
        self.shared.env.now_us()
    }

    fn random_u64(&self) -> u64 {
        match &mut self.state().seed {
            Some(state) => split_mix(state),
            None => self.shared.env.random_u64(),
        }
    }

    fn seed(&self, seed: u64) {
        self.state().seed = Some(seed);
    }

    fn sleep(&self, duration_us: u64) {
        let mut state = self.state();
        state.sleep_us = state.sleep_us.saturating_add(duration_us);
    }

    fn advisory(&self, call: AdvisoryCall) -> Result<bool> {
        match call {
            AdvisoryCall::Lock(lock) => {
                let taken = self.take_lock(lock)?;
                if !taken {
                    self.state().wanted.push(lock);
                }
                Ok(taken)
            }
            AdvisoryCall::Try(lock) => self.take_lock(lock),
            AdvisoryCall::Unlock(lock) => {
                let released = self.shared.advisory.release(self.number, lock);
                if !released {
                    let kind = if lock.shared { "Share" } else { "Exclusive" };
                    let message = format!("you don't own a lock of type {kind}Lock");
                    let warning = Notice::warning(SqlState::WARNING, &message);
                    self.state().notices.push(warning);
                }
                Ok(released)
            }
            AdvisoryCall::UnlockAll => {
                self.release_session_locks();
                Ok(true)
            }
        }
    }

    fn setting(&self, name: &str) -> Option<String> {
        let state = self.state();
        state.settings.as_ref()?.get(&*self.shared, name)
    }

    fn row_count(&self, count: RowCount) -> i64 {
        let counts = self.state().counts;
        let rows = match count {
            RowCount::Last => counts.last,
            RowCount::Total => counts.total,
            RowCount::InsertedKey => return counts.inserted_key,
        };
        i64::try_from(rows).unwrap_or(i64::MAX)
    }

    fn set_setting(&self, name: &str, value: Option<&str>, local: bool) -> Result<String> {
        let mut state = self.state();
        let settings = state.settings.as_mut();
        let settings = settings.ok_or_else(|| Error::unsupported("set_config here"))?;
        settings.set(&*self.shared, name, value, local)
    }

    fn stored_bytes(&self, relation: Option<u32>, rows: bool, indexes: bool) -> Option<u64> {
        if let Some((tree, range)) = relation.and_then(|number| self.chunk_range(number)) {
            // Entries of indexes are not kept apart by time.
            let store = &self.shared.store;
            return Some(if rows {
                store.range_bytes(tree, &range)
            } else {
                0
            });
        }
        let trees = varve_system_views::trees_of(&self.catalog(), relation)?;
        let wanted = trees.iter().filter(|(_, is_index)| match is_index {
            true => indexes,
            false => rows,
        });
        let stored = wanted.filter_map(|(tree, _)| self.shared.store.tree_storage(*tree).ok());
        Some(stored.map(|storage| storage.total_bytes).sum())
    }

    fn stored_rows(&self, table: u32) -> Option<u64> {
        let catalog = self.catalog();
        let trees = varve_system_views::trees_of(&catalog, Some(table))?;
        let (tree, _) = *trees.first()?;
        let table = catalog.tables.values().find(|table| table.tree == tree)?;
        let transaction = self.shared.store.begin();
        let tables = catalog.inheritance_of(table).into_iter();
        let rows = tables.filter_map(|table| transaction.row_count(table.tree));
        Some(rows.sum())
    }

    fn order_job(&self, job: i64, order: JobOrder) -> bool {
        self.shared.order_job(job, order)
    }

    fn sequence(&self, call: SequenceCall<'_>) -> Result<i64> {
        let undefined = |message: String| {
            Err(Error::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                message,
            ))
        };
        match call {
            SequenceCall::Next(sequence) => {
                let sequence = self.sequence_of(sequence)?;
                let value = self.shared.sequences.next(&sequence)?;
                let mut state = self.state();
                state.current.insert(sequence.object, value);
                state.last = Some(sequence.object);
                Ok(value)
            }
            SequenceCall::Current(sequence) => {
                let sequence = self.sequence_of(sequence)?;
                match self.state().current.get(&sequence.object) {
                    Some(value) => Ok(*value),
                    None => undefined(format!(
                        "currval of sequence \"{}\" is not yet defined in this session",
                        sequence.name
                    )),
                }
            }
            SequenceCall::Last => {
                let state = self.state();
                match state.last.and_then(|last| state.current.get(&last)) {
                    Some(value) => Ok(*value),
                    None => undefined("lastval is not yet defined in this session".to_owned()),
                }
            }
            SequenceCall::LastValue(sequence) => {
                let (last, _) = self.shared.sequences.value(&*self.sequence_of(sequence)?)?;
                Ok(last)
            }
            SequenceCall::IsCalled(sequence) => {
                let (_, is_called) = self.shared.sequences.value(&*self.sequence_of(sequence)?)?;
                Ok(i64::from(is_called))
            }
            SequenceCall::Set(sequence, value, is_called) => {
                let sequence = self.sequence_of(sequence)?;
                self.shared.sequences.set(&sequence, value, is_called)?;
                if is_called {
                    self.state().current.insert(sequence.object, value);
                }
                Ok(value)
            }
        }
    }
}

/// The next number of a generator with 64 bits of state (Steele, Lea, Flood: Fast Splittable
/// Pseudorandom Number Generators, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
