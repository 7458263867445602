//! One column of a batch: plain or still encoded.

mod batch;
mod binary;
mod bitmap;
mod builder;
mod key;
mod runs;
mod text;

use std::sync::Arc;

use crate::{Decimal, DecimalData, LogicalType, Value};

pub use batch::{Batch, ColumnRef, Selection, VECTOR_ROWS};
pub use binary::BinaryData;
pub use bitmap::Bitmap;
pub use builder::ColumnBuilder;
pub use key::{encode_key_cell, encode_ordered_key_cell};
pub use runs::{CommonRuns, Runs};
pub use text::TextData;

/// Values of one type, in Arrow's memory layout.
///
/// Plain and dictionary forms carry their NULLs in an outer validity bitmap (one bit a row, 1 =
/// present); constant and run-end forms carry them in their inner values, as Arrow's run-end
/// encoding does.
#[derive(Clone, Debug)]
pub struct Column {
    ty: LogicalType,
    len: usize,
    data: ColumnData,
    validity: Option<Bitmap>,
}

/// The values of a [`Column`]. A NULL row of a plain form holds any value.
#[derive(Clone, Debug)]
pub enum ColumnData {
    /// `boolean`
    Boolean(Bitmap),
    /// `smallint`, `integer`, `date`, enumerations
    Int32(Vec<i32>),
    /// `bigint`, `time`, `timestamp`, `timestamptz`, `oid`
    Int64(Vec<i64>),
    /// `double precision`, `real`
    Float64(Vec<f64>),
    /// `text`, `varchar`, `character`, `json`
    Text(TextData),
    /// `numeric`
    Decimal(DecimalData),
    /// `bytea`, `uuid`, `interval`, `jsonb`, arrays, in their stored forms
    Binary(BinaryData),
    /// Row `i` is `values[codes[i]]`; the values are a plain column without NULLs.
    Dictionary {
        /// One code a row.
        codes: Vec<u32>,
        /// Distinct values.
        values: Arc<Column>,
    },
    /// Every row is the one row of this plain column.
    Constant(Arc<Column>),
    /// Run `r` holds the rows from `ends[r - 1]` (or 0) to `ends[r]`, all equal to `values[r]`; a
    /// plain column.
    RunEnds {
        /// Strictly ascending; the last one is the number of rows.
        ends: Vec<u32>,
        /// One value a run.
        values: Arc<Column>,
    },
}

impl Column {
    /// A plain column. `validity`, where given, has a bit a value.
    ///
    /// Returns `None` when `data` is an encoded form, does not fit `ty`, or differs from `validity`
    /// in length.
    pub fn plain(ty: LogicalType, data: ColumnData, validity: Option<Bitmap>) -> Option<Column> {
        use crate::PhysicalType as P;
        let len = match (&data, ty.physical()) {
            (ColumnData::Boolean(bits), P::Bits) => bits.len(),
            (ColumnData::Int32(values), P::Int32) => values.len(),
            (ColumnData::Int64(values), P::Int64) => values.len(),
            (ColumnData::Float64(values), P::Float64) => values.len(),
            (ColumnData::Text(strings), P::Bytes) => strings.len(),
            (ColumnData::Decimal(numbers), P::Decimal) => numbers.len(),
            (ColumnData::Binary(values), P::Binary) => values.len(),
            _ => return None,
        };
        if validity.as_ref().is_some_and(|bits| bits.len() != len) {
            return None;
        }
        Some(Column {
            ty,
            len,
            data,
            validity: validity.filter(|bits| !bits.all()),
        })
    }

    /// A dictionary column, or `None` when a code of a present row has no value, the values have
    /// NULLs or are encoded, or the lengths differ.
    pub fn dictionary(
        codes: Vec<u32>,
        values: Arc<Column>,
        validity: Option<Bitmap>,
    ) -> Option<Column> {
        let len = codes.len();
        let present = |i: usize| validity.as_ref().is_none_or(|bits| bits.get(i));
        let sound = values.is_plain()
            && values.validity.is_none()
            && validity.as_ref().is_none_or(|bits| bits.len() == len)
            && codes
                .iter()
                .enumerate()
                .all(|(i, code)| (*code as usize) < values.len || !present(i));
        let validity = validity.filter(|bits| !bits.all());
        let ty = values.ty;
        sound.then_some(Column {
            ty,
            len,
            data: ColumnData::Dictionary { codes, values },
            validity,
        })
    }

    /// `len` equal rows.
    pub fn constant(ty: LogicalType, value: &Value, len: usize) -> Column {
        let mut one = ColumnBuilder::new(ty);
        one.push(value);
        let data = ColumnData::Constant(Arc::new(one.finish()));
        Column {
            ty,
            len,
            data,
            validity: None,
        }
    }

    /// A run-end column, or `None` when the ends do not strictly ascend from above 0 or there is
    /// not one value a run.
    pub fn run_ends(ends: Vec<u32>, values: Arc<Column>) -> Option<Column> {
        let sound = values.is_plain()
            && ends.len() == values.len
            && ends.first().is_none_or(|end| *end > 0)
            && ends.is_sorted_by(|a, b| a < b);
        let len = ends.last().map_or(0, |end| *end as usize);
        let ty = values.ty;
        let data = ColumnData::RunEnds { ends, values };
        sound.then_some(Column {
            ty,
            len,
            data,
            validity: None,
        })
    }

    /// A plain column of these values; a value of another type becomes NULL.
    pub fn from_values<'a>(ty: LogicalType, values: impl IntoIterator<Item = &'a Value>) -> Column {
        let mut builder = ColumnBuilder::new(ty);
        for value in values {
            builder.push(value);
        }
        builder.finish()
    }

    /// The type of the values.
    pub fn logical_type(&self) -> LogicalType {
        self.ty
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The values in their present form.
    pub fn data(&self) -> &ColumnData {
        &self.data
    }

    /// The outer validity of plain and dictionary forms; `None` means that no row is NULL there.
    pub fn validity(&self) -> Option<&Bitmap> {
        self.validity.as_ref()
    }

    /// The same values read as another type of the same layout, or `None` where the layouts differ.
    pub fn retyped(&self, ty: LogicalType) -> Option<Column> {
        if ty.physical() != self.ty.physical() {
            return None;
        }
        let inner = |values: &Arc<Column>| values.retyped(ty).map(Arc::new);
        let data = match &self.data {
            ColumnData::Dictionary { codes, values } => ColumnData::Dictionary {
                codes: codes.clone(),
                values: inner(values)?,
            },
            ColumnData::Constant(value) => ColumnData::Constant(inner(value)?),
            ColumnData::RunEnds { ends, values } => ColumnData::RunEnds {
                ends: ends.clone(),
                values: inner(values)?,
            },
            plain => plain.clone(),
        };
        Some(Column {
            ty,
            len: self.len,
            data,
            validity: self.validity.clone(),
        })
    }

    fn is_plain(&self) -> bool {
        !matches!(
            self.data,
            ColumnData::Dictionary { .. } | ColumnData::Constant(_) | ColumnData::RunEnds { .. }
        )
    }

    /// Where row `i` is found: the plain column and the row in it, or `None` for a NULL or a row
    /// past the end.
    fn locate(&self, i: usize) -> Option<(&Column, usize)> {
        if i >= self.len || self.validity.as_ref().is_some_and(|bits| !bits.get(i)) {
            return None;
        }
        let (column, row) = match &self.data {
            ColumnData::Dictionary { codes, values } => (&**values, *codes.get(i)? as usize),
            ColumnData::Constant(value) => (&**value, 0),
            ColumnData::RunEnds { ends, values } => {
                (&**values, ends.partition_point(|end| *end as usize <= i))
            }
            _ => return Some((self, i)),
        };
        column
            .validity
            .as_ref()
            .is_none_or(|bits| bits.get(row))
            .then_some((column, row))
    }

    /// Whether row `i` is NULL; true past the end.
    pub fn is_null(&self, i: usize) -> bool {
        self.locate(i).is_none()
    }

    /// Number of NULL rows.
    pub fn null_count(&self) -> usize {
        match &self.data {
            ColumnData::Constant(value) => value.validity.as_ref().map_or(0, |_| self.len),
            ColumnData::RunEnds { values, .. } if values.validity.is_none() => 0,
            ColumnData::RunEnds { .. } => (0..self.len).filter(|i| self.is_null(*i)).count(),
            _ => self
                .validity
                .as_ref()
                .map_or(0, |bits| self.len - bits.count_ones()),
        }
    }

    /// Row `i` as a value; NULL past the end.
    pub fn value(&self, i: usize) -> Value {
        let Some((column, row)) = self.locate(i) else {
            return Value::Null;
        };
        match &column.data {
            ColumnData::Boolean(bits) => Value::Boolean(bits.get(row)),
            ColumnData::Int32(values) => {
                let integer = values.get(row).copied().map(i64::from);
                self.value_of(integer, Value::of_integer)
            }
            ColumnData::Int64(values) => self.value_of(values.get(row).copied(), Value::of_integer),
            ColumnData::Float64(values) => {
                self.value_of(values.get(row).copied(), Value::of_double)
            }
            ColumnData::Text(strings) => self.value_of(Some(strings.get(row)), Value::of_str),
            ColumnData::Decimal(numbers) => numbers.get(row).map_or(Value::Null, Value::Numeric),
            ColumnData::Binary(values) => self.value_of(Some(values.get(row)), Value::of_binary),
            _ => Value::Null,
        }
    }

    fn value_of<T>(&self, held: Option<T>, make: fn(LogicalType, T) -> Option<Value>) -> Value {
        held.and_then(|held| make(self.ty, held))
            .unwrap_or(Value::Null)
    }

    /// Row `i` in its stored form; `None` for NULL and for columns that are not held as bytes.
    pub fn binary_at(&self, i: usize) -> Option<&[u8]> {
        let (column, row) = self.locate(i)?;
        match &column.data {
            ColumnData::Binary(values) => Some(values.get(row)),
            _ => None,
        }
    }

    /// Row `i` as a decimal; `None` for NULL and for columns of other types.
    pub fn decimal_at(&self, i: usize) -> Option<Decimal> {
        let (column, row) = self.locate(i)?;
        match &column.data {
            ColumnData::Decimal(numbers) => numbers.get(row),
            _ => None,
        }
    }

    /// Row `i` as a string; `None` for NULL and for columns of other types.
    pub fn str_at(&self, i: usize) -> Option<&str> {
        let (column, row) = self.locate(i)?;
        match &column.data {
            ColumnData::Text(strings) => Some(strings.get(row)),
            _ => None,
        }
    }

    /// The same rows in plain form, without a copy where they are plain already.
    #[must_use]
    pub fn flatten(self: &Arc<Column>) -> Arc<Column> {
        if self.is_plain() {
            return Arc::clone(self);
        }
        let mut builder = ColumnBuilder::with_capacity(self.ty, self.len);
        builder.append(self);
        Arc::new(builder.finish())
    }

    /// Row `i` as a plain column of its own; NULL past the end.
    #[must_use]
    pub fn single(&self, i: usize) -> Column {
        let data = self.locate(i).and_then(|(column, row)| match &column.data {
            ColumnData::Int32(values) => Some(ColumnData::Int32(vec![*values.get(row)?])),
            ColumnData::Int64(values) => Some(ColumnData::Int64(vec![*values.get(row)?])),
            ColumnData::Float64(values) => Some(ColumnData::Float64(vec![*values.get(row)?])),
            ColumnData::Text(strings) => Some(ColumnData::Text(TextData::single(strings.get(row)))),
            _ => None,
        });
        if let Some(data) = data {
            return Column {
                ty: self.ty,
                len: 1,
                data,
                validity: None,
            };
        }
        let mut builder = ColumnBuilder::with_capacity(self.ty, 1);
        builder.push_row(self, i);
        builder.finish()
    }

    /// The rows at `rows`, in that order; a row past the end becomes NULL. Dictionary and constant
    /// forms are kept, and run ends where there are few runs.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Column {
        match &self.data {
            ColumnData::Constant(value) if rows.iter().all(|row| (*row as usize) < self.len) => {
                let data = ColumnData::Constant(Arc::clone(value));
                Column {
                    ty: self.ty,
                    len: rows.len(),
                    data,
                    validity: None,
                }
            }
            ColumnData::Dictionary { codes, values } => {
                let taken = rows
                    .iter()
                    .map(|row| codes.get(*row as usize).copied().unwrap_or(0))
                    .collect();
                let bits: Bitmap = rows
                    .iter()
                    .map(|row| !self.is_null(*row as usize))
                    .collect();
                Column {
                    ty: self.ty,
                    len: rows.len(),
                    data: ColumnData::Dictionary {
                        codes: taken,
                        values: Arc::clone(values),
                    },
                    validity: Some(bits).filter(|bits| !bits.all()),
                }
            }
            ColumnData::RunEnds { ends, values } => runs::take(ends, values, rows),
            _ => {
                let mut builder = ColumnBuilder::with_capacity(self.ty, rows.len());
                builder.append_rows(self, rows);
                builder.finish()
            }
        }
    }

    /// `len` rows from `start`; fewer where the column ends before.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Column {
        let end = start.saturating_add(len).min(self.len);
        if self.is_plain() {
            let mut builder = ColumnBuilder::with_capacity(self.ty, end.saturating_sub(start));
            builder.append_range(self, start.min(end), end);
            return builder.finish();
        }
        let rows: Vec<u32> = (start..end)
            .filter_map(|row| u32::try_from(row).ok())
            .collect();
        self.take(&rows)
    }

    /// Bytes that the values take in memory; shared dictionaries count in full.
    pub fn memory_bytes(&self) -> usize {
        let inner = match &self.data {
            ColumnData::Boolean(bits) => bits.as_bytes().len(),
            ColumnData::Int32(values) => values.len() * 4,
            ColumnData::Int64(values) => values.len() * 8,
            ColumnData::Float64(values) => values.len() * 8,
            ColumnData::Text(strings) => strings.offsets().len() * 4 + strings.text().len(),
            ColumnData::Decimal(numbers) => numbers.memory_bytes(),
            ColumnData::Binary(values) => values.offsets().len() * 4 + values.bytes().len(),
            ColumnData::Dictionary { codes, values } => codes.len() * 4 + values.memory_bytes(),
            ColumnData::Constant(value) => value.memory_bytes(),
            ColumnData::RunEnds { ends, values } => ends.len() * 4 + values.memory_bytes(),
        };
        inner
            + self
                .validity
                .as_ref()
                .map_or(0, |bits| bits.as_bytes().len())
    }

    /// As [`Column::memory_bytes`]; the buffers are no longer booked by themselves, so that whoever
    /// holds them books these bytes.
    pub fn taken_over_bytes(&self) -> usize {
        let mut column = self;
        while let ColumnData::Dictionary { values, .. }
        | ColumnData::Constant(values)
        | ColumnData::RunEnds { values, .. } = &column.data
        {
            column = values;
        }
        match &column.data {
            ColumnData::Text(strings) => strings.give_back(),
            ColumnData::Binary(values) => values.give_back(),
            _ => {}
        }
        self.memory_bytes()
    }
}

/// Columns are equal when type and rows are, whatever their forms; doubles compare as PostgreSQL
/// orders them.
impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        self.ty == other.ty
            && self.len == other.len
            && (0..self.len).all(|i| match (self.value(i), other.value(i)) {
                (Value::Null, Value::Null) => true,
                (a, b) => a.compare(&b) == Some(core::cmp::Ordering::Equal),
            })
    }
}

#[cfg(test)]
mod tests;
