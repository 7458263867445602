//! Memcomparable bytes: the unsigned order of the bytes is the SQL order of the values.
//!
//! | type | bytes |
//! |---|---|
//! | NULL | `02` (sorts last, as PostgreSQL's ascending order) |
//! | any value | `01`, then: |
//! | boolean | `00` or `01` |
//! | integer, date | 4 bytes, big-endian, sign bit flipped |
//! | bigint, timestamps | 8 bytes, big-endian, sign bit flipped |
//! | double precision | 8 bytes, big-endian; negative: all bits flipped, else sign bit flipped; -0 as 0, one NaN on top |
//! | text | its bytes with `00` as `00 ff`, then `00 00` |
//!
//! Of a descending column the bytes after the flag are inverted. Where NULLs sort first, NULL is
//! `00`, whatever the direction.

use crate::{Column, ColumnData, LogicalType, PhysicalType, Value};

const NULL_FIRST: u8 = 0;
const PRESENT: u8 = 1;
const NULL: u8 = 2;
const SIGN32: u32 = 1 << 31;
const SIGN64: u64 = 1 << 63;

/// In which order the values of a key column stand. The default is ascending, NULLs last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyOrder {
    /// Whether greater values come first.
    pub descending: bool,
    /// Whether NULLs come before all values.
    pub nulls_first: bool,
}

impl KeyOrder {
    /// As a number from 0 to 3; 0 is the default order.
    pub fn code(self) -> u8 {
        u8::from(self.descending) | u8::from(self.nulls_first) << 1
    }

    /// The order with this code.
    pub fn from_code(code: u8) -> Option<KeyOrder> {
        (code < 4).then_some(KeyOrder {
            descending: code & 1 == 1,
            nulls_first: code & 2 == 2,
        })
    }
}

/// Appends the key bytes of a value in a column of this order.
pub fn encode_ordered_key_value(value: &Value, order: KeyOrder, key: &mut Vec<u8>) {
    if value.is_null() {
        key.push(if order.nulls_first { NULL_FIRST } else { NULL });
        return;
    }
    let start = key.len();
    encode_key_value(value, key);
    turn(order, start, key);
}

/// Appends the key bytes of a row of a column of this order, as [`encode_ordered_key_value`] does
/// for its value.
pub fn encode_ordered_key_cell(column: &Column, row: usize, order: KeyOrder, key: &mut Vec<u8>) {
    let start = key.len();
    encode_key_cell(column, row, key);
    if order != KeyOrder::default() && column.is_null(row) {
        key.truncate(start);
        return encode_ordered_key_value(&Value::Null, order, key);
    }
    turn(order, start, key);
}

/// Inverts a value that begins at `start` where greater ones come first.
fn turn(order: KeyOrder, start: usize, key: &mut [u8]) {
    if order.descending {
        for byte in key.iter_mut().skip(start + 1) {
            *byte = !*byte;
        }
    }
}

/// Takes one value off the front of `key`, as [`decode_key_value`] does, from a column of this
/// order.
pub fn decode_ordered_key_value(
    ty: LogicalType,
    order: KeyOrder,
    key: &mut &[u8],
) -> Option<Value> {
    let (flag, rest) = key.split_first()?;
    if *flag == NULL_FIRST || *flag == NULL {
        let known = (*flag == NULL_FIRST) == order.nulls_first;
        *key = rest;
        return known.then_some(Value::Null);
    }
    if !order.descending {
        return decode_key_value(ty, key);
    }
    let mut upright = Vec::with_capacity(key.len());
    upright.push(*flag);
    upright.extend(rest.iter().map(|byte| !byte));
    let mut left = upright.as_slice();
    let value = decode_key_value(ty, &mut left)?;
    *key = key.get(key.len() - left.len()..)?;
    Some(value)
}

/// The lowest bytes above all that begin with `prefix`; `None` where there are none.
pub fn key_prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let at = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix.get(..=at)?.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    Some(end)
}

/// Appends the key bytes of a value.
pub fn encode_key_value(value: &Value, key: &mut Vec<u8>) {
    if value.is_null() {
        return key.push(NULL);
    }
    key.push(PRESENT);
    match value {
        Value::Null => {}
        Value::Boolean(bit) => key.push(u8::from(*bit)),
        Value::Int4(number) | Value::Date(number) => {
            key.extend_from_slice(&(number.cast_unsigned() ^ SIGN32).to_be_bytes());
        }
        Value::Int8(number) | Value::Timestamp(number) | Value::TimestampTz(number) => {
            key.extend_from_slice(&(number.cast_unsigned() ^ SIGN64).to_be_bytes());
        }
        Value::Float8(number) => {
            let canonical = match *number {
                nan if nan.is_nan() => f64::NAN.to_bits() & !SIGN64,
                0.0 => 0,
                other => other.to_bits(),
            };
            let ordered = if canonical & SIGN64 == 0 {
                canonical | SIGN64
            } else {
                !canonical
            };
            key.extend_from_slice(&ordered.to_be_bytes());
        }
        Value::Text(text) => encode_text(text, key),
    }
}

/// Appends the key bytes of a row of a column, as [`encode_key_value`] does for its value, but
/// without making one where the column is plain.
pub fn encode_key_cell(column: &Column, row: usize, key: &mut Vec<u8>) {
    if column.validity().is_none() {
        match column.data() {
            ColumnData::Int32(values) if row < values.len() => {
                let number = values.get(row).copied().unwrap_or_default();
                key.push(PRESENT);
                return key.extend_from_slice(&(number.cast_unsigned() ^ SIGN32).to_be_bytes());
            }
            ColumnData::Int64(values) if row < values.len() => {
                let number = values.get(row).copied().unwrap_or_default();
                key.push(PRESENT);
                return key.extend_from_slice(&(number.cast_unsigned() ^ SIGN64).to_be_bytes());
            }
            _ => {}
        }
    }
    match column.str_at(row) {
        Some(text) => encode_key_text(text, key),
        None => encode_key_value(&column.value(row), key),
    }
}

/// Appends the key bytes of a string, as [`encode_key_value`] does for the text value.
pub fn encode_key_text(text: &str, key: &mut Vec<u8>) {
    key.push(PRESENT);
    encode_text(text, key);
}

fn encode_text(text: &str, key: &mut Vec<u8>) {
    if text.as_bytes().contains(&0) {
        for byte in text.bytes() {
            key.push(byte);
            if byte == 0 {
                key.push(0xff);
            }
        }
    } else {
        key.extend_from_slice(text.as_bytes());
    }
    key.extend_from_slice(&[0, 0]);
}

/// Takes one value of type `ty` off the front of `key`; `None` when the bytes are not what
/// [`encode_key_value`] writes.
pub fn decode_key_value(ty: LogicalType, key: &mut &[u8]) -> Option<Value> {
    let (flag, rest) = key.split_first()?;
    *key = rest;
    match *flag {
        NULL => return Some(Value::Null),
        PRESENT => {}
        _ => return None,
    }
    Some(match ty.physical() {
        PhysicalType::Bits => match take::<1>(key)? {
            [0] => Value::Boolean(false),
            [1] => Value::Boolean(true),
            _ => return None,
        },
        PhysicalType::Int32 => {
            let number = (u32::from_be_bytes(take(key)?) ^ SIGN32).cast_signed();
            if ty == LogicalType::Date {
                Value::Date(number)
            } else {
                Value::Int4(number)
            }
        }
        PhysicalType::Int64 => {
            let number = (u64::from_be_bytes(take(key)?) ^ SIGN64).cast_signed();
            match ty {
                LogicalType::Timestamp => Value::Timestamp(number),
                LogicalType::TimestampTz => Value::TimestampTz(number),
                _ => Value::Int8(number),
            }
        }
        PhysicalType::Float64 => {
            let ordered = u64::from_be_bytes(take(key)?);
            let bits = if ordered & SIGN64 == 0 {
                !ordered
            } else {
                ordered & !SIGN64
            };
            Value::Float8(f64::from_bits(bits))
        }
        PhysicalType::Bytes => {
            let mut bytes = Vec::new();
            loop {
                match take::<1>(key)? {
                    [0] => match take::<1>(key)? {
                        [0] => break,
                        [0xff] => bytes.push(0),
                        _ => return None,
                    },
                    [byte] => bytes.push(byte),
                }
            }
            Value::text(String::from_utf8(bytes).ok()?)
        }
    })
}

fn take<const N: usize>(key: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = key.split_first_chunk::<N>()?;
    *key = rest;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::{
        KeyOrder, decode_key_value, decode_ordered_key_value, encode_key_cell, encode_key_text,
        encode_key_value, encode_ordered_key_cell, encode_ordered_key_value, key_prefix_end,
    };
    use crate::{LogicalType, Value};
    use core::cmp::Ordering;
    use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

    fn value(ty: LogicalType) -> impl Strategy<Value = Value> {
        let present = move |bits: u64, text: String| match ty {
            LogicalType::Boolean => Value::Boolean(bits & 1 == 1),
            LogicalType::Int4 => Value::Int4(bits.cast_signed() as i32),
            LogicalType::Int8 => Value::Int8(bits.cast_signed()),
            LogicalType::Float8 => Value::Float8(f64::from_bits(bits)),
            LogicalType::Text => Value::text(text),
            LogicalType::Date => Value::Date(bits.cast_signed() as i32),
            LogicalType::Timestamp => Value::Timestamp(bits.cast_signed()),
            LogicalType::TimestampTz => Value::TimestampTz(bits.cast_signed()),
        };
        (any::<u64>(), "[\\x00-\\x02a-c\u{e9}]{0,4}").prop_map(move |(b, t)| present(b, t))
    }

    fn two_of_one_type() -> impl Strategy<Value = (LogicalType, Value, Value)> {
        (0..LogicalType::ALL.len()).prop_flat_map(|i| {
            let ty = LogicalType::ALL[i];
            prop_oneof![
                4 => (value(ty), value(ty)).prop_map(move |(a, b)| (ty, a, b)),
                1 => value(ty).prop_map(move |a| (ty, a.clone(), a)),
                1 => value(ty).prop_map(move |a| (ty, a, Value::Null)),
            ]
        })
    }

    proptest! {
        #[test]
        fn bytes_order_as_values((ty, a, b) in two_of_one_type()) {
            let (mut key_a, mut key_b) = (Vec::new(), Vec::new());
            encode_key_value(&a, &mut key_a);
            encode_key_value(&b, &mut key_b);
            if let Value::Text(text) = &a {
                let mut key = Vec::new();
                encode_key_text(text, &mut key);
                prop_assert_eq!(&key, &key_a);
            }
            let expected = if b.is_null() { Ordering::Less } else { a.compare(&b).unwrap() };
            prop_assert_eq!(key_a.cmp(&key_b), expected);
            let mut rest = &key_a[..];
            let back = decode_key_value(ty, &mut rest).unwrap();
            prop_assert_eq!(rest.len(), 0);
            prop_assert_eq!(back.compare(&a), Some(Ordering::Equal));
        }

        #[test]
        fn ordered_bytes_order_as_values((ty, a, b) in two_of_one_type(), code in 0_u8..4) {
            let order = KeyOrder::from_code(code).unwrap();
            prop_assert_eq!(order.code(), code);
            let (mut key_a, mut key_b) = (Vec::new(), Vec::new());
            encode_ordered_key_value(&a, order, &mut key_a);
            encode_ordered_key_value(&b, order, &mut key_b);
            let expected = match (b.is_null(), order.nulls_first, order.descending) {
                (true, first, _) => if first { Ordering::Greater } else { Ordering::Less },
                (false, _, true) => a.compare(&b).unwrap().reverse(),
                (false, _, false) => a.compare(&b).unwrap(),
            };
            prop_assert_eq!(key_a.cmp(&key_b), expected);
            for (value, mut key) in [(a, key_a), (b, key_b)] {
                let end = key_prefix_end(&key).unwrap();
                key.push(9);
                prop_assert!(key < end);
                let mut rest = &key[..];
                let back = decode_ordered_key_value(ty, order, &mut rest).unwrap();
                prop_assert_eq!(rest, &[9]);
                prop_assert!(back.is_null() && value.is_null()
                    || back.compare(&value) == Some(Ordering::Equal));
            }
        }

        #[test]
        fn cells_are_encoded_as_their_values(
            (ty, a, b) in two_of_one_type(), with_null: bool, code in 0_u8..4,
        ) {
            let mut values = vec![a, b];
            if with_null {
                values.push(Value::Null);
            }
            let column = crate::Column::from_values(ty, &values);
            for row in 0..=values.len() {
                let (mut cell, mut value) = (Vec::new(), Vec::new());
                encode_key_cell(&column, row, &mut cell);
                encode_key_value(values.get(row).unwrap_or(&Value::Null), &mut value);
                prop_assert_eq!(&cell, &value);
                let order = KeyOrder::from_code(code).unwrap();
                cell.clear();
                value.clear();
                encode_ordered_key_cell(&column, row, order, &mut cell);
                let row = values.get(row).unwrap_or(&Value::Null);
                encode_ordered_key_value(row, order, &mut value);
                prop_assert_eq!(cell, value);
            }
        }

        #[test]
        fn any_bytes_are_an_answer(
            bytes: Vec<u8>, i in 0..LogicalType::ALL.len(), code in 0_u8..4,
        ) {
            let mut rest = &bytes[..];
            let _ = decode_key_value(LogicalType::ALL[i], &mut rest);
            let order = KeyOrder::from_code(code).unwrap();
            let _ = decode_ordered_key_value(LogicalType::ALL[i], order, &mut &bytes[..]);
        }
    }

    #[test]
    fn golden_ordered_bytes() {
        let order = |descending, nulls_first| KeyOrder {
            descending,
            nulls_first,
        };
        let cases: [(Value, KeyOrder, &[u8]); 5] = [
            (Value::Null, order(true, false), &[2]),
            (Value::Null, order(true, true), &[0]),
            (Value::Boolean(true), order(true, true), &[1, 0xfe]),
            (
                Value::Int4(-1),
                order(false, true),
                &[1, 0x7f, 0xff, 0xff, 0xff],
            ),
            (
                Value::text("a\0"),
                order(true, false),
                &[1, !b'a', 0xff, 0, 0xff, 0xff],
            ),
        ];
        for (value, order, bytes) in cases {
            let mut key = Vec::new();
            encode_ordered_key_value(&value, order, &mut key);
            assert_eq!(key, bytes, "{value:?}");
        }
        assert_eq!(key_prefix_end(&[1, 0xff, 0xff]), Some(vec![2]));
        assert_eq!(key_prefix_end(&[0xff]), None);
    }

    #[test]
    fn golden_bytes() {
        let cases: [(Value, &[u8]); 8] = [
            (Value::Null, &[2]),
            (Value::Boolean(true), &[1, 1]),
            (Value::Int4(-1), &[1, 0x7f, 0xff, 0xff, 0xff]),
            (Value::Int8(1), &[1, 0x80, 0, 0, 0, 0, 0, 0, 1]),
            (Value::Float8(1.0), &[1, 0xbf, 0xf0, 0, 0, 0, 0, 0, 0]),
            (
                Value::Float8(-1.0),
                &[1, 0x40, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            ),
            (Value::Float8(-0.0), &[1, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            (Value::text("a\0b"), &[1, b'a', 0, 0xff, b'b', 0, 0]),
        ];
        for (value, bytes) in cases {
            let mut key = Vec::new();
            encode_key_value(&value, &mut key);
            assert_eq!(key, bytes, "{value:?}");
        }
    }
}
