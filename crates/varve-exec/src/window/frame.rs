//! The rows of a frame.

use core::ops::Range;

use varve_expr::{EvalContext, Expr, Zone, evaluate_constant, shifted_value};
use varve_plan::{Frame, FrameBound, FrameExclusion, FrameUnits, SortKeyExpr};
use varve_types::{Column, Error, Result, SqlState, Value};

use super::Partition;

/// A frame whose offsets are known.
pub(super) struct Frames<'f> {
    frame: &'f Frame,
    start: Offset,
    end: Offset,
    /// In which timestamps are moved.
    zone: Zone,
}

/// An offset of a bound.
enum Offset {
    None,
    Rows(usize),
    Value(Value),
}

impl<'f> Frames<'f> {
    pub(super) fn new(frame: &'f Frame, eval: &EvalContext<'_>) -> Result<Frames<'f>> {
        Ok(Frames {
            frame,
            start: offset(frame, &frame.start, "starting", eval)?,
            end: offset(frame, &frame.end, "ending", eval)?,
            zone: eval.locale.zone.clone(),
        })
    }

    /// Whether frames begin with the partition and leave nothing out, so that each contains the
    /// one before.
    pub(super) fn only_grows(&self) -> bool {
        self.frame.start == FrameBound::First && self.frame.exclusion == FrameExclusion::NoOthers
    }

    /// The frame of a row before anything is left out; `order` has the values of the one order
    /// column of RANGE with offsets.
    fn whole(
        &self,
        partition: &Partition,
        row: usize,
        order: Option<(&Column, &SortKeyExpr)>,
    ) -> Result<Range<usize>> {
        let rows = partition.rows();
        let group = partition.group_of(row);
        let place = |bound: &FrameBound, offset: &Offset, is_end: bool| -> Result<usize> {
            let backward = matches!(bound, FrameBound::Preceding(_));
            Ok(match (bound, self.frame.units, offset) {
                (FrameBound::First, ..) => 0,
                (FrameBound::Last, ..) => rows,
                (FrameBound::Current, FrameUnits::Rows, _) => row + usize::from(is_end),
                (FrameBound::Current, ..) => partition.group_start(group + usize::from(is_end)),
                (_, FrameUnits::Rows, Offset::Rows(by)) => {
                    let at = moved(row, *by, backward);
                    at.map_or(0, |at| at.saturating_add(usize::from(is_end)).min(rows))
                }
                (_, FrameUnits::Groups, Offset::Rows(by)) => match moved(group, *by, backward) {
                    None => 0,
                    Some(at) => partition.group_start(at.saturating_add(usize::from(is_end))),
                },
                (_, _, Offset::Value(by)) => {
                    let (column, key) = order
                        .ok_or_else(|| Error::internal("a RANGE frame without an order column"))?;
                    let moved = Moved {
                        by,
                        backward,
                        zone: &self.zone,
                    };
                    range_bound(column, key, row, &moved, is_end, partition)?
                }
                _ => return Err(Error::internal("a frame bound without its offset")),
            })
        };
        let start = place(&self.frame.start, &self.start, false)?;
        let end = place(&self.frame.end, &self.end, true)?;
        Ok(start..end.max(start))
    }

    /// The frame of a row as ranges of rows, ascending.
    pub(super) fn of(
        &self,
        partition: &Partition,
        row: usize,
        order: Option<(&Column, &SortKeyExpr)>,
    ) -> Result<Vec<Range<usize>>> {
        let whole = self.whole(partition, row, order)?;
        let group = partition.group_of(row);
        let peers = partition.group_start(group)..partition.group_start(group + 1);
        let kept: Vec<Range<usize>> = match self.frame.exclusion {
            FrameExclusion::NoOthers => vec![whole],
            FrameExclusion::CurrentRow => without(whole, row..row + 1),
            FrameExclusion::Group => without(whole, peers),
            FrameExclusion::Ties => {
                let before = without(whole, peers.start..row).into_iter();
                before
                    .flat_map(|part| without(part, row + 1..peers.end))
                    .collect()
            }
        };
        Ok(kept.into_iter().filter(|part| !part.is_empty()).collect())
    }
}

fn without(whole: Range<usize>, hole: Range<usize>) -> Vec<Range<usize>> {
    if hole.is_empty() {
        return vec![whole];
    }
    let before = whole.start..whole.end.min(hole.start);
    let after = whole.start.max(hole.end)..whole.end;
    vec![before, after]
}

fn moved(from: usize, by: usize, backward: bool) -> Option<usize> {
    if backward {
        from.checked_sub(by)
    } else {
        Some(from.saturating_add(by))
    }
}

fn offset(
    frame: &Frame,
    bound: &FrameBound,
    which: &str,
    eval: &EvalContext<'_>,
) -> Result<Offset> {
    let (FrameBound::Preceding(expr) | FrameBound::Following(expr)) = bound else {
        return Ok(Offset::None);
    };
    let expr: &Expr = expr;
    let value = evaluate_constant(expr, eval)?;
    let negative = || {
        Error::new(
            SqlState::INVALID_PRECEDING_OR_FOLLOWING_SIZE,
            if frame.units == FrameUnits::Range {
                "invalid preceding or following size in window function".to_owned()
            } else {
                format!("frame {which} offset must not be negative")
            },
        )
    };
    match (&value, frame.units) {
        (Value::Null, _) => Err(Error::new(
            SqlState::NULL_VALUE_NOT_ALLOWED,
            format!("frame {which} offset must not be null"),
        )),
        (Value::Int8(rows), FrameUnits::Rows | FrameUnits::Groups) => {
            let rows = u64::try_from(*rows).map_err(|_| negative())?;
            Ok(Offset::Rows(usize::try_from(rows).unwrap_or(usize::MAX)))
        }
        (Value::Int4(by), _) if *by < 0 => Err(negative()),
        (Value::Int8(by), _) if *by < 0 => Err(negative()),
        (Value::Float8(by), _) if by.is_nan() || *by < 0.0 => Err(negative()),
        (Value::Numeric(by), _) if by.is_nan() || by.signum() < 0 => Err(negative()),
        (Value::Interval(by), _) if by.span_us() < 0 => Err(negative()),
        _ => Ok(Offset::Value(value)),
    }
}

/// The first row of a frame, or the row behind its last one, whose bound lies `by` before or after
/// the row's value.
fn range_bound(
    column: &Column,
    key: &SortKeyExpr,
    row: usize,
    moved: &Moved<'_>,
    is_end: bool,
    partition: &Partition,
) -> Result<usize> {
    let group = partition.group_of(row);
    if column.is_null(row) {
        // NULLs are the peers of NULLs and of nothing else.
        return Ok(partition.group_start(group + usize::from(is_end)));
    }
    // In the order of the partition the bound lies before or after.
    let lower = moved.backward != key.descending;
    let mut bound = Bound::new(&column.value(row), moved, lower)?;
    if let Bound::Double(double) = &mut bound
        && double.is_nan()
        && is_number(&column.value(row))
        && is_number(moved.by)
    {
        // From one infinity by another: every number is within.
        let far = is_end != key.descending;
        *double = if far {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
    }
    let rows = partition.rows();
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        let value = column.value(middle);
        let is_before = if value.is_null() {
            key.nulls_first
        } else {
            let order = bound.compare(&value);
            let order = if key.descending {
                order.reverse()
            } else {
                order
            };
            if is_end { order.is_le() } else { order.is_lt() }
        };
        if is_before {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// By how much a bound lies before or after a row.
struct Moved<'a> {
    by: &'a Value,
    backward: bool,
    zone: &'a Zone,
}

/// A value with an offset added or taken away.
enum Bound {
    Integer(i128),
    Double(f64),
    Other(Value),
}

impl Bound {
    fn new(value: &Value, moved: &Moved<'_>, lower: bool) -> Result<Bound> {
        let by = moved.by;
        let sign = if lower { -1 } else { 1 };
        if let (Some(value), Some(by)) = (integer(value), integer(by)) {
            return Ok(Bound::Integer(value + sign * by));
        }
        if let (Some(value), Some(by)) = (value.double(), by.double()) {
            return Ok(Bound::Double(if lower { value - by } else { value + by }));
        }
        shifted_value(value, by, lower, moved.zone)?
            .map(Bound::Other)
            .ok_or_else(|| Error::unsupported("RANGE with this type of offset"))
    }

    /// The order of a value and the bound.
    fn compare(&self, value: &Value) -> core::cmp::Ordering {
        let order = match (self, value) {
            (Bound::Integer(bound), value) => return integer(value).unwrap_or(0).cmp(bound),
            (Bound::Double(bound), value) => value
                .double()
                .and_then(|value| Value::Float8(value).compare(&Value::Float8(*bound))),
            // The bound of a date is a timestamp.
            (Bound::Other(Value::Timestamp(bound)), Value::Date(day)) => {
                return (i128::from(*day) * 86_400_000_000).cmp(&i128::from(*bound));
            }
            (Bound::Other(bound), value) => value.compare(bound),
        };
        order.unwrap_or(core::cmp::Ordering::Equal)
    }
}

fn is_number(value: &Value) -> bool {
    value.double().is_some_and(|double| !double.is_nan())
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int2(_) | Value::Int4(_) | Value::Int8(_) => value.integer().map(i128::from),
        _ => None,
    }
}
