//! What a query asks about: a range of time, some hosts, a fleet.

use std::ops::Range;

use varve_bench::generate::tsbs_iot::FLEETS;
use varve_bench::random::Random;

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;
/// Microseconds in a minute.
pub const MINUTE: i64 = 60 * SECOND;
/// Microseconds in an hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Microseconds in a day.
pub const DAY: i64 = 24 * HOUR;

/// What one query asks about. A type of query looks at some of it.
#[derive(Clone, Debug)]
pub struct Window {
    /// From when on, in microseconds since 1970.
    pub start: i64,
    /// Until before when.
    pub end: i64,
    /// Different numbers of hosts.
    pub hosts: Vec<usize>,
    /// One of the fleets.
    pub fleet: &'static str,
}

impl Window {
    /// A window of this length somewhere in `range`, to the second, with `count` of `of` hosts.
    pub fn draw(
        random: &mut Random,
        range: &Range<i64>,
        length: i64,
        count: usize,
        of: usize,
    ) -> Window {
        let places = (range.end - range.start - length).max(0) / SECOND + 1;
        let start = range.start + SECOND * random.below(places.unsigned_abs()) as i64;
        let mut numbers: Vec<usize> = (0..of).collect();
        for place in 0..count.min(of) {
            let other = place + random.below((of - place) as u64) as usize;
            numbers.swap(place, other);
        }
        numbers.truncate(count);
        Window {
            start,
            end: start + length,
            hosts: numbers,
            fleet: random.choice(&FLEETS),
        }
    }

    /// Whether a time lies in it.
    pub fn holds(&self, time: i64) -> bool {
        (self.start..self.end).contains(&time)
    }
}

/// The begin of the bucket that a time lies in. Buckets of up to a day begin with 1970 as with
/// the year 2000.
pub fn bucket(width: i64, time: i64) -> i64 {
    time - time.rem_euclid(width)
}
