//! The log of an open store: which values hold it, and the records that are acknowledged but not
//! stored yet.
//!
//! One record holds all that a commit changes (`format/log.rs`). The records of a group go, in as
//! few values as they fit, into one `Kv::commit`, guarded by the epoch. A commit that publishes
//! runs, or holds a record near 64 KiB or more, is always strict: a backend may lose large values
//! of relaxed commits one by one.
//!
//! An `async` commit is applied and answered first. Its record goes with the next KV commit,
//! whatever that is for, at the latest after [`StoreSettings::async_delay_us`].
//!
//! When the log has [`StoreSettings::log_values_max`] values, neighbouring small ones are merged
//! into values of up to 1 MiB. A merged value lies at the key of its last record, so a flush, which
//! deletes the log by range, keeps it as long as one of its records is still needed. Replay skips
//! the others.
//!
//! [`StoreSettings::async_delay_us`]: crate::StoreSettings::async_delay_us
//! [`StoreSettings::log_values_max`]: crate::StoreSettings::log_values_max

use std::collections::VecDeque;

use varve_kv::{Durability, Key, KeyRange, LARGE_VALUE_BYTES, WriteBatch};
use varve_types::{Broken, CommitSeq};

use crate::error::{Result, StoreError};
use crate::format::keys;
use crate::format::log::{self, Content, Record, Value};
use crate::store::Store;

/// A merged value holds up to this.
const MERGED_BYTES_MAX: usize = (1 << 20) - 64;
/// Values of relaxed commits stay below [`LARGE_VALUE_BYTES`], or they might get lost one by one.
/// What is left is for the envelopes of the record and of its value, and for encryption.
const RELAXED_BYTES_MAX: usize = LARGE_VALUE_BYTES - 128;

/// Values up to this, or to this part of a memtable, are merged with others.
const SMALL_BYTES_MIN: u64 = 32 << 10;
const SMALL_SHARE: u64 = 256;

/// The values of the log after the last flush, and what waits to be stored.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Oldest first.
    values: VecDeque<LogValue>,
    bytes: u64,
    /// Consecutive records of commits that were acknowledged before they are stored.
    waiting: Vec<Record>,
    waiting_bytes: u64,
    /// When the first of them was acknowledged.
    waiting_since_us: u64,
}

/// A stored value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogValue {
    /// The last record of which it holds something.
    pub(crate) last: CommitSeq,
    pub(crate) bytes: u64,
    /// Whether it may be merged with others.
    pub(crate) is_whole: bool,
}

/// Neighbouring values to be put in one, by their number in the log.
struct Stretch {
    first: usize,
    count: usize,
}

impl Log {
    /// Number of values.
    pub(crate) fn values(&self) -> u32 {
        u32::try_from(self.values.len()).unwrap_or(u32::MAX)
    }

    /// Bytes of the values and of the records that wait.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes + self.waiting_bytes
    }

    /// Number and bytes of what it holds of commits after `seq`.
    pub(crate) fn size_after(&self, seq: CommitSeq) -> (u64, u64) {
        let later = self
            .values
            .iter()
            .rev()
            .take_while(|value| value.last > seq);
        let (values, bytes) = later.fold((0, 0), |(values, bytes), value| {
            (values + 1, bytes + value.bytes)
        });
        (values, bytes + self.waiting_bytes)
    }

    /// Notes a value that is stored.
    pub(crate) fn add(&mut self, value: LogValue) {
        self.bytes += value.bytes;
        self.values.push_back(value);
    }

    /// Notes values that were stored: what waited is among them.
    pub(crate) fn add_stored(&mut self, values: &[LogValue]) {
        for value in values {
            self.add(*value);
        }
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    /// Takes a record whose commit is acknowledged already.
    pub(crate) fn wait(&mut self, record: Record, now_us: u64) {
        if self.waiting.is_empty() {
            self.waiting_since_us = now_us;
        }
        self.waiting_bytes += record.bytes.len() as u64;
        self.waiting.push(record);
    }

    /// What waits to be stored before any later commit.
    pub(crate) fn waiting(&self) -> &[Record] {
        &self.waiting
    }

    /// When what waits must be stored, if anything does.
    pub(crate) fn due_us(&self, delay_us: u64) -> Option<u64> {
        let is_waiting = !self.waiting.is_empty();
        is_waiting.then(|| self.waiting_since_us.saturating_add(delay_us))
    }

    /// Whether what waits must be stored now.
    pub(crate) fn is_overdue(&self, now_us: u64, delay_us: u64) -> bool {
        !self.waiting.is_empty()
            && (now_us.saturating_sub(self.waiting_since_us) >= delay_us
                || self.waiting_bytes >= MERGED_BYTES_MAX as u64)
    }

    /// A flush has published everything up to `seq` and deleted the values.
    pub(crate) fn forget_through(&mut self, seq: CommitSeq) {
        while let Some(value) = self.values.pop_front_if(|value| value.last <= seq) {
            self.bytes = self.bytes.saturating_sub(value.bytes);
        }
    }

    /// The next stretches of values that fit in one each, up to `bytes_max` in all. Values of
    /// `small_max` bytes stay as they are: each record is merged once, not again with all that
    /// follow.
    fn stretches(&self, bytes_max: u64, small_max: u64) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut current = Stretch { first: 0, count: 0 };
        let (mut bytes, mut total) = (0, 0);
        for (at, value) in self.values.iter().enumerate() {
            let is_small = value.is_whole && value.bytes < small_max;
            let fits = is_small && bytes + value.bytes <= MERGED_BYTES_MAX as u64;
            if fits && current.count > 0 {
                current.count += 1;
                bytes += value.bytes;
            } else {
                total += bytes;
                if total > bytes_max {
                    break;
                }
                let next = Stretch {
                    first: at,
                    count: usize::from(is_small),
                };
                stretches.push(core::mem::replace(&mut current, next));
                bytes = value.bytes;
            }
        }
        stretches.push(current);
        stretches.retain(|stretch| stretch.count > 1);
        stretches
    }
}

/// Adds the values of records that are stored together to a batch. A durability of `Relaxed` is
/// kept where none of them is large.
pub(crate) fn put_records(
    records: &[Record],
    durability: Durability,
    batch: &mut WriteBatch,
) -> Result<(Vec<LogValue>, Durability), Broken> {
    let relaxed = durability == Durability::Relaxed;
    let is_small = |record: &Record| record.bytes.len() < RELAXED_BYTES_MAX;
    let (bytes_max, durability) = if relaxed && records.iter().all(is_small) {
        (RELAXED_BYTES_MAX, Durability::Relaxed)
    } else {
        (MERGED_BYTES_MAX, Durability::Strict)
    };
    let put = |value: Value| {
        let noted = LogValue {
            last: value.last,
            bytes: value.bytes.len() as u64,
            is_whole: value.is_whole,
        };
        batch.put(value.key, value.bytes);
        noted
    };
    let values = log::encode(records, bytes_max)?;
    Ok((values.into_iter().map(put).collect(), durability))
}

impl Store {
    /// Stores the records of commits that were acknowledged before they were stored. The caller
    /// holds the commit lock. Where that fails, this handle takes no more commits: what it has
    /// acknowledged it cannot keep.
    pub(crate) async fn store_waiting(&self) -> Result<()> {
        let mut batch = WriteBatch::new();
        let (values, durability) = {
            let state = self.state();
            state.check_usable()?;
            if state.log.waiting().is_empty() {
                return Ok(());
            }
            put_records(state.log.waiting(), Durability::Strict, &mut batch)?
        };
        let stored = self.write(batch, durability).await;
        let mut state = self.state();
        match stored {
            Ok(()) => {
                state.log.add_stored(&values);
                state.counters.kv_commits += 1;
                Ok(())
            }
            Err(error) => {
                let error = StoreError::from(error);
                state.failure = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Puts the records of many small values in few. The caller holds the commit lock.
    pub(crate) async fn merge_log(&self) -> Result<()> {
        let (keys, stretches) = {
            let state = self.state();
            // So large that there are fewer of them than values may be.
            let small_max = self.settings.memtable_bytes_max / SMALL_SHARE;
            let small_max = small_max.max(SMALL_BYTES_MIN);
            let bytes_max = self.settings.write_batch_bytes_max;
            let stretches = state.log.stretches(bytes_max, small_max);
            let values = |stretch: &Stretch| {
                let values = state.log.values.iter();
                let values = values.skip(stretch.first).take(stretch.count);
                values
                    .map(|value| keys::log(value.last, 0))
                    .collect::<Vec<Key>>()
            };
            (stretches.iter().map(values).collect::<Vec<_>>(), stretches)
        };
        if stretches.is_empty() {
            return Ok(());
        }
        let mut batch = WriteBatch::new();
        let mut merged = Vec::with_capacity(stretches.len());
        for (keys, stretch) in keys.iter().zip(&stretches) {
            let value = self.merge_values(keys).await?;
            if let (Some(first), Some(last)) = (keys.first(), keys.last()) {
                batch.delete_range(KeyRange::new(first.clone(), last.clone()));
            }
            let new = LogValue {
                last: value.last,
                bytes: value.bytes.len() as u64,
                is_whole: true,
            };
            batch.put(value.key, value.bytes);
            merged.push((stretch, new));
        }
        self.write_change(batch, Durability::Strict).await?;
        let mut state = self.state();
        let log = &mut state.log;
        // From the end, so that the numbers of those before stay.
        for (stretch, new) in merged.into_iter().rev() {
            let mut rest = log.values.split_off(stretch.first);
            let later = rest.split_off(stretch.count.min(rest.len()));
            log.values.push_back(new);
            log.values.extend(later);
        }
        log.bytes = log.values.iter().map(|value| value.bytes).sum();
        state.counters.log_merges += 1;
        Ok(())
    }

    /// One value in the place of those at these keys.
    async fn merge_values(&self, keys: &[Key]) -> Result<Value> {
        let found = self.get_many(keys).await?;
        let mut records = Vec::new();
        for (key, value) in keys.iter().zip(found) {
            let missing = || StoreError::missing(key);
            let value = value.ok_or_else(missing)?;
            let Some(keys::Found::Log(seq, part)) = keys::parse(key) else {
                return Err(missing());
            };
            match log::open_value(seq, part, &value)? {
                Content::Part { bytes, .. } => records.push(Record {
                    seq,
                    bytes: bytes.to_vec(),
                }),
                Content::Records {
                    first,
                    records: more,
                } => {
                    let seqs = (first.0..).map(CommitSeq);
                    records.extend(seqs.zip(more).map(|(seq, bytes)| Record {
                        seq,
                        bytes: bytes.to_vec(),
                    }));
                }
            }
        }
        let mut values = log::encode(&records, MERGED_BYTES_MAX)?;
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => Ok(value),
            _ => Err(StoreError::internal(
                "merged log records do not fit one value",
            )),
        }
    }
}
