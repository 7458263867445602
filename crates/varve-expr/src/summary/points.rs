//! Values at moments.

use std::borrow::Cow;

use varve_types::{Result, meter};

/// A value at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    /// Microseconds.
    pub(crate) time: i64,
    pub(crate) value: f64,
}

impl Point {
    /// Microseconds from here to another one.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest double is what is wanted"
    )]
    pub(super) fn us_until(self, later: Point) -> f64 {
        (i128::from(later.time) - i128::from(self.time)) as f64
    }
}

/// The points of a group, and what the call says of all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    /// The method, or how many points are wanted.
    pub(crate) option: i32,
    points: Vec<Point>,
    is_out_of_order: bool,
}

impl Points {
    pub(crate) fn new(option: i32) -> Points {
        Points {
            option,
            ..Points::default()
        }
    }

    pub(crate) fn push(&mut self, point: Point) {
        let last = self.points.last();
        self.is_out_of_order |= last.is_some_and(|last| order(last, &point).is_gt());
        self.points.push(point);
    }

    /// The points by time, those of one time by value.
    pub(crate) fn in_order(&self) -> Result<Cow<'_, [Point]>> {
        meter::steps(self.points.len())?;
        if !self.is_out_of_order {
            return Ok(Cow::Borrowed(&self.points));
        }
        meter::room(size_of_val(self.points.as_slice()))?;
        let mut points = self.points.clone();
        varve_sort::sort_by(&mut points, order);
        Ok(Cow::Owned(points))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of::<Points>() + self.points.capacity() * size_of::<Point>()
    }
}

fn order(a: &Point, b: &Point) -> core::cmp::Ordering {
    let by_value = match (a.value.is_nan(), b.value.is_nan()) {
        (false, false) => a.value.total_cmp(&b.value),
        (a, b) => a.cmp(&b),
    };
    a.time.cmp(&b.time).then(by_value)
}
