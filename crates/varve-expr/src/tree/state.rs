//! What an aggregate that takes row by row keeps for a group.

use varve_types::{DecimalMoments, Error, Result, SqlState, Value};

use super::samples::Samples;
use crate::summary::{Points, Summary};

/// The most bytes of one result.
const RESULT_BYTES_MAX: usize = 256 << 20;

/// The running state of one group; which form it takes is the aggregate's affair.
#[derive(Clone, Debug, Default)]
pub(crate) enum State {
    /// No row yet.
    #[default]
    Empty,
    /// One value.
    Value(Value),
    /// A value and what decided for it.
    Keyed(Value, Value),
    /// Doubles: see `moments`.
    Doubles(Box<[f64; 6]>),
    /// Exact sums of numerics.
    Decimals(Box<DecimalMoments>),
    /// Months, days and microseconds summed up, and how many intervals they are of.
    Span(Box<[i128; 4]>),
    /// A text being put together.
    Text(String),
    /// Bytes being put together.
    Bytes(Vec<u8>),
    /// Values of all rows, one after another.
    Values(Values),
    /// Counters, with the last row behind them: see `hypothetical`.
    Ranks(Box<Ranks>),
    /// Rows that a dictionary is trained on.
    Samples(Box<Samples>),
    /// Points in time, of which a summary is made at the end.
    Points(Box<Points>),
    /// A summary that takes row by row.
    Summary(Box<Summary>),
}

/// Values with their size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    values: Vec<Value>,
    bytes: usize,
}

impl Values {
    pub(crate) fn push(&mut self, value: Value) {
        self.bytes += size_of::<Value>() + value.heap_bytes();
        self.values.push(value);
    }

    pub(crate) fn get(&self) -> &[Value] {
        &self.values
    }

    pub(crate) fn get_mut(&mut self) -> &mut [Value] {
        &mut self.values
    }
}

/// Where a hypothetical row stands among those before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranks {
    pub(crate) rows: i64,
    pub(crate) before: i64,
    pub(crate) equal: i64,
    pub(crate) distinct_before: i64,
    pub(crate) last: Vec<Value>,
}

impl State {
    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            State::Empty => 0,
            State::Value(value) => value.heap_bytes(),
            State::Keyed(value, key) => value.heap_bytes() + key.heap_bytes(),
            State::Doubles(_) => size_of::<[f64; 6]>(),
            State::Decimals(moments) => moments.memory_bytes(),
            State::Span(_) => size_of::<[i128; 4]>(),
            State::Text(text) => text.len(),
            State::Bytes(bytes) => bytes.len(),
            State::Values(values) => values.bytes,
            State::Ranks(ranks) => size_of::<Ranks>() + size_of_val(ranks.last.as_slice()),
            State::Samples(samples) => samples.memory_bytes(),
            State::Points(points) => points.heap_bytes(),
            State::Summary(summary) => summary.heap_bytes(),
        }
    }

    /// Adds a value to those taken in.
    pub(crate) fn push(&mut self, value: Value) {
        if let State::Values(values) = self {
            return values.push(value);
        }
        let mut values = Values::default();
        values.push(value);
        *self = State::Values(values);
    }

    /// The values taken in.
    pub(crate) fn values(&self) -> &[Value] {
        match self {
            State::Values(values) => values.get(),
            _ => &[],
        }
    }

    /// `54000` where what is put together is too long.
    pub(crate) fn check_size(&self) -> Result<()> {
        if self.heap_bytes() <= RESULT_BYTES_MAX {
            return Ok(());
        }
        Err(Error::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            "the result of an aggregate is too long",
        ))
    }
}
