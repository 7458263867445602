//! Variances, covariances and regressions.
//!
//! Doubles are summed by the method of Youngs and Cramer (Chan, Golub, LeVeque: Algorithms for
//! Computing the Sample Variance, 1983), as in PostgreSQL, whose digits it gives: the state is the
//! count, the sums of x and y, and the sums of squared differences of x, of y and of both.

use varve_types::{Decimal, Error, LogicalType, Result, SqlState, Value, Variation};

use crate::tree::{Row, State};

/// The parts of the state of doubles.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    x: f64,
    xx: f64,
    y: f64,
    yy: f64,
    xy: f64,
}

impl Sums {
    fn of(state: &State) -> Sums {
        match state {
            State::Doubles(parts) => {
                let [count, x, xx, y, yy, xy] = **parts;
                Sums {
                    count,
                    x,
                    xx,
                    y,
                    yy,
                    xy,
                }
            }
            _ => Sums::default(),
        }
    }

    /// PostgreSQL divides for one variable and multiplies by the inverse for two, which may differ
    /// in the last digit.
    fn add(self, x: f64, y: f64, is_pair: bool) -> Result<Sums> {
        let mut after = Sums {
            count: self.count + 1.0,
            x: self.x + x,
            y: self.y + y,
            ..self
        };
        if self.count > 0.0 {
            let (from_x, from_y) = (x * after.count - after.x, y * after.count - after.y);
            let pairs = after.count * self.count;
            if is_pair {
                let scale = 1.0 / pairs;
                after.xx += from_x * from_x * scale;
                after.yy += from_y * from_y * scale;
                after.xy += from_x * from_y * scale;
            } else {
                after.xx += from_x * from_x / pairs;
            }
        }
        let finite_x = self.x.is_finite() && x.is_finite();
        let finite_y = self.y.is_finite() && y.is_finite();
        let overflows = |sum: f64, squares: f64| sum.is_infinite() || squares.is_infinite();
        if finite_x && overflows(after.x, after.xx)
            || finite_y && overflows(after.y, after.yy)
            || finite_x && finite_y && after.xy.is_infinite()
        {
            return Err(Error::new(
                SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                "value out of range: overflow",
            ));
        }
        if !finite_x {
            (after.xx, after.xy) = (f64::NAN, f64::NAN);
        }
        if !finite_y {
            (after.yy, after.xy) = (f64::NAN, f64::NAN);
        }
        Ok(after)
    }

    fn put(self, state: &mut State) {
        let parts = [self.count, self.x, self.xx, self.y, self.yy, self.xy];
        match state {
            State::Doubles(kept) => **kept = parts,
            _ => *state = State::Doubles(Box::new(parts)),
        }
    }
}

/// One variable.
pub(super) fn add_double(state: &mut State, row: &Row<'_>) -> Result<()> {
    Sums::of(state).add(row.float8(0), 0.0, false)?.put(state);
    Ok(())
}

/// Two variables: y, then x.
pub(super) fn add_pair(state: &mut State, row: &Row<'_>) -> Result<()> {
    Sums::of(state)
        .add(row.float8(1), row.float8(0), true)?
        .put(state);
    Ok(())
}

/// Integers and numerics.
pub(super) fn add_decimal(state: &mut State, row: &Row<'_>) -> Result<()> {
    let number = match row.value(0) {
        Value::Numeric(number) => number,
        other => Decimal::from(other.integer().unwrap_or(0)),
    };
    if let State::Decimals(moments) = state {
        moments.add(number);
    } else {
        let mut moments = Box::<varve_types::DecimalMoments>::default();
        moments.add(number);
        *state = State::Decimals(moments);
    }
    Ok(())
}

fn exact(state: &State, sample: bool, root: bool) -> Result<Value> {
    let variation = Variation { sample, root };
    Ok(match state {
        State::Decimals(moments) => moments
            .variation(variation)?
            .map_or(Value::Null, Value::Numeric),
        _ => Value::Null,
    })
}

pub(super) fn exact_var_pop(state: &State, _: LogicalType) -> Result<Value> {
    exact(state, false, false)
}

pub(super) fn exact_var_samp(state: &State, _: LogicalType) -> Result<Value> {
    exact(state, true, false)
}

pub(super) fn exact_stddev_pop(state: &State, _: LogicalType) -> Result<Value> {
    exact(state, false, true)
}

pub(super) fn exact_stddev_samp(state: &State, _: LogicalType) -> Result<Value> {
    exact(state, true, true)
}

/// A result of so many rows at least; NULL where `result` finds none.
fn double(state: &State, least: f64, result: fn(Sums) -> Option<f64>) -> Result<Value> {
    let sums = Sums::of(state);
    let found = (sums.count >= least).then(|| result(sums)).flatten();
    Ok(found.map_or(Value::Null, Value::Float8))
}

macro_rules! results {
    ($($name:ident from $least:literal: |$sums:ident| $result:expr;)*) => {
        $(pub(super) fn $name(state: &State, _: LogicalType) -> Result<Value> {
            double(state, $least, |$sums| $result)
        })*
    };
}

results! {
    var_pop from 1.0: |s| Some(s.xx / s.count);
    var_samp from 2.0: |s| Some(s.xx / (s.count - 1.0));
    stddev_pop from 1.0: |s| Some(libm::sqrt(s.xx / s.count));
    stddev_samp from 2.0: |s| Some(libm::sqrt(s.xx / (s.count - 1.0)));
    covar_pop from 1.0: |s| Some(s.xy / s.count);
    covar_samp from 2.0: |s| Some(s.xy / (s.count - 1.0));
    corr from 1.0: |s| {
        (s.xx != 0.0 && s.yy != 0.0).then(|| s.xy / libm::sqrt(s.xx * s.yy))
    };
    regr_avgx from 1.0: |s| Some(s.x / s.count);
    regr_avgy from 1.0: |s| Some(s.y / s.count);
    regr_sxx from 1.0: |s| Some(s.xx);
    regr_syy from 1.0: |s| Some(s.yy);
    regr_sxy from 1.0: |s| Some(s.xy);
    regr_slope from 1.0: |s| (s.xx != 0.0).then(|| s.xy / s.xx);
    regr_intercept from 1.0: |s| (s.xx != 0.0).then(|| (s.y - s.x * s.xy / s.xx) / s.count);
    regr_r2 from 1.0: |s| match (s.xx == 0.0, s.yy == 0.0) {
        (true, _) => None,
        (_, true) => Some(1.0),
        _ => Some((s.xy * s.xy) / (s.xx * s.yy)),
    };
}

#[expect(clippy::cast_possible_truncation, reason = "a count of rows")]
pub(super) fn regr_count(state: &State, _: LogicalType) -> Result<Value> {
    Ok(Value::Int8(Sums::of(state).count as i64))
}
