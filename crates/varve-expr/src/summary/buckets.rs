//! A sketch of quantiles within a relative error: the values are counted in buckets whose bounds
//! grow by a factor, and where there are too many buckets, neighbours are put together by two
//! (Epicoco, Melle, Cafaro, Pulimeno, Morleo: UDDSketch: Accurate Tracking of Quantiles in Data
//! Streams, 2020).

use varve_types::{Result, Value};

use super::bytes::{Reader, put_f64, put_i64, put_u32, put_u64};
use super::{double, int8, invalid};

/// How many buckets there may be: the most that halving leaves is below the least.
const SIZES: core::ops::RangeInclusive<i32> = 8..=65_536;
const ERROR_MIN: f64 = 1e-9;
/// Enough for the keys of any two doubles to become one.
const HALVINGS_MAX: u32 = 48;

/// Which values a bucket is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    MinusInfinity,
    /// The keys are those of the values without their sign, negated.
    Negative,
    Zero,
    Positive,
    Infinity,
    NaN,
}

const CLASSES: [Class; 6] = [
    Class::MinusInfinity,
    Class::Negative,
    Class::Zero,
    Class::Positive,
    Class::Infinity,
    Class::NaN,
];

/// A bucket in the order of the values: its class, and the logarithm of its upper bound there.
type Key = (Class, i64);

/// Values counted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buckets {
    /// The most buckets.
    size: i32,
    /// The error that the buckets began with.
    error_wanted: f64,
    /// How often neighbours were put together.
    halvings: u32,
    /// Ascending.
    buckets: Vec<(Key, u64)>,
    count: u64,
    sum: f64,
}

/// `key` rounded up after so many divisions by two.
fn halved((class, key): Key, times: u32) -> Key {
    let key = match class {
        Class::Negative => key >> times,
        _ => -((-key) >> times),
    };
    (class, key)
}

impl Buckets {
    pub(crate) fn new(size: i32, error: f64) -> Result<Buckets> {
        if !SIZES.contains(&size) {
            let (least, most) = (SIZES.start(), SIZES.end());
            let error = invalid(format!("{size} is no number of buckets of uddsketch"));
            return Err(error.with_hint(format!("It may be {least} to {most}.")));
        }
        if !(ERROR_MIN..1.0).contains(&error) {
            let refused = invalid(format!("{error} is no relative error of uddsketch"));
            return Err(refused.with_hint("It may be 1e-9 and more, and is below 1."));
        }
        Ok(Buckets {
            size,
            error_wanted: error,
            halvings: 0,
            buckets: Vec::new(),
            count: 0,
            sum: 0.0,
        })
    }

    /// Whether it was made by these arguments.
    pub(crate) fn is_like(&self, size: i32, error: f64) -> bool {
        self.size == size && self.error_wanted.to_bits() == error.to_bits()
    }

    /// The logarithm of the factor between the bounds of a bucket.
    fn width(&self) -> f64 {
        let first = 2.0 * libm::atanh(self.error_wanted);
        libm::ldexp(first, i32::try_from(self.halvings).unwrap_or(0))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "logarithms of doubles are below 1000, and a width is above 1e-9"
    )]
    fn key(&self, value: f64) -> Key {
        let first_width = 2.0 * libm::atanh(self.error_wanted);
        let place = |value: f64| libm::ceil(libm::log(value) / first_width) as i64;
        let key = match value {
            value if value.is_nan() => (Class::NaN, 0),
            f64::INFINITY => (Class::Infinity, 0),
            f64::NEG_INFINITY => (Class::MinusInfinity, 0),
            0.0 => (Class::Zero, 0),
            value if value < 0.0 => (Class::Negative, -place(-value)),
            value => (Class::Positive, place(value)),
        };
        halved(key, self.halvings)
    }

    /// The value that is nearest to all of a bucket.
    fn value(&self, (class, key): Key) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "below 2^50")]
        let size = |key: i64| {
            let width = self.width();
            let lower = libm::exp((key - 1) as f64 * width);
            (lower * (2.0 / (1.0 + libm::exp(-width)))).min(f64::MAX)
        };
        match class {
            Class::MinusInfinity => f64::NEG_INFINITY,
            Class::Negative => -size(-key),
            Class::Zero => 0.0,
            Class::Positive => size(key),
            Class::Infinity => f64::INFINITY,
            Class::NaN => f64::NAN,
        }
    }

    pub(crate) fn add(&mut self, value: f64) {
        let key = self.key(value);
        match self.buckets.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => {
                if let Some((_, count)) = self.buckets.get_mut(at) {
                    *count = count.saturating_add(1);
                }
            }
            Err(at) => self.buckets.insert(at, (key, 1)),
        }
        self.count = self.count.saturating_add(1);
        self.sum += value;
        self.fit();
    }

    /// Puts neighbours together until there are no more buckets than there may be.
    fn fit(&mut self) {
        while i32::try_from(self.buckets.len()).is_ok_and(|buckets| buckets > self.size)
            && self.halvings < HALVINGS_MAX
        {
            self.halve(1);
        }
    }

    fn halve(&mut self, times: u32) {
        self.halvings += times;
        for (key, _) in &mut self.buckets {
            *key = halved(*key, times);
        }
        self.unite();
    }

    /// Makes equal keys that follow each other one.
    fn unite(&mut self) {
        self.buckets.dedup_by(|(key, count), (kept, all)| {
            let is_same = key == kept;
            if is_same {
                *all = all.saturating_add(*count);
            }
            is_same
        });
    }

    pub(super) fn merge(&mut self, mut other: Buckets) -> Result<()> {
        if !self.is_like(other.size, other.error_wanted) {
            return Err(invalid(
                "states of uddsketch of different sizes or errors cannot be put together",
            ));
        }
        let halvings = self.halvings.max(other.halvings);
        self.halve(halvings - self.halvings);
        other.halve(halvings - other.halvings);
        self.buckets.append(&mut other.buckets);
        varve_sort::sort_by_key(&mut self.buckets, |(key, _)| *key);
        self.unite();
        self.count = self.count.saturating_add(other.count);
        self.sum += other.sum;
        self.fit();
        Ok(())
    }

    /// The value that this part of the others is not above, within the error.
    pub(crate) fn percentile(&self, part: f64) -> f64 {
        let before = libm::floor(part * double(self.count.saturating_sub(1)));
        let mut seen = 0_u64;
        let found = self.buckets.iter().find(|(_, count)| {
            seen = seen.saturating_add(*count);
            double(seen) > before
        });
        let found = found.or(self.buckets.last());
        found.map_or(f64::NAN, |(key, _)| self.value(*key))
    }

    /// The part of the values that are below, with half of those that may be as large.
    pub(crate) fn rank(&self, value: f64) -> f64 {
        let wanted = self.key(value);
        let mut below = 0.0;
        for (key, count) in &self.buckets {
            match key.cmp(&wanted) {
                core::cmp::Ordering::Less => below += double(*count),
                core::cmp::Ordering::Equal => below += double(*count) / 2.0,
                core::cmp::Ordering::Greater => break,
            }
        }
        below / double(self.count)
    }

    /// How far a percentile may be off, in relation to it.
    pub(crate) fn error(&self) -> f64 {
        libm::tanh(self.width() / 2.0)
    }

    pub(crate) fn mean(&self) -> f64 {
        self.sum / double(self.count)
    }

    pub(crate) fn num_vals(&self) -> Value {
        int8(self.count)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<(Key, u64)>()
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_u32(self.size.unsigned_abs(), out);
        put_f64(self.error_wanted, out);
        put_u32(self.halvings, out);
        put_f64(self.sum, out);
        for ((class, key), count) in &self.buckets {
            out.push(*class as u8);
            put_i64(*key, out);
            put_u64(*count, out);
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Buckets> {
        let size = i32::try_from(from.u32()?).ok()?;
        let mut all = Buckets::new(size, from.f64()?).ok()?;
        all.halvings = from.u32().filter(|times| *times <= HALVINGS_MAX)?;
        all.sum = from.f64()?;
        while !from.0.is_empty() {
            let class = *CLASSES.get(usize::from(from.u8()?))?;
            let key = (class, from.i64().filter(|key| key.abs_diff(0) < 1 << 50)?);
            let count = from.u64().filter(|count| *count > 0)?;
            all.count = all.count.checked_add(count)?;
            if all.buckets.last().is_some_and(|(last, _)| *last >= key) {
                return None;
            }
            all.buckets.push((key, count));
        }
        let fits = i32::try_from(all.buckets.len()).is_ok_and(|buckets| buckets <= size);
        (fits && all.count > 0).then_some(all)
    }
}
