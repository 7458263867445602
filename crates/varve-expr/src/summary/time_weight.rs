//! The area below values over time.

use varve_types::Result;

use super::bytes::{Reader, put_f64, put_point};
use super::points::Point;
use super::{invalid, overlap};

/// What a value is between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// On the line from one to the other.
    Linear,
    /// That of the one before.
    Locf,
}

impl Method {
    /// The method of this name, in any case.
    pub(crate) fn named(name: &str) -> Result<Method> {
        if name.eq_ignore_ascii_case("linear") {
            Ok(Method::Linear)
        } else if name.eq_ignore_ascii_case("locf") {
            Ok(Method::Locf)
        } else {
            let error = invalid(format!("method \"{name}\" of time_weight is unknown"));
            Err(error.with_hint("It may be 'Linear' or 'LOCF'."))
        }
    }

    pub(crate) fn of_code(code: i32) -> Option<Method> {
        [Method::Linear, Method::Locf]
            .into_iter()
            .find(|method| *method as i32 == code)
    }
}

/// The area below the values from the first point to the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeWeight {
    method: Method,
    pub(crate) first: Point,
    pub(crate) last: Point,
    /// In value times microseconds.
    area: f64,
}

impl TimeWeight {
    /// Of points by time; `None` where there is none.
    pub(crate) fn of(points: &[Point], method: Method) -> Option<TimeWeight> {
        let first = *points.first()?;
        let mut all = TimeWeight {
            method,
            first,
            last: first,
            area: 0.0,
        };
        for point in points {
            all.go_to(*point);
        }
        Some(all)
    }

    fn go_to(&mut self, point: Point) {
        let height = match self.method {
            Method::Linear => f64::midpoint(self.last.value, point.value),
            Method::Locf => self.last.value,
        };
        let width = self.last.us_until(point);
        if width > 0.0 {
            self.area += height * width;
        }
        self.last = point;
    }

    /// Takes in what comes later; between both the method holds as between two points.
    pub(super) fn merge(&mut self, later: &TimeWeight) -> Result<()> {
        if self.method != later.method {
            return Err(invalid(
                "states of time_weight of different methods cannot be put together",
            ));
        }
        if later.first.time < self.last.time {
            return Err(overlap());
        }
        self.go_to(later.first);
        self.area += later.area;
        self.last = later.last;
        Ok(())
    }

    /// The mean of the values, each for as long as it holds; none of a moment.
    pub(crate) fn average(&self) -> Option<f64> {
        let width = self.first.us_until(self.last);
        (width > 0.0).then(|| self.area / width)
    }

    /// The area in value times units of so many microseconds.
    pub(crate) fn integral(&self, unit_us: f64) -> f64 {
        self.area / unit_us
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.method == Method::Locf));
        put_point(self.first, out);
        put_point(self.last, out);
        put_f64(self.area, out);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<TimeWeight> {
        let weight = TimeWeight {
            method: Method::of_code(from.u8()?.into())?,
            first: from.point()?,
            last: from.point()?,
            area: from.f64()?,
        };
        (weight.first.time <= weight.last.time).then_some(weight)
    }
}
