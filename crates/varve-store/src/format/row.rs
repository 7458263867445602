//! A row as bytes: what the arena of a memtable and the log hold.
//!
//! Layout: one bit a column, least significant first (1 = NULL), padded to bytes with 0; then each
//! value that is not NULL: boolean as a byte, what is held as an integer as a zigzag varint, real
//! as 4 and double precision as 8 bytes little-endian, numeric as `Decimal::write_bytes` writes it,
//! text and what is held as bytes in its stored form, these after their length (varint).

use varve_codec::{ByteReader, CodecError, put_zigzag};
use varve_types::{Column, ColumnBuilder, ColumnRef, Decimal, LogicalType, PhysicalType, Value};

use crate::format::wire::{put_bytes, take_bytes};

/// Appends row `row` of these columns.
pub(crate) fn encode_row<C: AsRef<Column>>(columns: &[C], row: usize, out: &mut Vec<u8>) {
    let bits = out.len();
    out.resize(bits + columns.len().div_ceil(8), 0);
    for (i, column) in columns.iter().map(AsRef::as_ref).enumerate() {
        if column.is_null(row) {
            if let Some(byte) = out.get_mut(bits + i / 8) {
                *byte |= 1 << (i % 8);
            }
        } else if let Some(text) = column.str_at(row) {
            put_bytes(text.as_bytes(), out);
        } else if let Some(bytes) = column.binary_at(row) {
            put_bytes(bytes, out);
        } else {
            put_value(&column.value(row), out);
        }
    }
}

/// What the last column of an index entry holds in memory and in the log.
pub(crate) const ENTRY_ADDED: i64 = 0;
pub(crate) const ENTRY_DELETED: i64 = 1;

/// Whether an index entry in memory says that it was deleted: its last value is a varint of one
/// byte.
pub(crate) fn entry_is_deleted(row: &[u8]) -> bool {
    row.last() == Some(&2)
}

fn put_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Boolean(bit) => out.push(u8::from(*bit)),
        Value::Float4(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Float8(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Numeric(number) => {
            let mut bytes = Vec::with_capacity(17);
            number.write_bytes(&mut bytes);
            put_bytes(&bytes, out);
        }
        other => {
            if let Some(integer) = other.integer() {
                put_zigzag(integer, out);
            }
        }
    }
}

/// Which columns of a row go where.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    /// For each column of the row the outputs that take it.
    targets: Vec<Vec<usize>>,
    /// Columns after this many are not wanted.
    end: usize,
}

impl Projection {
    /// Output `i` takes column `columns[i]` of rows of `width` columns.
    pub(crate) fn new(columns: &[usize], width: usize) -> Projection {
        let mut targets = vec![Vec::new(); width];
        let mut end = 0;
        for (output, column) in columns.iter().enumerate() {
            if let Some(outputs) = targets.get_mut(*column) {
                outputs.push(output);
                end = end.max(column + 1);
            }
        }
        Projection { targets, end }
    }
}

/// Adds the wanted columns of a row to the outputs; a damaged row adds nothing that is complete.
pub(crate) fn decode_row(
    types: &[LogicalType],
    row: &[u8],
    projection: &Projection,
    outputs: &mut [ColumnBuilder],
) -> Result<(), CodecError> {
    let mut reader = ByteReader::new(row);
    let nulls = reader.take(types.len().div_ceil(8))?;
    let columns = types.iter().zip(&projection.targets).enumerate();
    for (i, (ty, targets)) in columns.take(projection.end) {
        let null = nulls
            .get(i / 8)
            .is_some_and(|byte| byte >> (i % 8) & 1 == 1);
        if null {
            for target in targets {
                if let Some(output) = outputs.get_mut(*target) {
                    output.push_null();
                }
            }
        } else if ty.physical() == PhysicalType::Bytes {
            let text = take_text(&mut reader)?;
            for target in targets {
                if let Some(output) = outputs.get_mut(*target) {
                    output.push_str(text);
                }
            }
        } else if ty.physical() == PhysicalType::Binary {
            let bytes = take_bytes(&mut reader)?;
            for target in targets {
                if let Some(output) = outputs.get_mut(*target) {
                    output.push_binary(bytes);
                }
            }
        } else {
            let value = take_value(*ty, &mut reader)?;
            for target in targets {
                if let Some(output) = outputs.get_mut(*target) {
                    output.push(&value);
                }
            }
        }
    }
    Ok(())
}

/// A row that holds only some columns, in this order, as columns of one row.
pub(crate) fn decode_columns(
    types: &[LogicalType],
    columns: &[usize],
    row: &[u8],
) -> Result<Vec<ColumnRef>, CodecError> {
    let mut reader = ByteReader::new(row);
    let nulls = reader.take(columns.len().div_ceil(8))?;
    let mut outputs = Vec::with_capacity(columns.len() + 1);
    for (i, column) in columns.iter().enumerate() {
        let ty = *types.get(*column).ok_or(CodecError::Malformed("column"))?;
        let mut output = ColumnBuilder::with_capacity(ty, 1);
        let null = nulls
            .get(i / 8)
            .is_some_and(|byte| byte >> (i % 8) & 1 == 1);
        if null {
            output.push_null();
        } else if ty.physical() == PhysicalType::Bytes {
            output.push_str(take_text(&mut reader)?);
        } else {
            output.push(&take_value(ty, &mut reader)?);
        }
        outputs.push(ColumnRef::new(output.finish()));
    }
    reader.end()?;
    Ok(outputs)
}

/// Every value of a row, which must have nothing after them.
pub(crate) fn decode_values(types: &[LogicalType], row: &[u8]) -> Result<Vec<Value>, CodecError> {
    let mut reader = ByteReader::new(row);
    let nulls = reader.take(types.len().div_ceil(8))?;
    let mut values = Vec::with_capacity(types.len());
    for (i, ty) in types.iter().enumerate() {
        let null = nulls
            .get(i / 8)
            .is_some_and(|byte| byte >> (i % 8) & 1 == 1);
        values.push(if null {
            Value::Null
        } else {
            take_value(*ty, &mut reader)?
        });
    }
    reader.end()?;
    Ok(values)
}

fn take_text<'a>(reader: &mut ByteReader<'a>) -> Result<&'a str, CodecError> {
    core::str::from_utf8(take_bytes(reader)?).map_err(|_| CodecError::Malformed("text"))
}

fn take_value(ty: LogicalType, reader: &mut ByteReader<'_>) -> Result<Value, CodecError> {
    let malformed = CodecError::Malformed("value");
    let value = match ty.physical() {
        PhysicalType::Bits => match reader.u8()? {
            0 => Some(Value::Boolean(false)),
            1 => Some(Value::Boolean(true)),
            _ => None,
        },
        PhysicalType::Int32 | PhysicalType::Int64 => Value::of_integer(ty, reader.zigzag()?),
        PhysicalType::Float64 if ty == LogicalType::Float4 => {
            let bytes = reader.take(4)?.first_chunk::<4>();
            bytes.map(|bytes| Value::Float4(f32::from_le_bytes(*bytes)))
        }
        PhysicalType::Float64 => {
            let bytes = reader.take(8)?.first_chunk::<8>();
            bytes.map(|bytes| Value::Float8(f64::from_le_bytes(*bytes)))
        }
        PhysicalType::Decimal => Decimal::from_bytes(take_bytes(reader)?).map(Value::Numeric),
        PhysicalType::Bytes => Value::of_str(ty, take_text(reader)?),
        PhysicalType::Binary => Value::of_binary(ty, take_bytes(reader)?),
    };
    value.ok_or(malformed)
}

#[cfg(test)]
mod tests {
    use super::{Projection, decode_row, decode_values, encode_row};
    use proptest::prelude::{any, prop_assert_eq, proptest};
    use std::sync::Arc;
    use varve_types::testing::{sample_types, sample_value};
    use varve_types::{Column, ColumnBuilder, LogicalType, Value};

    proptest! {
        #[test]
        fn rows_come_back_whole_and_in_part(
            present: [bool; 8], number: i64, small: i32, bits: u64, text: String, bit: bool,
        ) {
            let values = [
                Value::Boolean(bit),
                Value::Int4(small),
                Value::Int8(number),
                Value::Float8(f64::from_bits(bits)),
                Value::text(text),
                Value::Date(small),
                Value::Timestamp(number),
                Value::TimestampTz(number),
            ];
            let values: Vec<Value> = values
                .into_iter()
                .zip(present)
                .map(|(value, present)| if present { value } else { Value::Null })
                .collect();
            let types: Vec<LogicalType> = LogicalType::ALL.into_iter().take(8).collect();
            let columns: Vec<Arc<Column>> = types
                .iter()
                .zip(&values)
                .map(|(ty, value)| Arc::new(Column::from_values(*ty, [value])))
                .collect();
            let mut row = Vec::new();
            encode_row(&columns, 0, &mut row);
            let same = |a: &Value, b: &Value| match (a, b) {
                (Value::Float8(a), Value::Float8(b)) => a.to_bits() == b.to_bits(),
                (a, b) => a == b,
            };
            let back = decode_values(&types, &row).unwrap();
            assert!(back.iter().zip(&values).all(|(a, b)| same(a, b)));
            let mut outputs = [6, 0].map(|i: usize| ColumnBuilder::new(types[i]));
            decode_row(&types, &row, &Projection::new(&[6, 0], 8), &mut outputs).unwrap();
            let got = outputs.map(|output| output.finish().value(0));
            prop_assert_eq!(got, [values[6].clone(), values[0].clone()]);
        }

        #[test]
        fn rows_of_all_types_come_back(
            cells in proptest::collection::vec(any::<u64>(), sample_types().len()), text: String,
        ) {
            let types = sample_types();
            let value = |(ty, bits): (&LogicalType, &u64)| match bits >> 62 {
                0 => Value::Null,
                _ => sample_value(*ty, *bits, &text),
            };
            let values: Vec<Value> = types.iter().zip(&cells).map(value).collect();
            let columns = types.iter().zip(&values);
            let columns: Vec<Arc<Column>> = columns
                .map(|(ty, value)| Arc::new(Column::from_values(*ty, [value])))
                .collect();
            let mut row = Vec::new();
            encode_row(&columns, 0, &mut row);
            let back = decode_values(&types, &row).unwrap();
            let mut outputs: Vec<_> = types.iter().map(|ty| ColumnBuilder::new(*ty)).collect();
            let all: Vec<usize> = (0..types.len()).collect();
            decode_row(&types, &row, &Projection::new(&all, types.len()), &mut outputs).unwrap();
            for ((value, back), output) in values.iter().zip(back).zip(outputs) {
                let is_nan = value.double().is_some_and(f64::is_nan);
                for back in [back, output.finish().value(0)] {
                    assert!(is_nan || format!("{back:?}") == format!("{value:?}"));
                }
            }
        }

        #[test]
        fn any_bytes_are_an_answer(row in proptest::collection::vec(any::<u8>(), 0..40)) {
            let types = sample_types();
            let _ = decode_values(&types, &row);
            let mut outputs: Vec<_> = types.iter().map(|ty| ColumnBuilder::new(*ty)).collect();
            let all: Vec<usize> = (0..types.len()).collect();
            let _ = decode_row(&types, &row, &Projection::new(&all, types.len()), &mut outputs);
        }
    }
}
