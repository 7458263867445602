//! Partial aggregates of integer vectors.

use super::integer_predicate::INFINITIES;
use super::selection::{check_rows, for_each_selected, is_selected, plain, set_bit};
use super::stretches::for_each_stretch;
use crate::bits::{get, unpack};
use crate::float::integer_from_f64;
use crate::integers::leaves::frame;
use crate::integers::{IntegerKind, alp, decimal};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::{TAG_ALP, TAG_DECIMAL, TAG_FRAME};
use crate::{CodecError, DecodedBits, Shared};

/// What is known of some rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntegerAggregate {
    /// How many they are.
    pub count: u64,
    /// The least and the greatest integer, if there are rows. Doubles are ordered as in SQL: NaN is
    /// above all numbers; every NaN is given as `f64::NAN`, and -0 as 0.
    pub bounds: Option<(i64, i64)>,
    /// The exact sum of integers. Zero for doubles: theirs depends on the order of the additions,
    /// so their rows have to be added one by one.
    pub sum: i128,
}

impl IntegerAggregate {
    /// Adds what is known of other rows of the same column.
    pub fn merge(&mut self, other: &IntegerAggregate) {
        self.count += other.count;
        self.sum += other.sum;
        if let Some((min, max)) = other.bounds {
            self.widen(min, max);
        }
    }

    fn add(&mut self, kind: IntegerKind, integer: i64, count: usize) {
        if count == 0 {
            return;
        }
        self.count += count as u64;
        let integer = if kind == IntegerKind::Float64 {
            as_sql_has_it(integer)
        } else {
            self.sum += i128::from(integer) * count as i128;
            integer
        };
        self.widen(integer, integer);
    }

    fn widen(&mut self, min: i64, max: i64) {
        self.bounds = Some(match self.bounds {
            Some(bounds) => (bounds.0.min(min), bounds.1.max(max)),
            None => (min, max),
        });
    }
}

/// Aggregates the selected rows of a vector, all without a selection, on the encoded form where its
/// codec allows that. Rows that are NULL must not be selected.
pub fn aggregate_integers(
    kind: IntegerKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    selection: Option<&[u8]>,
) -> Result<IntegerAggregate, CodecError> {
    check_rows(rows)?;
    aggregate(Scope::new(shared, 0), kind, bytes, rows, selection)
}

fn aggregate(
    scope: Scope<'_>,
    kind: IntegerKind,
    bytes: &[u8],
    rows: usize,
    selection: Option<&[u8]>,
) -> Result<IntegerAggregate, CodecError> {
    let mut reader = ByteReader::new(bytes);
    let mut result = IntegerAggregate::default();
    match reader.u8()? {
        TAG_FRAME if kind != IntegerKind::Float64 => {
            let (base, width, packed) = frame::take(reader, rows)?;
            if let Some(distances) = sum_distances(packed, width, rows, selection)
                && let Some(max) = base.checked_add_unsigned(distances.max)
            {
                result.count = distances.count;
                result.sum = i128::from(base) * i128::from(distances.count) + distances.sum;
                result.widen(base.wrapping_add_unsigned(distances.min), max);
                return Ok(result);
            }
        }
        TAG_DECIMAL if kind == IntegerKind::Float64 => {
            let stored = decimal::Stored::take(reader, rows)?;
            let integer = |scaled_integer| decimal::unscaled(scaled_integer, stored.power);
            let exceptions = stored.exceptions();
            return scaled(
                scope,
                stored.scaled_integers,
                rows,
                selection,
                exceptions,
                integer,
            );
        }
        TAG_ALP if kind == IntegerKind::Float64 => {
            let stored = alp::Stored::take(scope, reader, rows)?;
            let integer = |scaled_integer| stored.scaler.rising_integer(scaled_integer);
            let exceptions = stored.exceptions();
            return scaled(
                scope,
                stored.scaled_integers,
                rows,
                selection,
                exceptions,
                integer,
            );
        }
        _ => {}
    }
    for_each_stretch(
        scope,
        kind,
        bytes,
        rows,
        selection,
        &mut |integer, count| {
            result.add(kind, integer, count);
        },
    )?;
    Ok(result)
}

/// Aggregates doubles that are the rising `integer` of scaled integers, but for exceptions.
fn scaled(
    scope: Scope<'_>,
    scaled_integers: &[u8],
    rows: usize,
    selection: Option<&[u8]>,
    exceptions: impl Iterator<Item = (u16, i64)>,
    integer: impl Fn(i64) -> i64,
) -> Result<IntegerAggregate, CodecError> {
    let mut result = IntegerAggregate::default();
    let mut regular = plain(DecodedBits::Constant(true), rows);
    if let Some(selection) = selection {
        let bits = DecodedBits::Plain(selection.to_vec());
        regular = plain(DecodedBits::Plain(regular).and(bits), rows);
    }
    for (row, integer) in exceptions {
        let row = usize::from(row);
        let count = usize::from(is_selected(selection, row));
        result.add(IntegerKind::Float64, integer, count);
        set_bit(&mut regular, row, false);
    }
    let (scope, kind) = (scope.nested()?, IntegerKind::Int64);
    let scaled_integers = aggregate(scope, kind, scaled_integers, rows, Some(&regular))?;
    result.count += scaled_integers.count;
    if let Some((min, max)) = scaled_integers.bounds {
        result.widen(as_sql_has_it(integer(min)), as_sql_has_it(integer(max)));
    }
    Ok(result)
}

struct Distances {
    count: u64,
    min: u64,
    max: u64,
    sum: i128,
}

/// The packed values of the selected rows; `None` where none is selected.
fn sum_distances(
    packed: &[u8],
    width: u32,
    rows: usize,
    selection: Option<&[u8]>,
) -> Option<Distances> {
    let distances = match selection {
        None => unpack(packed, width, rows, |distance| distance),
        Some(_) => {
            let mut selected = Vec::with_capacity(rows);
            for_each_selected(selection, rows, |row| {
                selected.push(get(packed, width, row));
            });
            selected
        }
    };
    let all = distances.iter().copied();
    Some(Distances {
        count: distances.len() as u64,
        min: all.clone().min()?,
        max: all.clone().max()?,
        // 1,024 distances of 54 bits fill 64.
        sum: if width <= 54 {
            i128::from(all.sum::<u64>())
        } else {
            all.map(i128::from).sum()
        },
    })
}

/// One integer for all doubles that SQL calls equal, ascending in SQL's order.
fn as_sql_has_it(integer: i64) -> i64 {
    if !(INFINITIES.0..=INFINITIES.1).contains(&integer) {
        return integer_from_f64(f64::NAN);
    }
    if integer == integer_from_f64(-0.0) {
        return integer_from_f64(0.0);
    }
    integer
}
