//! Builds plain columns row by row.

use crate::column::{Column, ColumnData, Runs};
use crate::{BinaryData, Bitmap, DecimalData, LogicalType, PhysicalType, TextData, Value};

/// Collects values of one type into a plain [`Column`].
#[derive(Clone, Debug)]
pub struct ColumnBuilder {
    ty: LogicalType,
    data: ColumnData,
    /// Present bits; left out until the first NULL.
    validity: Option<Bitmap>,
    len: usize,
}

impl ColumnBuilder {
    /// An empty builder.
    pub fn new(ty: LogicalType) -> ColumnBuilder {
        ColumnBuilder::with_capacity(ty, 0)
    }

    /// An empty builder with room for `rows`.
    pub fn with_capacity(ty: LogicalType, rows: usize) -> ColumnBuilder {
        let data = match ty.physical() {
            PhysicalType::Bits => ColumnData::Boolean(Bitmap::new()),
            PhysicalType::Int32 => ColumnData::Int32(Vec::with_capacity(rows)),
            PhysicalType::Int64 => ColumnData::Int64(Vec::with_capacity(rows)),
            PhysicalType::Float64 => ColumnData::Float64(Vec::with_capacity(rows)),
            PhysicalType::Bytes => ColumnData::Text(TextData::default()),
            PhysicalType::Decimal => ColumnData::Decimal(DecimalData::with_capacity(rows)),
            PhysicalType::Binary => ColumnData::Binary(BinaryData::default()),
        };
        ColumnBuilder {
            ty,
            data,
            validity: None,
            len: 0,
        }
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The type of the column being built.
    pub fn logical_type(&self) -> LogicalType {
        self.ty
    }

    /// Adds a value; NULL, and a value of another type, become NULL.
    pub fn push(&mut self, value: &Value) {
        let added = value.is_of(self.ty)
            && match (&mut self.data, value) {
                (ColumnData::Boolean(bits), Value::Boolean(bit)) => {
                    bits.push(*bit);
                    true
                }
                (ColumnData::Int32(values), value) => {
                    let integer = value
                        .integer()
                        .and_then(|integer| i32::try_from(integer).ok());
                    integer.map(|integer| values.push(integer)).is_some()
                }
                (ColumnData::Int64(values), value) => value
                    .integer()
                    .map(|integer| values.push(integer))
                    .is_some(),
                (ColumnData::Float64(values), value) => {
                    value.double().map(|double| values.push(double)).is_some()
                }
                (ColumnData::Decimal(numbers), Value::Numeric(number)) => {
                    numbers.push(*number);
                    true
                }
                (ColumnData::Text(strings), value) => {
                    value.str().map(|text| strings.push(text)).is_some()
                }
                (ColumnData::Binary(values), value) => {
                    value.with_binary(|bytes| values.push(bytes)).is_some()
                }
                _ => false,
            };
        if !added {
            return self.push_null();
        }
        self.row_added(true);
    }

    /// Adds a string to a text column; NULL in any other.
    pub fn push_str(&mut self, text: &str) {
        if let ColumnData::Text(strings) = &mut self.data {
            strings.push(text);
            self.row_added(true);
        } else {
            self.push_null();
        }
    }

    /// Adds the stored form of a value to a column of bytes; NULL in any other.
    pub fn push_binary(&mut self, bytes: &[u8]) {
        if let ColumnData::Binary(values) = &mut self.data {
            values.push(bytes);
            self.row_added(true);
        } else {
            self.push_null();
        }
    }

    /// Adds a NULL.
    pub fn push_null(&mut self) {
        match &mut self.data {
            ColumnData::Boolean(bits) => bits.push(false),
            ColumnData::Int32(values) => values.push(0),
            ColumnData::Int64(values) => values.push(0),
            ColumnData::Float64(values) => values.push(0.0),
            ColumnData::Text(strings) => strings.push(""),
            ColumnData::Decimal(numbers) => numbers.push_null(),
            ColumnData::Binary(values) => values.push(&[]),
            _ => {}
        }
        self.row_added(false);
    }

    fn row_added(&mut self, present: bool) {
        if !present && self.validity.is_none() {
            self.validity = Some(Bitmap::filled(self.len, true));
        }
        if let Some(bits) = &mut self.validity {
            bits.push(present);
        }
        self.len += 1;
    }

    /// Adds every row of a column of the same type, whatever its form.
    pub fn append(&mut self, column: &Column) {
        self.append_range(column, 0, column.len());
    }

    /// Adds the rows `start..end` of a column of the same type, whatever its form; a row past its
    /// end becomes NULL. Plain columns are copied as a whole.
    pub fn append_range(&mut self, column: &Column, start: usize, end: usize) {
        if let Some(runs) = column.runs() {
            return self.append_runs(&runs, start, end);
        }
        let rows = start..end;
        let copied = match (&mut self.data, column.data()) {
            (ColumnData::Boolean(to), ColumnData::Boolean(from)) if end <= from.len() => {
                to.extend(rows.clone().map(|row| from.get(row)));
                true
            }
            (ColumnData::Int32(to), ColumnData::Int32(from)) => copy(to, from.get(rows.clone())),
            (ColumnData::Int64(to), ColumnData::Int64(from)) => copy(to, from.get(rows.clone())),
            (ColumnData::Float64(to), ColumnData::Float64(from)) => {
                copy(to, from.get(rows.clone()))
            }
            (ColumnData::Text(to), ColumnData::Text(from)) => to.push_range(from, start, end),
            _ => false,
        };
        if !copied {
            for row in rows {
                self.push_row(column, row);
            }
            return;
        }
        let count = end.saturating_sub(start);
        match (&mut self.validity, column.validity()) {
            (None, None) => {}
            (Some(bits), None) => bits.extend(core::iter::repeat_n(true, count)),
            (None, Some(from)) => {
                let mut bits = Bitmap::filled(self.len, true);
                bits.extend(rows.map(|row| from.get(row)));
                self.validity = Some(bits);
            }
            (Some(bits), Some(from)) => bits.extend(rows.map(|row| from.get(row))),
        }
        self.len += count;
    }

    fn append_runs(&mut self, runs: &Runs<'_>, mut start: usize, end: usize) {
        for (run, run_end) in runs.ends.iter().enumerate() {
            let run_end = end.min(*run_end as usize);
            let rows = run_end.saturating_sub(start);
            if !self.append_equal(runs.values, run, rows) {
                (0..rows).for_each(|_| self.push_row(runs.values, run));
            }
            start += rows;
        }
        (start..end).for_each(|_| self.push_null());
    }

    /// Adds a row of a plain column of the same type so many times, where that is quick.
    fn append_equal(&mut self, column: &Column, row: usize, count: usize) -> bool {
        let is_added = !column.is_null(row)
            && match (&mut self.data, column.data()) {
                (ColumnData::Boolean(to), ColumnData::Boolean(from)) => {
                    to.extend(core::iter::repeat_n(from.get(row), count));
                    true
                }
                (ColumnData::Int32(to), ColumnData::Int32(from)) => {
                    repeat(to, from.get(row), count)
                }
                (ColumnData::Int64(to), ColumnData::Int64(from)) => {
                    repeat(to, from.get(row), count)
                }
                (ColumnData::Float64(to), ColumnData::Float64(from)) => {
                    repeat(to, from.get(row), count)
                }
                _ => false,
            };
        if is_added {
            self.len += count;
            if let Some(bits) = &mut self.validity {
                bits.extend(core::iter::repeat_n(true, count));
            }
        }
        is_added
    }

    /// Adds the rows at `rows` of a column of the same type; a row past its end becomes NULL.
    pub fn append_rows(&mut self, column: &Column, rows: &[u32]) {
        match (&mut self.data, column.data(), column.validity()) {
            (ColumnData::Int32(to), ColumnData::Int32(from), None) => gather(to, from, rows),
            (ColumnData::Int64(to), ColumnData::Int64(from), None) => gather(to, from, rows),
            (ColumnData::Float64(to), ColumnData::Float64(from), None) => gather(to, from, rows),
            (ColumnData::Text(to), ColumnData::Text(from), None) => {
                for row in rows {
                    to.push(from.get(*row as usize));
                }
            }
            _ => {
                for row in rows {
                    self.push_row(column, *row as usize);
                }
                return;
            }
        }
        for row in rows {
            self.row_added((*row as usize) < column.len());
        }
    }

    /// Adds one row of a column of the same type, whatever its form.
    pub fn push_row(&mut self, column: &Column, row: usize) {
        if let Some(text) = column.str_at(row) {
            self.push_str(text);
        } else if let Some(bytes) = column.binary_at(row) {
            self.push_binary(bytes);
        } else if let (ColumnData::Decimal(numbers), Some(number)) =
            (&mut self.data, column.decimal_at(row))
        {
            numbers.push(number);
            self.row_added(true);
        } else {
            self.push(&column.value(row));
        }
    }

    /// The column built.
    pub fn finish(self) -> Column {
        Column::plain(self.ty, self.data, self.validity)
            .unwrap_or_else(|| Column::constant(self.ty, &Value::Null, self.len))
    }
}

/// Whether there were values to copy.
fn copy<T: Copy>(to: &mut Vec<T>, from: Option<&[T]>) -> bool {
    let from = from.inspect(|from| to.extend_from_slice(from));
    from.is_some()
}

/// Whether there is a value to repeat.
fn repeat<T: Copy>(to: &mut Vec<T>, value: Option<&T>, count: usize) -> bool {
    let value = value.inspect(|value| to.resize(to.len() + count, **value));
    value.is_some()
}

fn gather<T: Copy + Default>(to: &mut Vec<T>, from: &[T], rows: &[u32]) {
    to.extend(
        rows.iter()
            .map(|row| from.get(*row as usize).copied().unwrap_or_default()),
    );
}
