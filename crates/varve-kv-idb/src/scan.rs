//! The steps of a scan within one transaction: the next request is issued by the handler of the one
//! before.

use idb::{CursorDirection, ObjectStore, Query};
use js_sys::Array;
use varve_kv::{Bytes, Direction, Entry, Key, KeyRange, Scan};
use wasm_bindgen::JsCast;
use web_sys::{IdbCursorWithValue, IdbRequest};

use crate::convert::{key_from_js, range_to_js, value_from_js};
use crate::failure::Failure;

/// Entries in the first batch of a forward scan, when nothing is known of their size.
const BATCH_ENTRIES_FIRST: u32 = 16;
/// One `getAll` of thousands of entries is slower than several, in Chromium by half.
const BATCH_ENTRIES_MAX: u32 = 256;
/// What one batch should bring, so that large values do not pile up on the JavaScript side.
const BATCH_BYTES: u64 = 1 << 20;

/// A scan under way: what it has so far, and what its open requests are.
pub(crate) struct Progress {
    scan: Scan,
    entries: Vec<Entry>,
    bytes: u64,
    batch_entries: u32,
    store: ObjectStore,
    keys: Option<IdbRequest>,
    /// The request whose `success` brings the scan on.
    last: Option<IdbRequest>,
}

/// What a scan wants after one step.
pub(crate) enum Step {
    /// To be called again when its last request has succeeded; if the flag is set, that is a new
    /// request, without a handler yet.
    Wait {
        is_new: bool,
    },
    Done,
}

impl Progress {
    pub(crate) fn new(scan: Scan, store: ObjectStore) -> Self {
        let batch_entries = BATCH_ENTRIES_FIRST.min(scan.limit.entries_max.max(1));
        Self {
            scan,
            entries: Vec::new(),
            bytes: 0,
            batch_entries,
            store,
            keys: None,
            last: None,
        }
    }

    /// The request to wait for.
    pub(crate) fn last_request(&self) -> Option<&IdbRequest> {
        self.last.as_ref()
    }

    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Issues the first requests. Forward scans read batches of keys and values; the only way back
    /// that every browser has is a cursor.
    pub(crate) fn start(&mut self) -> Result<Step, Failure> {
        let Some(range) = range_to_js(&self.scan.range)? else {
            return Ok(Step::Done);
        };
        match self.scan.direction {
            Direction::Forward => self.request_batch(range),
            Direction::Reverse => {
                let request = self
                    .store
                    .open_cursor(Some(Query::KeyRange(range)), Some(CursorDirection::Prev))?;
                self.last = Some(request.into());
                Ok(Step::Wait { is_new: true })
            }
        }
    }

    /// Takes what the last request brought and issues the next one.
    pub(crate) fn step(&mut self) -> Result<Step, Failure> {
        let last = self
            .last
            .as_ref()
            .ok_or_else(|| Failure::backend("a scan has no request"))?;
        let result = last
            .result()
            .map_err(|thrown| Failure::from_thrown(&thrown))?;
        match self.scan.direction {
            Direction::Forward => self.take_batch(&result.unchecked_into()),
            Direction::Reverse if result.is_null() => Ok(Step::Done),
            Direction::Reverse => self.take_cursor(&result.unchecked_into()),
        }
    }

    fn request_batch(&mut self, range: idb::KeyRange) -> Result<Step, Failure> {
        let limit = Some(self.batch_entries);
        let query = Query::KeyRange(range);
        self.keys = Some(self.store.get_all_keys(Some(query.clone()), limit)?.into());
        self.last = Some(self.store.get_all(Some(query), limit)?.into());
        Ok(Step::Wait { is_new: true })
    }

    fn take_batch(&mut self, values: &Array) -> Result<Step, Failure> {
        let keys = self
            .keys
            .as_ref()
            .ok_or_else(|| Failure::backend("a scan has no keys"))?;
        let keys: Array = keys
            .result()
            .map_err(|thrown| Failure::from_thrown(&thrown))?
            .unchecked_into();
        let mut batch_bytes = 0u64;
        for (key, value) in keys.iter().zip(values.iter()) {
            let bytes_before = self.bytes;
            if self.push(key_from_js(key)?, value_from_js(value)?)? {
                return Ok(Step::Done);
            }
            batch_bytes = batch_bytes.saturating_add(self.bytes.saturating_sub(bytes_before));
        }
        let answered = values.length();
        if answered < self.batch_entries {
            return Ok(Step::Done);
        }
        self.batch_entries = self.next_batch_entries(batch_bytes, answered);
        match self
            .rest_range()
            .map(|range| range_to_js(&range))
            .transpose()?
            .flatten()
        {
            Some(range) => self.request_batch(range),
            None => Ok(Step::Done),
        }
    }

    fn take_cursor(&mut self, cursor: &IdbCursorWithValue) -> Result<Step, Failure> {
        let key = cursor
            .key()
            .and_then(|key| cursor.value().map(|value| (key, value)));
        let (key, value) = key.map_err(|thrown| Failure::from_thrown(&thrown))?;
        if self.push(key_from_js(key)?, value_from_js(value)?)? {
            return Ok(Step::Done);
        }
        cursor
            .continue_()
            .map_err(|thrown| Failure::from_thrown(&thrown))?;
        Ok(Step::Wait { is_new: false })
    }

    /// Appends an entry and tells whether it was the last one that the limit allows.
    fn push(&mut self, key: Key, value: Option<Bytes>) -> Result<bool, Failure> {
        let value =
            value.ok_or_else(|| Failure::corrupt(Some(key.clone()), "the value is undefined"))?;
        let bytes = key.len().saturating_add(value.len());
        self.bytes = self.bytes.saturating_add(bytes as u64);
        self.entries.push((key, value));
        let count = self.entries.len() as u64;
        Ok(self.scan.limit.is_reached(count, self.bytes))
    }

    /// As many entries as should fill a batch, and no more than the scan may still answer.
    fn next_batch_entries(&self, batch_bytes: u64, batch_entries: u32) -> u32 {
        let entry_bytes = batch_bytes
            .checked_div(u64::from(batch_entries))
            .unwrap_or(0)
            .max(1);
        let answered = self.entries.len() as u64;
        let bytes = BATCH_BYTES.min(self.scan.limit.bytes_left(answered, self.bytes));
        let by_bytes = bytes.div_ceil(entry_bytes);
        let by_count = u64::from(self.scan.limit.entries_max).saturating_sub(answered);
        let entries = by_bytes
            .min(by_count)
            .clamp(1, u64::from(BATCH_ENTRIES_MAX));
        u32::try_from(entries).unwrap_or(BATCH_ENTRIES_MAX)
    }

    fn rest_range(&self) -> Option<KeyRange> {
        let (last, _) = self.entries.last()?;
        let mut start = last.clone();
        start.push(0);
        Some(KeyRange {
            start,
            end: self.scan.range.end.clone(),
        })
    }
}
