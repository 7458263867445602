//! Points by time, and fewer of them for a chart.

use varve_types::{Result, meter};

use super::bytes::{Reader, put_point};
use super::overlap;
use super::points::Point;

/// Points by time, one at least.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) first: Point,
    rest: Vec<Point>,
}

impl Series {
    /// Of points by time; `None` where there is none.
    pub(crate) fn of(points: &[Point]) -> Option<Series> {
        let (first, rest) = points.split_first()?;
        Some(Series {
            first: *first,
            rest: rest.to_vec(),
        })
    }

    /// Those points that keep the shape of the line: the first, the last, and of each of as many
    /// equal parts as there may be more that which spans the largest triangle with the one chosen
    /// before and the mean of the next part (Steinarsson: Downsampling Time Series for Visual
    /// Representation, 2013).
    pub(crate) fn shape(points: &[Point], wanted: usize) -> Option<Series> {
        let [first, inner @ .., last] = points else {
            return Series::of(points);
        };
        let parts = wanted.saturating_sub(2);
        if inner.len() <= parts {
            return Series::of(points);
        }
        let mut all = Series {
            first: *first,
            rest: Vec::with_capacity(parts + 1),
        };
        let mut chosen = *first;
        for part in 0..parts {
            let next = match part_of(inner, part + 1, parts) {
                [] => *last,
                next => mean(next),
            };
            let area = |point: &Point| {
                let wide = chosen.us_until(next) * (point.value - chosen.value);
                let high = chosen.us_until(*point) * (next.value - chosen.value);
                libm::fabs(wide - high)
            };
            let mut points = part_of(inner, part, parts).iter().map(|p| (*p, area(p)));
            let first = points.next()?;
            let larger = |best: (Point, f64), next: (Point, f64)| match next.1 > best.1 {
                true => next,
                false => best,
            };
            chosen = points.fold(first, larger).0;
            all.rest.push(chosen);
        }
        all.rest.push(*last);
        Some(all)
    }

    /// Means of points that follow each other, of so many each that the line is as smooth as it
    /// may be without levelling what stands out: the means differ least from one to the next, and
    /// their kurtosis is not below that of the points (Rong, Bailis: ASAP: Prioritizing Attention
    /// via Fast Smoothing, 2017). The points are first put together to about `wanted` ones.
    ///
    /// All lengths up to a tenth are tried.
    pub(crate) fn smooth(points: &[Point], wanted: usize) -> Result<Option<Series>> {
        let each = (points.len() / wanted.max(1)).max(1);
        let points: Vec<Point> = points.chunks(each).map(mean).collect();
        let (mut best, mut roughness) = (1, roughness(&points));
        let needed = kurtosis(&points);
        for window in 2..=points.len() / 10 {
            meter::steps(points.len())?;
            let means = moving_means(&points, window);
            let rough = self::roughness(&means);
            if rough < roughness && kurtosis(&means) >= needed {
                (best, roughness) = (window, rough);
            }
        }
        match best {
            1 => Ok(Series::of(&points)),
            window => Ok(Series::of(&moving_means(&points, window))),
        }
    }

    /// Takes in what comes later.
    pub(super) fn merge(&mut self, later: &Series) -> Result<()> {
        if later.first.time < self.rest.last().unwrap_or(&self.first).time {
            return Err(overlap());
        }
        self.rest.push(later.first);
        self.rest.extend_from_slice(&later.rest);
        Ok(())
    }

    /// The points.
    pub(crate) fn into_points(self) -> impl Iterator<Item = Point> {
        core::iter::once(self.first).chain(self.rest)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.rest.capacity() * size_of::<Point>()
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.reserve((self.rest.len() + 1) * size_of::<Point>());
        put_point(self.first, out);
        self.rest.iter().for_each(|point| put_point(*point, out));
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Series> {
        let first = from.point()?;
        let mut rest = Vec::with_capacity(from.0.len() / size_of::<Point>());
        let mut last = first.time;
        while !from.0.is_empty() {
            let point = from.point()?;
            if point.time < last {
                return None;
            }
            last = point.time;
            rest.push(point);
        }
        Some(Series { first, rest })
    }
}

/// One of so many parts that are as equal as can be; nothing behind the last.
fn part_of(points: &[Point], part: usize, parts: usize) -> &[Point] {
    let bound = |part: usize| {
        let bound = part as u64 * points.len() as u64 / (parts as u64).max(1);
        usize::try_from(bound).unwrap_or(usize::MAX)
    };
    let end = bound(part + 1).min(points.len());
    points.get(bound(part)..end).unwrap_or_default()
}

/// The mean of values, in the middle of their time.
#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest double is what is wanted"
)]
fn mean(points: &[Point]) -> Point {
    let sum: f64 = points.iter().map(|point| point.value).sum();
    Point {
        time: middle(points),
        value: sum / points.len() as f64,
    }
}

fn middle(points: &[Point]) -> i64 {
    match points {
        [] => 0,
        [only] => only.time,
        [first, .., last] => i64::midpoint(first.time, last.time),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest double is what is wanted"
)]
fn moving_means(points: &[Point], window: usize) -> Vec<Point> {
    let mut sum: f64 = points
        .iter()
        .take(window - 1)
        .map(|point| point.value)
        .sum();
    let means = points.windows(window).map(|part| {
        let value = |point: Option<&Point>| point.map_or(0.0, |point| point.value);
        sum += value(part.last());
        let mean = sum / window as f64;
        sum -= value(part.first());
        Point {
            time: middle(part),
            value: mean,
        }
    });
    means.collect()
}

/// The variance of the steps from each value to the next.
fn roughness(points: &[Point]) -> f64 {
    let steps = points.windows(2).filter_map(|pair| match pair {
        [from, to] => Some(to.value - from.value),
        _ => None,
    });
    let [_, variance, _] = moments(steps);
    variance
}

/// The mean of fourth powers by the square of that of squares: high where few values stand out.
fn kurtosis(points: &[Point]) -> f64 {
    let [_, variance, fourth] = moments(points.iter().map(|point| point.value));
    fourth / (variance * variance)
}

/// The mean, and the means of the second and fourth powers of the differences from it.
fn moments(values: impl Iterator<Item = f64> + Clone) -> [f64; 3] {
    let (count, sum) = (values.clone()).fold((0.0, 0.0), |(n, sum), value| (n + 1.0, sum + value));
    let mean = sum / count;
    let [squares, fourths] = values.fold([0.0, 0.0], |[squares, fourths], value| {
        let square = (value - mean) * (value - mean);
        [squares + square, fourths + square * square]
    });
    [mean, squares / count, fourths / count]
}
