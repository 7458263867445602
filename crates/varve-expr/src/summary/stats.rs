//! Moments of one variable, or of two with how they go together.
//!
//! Parts are put together by the formulas of Pébay (Formulas for Robust, One-Pass Parallel
//! Computation of Covariances and Arbitrary-Order Statistical Moments, 2008).

use super::bytes::{Reader, put_f64, put_u64};
use super::double;

/// The moments of one variable: the sum, and the sums of powers of differences from the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Axis {
    pub(crate) sum: f64,
    squares: f64,
    cubes: f64,
    fourths: f64,
}

/// The moments of many rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stats {
    /// Whether there are two variables; `y` is nothing if not.
    pub(crate) is_pair: bool,
    pub(crate) count: u64,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// The products of the differences of both variables from their means, summed up.
    products: f64,
}

impl Axis {
    fn of(value: f64) -> Axis {
        Axis {
            sum: value,
            ..Axis::default()
        }
    }

    /// How far the mean of `other` is from the own one.
    fn distance(&self, counts: (f64, f64), other: &Axis) -> f64 {
        other.sum / counts.1 - self.sum / counts.0
    }

    fn merged(&self, (m, n): (f64, f64), other: &Axis) -> Axis {
        let all = m + n;
        let step = self.distance((m, n), other);
        let part = step / all;
        let square = step * part * m * n;
        Axis {
            sum: self.sum + other.sum,
            squares: self.squares + other.squares + square,
            cubes: self.cubes
                + other.cubes
                + square * part * (m - n)
                + 3.0 * part * (m * other.squares - n * self.squares),
            fourths: self.fourths
                + other.fourths
                + square * part * part * (m * m - m * n + n * n)
                + 6.0 * part * part * (m * m * other.squares + n * n * self.squares)
                + 4.0 * part * (m * other.cubes - n * self.cubes),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        for part in [self.sum, self.squares, self.cubes, self.fourths] {
            put_f64(part, out);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Axis> {
        Some(Axis {
            sum: from.f64()?,
            squares: from.f64()?,
            cubes: from.f64()?,
            fourths: from.f64()?,
        })
    }
}

impl Stats {
    /// Of one row.
    pub(crate) fn of(x: f64, y: Option<f64>) -> Stats {
        Stats {
            is_pair: y.is_some(),
            count: 1,
            x: Axis::of(x),
            y: y.map_or_else(Axis::default, Axis::of),
            products: 0.0,
        }
    }

    pub(crate) fn merge(&mut self, other: &Stats) {
        let counts = (double(self.count), double(other.count));
        let (m, n) = counts;
        if self.is_pair {
            let distances = self.x.distance(counts, &other.x) * self.y.distance(counts, &other.y);
            self.products += other.products + distances * m * n / (m + n);
            self.y = self.y.merged(counts, &other.y);
        }
        self.x = self.x.merged(counts, &other.x);
        self.count = self.count.saturating_add(other.count);
    }

    /// What sums are divided by for a mean over a sample or all there are; none for one row of a
    /// sample.
    fn divisor(&self, is_sample: bool) -> Option<f64> {
        let rows = self.count.checked_sub(u64::from(is_sample));
        rows.filter(|rows| *rows > 0).map(double)
    }

    pub(crate) fn average(&self, axis: &Axis) -> f64 {
        axis.sum / double(self.count)
    }

    pub(crate) fn variance(&self, axis: &Axis, is_sample: bool) -> Option<f64> {
        Some(axis.squares / self.divisor(is_sample)?)
    }

    pub(crate) fn stddev(&self, axis: &Axis, is_sample: bool) -> Option<f64> {
        self.variance(axis, is_sample).map(libm::sqrt)
    }

    /// The mean of cubes by the cube of the standard deviation of a sample or of all; none where
    /// nothing varies.
    pub(crate) fn skewness(&self, axis: &Axis, is_sample: bool) -> Option<f64> {
        let deviation = self.stddev(axis, is_sample).filter(|s| *s != 0.0)?;
        Some(axis.cubes / double(self.count) / (deviation * deviation * deviation))
    }

    /// As [`Stats::skewness`], of fourth powers.
    pub(crate) fn kurtosis(&self, axis: &Axis, is_sample: bool) -> Option<f64> {
        let variance = self.variance(axis, is_sample).filter(|v| *v != 0.0)?;
        Some(axis.fourths / double(self.count) / (variance * variance))
    }

    pub(crate) fn covariance(&self, is_sample: bool) -> Option<f64> {
        Some(self.products / self.divisor(is_sample)?)
    }

    pub(crate) fn slope(&self) -> Option<f64> {
        (self.x.squares != 0.0).then(|| self.products / self.x.squares)
    }

    pub(crate) fn intercept(&self) -> Option<f64> {
        Some(self.average(&self.y) - self.slope()? * self.average(&self.x))
    }

    /// Where the line crosses the x axis.
    pub(crate) fn x_intercept(&self) -> Option<f64> {
        let slope = self.slope().filter(|slope| *slope != 0.0)?;
        Some(-self.intercept()? / slope)
    }

    pub(crate) fn corr(&self) -> Option<f64> {
        let (x, y) = (self.x.squares, self.y.squares);
        (x != 0.0 && y != 0.0).then(|| self.products / libm::sqrt(x * y))
    }

    pub(crate) fn determination(&self) -> Option<f64> {
        match (self.x.squares, self.y.squares) {
            (0.0, _) => None,
            (_, 0.0) => Some(1.0),
            (x, y) => Some(self.products * self.products / (x * y)),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_u64(self.count, out);
        self.x.write(out);
        if self.is_pair {
            self.y.write(out);
            put_f64(self.products, out);
        }
    }

    pub(super) fn read(from: &mut Reader<'_>, is_pair: bool) -> Option<Stats> {
        let (count, x) = (from.u64()?, Axis::read(from)?);
        let (y, products) = match is_pair {
            true => (Axis::read(from)?, from.f64()?),
            false => (Axis::default(), 0.0),
        };
        let stats = Stats {
            is_pair,
            count,
            x,
            y,
            products,
        };
        (count > 0).then_some(stats)
    }
}
