//! What the aggregates of time series keep of many rows, and give as a `bytea` that other functions
//! read: the numbers of a counter, moments, sketches of quantiles and of distinct values.
//!
//! Invariant: [`Summary::read`] takes what [`Summary::write`] gives, and any other bytes are an
//! error.
//! Invariant: a summary of the same values, however they are parted and put together again, answers
//! the same but for the rounding of sums; digests (see `digest`) keep to their error only.
//!
//! The bytes are `0xd7`, the kind, the version of the kind's layout (1), then its parts: whole
//! numbers and doubles with the lowest byte first.

mod buckets;
mod bytes;
mod counter;
mod digest;
mod distinct;
mod points;
mod series;
mod stats;
mod time_weight;

use varve_types::{Error, Result, SqlState, Value};

pub(crate) use buckets::Buckets;
pub(crate) use counter::Counter;
pub(crate) use digest::Digest;
pub(crate) use distinct::Distinct;
pub(crate) use points::{Point, Points};
pub(crate) use series::Series;
pub(crate) use stats::{Axis, Stats};
pub(crate) use time_weight::{Method, TimeWeight};

use bytes::Reader;

const MAGIC: u8 = 0xd7;
const VERSION: u8 = 1;

/// What an aggregate keeps.
#[derive(Clone, Debug)]
pub(crate) enum Summary {
    TimeWeight(TimeWeight),
    /// Of `counter_agg` and `gauge_agg`.
    Counter(Counter),
    Stats(Stats),
    Buckets(Buckets),
    Digest(Digest),
    Distinct(Distinct),
    /// Of `timevector`, `lttb` and `asap_smooth`.
    Series(Series),
}

/// The kinds, by the byte that tells them apart, with the aggregate that makes them.
const KINDS: [&str; 9] = [
    "time_weight",
    "counter_agg",
    "gauge_agg",
    "stats_agg of one variable",
    "stats_agg of two variables",
    "uddsketch",
    "tdigest",
    "hyperloglog",
    "timevector",
];

/// `22023`
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn not_a_state() -> Error {
    let hint = "States are what aggregates such as counter_agg, stats_agg or rollup give.";
    invalid("these bytes are not the state of an aggregate").with_hint(hint)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest double is what is wanted"
)]
fn double(count: u64) -> f64 {
    count as f64
}

/// A bigint, of what counts rows.
pub(crate) fn int8(count: u64) -> Value {
    Value::Int8(i64::try_from(count).unwrap_or(i64::MAX))
}

impl Summary {
    fn kind(&self) -> u8 {
        match self {
            Summary::TimeWeight(_) => 0,
            Summary::Counter(counter) => 1 + u8::from(counter.is_gauge),
            Summary::Stats(stats) => 3 + u8::from(stats.is_pair),
            Summary::Buckets(_) => 5,
            Summary::Digest(_) => 6,
            Summary::Distinct(_) => 7,
            Summary::Series(_) => 8,
        }
    }

    /// The aggregate that makes such a summary.
    pub(crate) fn maker(&self) -> &'static str {
        KINDS
            .get(usize::from(self.kind()))
            .copied()
            .unwrap_or_default()
    }

    /// The bytes of it.
    pub(crate) fn write(&self) -> Value {
        let mut out = vec![MAGIC, self.kind(), VERSION];
        match self {
            Summary::TimeWeight(weight) => weight.write(&mut out),
            Summary::Counter(counter) => counter.write(&mut out),
            Summary::Stats(stats) => stats.write(&mut out),
            Summary::Buckets(buckets) => buckets.write(&mut out),
            Summary::Digest(digest) => digest.write(&mut out),
            Summary::Distinct(distinct) => distinct.write(&mut out),
            Summary::Series(series) => series.write(&mut out),
        }
        Value::Bytea(out.into())
    }

    /// What [`Summary::write`] wrote.
    pub(crate) fn read(bytes: &[u8]) -> Result<Summary> {
        let [MAGIC, kind, VERSION, rest @ ..] = bytes else {
            return Err(not_a_state());
        };
        let mut from = Reader(rest);
        let read = match kind {
            0 => TimeWeight::read(&mut from).map(Summary::TimeWeight),
            1 | 2 => Counter::read(&mut from, *kind == 2).map(Summary::Counter),
            3 | 4 => Stats::read(&mut from, *kind == 4).map(Summary::Stats),
            5 => Buckets::read(&mut from).map(Summary::Buckets),
            6 => Digest::read(&mut from).map(Summary::Digest),
            7 => Distinct::read(&mut from).map(Summary::Distinct),
            8 => Series::read(&mut from).map(Summary::Series),
            _ => None,
        };
        read.filter(|_| from.0.is_empty()).ok_or_else(not_a_state)
    }

    /// When the time that it is about begins, for the kinds of which a time must be in one only.
    pub(crate) fn begins(&self) -> Option<i64> {
        match self {
            Summary::TimeWeight(weight) => Some(weight.first.time),
            Summary::Counter(counter) => Some(counter.first.time),
            Summary::Series(series) => Some(series.first.time),
            _ => None,
        }
    }

    /// Takes in the rows of another one, of later times for the kinds of which [`Summary::begins`]
    /// tells.
    pub(crate) fn merge(&mut self, other: Summary) -> Result<()> {
        let (own, others) = (self.maker(), other.maker());
        match (self, other) {
            (Summary::TimeWeight(one), Summary::TimeWeight(other)) => one.merge(&other),
            (Summary::Counter(one), Summary::Counter(other)) if own == others => one.merge(&other),
            (Summary::Stats(one), Summary::Stats(other)) if own == others => {
                one.merge(&other);
                Ok(())
            }
            (Summary::Buckets(one), Summary::Buckets(other)) => one.merge(other),
            (Summary::Digest(one), Summary::Digest(other)) => {
                one.merge(&other);
                Ok(())
            }
            (Summary::Distinct(one), Summary::Distinct(other)) => one.merge(&other),
            (Summary::Series(one), Summary::Series(other)) => one.merge(&other),
            _ => Err(invalid(format!(
                "states of {own} and of {others} cannot be put together"
            ))),
        }
    }

    /// Bytes on the heap, itself among them.
    pub(crate) fn heap_bytes(&self) -> usize {
        size_of::<Summary>()
            + match self {
                Summary::Buckets(buckets) => buckets.heap_bytes(),
                Summary::Digest(digest) => digest.heap_bytes(),
                Summary::Distinct(distinct) => distinct.heap_bytes(),
                Summary::Series(series) => series.heap_bytes(),
                Summary::TimeWeight(_) | Summary::Counter(_) | Summary::Stats(_) => 0,
            }
    }
}

/// `22023` for summaries of times that lie in each other.
fn overlap() -> Error {
    let hint = "Roll up states of parts of the time that follow each other, one group a series.";
    invalid("the times of the states overlap").with_hint(hint)
}

#[cfg(test)]
mod tests;
