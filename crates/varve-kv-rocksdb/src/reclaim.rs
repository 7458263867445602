//! Giving the space of deleted ranges back to the disk now instead of some time. Where that fails,
//! it is done some time.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rocksdb::{
    BottommostLevelCompaction, CompactOptions, DB, LiveFile, Range, WaitForCompactOptions,
};
use varve_kv::{Key, Write, WriteBatch};

/// So many small tables side by side become one.
const SMALL_TABLES_MAX: usize = 16;
/// Other compactions may go on for long.
const WAIT_MICROS_MAX: u64 = 500_000;
const SMALL_TABLE_BYTES_MAX: usize = 64 << 10;
/// So many ranges are noted; what others hold RocksDB gives back some time.
const HELD_RANGES_MAX: usize = 1024;
/// Less is not worth a compaction.
const HELD_BYTES_MIN: u64 = 4 << 20;

/// The ranges that a batch deletes. A range without an end deletes a whole store.
pub(crate) fn deleted_ranges(batch: &WriteBatch) -> Vec<(&Key, Option<&Key>)> {
    let ranges = batch.writes.iter().filter_map(|write| match write {
        Write::DeleteRange(range) if !range.is_empty() => Some((&range.start, range.end.as_ref())),
        _ => None,
    });
    ranges.collect()
}

/// Ranges that were deleted and whose space RocksDB may hold, by where they begin.
#[derive(Default)]
pub(crate) struct HeldRanges(Mutex<BTreeMap<Key, Key>>);

impl HeldRanges {
    /// Notes ranges. Of one that begins where another does, the last one counts: a log is deleted
    /// up to later and later commits.
    pub(crate) fn add(&self, ranges: &[(&Key, Option<&Key>)]) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (start, end) in ranges {
            let is_known = held.contains_key(*start);
            if let Some(end) = end.filter(|_| is_known || held.len() < HELD_RANGES_MAX) {
                held.insert((*start).clone(), end.clone());
            }
        }
    }

    /// Gives the space of those back that hold much. What is in memory must be in tables.
    pub(crate) fn give_back(&self, db: &DB) {
        let held = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (start, end) in held {
            let sizes = db.get_approximate_sizes(&[Range::new(&start, &end)]);
            if sizes.iter().any(|bytes| *bytes >= HELD_BYTES_MIN) {
                db.compact_range(Some(&start), Some(&end));
            }
        }
    }
}

/// Has RocksDB write anew what is left of the tables that hold keys of ranges.
pub(crate) fn give_back(db: &DB, ranges: &[(&Key, Option<&Key>)]) {
    for (start, end) in ranges {
        db.compact_range(Some(start), *end);
    }
    join_small_tables(db);
    // What was compacted is deleted a little later.
    let mut options = WaitForCompactOptions::default();
    options.set_timeout(WAIT_MICROS_MAX);
    let _ = db.wait_for_compact(&options);
}

/// What is left of a table may be small, and no later compaction need touch it again.
fn join_small_tables(db: &DB) {
    let Ok(mut tables) = db.live_files() else {
        return;
    };
    tables.sort_by(|a, b| a.start_key.cmp(&b.start_key));
    for side_by_side in tables.chunk_by(|a, b| is_small(a) && is_small(b)) {
        let (Some(first), Some(last)) = (side_by_side.first(), side_by_side.last()) else {
            continue;
        };
        if side_by_side.len() >= SMALL_TABLES_MAX {
            let mut options = CompactOptions::default();
            options.set_bottommost_level_compaction(BottommostLevelCompaction::Force);
            let (start, end) = (first.start_key.as_deref(), last.end_key.as_deref());
            db.compact_range_opt(start, end, &options);
        }
    }
}

fn is_small(table: &LiveFile) -> bool {
    table.size <= SMALL_TABLE_BYTES_MAX
}
