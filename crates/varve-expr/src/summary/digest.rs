//! A sketch of quantiles that is most exact at both ends: neighbours are put together to means with
//! weights, the larger the nearer they are to the median (Dunning, Ertl: Computing Extremely
//! Accurate Quantiles Using t-Digests, 2019; the merging form with the scale function k1).

use core::f64::consts::{FRAC_PI_2, PI};

use varve_types::{Result, Value};

use super::bytes::{Reader, put_f64, put_u32, put_u64};
use super::{double, int8, invalid};

/// How many means there may be about.
const SIZES: core::ops::RangeInclusive<i32> = 10..=65_536;
/// So many new values for each mean wait to be put together.
const WAITING: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Centroid {
    mean: f64,
    weight: u64,
}

/// Means with weights, and the values that are not yet in them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Digest {
    size: i32,
    /// Ascending, but for the last ones, which are single values that wait.
    centroids: Vec<Centroid>,
    waiting: usize,
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl Digest {
    pub(crate) fn new(size: i32) -> Result<Digest> {
        if !SIZES.contains(&size) {
            let (least, most) = (SIZES.start(), SIZES.end());
            let error = invalid(format!("{size} is no number of buckets of tdigest"));
            return Err(error.with_hint(format!("It may be {least} to {most}.")));
        }
        Ok(Digest {
            size,
            centroids: Vec::new(),
            waiting: 0,
            count: 0,
            sum: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        })
    }

    /// Whether it was made by this argument.
    pub(crate) fn is_like(&self, size: i32) -> bool {
        self.size == size
    }

    pub(crate) fn add(&mut self, value: f64) -> Result<()> {
        if !value.is_finite() {
            let error = invalid("tdigest takes finite numbers only");
            return Err(error.with_hint("Leave others out with FILTER, or use percentile_agg."));
        }
        self.centroids.push(Centroid {
            mean: value,
            weight: 1,
        });
        self.waiting += 1;
        self.count = self.count.saturating_add(1);
        self.sum += value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        if self.waiting >= WAITING * usize::try_from(self.size).unwrap_or(1) {
            self.compress();
        }
        Ok(())
    }

    /// Puts in order and together what may be.
    pub(crate) fn compress(&mut self) {
        if self.waiting == 0 {
            return;
        }
        self.waiting = 0;
        let mut all = core::mem::take(&mut self.centroids);
        varve_sort::sort_by(&mut all, |a, b| {
            a.mean.total_cmp(&b.mean).then(a.weight.cmp(&b.weight))
        });
        let total = double(self.count);
        let mut before = 0_u64;
        let mut limit = self.limit(0.0);
        for next in all {
            match self.centroids.last_mut() {
                Some(last)
                    if double(
                        before
                            .saturating_add(last.weight)
                            .saturating_add(next.weight),
                    ) <= limit * total =>
                {
                    last.weight = last.weight.saturating_add(next.weight);
                    last.mean +=
                        (next.mean - last.mean) * double(next.weight) / double(last.weight);
                }
                last => {
                    before = before.saturating_add(last.map_or(0, |last| last.weight));
                    limit = self.limit(double(before) / total);
                    self.centroids.push(next);
                }
            }
        }
    }

    /// The part of the values up to which a mean may reach that begins after this part.
    fn limit(&self, part: f64) -> f64 {
        let step = 2.0 * PI / f64::from(self.size);
        let angle = libm::asin((2.0 * part - 1.0).clamp(-1.0, 1.0)) + step;
        match angle < FRAC_PI_2 {
            true => f64::midpoint(libm::sin(angle), 1.0),
            false => 1.0,
        }
    }

    pub(super) fn merge(&mut self, other: &Digest) {
        self.size = self.size.max(other.size);
        self.centroids.extend_from_slice(&other.centroids);
        self.waiting += other.centroids.len();
        self.count = self.count.saturating_add(other.count);
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.compress();
    }

    /// The corners of the line from the least value to the greatest, by how many values are below:
    /// half of those of a mean are.
    fn corners(&self) -> impl Iterator<Item = (f64, f64)> {
        let mut before = 0_u64;
        let means = self.centroids.iter().map(move |centroid| {
            let middle = double(before) + double(centroid.weight) / 2.0;
            before = before.saturating_add(centroid.weight);
            (middle, centroid.mean)
        });
        let ends = [(0.0, self.min), (double(self.count), self.max)];
        let [first, last] = ends;
        core::iter::once(first)
            .chain(means)
            .chain(core::iter::once(last))
    }

    /// The value that this part of the others is not above, about.
    pub(crate) fn percentile(&self, part: f64) -> f64 {
        let wanted = part * double(self.count);
        self.along(wanted, |corner| corner)
    }

    /// The part of the values that are below, about.
    pub(crate) fn rank(&self, value: f64) -> f64 {
        if value < self.min {
            return 0.0;
        }
        if value >= self.max {
            return 1.0;
        }
        self.along(value, |(below, mean)| (mean, below)) / double(self.count)
    }

    /// Where the line is at `wanted`, with the axes as `turn` gives them.
    fn along(&self, wanted: f64, turn: fn((f64, f64)) -> (f64, f64)) -> f64 {
        let mut from = (0.0, self.min);
        for (at, (x, y)) in self.corners().map(turn).enumerate() {
            if at > 0 && wanted <= x {
                let (x0, y0) = from;
                let share = if x > x0 {
                    (wanted - x0) / (x - x0)
                } else {
                    1.0
                };
                return (y0 + (y - y0) * share).clamp(y0.min(y), y.max(y0));
            }
            from = (x, y);
        }
        from.1
    }

    pub(crate) fn mean(&self) -> f64 {
        self.sum / double(self.count)
    }

    pub(crate) fn num_vals(&self) -> Value {
        int8(self.count)
    }

    /// The least and the greatest value.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.min, self.max)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.centroids.capacity() * size_of::<Centroid>()
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_u32(self.size.unsigned_abs(), out);
        for number in [self.sum, self.min, self.max] {
            put_f64(number, out);
        }
        for centroid in &self.centroids {
            put_f64(centroid.mean, out);
            put_u64(centroid.weight, out);
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Digest> {
        let mut all = Digest::new(i32::try_from(from.u32()?).ok()?).ok()?;
        (all.sum, all.min, all.max) = (from.f64()?, from.f64()?, from.f64()?);
        let mut last = all.min;
        while !from.0.is_empty() {
            let (mean, weight) = (from.f64()?, from.u64()?);
            if !mean.is_finite() || mean < last || mean > all.max || weight == 0 {
                return None;
            }
            last = mean;
            all.count = all.count.checked_add(weight)?;
            all.centroids.push(Centroid { mean, weight });
        }
        (all.count > 0 && all.min.is_finite() && all.max.is_finite()).then_some(all)
    }
}
