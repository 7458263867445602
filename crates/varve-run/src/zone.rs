//! Zone maps: what is known of the values of a column in a vector, a group or a run without reading
//! them.
//!
//! Layout of one: flags (u8: 1 least bound, 2 greatest bound, 4 bounds exact, 8 sum, 16 sum beyond
//! 64 bits), number of NULLs (varint), least and greatest bound as key values, each followed by its
//! details where equal values may show differently, sum (zigzag varint, or 16 bytes little-endian).
//! Jsonb and arrays have no bounds.

use core::cmp::Ordering;
use varve_codec::{ByteReader, CodecError, put_varint, put_zigzag};
use varve_types::{
    Column, ColumnData, ColumnSummary, CompareOp, LogicalType, PredicateTest, TextData, Value,
    Wanted, binary_order, decode_key_value, encode_key_value, key_prefix_end, put_details,
    with_details,
};

/// Bounds of text are cut to this many bytes.
const TEXT_BOUND_BYTES: usize = 16;
const MIN: u8 = 1;
const MAX: u8 = 2;
const EXACT: u8 = 4;
const SUM: u8 = 8;
const WIDE_SUM: u8 = 16;

/// What is known of some rows of one column.
#[derive(Clone, Debug, PartialEq)]
pub struct ZoneMap {
    /// Rows described.
    pub rows: u64,
    /// How many of them are NULL.
    pub null_count: u64,
    /// No value is below; `None` when there is no value.
    pub min: Option<Value>,
    /// No value is above; `None` when there is no value, or no short bound above them.
    pub max: Option<Value>,
    /// Whether the bounds are values that occur. Cut text bounds are not: they answer no MIN or
    /// MAX.
    pub bounds_exact: bool,
    /// The exact sum of the values of integer columns, 0 when there is none; `None` for other
    /// types.
    pub sum: Option<i128>,
}

impl ZoneMap {
    /// Of no rows.
    pub(crate) fn empty(ty: LogicalType) -> ZoneMap {
        ZoneMap {
            rows: 0,
            null_count: 0,
            min: None,
            max: None,
            bounds_exact: true,
            sum: has_sum(ty).then_some(0),
        }
    }

    /// Of a plain column.
    pub(crate) fn of(column: &Column) -> ZoneMap {
        let mut zone = ZoneMap::empty(column.logical_type());
        zone.rows = column.len() as u64;
        zone.null_count = column.null_count() as u64;
        let present = |row: &usize| column.validity().is_none_or(|bits| bits.get(*row));
        let rows = || (0..column.len()).filter(present);
        let extremes = match column.data() {
            ColumnData::Int32(values) => {
                let integers =
                    rows().filter_map(|row| values.get(row).map(|integer| i64::from(*integer)));
                extremes_of_integers(integers, rows(), &mut zone.sum)
            }
            ColumnData::Int64(values) => {
                let integers = rows().filter_map(|row| values.get(row).copied());
                extremes_of_integers(integers, rows(), &mut zone.sum)
            }
            ColumnData::Text(strings) if column.logical_type() != LogicalType::Bpchar => {
                let strings = rows().map(|row| (row, bytes_at(strings, row)));
                extremes_by(strings, |a, b| a.cmp(b))
            }
            ColumnData::Float64(values) => {
                let doubles = rows().filter_map(|row| Some((row, *values.get(row)?)));
                extremes_by(doubles, |a, b| {
                    a.partial_cmp(b).unwrap_or_else(|| order_of_nan(*a, *b))
                })
            }
            ColumnData::Binary(values) => {
                let ty = column.logical_type();
                let orders = rows().map(|row| (row, binary_order(ty, values.get(row))));
                extremes_by(orders, |a, b| a.cmp(b))
            }
            _ => {
                let values = rows().map(|row| (row, column.value(row)));
                extremes_by(values, |a, b| a.compare(b).unwrap_or(Ordering::Equal))
            }
        };
        if let Some((min, max)) = extremes {
            zone.set_bounds(canonical(column.value(min)), canonical(column.value(max)));
        }
        zone
    }

    fn set_bounds(&mut self, min: Value, max: Value) {
        // Too long to be kept, and not to be cut.
        if matches!(min, Value::Jsonb(_) | Value::Array(..) | Value::Row(..)) {
            self.bounds_exact = false;
            return;
        }
        let (low, low_exact) = lower_bound(min);
        let (high, high_exact) = upper_bound(max);
        self.bounds_exact = low_exact && high_exact;
        self.min = Some(low);
        self.max = high;
    }

    /// Whether any row holds a value.
    pub fn has_values(&self) -> bool {
        self.null_count < self.rows
    }

    /// Adds the rows that `other` describes.
    pub(crate) fn merge(&mut self, other: &ZoneMap) {
        if other.has_values() {
            if self.has_values() {
                let keep = |a: &Option<Value>, b: &Option<Value>, wanted| match (a, b) {
                    (Some(a), Some(b)) if b.compare(a) == Some(wanted) => Some(b.clone()),
                    (Some(a), Some(_)) => Some(a.clone()),
                    _ => None,
                };
                self.min = keep(&self.min, &other.min, Ordering::Less);
                self.max = keep(&self.max, &other.max, Ordering::Greater);
                self.bounds_exact &= other.bounds_exact;
            } else {
                self.min.clone_from(&other.min);
                self.max.clone_from(&other.max);
                self.bounds_exact = other.bounds_exact;
            }
        }
        self.rows += other.rows;
        self.null_count += other.null_count;
        self.sum = self.sum.zip(other.sum).and_then(|(a, b)| a.checked_add(b));
    }

    /// Whether a row described may pass; false is certain.
    pub fn may_match(&self, test: &PredicateTest) -> bool {
        match test {
            PredicateTest::IsNull => self.null_count > 0,
            PredicateTest::IsNotNull => self.has_values(),
            PredicateTest::Compare(op, constant) => self.may_compare(*op, constant),
            PredicateTest::In(constants) => constants
                .iter()
                .any(|constant| self.may_compare(CompareOp::Eq, constant)),
        }
    }

    /// Whether every row described passes; true is certain.
    pub fn must_match(&self, test: &PredicateTest) -> bool {
        match test {
            PredicateTest::IsNull => !self.has_values(),
            PredicateTest::IsNotNull => self.null_count == 0,
            PredicateTest::Compare(op, constant) => self.must_compare(*op, constant),
            PredicateTest::In(constants) => constants
                .iter()
                .any(|constant| self.must_compare(CompareOp::Eq, constant)),
        }
    }

    fn must_compare(&self, op: CompareOp, constant: &Value) -> bool {
        let holds = |bound: &Option<Value>, op: CompareOp| {
            let order = bound.as_ref().and_then(|bound| bound.compare(constant));
            order.is_some_and(|order| op.holds(order))
        };
        let certain = match op {
            // A cut bound is not a value, but no value lies outside of the bounds.
            CompareOp::Eq => holds(&self.min, CompareOp::Eq) && holds(&self.max, CompareOp::Eq),
            CompareOp::NotEq => holds(&self.min, CompareOp::Gt) || holds(&self.max, CompareOp::Lt),
            CompareOp::Lt | CompareOp::LtEq => holds(&self.max, op),
            CompareOp::Gt | CompareOp::GtEq => holds(&self.min, op),
        };
        self.null_count == 0 && certain
    }

    /// What is wanted of the values, where it is known exactly.
    pub fn summary(&self, wanted: Wanted) -> Option<ColumnSummary> {
        let extremes = match (&self.min, &self.max) {
            _ if !wanted.extremes || !self.has_values() => None,
            (Some(min), Some(max)) if self.bounds_exact && shows_alike(min) && shows_alike(max) => {
                Some((min.clone(), max.clone()))
            }
            _ => return None,
        };
        Some(ColumnSummary {
            present: self.rows.checked_sub(self.null_count)?,
            sum: if wanted.sum { self.sum? } else { 0 },
            extremes,
        })
    }

    fn may_compare(&self, op: CompareOp, constant: &Value) -> bool {
        // Without a bound, or against another type, nothing is certain.
        let holds = |bound: &Option<Value>, op: CompareOp| {
            let order = bound.as_ref().and_then(|bound| bound.compare(constant));
            order.is_none_or(|order| op.holds(order))
        };
        let possible = match op {
            CompareOp::Eq => holds(&self.min, CompareOp::LtEq) && holds(&self.max, CompareOp::GtEq),
            CompareOp::NotEq => {
                let equal = CompareOp::Eq;
                let all_equal = self.bounds_exact
                    && self.min.is_some()
                    && self.max.is_some()
                    && holds(&self.min, equal)
                    && holds(&self.max, equal);
                !all_equal
            }
            CompareOp::Lt | CompareOp::LtEq => holds(&self.min, op),
            CompareOp::Gt | CompareOp::GtEq => holds(&self.max, op),
        };
        self.has_values() && possible
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let narrow = self.sum.and_then(|sum| i64::try_from(sum).ok());
        let mut flags = 0;
        for (flag, set) in [
            (MIN, self.min.is_some()),
            (MAX, self.max.is_some()),
            (EXACT, self.bounds_exact),
            (SUM, self.sum.is_some()),
            (WIDE_SUM, self.sum.is_some() && narrow.is_none()),
        ] {
            flags |= if set { flag } else { 0 };
        }
        out.push(flags);
        put_varint(self.null_count, out);
        for bound in [&self.min, &self.max].into_iter().flatten() {
            encode_key_value(bound, out);
            if bound.logical_type().is_some_and(has_details) {
                put_details(bound, out);
            }
        }
        match (narrow, self.sum) {
            (Some(sum), _) => put_zigzag(sum, out),
            (None, Some(sum)) => out.extend_from_slice(&sum.to_le_bytes()),
            (None, None) => {}
        }
    }

    /// The zone map of `rows` rows of type `ty`.
    pub(crate) fn decode(
        reader: &mut ByteReader<'_>,
        ty: LogicalType,
        rows: u64,
    ) -> Result<ZoneMap, CodecError> {
        let flags = reader.u8()?;
        let null_count = reader.varint()?;
        let mut bound = |flag: u8| -> Result<Option<Value>, CodecError> {
            if flags & flag == 0 {
                return Ok(None);
            }
            let mut rest = reader.rest();
            let mut value = decode_key_value(ty, &mut rest).filter(|value| !value.is_null());
            if has_details(ty) {
                value = value.and_then(|value| with_details(value, &mut rest));
            }
            *reader = ByteReader::new(rest);
            value
                .map(Some)
                .ok_or(CodecError::Malformed("zone map bound"))
        };
        let (min, max) = (bound(MIN)?, bound(MAX)?);
        let sum = match flags & (SUM | WIDE_SUM) {
            0 => None,
            SUM => Some(i128::from(reader.zigzag()?)),
            _ => {
                let bytes = reader.take(16)?.first_chunk::<16>();
                Some(i128::from_le_bytes(
                    *bytes.ok_or(CodecError::UnexpectedEnd)?,
                ))
            }
        };
        let known = MIN | MAX | EXACT | SUM | WIDE_SUM;
        if flags & !known != 0 || null_count > rows || sum.is_some() != has_sum(ty) {
            return Err(CodecError::Malformed("zone map"));
        }
        Ok(ZoneMap {
            rows,
            null_count,
            min,
            max,
            bounds_exact: flags & EXACT != 0,
            sum,
        })
    }
}

/// Whether all values that equal this one show alike, so that it stands for each of them.
fn shows_alike(value: &Value) -> bool {
    value.double() != Some(0.0) && value.logical_type().is_some_and(|ty| !has_details(ty))
}

fn has_sum(ty: LogicalType) -> bool {
    matches!(
        ty,
        LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8
    )
}

/// Whether equal bounds of the type may show differently, so that what they show is stored too.
fn has_details(ty: LogicalType) -> bool {
    matches!(
        ty,
        LogicalType::Numeric | LogicalType::Bpchar | LogicalType::Interval
    )
}

/// The rows of the least and greatest integer; adds all integers to the sum, where one is kept.
fn extremes_of_integers(
    integers: impl Iterator<Item = i64>,
    rows: impl Iterator<Item = usize>,
    sum: &mut Option<i128>,
) -> Option<(usize, usize)> {
    let mut extremes: Option<((i64, usize), (i64, usize))> = None;
    let mut total = 0_i128;
    for (integer, row) in integers.zip(rows) {
        total += i128::from(integer);
        let here = (integer, row);
        let (min, max) = extremes.get_or_insert((here, here));
        if integer < min.0 {
            *min = here;
        }
        if integer > max.0 {
            *max = here;
        }
    }
    *sum = sum.map(|sum| sum + total);
    extremes.map(|(min, max)| (min.1, max.1))
}

/// The rows of the least and greatest value.
fn extremes_by<T: Clone>(
    values: impl Iterator<Item = (usize, T)>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Option<(usize, usize)> {
    let mut extremes: Option<((usize, T), (usize, T))> = None;
    for (row, value) in values {
        let Some((min, max)) = &mut extremes else {
            extremes = Some(((row, value.clone()), (row, value)));
            continue;
        };
        if compare(&value, &min.1).is_lt() {
            *min = (row, value);
        } else if compare(&value, &max.1).is_gt() {
            *max = (row, value);
        }
    }
    extremes.map(|(min, max)| (min.0, max.0))
}

/// The bytes of a string, which order as the string does.
fn bytes_at(strings: &TextData, row: usize) -> &[u8] {
    let offset = |row: usize| strings.offsets().get(row).map_or(0, |at| *at as usize);
    let bytes = strings.text().as_bytes();
    bytes.get(offset(row)..offset(row + 1)).unwrap_or_default()
}

/// NaN equals itself and is above all else.
fn order_of_nan(a: f64, b: f64) -> Ordering {
    a.is_nan().cmp(&b.is_nan())
}

/// Of values that compare as equal the one that a stored bound reads back as.
fn canonical(value: Value) -> Value {
    match value {
        Value::Float8(nan) if nan.is_nan() => Value::Float8(f64::NAN),
        // Adding 0 makes 0 of -0.
        Value::Float8(number) => Value::Float8(number + 0.0),
        Value::Float4(nan) if nan.is_nan() => Value::Float4(f32::NAN),
        Value::Float4(number) => Value::Float4(number + 0.0),
        other => other,
    }
}

/// A value not above `value`, and whether it is `value`.
fn lower_bound(value: Value) -> (Value, bool) {
    match &value {
        Value::Text(text) if text.len() > TEXT_BOUND_BYTES => (Value::text(cut(text)), false),
        Value::Bpchar(text) if text.len() > TEXT_BOUND_BYTES => {
            (Value::Bpchar(cut(text).into()), false)
        }
        Value::Bytea(bytes) => match bytes.get(..TEXT_BOUND_BYTES) {
            Some(start) if bytes.len() > TEXT_BOUND_BYTES => (Value::Bytea(start.into()), false),
            _ => (value, true),
        },
        _ => (value, true),
    }
}

/// A value not below `value`, if there is a short one, and whether it is `value`.
fn upper_bound(value: Value) -> (Option<Value>, bool) {
    let text = match &value {
        Value::Bytea(bytes) if bytes.len() > TEXT_BOUND_BYTES => {
            let start = bytes.get(..TEXT_BOUND_BYTES).and_then(key_prefix_end);
            return (start.map(|above| Value::Bytea(above.into())), false);
        }
        Value::Text(text) | Value::Bpchar(text) if text.len() > TEXT_BOUND_BYTES => text,
        _ => return (Some(value), true),
    };
    // The order of UTF-8 bytes is that of characters: the next character at the last place that has
    // one is above.
    let mut prefix: Vec<char> = cut(text).chars().collect();
    while let Some(last) = prefix.pop() {
        if let Some(next) = next_char(last) {
            prefix.push(next);
            let above: String = prefix.into_iter().collect();
            let ty = value.logical_type().unwrap_or(LogicalType::Text);
            return (Value::of_str(ty, &above), false);
        }
    }
    (None, false)
}

fn next_char(character: char) -> Option<char> {
    match character {
        '\u{d7ff}' => Some('\u{e000}'),
        other => char::from_u32(u32::from(other) + 1),
    }
}

/// The longest prefix of whole characters within the limit.
fn cut(text: &str) -> &str {
    let end = text.floor_char_boundary(TEXT_BOUND_BYTES);
    text.get(..end).unwrap_or_default()
}
