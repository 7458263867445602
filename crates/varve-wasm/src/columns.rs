//! Columns as the page gives them for a bulk load, made into columns of the engine.
//!
//! A column is a kind, its values as little-endian bytes, for text where each one ends, and where
//! some are NULL one byte a row, 0 for NULL. `js/src/load/load-columns.ts` writes them.

use varve_types::{
    Bitmap, Column, ColumnBuilder, ColumnData, Error, LogicalType, PhysicalType, Result, SqlState,
    TextData, Value,
};
use varvedb::{DEFAULT_LOCALE, cast_value, parse_value};

/// Doubles up to here are exact as integers.
const SAFE_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

/// A column before its type is known.
pub struct GivenColumn {
    /// 0 booleans (a byte each), 1 integers of 32 bits, 2 of 64 bits, 3 doubles, 4 text.
    pub kind: u8,
    /// The values, one after another.
    pub bytes: Vec<u8>,
    /// Of text where each value ends.
    pub ends: Vec<u32>,
    /// One byte a row, or nothing where no row is NULL.
    pub validity: Vec<u8>,
}

impl GivenColumn {
    /// The values as a column of type `ty`, which is called `name`. Numbers fit where they have the
    /// same value in that type (`22003`), text is read as that type's input is, and whole numbers
    /// count days or microseconds in a column of times.
    pub fn into_column(self, name: &str, ty: LogicalType) -> Result<Column> {
        let validity = (!self.validity.is_empty())
            .then(|| self.validity.iter().map(|byte| *byte != 0).collect());
        let column = match (self.kind, ty.physical()) {
            (0, PhysicalType::Bits) => {
                let bits: Bitmap = self.bytes.iter().map(|byte| *byte != 0).collect();
                plain(ty, ColumnData::Boolean(bits), validity)
            }
            (1..=3, _) if !holds_any_number(ty) => {
                let values = self.numbers_as_values();
                built(ty, values, validity.as_ref())
            }
            (1, physical) => {
                let words = numbers::<4>(&self.bytes).map(i32::from_le_bytes);
                match physical {
                    PhysicalType::Int32 => plain(ty, ColumnData::Int32(words.collect()), validity),
                    PhysicalType::Int64 => {
                        let words = words.map(i64::from).collect();
                        plain(ty, ColumnData::Int64(words), validity)
                    }
                    PhysicalType::Float64 => {
                        let words = words.map(f64::from).collect();
                        plain(ty, ColumnData::Float64(words), validity)
                    }
                    _ => Err(mismatch(ty)),
                }
            }
            (2, PhysicalType::Int64) => {
                let words = numbers::<8>(&self.bytes).map(i64::from_le_bytes);
                plain(ty, ColumnData::Int64(words.collect()), validity)
            }
            (2, PhysicalType::Int32) => {
                let words = numbers::<8>(&self.bytes).map(i64::from_le_bytes);
                let narrow = words.map(|word| i32::try_from(word).map_err(|_| beyond(ty)));
                let narrow = narrow.collect::<Result<_>>();
                narrow.and_then(|words| plain(ty, ColumnData::Int32(words), validity))
            }
            (3, PhysicalType::Float64) => {
                let doubles = numbers::<8>(&self.bytes).map(f64::from_le_bytes);
                plain(ty, ColumnData::Float64(doubles.collect()), validity)
            }
            (3, physical) => {
                let doubles = numbers::<8>(&self.bytes).map(f64::from_le_bytes);
                let words = doubles.map(|double| whole(double).ok_or_else(|| beyond(ty)));
                match physical {
                    PhysicalType::Int32 => {
                        let narrow = words.map(|word| i32::try_from(word?).map_err(|_| beyond(ty)));
                        let narrow = narrow.collect::<Result<_>>();
                        narrow.and_then(|words| plain(ty, ColumnData::Int32(words), validity))
                    }
                    PhysicalType::Int64 => {
                        let words = words.collect::<Result<_>>();
                        words.and_then(|words| plain(ty, ColumnData::Int64(words), validity))
                    }
                    _ => Err(mismatch(ty)),
                }
            }
            (4, _) => self.into_text().and_then(|text| match ty {
                LogicalType::Text | LogicalType::Varchar => {
                    plain(ty, ColumnData::Text(text), validity)
                }
                _ => parsed(ty, &text, validity.as_ref()),
            }),
            _ => Err(mismatch(ty)),
        };
        column.map_err(|error| error.with_column(name))
    }

    /// The numbers as values of types that hold all of them.
    fn numbers_as_values(&self) -> Vec<Value> {
        let int4 = |bytes| Value::Int4(i32::from_le_bytes(bytes));
        match self.kind {
            1 => numbers::<4>(&self.bytes).map(int4).collect(),
            2 => numbers::<8>(&self.bytes)
                .map(|bytes| Value::Int8(i64::from_le_bytes(bytes)))
                .collect(),
            _ => numbers::<8>(&self.bytes)
                .map(|bytes| Value::Float8(f64::from_le_bytes(bytes)))
                .collect(),
        }
    }

    fn into_text(self) -> Result<TextData> {
        let text = String::from_utf8(self.bytes).map_err(|_| malformed())?;
        let offsets = core::iter::once(0).chain(self.ends).collect();
        TextData::from_parts(offsets, text).ok_or_else(malformed)
    }
}

fn numbers<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    let (numbers, _) = bytes.as_chunks::<N>();
    numbers.iter().copied()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is known to be a safe integer"
)]
fn whole(double: f64) -> Option<i64> {
    let fits = double.fract() == 0.0 && double.abs() <= SAFE_INTEGER_MAX;
    fits.then_some(double as i64)
}

fn plain(ty: LogicalType, data: ColumnData, validity: Option<Bitmap>) -> Result<Column> {
    Column::plain(ty, data, validity).ok_or_else(malformed)
}

/// Whether every number of the layout of a type is a value of it.
fn holds_any_number(ty: LogicalType) -> bool {
    !ty.is_reg()
        && !matches!(
            ty,
            LogicalType::Int2
                | LogicalType::Oid
                | LogicalType::Float4
                | LogicalType::Numeric
                | LogicalType::Time
                | LogicalType::Enum(_)
        )
}

/// Numbers cast to a type, as an assignment does.
fn built(ty: LogicalType, values: Vec<Value>, validity: Option<&Bitmap>) -> Result<Column> {
    let mut builder = ColumnBuilder::with_capacity(ty, values.len());
    for (row, value) in values.iter().enumerate() {
        if validity.is_none_or(|bits| bits.get(row)) {
            builder.push(&cast_value(value, ty, false, &DEFAULT_LOCALE)?);
        } else {
            builder.push_null();
        }
    }
    Ok(builder.finish())
}

fn parsed(ty: LogicalType, text: &TextData, validity: Option<&Bitmap>) -> Result<Column> {
    let mut builder = ColumnBuilder::with_capacity(ty, text.len());
    for (row, text) in text.iter().enumerate() {
        if validity.is_none_or(|bits| bits.get(row)) {
            builder.push(&parse_value(text, ty, &DEFAULT_LOCALE)?);
        } else {
            builder.push_null();
        }
    }
    Ok(builder.finish())
}

fn mismatch(ty: LogicalType) -> Error {
    let message = format!("the values given are no values of type {ty}");
    Error::new(SqlState::DATATYPE_MISMATCH, message)
}

fn beyond(ty: LogicalType) -> Error {
    let message = format!("a number given is no value of type {ty}");
    Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message)
}

fn malformed() -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, "a column is malformed")
}

#[cfg(test)]
mod tests {
    use super::GivenColumn;
    use varve_types::{Column, LogicalType, Value};

    fn given(kind: u8, values: &[&[u8]], validity: &[u8]) -> GivenColumn {
        let ends = values.iter().scan(0, |end, value| {
            *end += u32::try_from(value.len()).unwrap();
            Some(*end)
        });
        GivenColumn {
            kind,
            bytes: values.concat(),
            ends: if kind == 4 {
                ends.collect()
            } else {
                Vec::new()
            },
            validity: validity.to_vec(),
        }
    }

    fn values(column: &Column) -> Vec<Value> {
        (0..column.len()).map(|row| column.value(row)).collect()
    }

    #[test]
    fn numbers_and_texts_become_what_the_column_holds() {
        let int = 7_i32.to_le_bytes();
        let long = (-9_i64).to_le_bytes();
        let double = 3_f64.to_le_bytes();
        let cases: [(u8, &[u8], LogicalType, Value); 12] = [
            (0, &[1], LogicalType::Boolean, Value::Boolean(true)),
            (1, &int, LogicalType::Int4, Value::Int4(7)),
            (1, &int, LogicalType::Int8, Value::Int8(7)),
            (1, &int, LogicalType::Float8, Value::Float8(7.0)),
            (1, &int, LogicalType::Date, Value::Date(7)),
            (2, &long, LogicalType::Int8, Value::Int8(-9)),
            (2, &long, LogicalType::Int4, Value::Int4(-9)),
            (2, &long, LogicalType::TimestampTz, Value::TimestampTz(-9)),
            (3, &double, LogicalType::Float8, Value::Float8(3.0)),
            (3, &double, LogicalType::Int4, Value::Int4(3)),
            (4, b"x", LogicalType::Text, Value::text("x")),
            (4, b"1970-01-03", LogicalType::Date, Value::Date(2)),
        ];
        for (kind, bytes, ty, expected) in cases {
            let column = given(kind, &[bytes], &[]).into_column("c", ty).unwrap();
            assert_eq!(values(&column), std::slice::from_ref(&expected), "{ty}");
            let two = given(kind, &[bytes, bytes], &[0, 1]);
            let column = two.into_column("c", ty).unwrap();
            assert_eq!(values(&column), [Value::Null, expected], "{ty}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let large = i64::MAX.to_le_bytes();
        let half = 0.5_f64.to_le_bytes();
        let cases: [(GivenColumn, LogicalType, &str); 8] = [
            (given(2, &[&large], &[]), LogicalType::Int4, "22003"),
            (given(2, &[&large], &[]), LogicalType::Float8, "42804"),
            (given(3, &[&half], &[]), LogicalType::Int8, "22003"),
            (given(0, &[&[1]], &[]), LogicalType::Text, "42804"),
            (given(4, &[b"x"], &[]), LogicalType::Int4, "22P02"),
            (given(4, &[&[0xff]], &[]), LogicalType::Text, "22023"),
            (given(1, &[&[0; 4]], &[1, 1]), LogicalType::Int4, "22023"),
            (given(9, &[], &[]), LogicalType::Int4, "42804"),
        ];
        for (given, ty, state) in cases {
            let error = given.into_column("c", ty).unwrap_err();
            assert_eq!(error.state().code(), state, "{error}");
            assert_eq!(error.fields().column.as_deref(), Some("c"));
        }
    }
}
