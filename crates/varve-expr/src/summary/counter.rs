//! A number that only grows, but for falls to nothing; or one that goes up and down.

use varve_types::Result;

use super::bytes::{Reader, put_f64, put_point, put_u64};
use super::overlap;
use super::points::Point;

const SECOND_US: f64 = 1e6;

/// What is known of the points of a counter or gauge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Counter {
    /// A value below the one before is a value, no reset.
    pub(crate) is_gauge: bool,
    pub(crate) first: Point,
    /// The one behind the first, and the one before the last; the only one where there is one.
    second: Point,
    last_but_one: Point,
    pub(crate) last: Point,
    /// The values before resets summed up.
    reset_sum: f64,
    pub(crate) resets: u64,
    pub(crate) changes: u64,
    pub(crate) elements: u64,
}

impl Counter {
    fn one(point: Point, is_gauge: bool) -> Counter {
        Counter {
            is_gauge,
            first: point,
            second: point,
            last_but_one: point,
            last: point,
            reset_sum: 0.0,
            resets: 0,
            changes: 0,
            elements: 1,
        }
    }

    /// Of points by time; `None` where there is none.
    pub(crate) fn of(points: &[Point], is_gauge: bool) -> Option<Counter> {
        let (first, rest) = points.split_first()?;
        let mut all = Counter::one(*first, is_gauge);
        for point in rest {
            all.append(&Counter::one(*point, is_gauge));
        }
        Some(all)
    }

    fn append(&mut self, later: &Counter) {
        if !self.is_gauge && later.first.value < self.last.value {
            self.reset_sum += self.last.value;
            self.resets = self.resets.saturating_add(1);
        }
        let changes = u64::from(later.first.value != self.last.value);
        self.changes = (self.changes.saturating_add(changes)).saturating_add(later.changes);
        self.reset_sum += later.reset_sum;
        self.resets = self.resets.saturating_add(later.resets);
        if self.elements == 1 {
            self.second = later.first;
        }
        self.last_but_one = match later.elements {
            1 => self.last,
            _ => later.last_but_one,
        };
        self.last = later.last;
        self.elements = self.elements.saturating_add(later.elements);
    }

    /// Takes in what comes later.
    pub(super) fn merge(&mut self, later: &Counter) -> Result<()> {
        if later.first.time < self.last.time {
            return Err(overlap());
        }
        self.append(later);
        Ok(())
    }

    /// By how much it grew.
    pub(crate) fn delta(&self) -> f64 {
        self.last.value - self.first.value + self.reset_sum
    }

    /// Seconds from the first point to the last.
    pub(crate) fn seconds(&self) -> f64 {
        self.first.us_until(self.last) / SECOND_US
    }

    /// By how much it grew in a second; none of a moment.
    pub(crate) fn rate(&self) -> Option<f64> {
        per_second(self.delta(), self.first, self.last)
    }

    /// The first two points, or the last two.
    fn pair(&self, is_left: bool) -> (Point, Point) {
        match is_left {
            true => (self.first, self.second),
            false => (self.last_but_one, self.last),
        }
    }

    /// By how much it grew from the first point to the second, or to the last.
    pub(crate) fn instant_delta(&self, is_left: bool) -> f64 {
        let (from, to) = self.pair(is_left);
        match !self.is_gauge && to.value < from.value {
            true => to.value,
            false => to.value - from.value,
        }
    }

    /// As [`Counter::instant_delta`], in a second.
    pub(crate) fn instant_rate(&self, is_left: bool) -> Option<f64> {
        let (from, to) = self.pair(is_left);
        per_second(self.instant_delta(is_left), from, to)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for point in [self.first, self.second, self.last_but_one, self.last] {
            put_point(point, out);
        }
        put_f64(self.reset_sum, out);
        for count in [self.resets, self.changes, self.elements] {
            put_u64(count, out);
        }
    }

    pub(super) fn read(from: &mut Reader<'_>, is_gauge: bool) -> Option<Counter> {
        let counter = Counter {
            is_gauge,
            first: from.point()?,
            second: from.point()?,
            last_but_one: from.point()?,
            last: from.point()?,
            reset_sum: from.f64()?,
            resets: from.u64()?,
            changes: from.u64()?,
            elements: from.u64()?,
        };
        let fits = counter.first.time <= counter.last.time
            && counter.elements > counter.changes
            && counter.changes >= counter.resets;
        fits.then_some(counter)
    }
}

fn per_second(delta: f64, from: Point, to: Point) -> Option<f64> {
    let seconds = from.us_until(to) / SECOND_US;
    (seconds > 0.0).then(|| delta / seconds)
}
