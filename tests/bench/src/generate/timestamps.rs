//! D3: an id and a time in milliseconds, about 50 ms after the one before.

use super::column::{id, int64};
use crate::random::Random;
use crate::set::Set;

pub(super) const FIRST_MS: i64 = 1_700_000_000_000;

pub(super) fn exact(name: &str, rows: usize) -> Set {
    timestamps(name, rows, 0, false)
}

pub(super) fn jitter_5(name: &str, rows: usize) -> Set {
    timestamps(name, rows, 5, false)
}

pub(super) fn jitter_25(name: &str, rows: usize) -> Set {
    timestamps(name, rows, 25, false)
}

/// One step in a thousand is a pause of 1 to 60 seconds.
pub(super) fn gaps(name: &str, rows: usize) -> Set {
    timestamps(name, rows, 5, true)
}

fn timestamps(name: &str, rows: usize, jitter_ms: i64, pauses: bool) -> Set {
    let mut random = Random::of_set(3);
    let mut time_ms = FIRST_MS;
    let times = (0..rows).map(|_| {
        let now = time_ms;
        time_ms += 50 + random.within(jitter_ms);
        if pauses && random.below(1000) == 0 {
            time_ms += 1000 + random.below(59_001) as i64;
        }
        now
    });
    Set::new(name, vec![id(0, rows), int64("ts", times)])
}
