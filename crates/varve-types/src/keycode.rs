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
//! | character | as text, without the spaces at its end |
//! | bytea | as text |
//! | smallint, enum | as integer |
//! | time, oid | as bigint |
//! | real | as double precision |
//! | numeric | `01` -Infinity, `02` below 0, `03` 0, `04` above 0, `05` Infinity, `06` NaN; of the two signs, inverted below 0: the exponent of ten of the first digit plus 210, the digits in pairs from the first on, each plus 1, without zeros at the end, then `00` |
//! | uuid | its 16 bytes |
//! | interval | 16 bytes, big-endian, sign bit flipped: its microseconds, a month being 30 days |
//! | jsonb, arrays, rows | as text: the bytes of their stored form that order |
//!
//! Of a descending column the bytes after the flag are inverted. Where NULLs sort first, NULL is
//! `00`, whatever the direction.

use crate::details::{binary_order, join, take};
use crate::value::unpadded;
use crate::{Decimal, Interval, LogicalType, PhysicalType, Value};

const NULL_FIRST: u8 = 0;
pub(crate) const PRESENT: u8 = 1;
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

/// Inverts a value that begins at `start` where greater ones come first.
pub(crate) fn turn(order: KeyOrder, start: usize, key: &mut [u8]) {
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
        Value::Int4(number) | Value::Date(number) | Value::Enum(_, number) => {
            key.extend_from_slice(&int4_bytes(*number));
        }
        Value::Int2(number) => key.extend_from_slice(&int4_bytes(i32::from(*number))),
        Value::Int8(number)
        | Value::Time(number)
        | Value::Timestamp(number)
        | Value::TimestampTz(number) => {
            key.extend_from_slice(&int8_bytes(*number));
        }
        Value::Oid(number) | Value::Reg(_, number) => {
            key.extend_from_slice(&int8_bytes(i64::from(*number)));
        }
        Value::Float4(number) => encode_double(f64::from(*number), key),
        Value::Float8(number) => encode_double(*number, key),
        Value::Numeric(number) => encode_decimal(*number, key),
        Value::Text(text) => encode_string(text.as_bytes(), key),
        Value::Bpchar(text) => encode_string(unpadded(text).as_bytes(), key),
        Value::Bytea(bytes) => encode_string(bytes, key),
        Value::Uuid(bytes) => key.extend_from_slice(bytes),
        Value::Interval(interval) => key.extend_from_slice(&interval.order_bytes()),
        Value::Jsonb(stored) => encode_string(binary_order(LogicalType::Jsonb, stored), key),
        Value::Array(element, stored) => {
            encode_string(binary_order(LogicalType::Array(*element), stored), key);
        }
        Value::Row(id, stored) => encode_string(binary_order(LogicalType::Row(*id), stored), key),
    }
}

/// The key bytes of an integer behind the flag.
#[inline]
pub(crate) fn int4_bytes(number: i32) -> [u8; 4] {
    (number.cast_unsigned() ^ SIGN32).to_be_bytes()
}

/// The key bytes of a bigint behind the flag.
#[inline]
pub(crate) fn int8_bytes(number: i64) -> [u8; 8] {
    (number.cast_unsigned() ^ SIGN64).to_be_bytes()
}

fn encode_double(number: f64, key: &mut Vec<u8>) {
    let canonical = match number {
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

// The first byte of a numeric.
const DECIMAL_NEG_INFINITY: u8 = 1;
const DECIMAL_NEGATIVE: u8 = 2;
const DECIMAL_ZERO: u8 = 3;
const DECIMAL_POSITIVE: u8 = 4;
const DECIMAL_INFINITY: u8 = 5;
const DECIMAL_NAN: u8 = 6;
/// What is added to the exponent of ten of the first digit.
const DECIMAL_BIAS: i32 = 210;
/// Pairs of digits of the longest numeric.
const DECIMAL_PAIRS: usize = 19;

pub(crate) fn encode_decimal(number: Decimal, key: &mut Vec<u8>) {
    let class = match number {
        Decimal::NAN => DECIMAL_NAN,
        Decimal::INFINITY => DECIMAL_INFINITY,
        Decimal::NEG_INFINITY => DECIMAL_NEG_INFINITY,
        _ => match number.signum() {
            0 => DECIMAL_ZERO,
            -1 => DECIMAL_NEGATIVE,
            _ => DECIMAL_POSITIVE,
        },
    };
    key.push(class);
    let mut left = number.mantissa().unsigned_abs();
    let (true, Some(below)) = (number.is_finite(), left.checked_ilog10()) else {
        return;
    };
    let start = key.len();
    let exponent = below.cast_signed() - i32::from(number.scale()) + DECIMAL_BIAS;
    debug_assert!(u8::try_from(exponent).is_ok());
    key.push(exponent.to_le_bytes()[0]);
    if below.is_multiple_of(2) {
        left *= 10;
    }
    let mut pairs = [0; DECIMAL_PAIRS];
    let mut used = 0;
    while left > 0 {
        let pair = (left % 100).to_le_bytes()[0];
        left /= 100;
        if used > 0 || pair > 0 {
            if let Some(slot) = pairs.get_mut(used) {
                *slot = pair + 1;
            }
            used += 1;
        }
    }
    key.extend(pairs.iter().take(used).rev());
    key.push(0);
    if class == DECIMAL_NEGATIVE {
        for byte in key.iter_mut().skip(start) {
            *byte = !*byte;
        }
    }
}

/// Takes a numeric off the front of `key`, with the least scale that shows it.
pub(crate) fn decode_decimal(key: &mut &[u8]) -> Option<Decimal> {
    let invert = match take::<1>(key)? {
        [DECIMAL_NAN] => return Some(Decimal::NAN),
        [DECIMAL_INFINITY] => return Some(Decimal::INFINITY),
        [DECIMAL_NEG_INFINITY] => return Some(Decimal::NEG_INFINITY),
        [DECIMAL_ZERO] => return Some(Decimal::ZERO),
        [DECIMAL_NEGATIVE] => u8::MAX,
        [DECIMAL_POSITIVE] => 0,
        _ => return None,
    };
    let mut next = || take::<1>(key).map(|[byte]| byte ^ invert);
    let exponent = i32::from(next()?) - DECIMAL_BIAS;
    let mut mantissa = 0_i128;
    let mut digits = 0_i32;
    loop {
        match next()? {
            0 => break,
            pair @ 1..=100 if digits < 38 => {
                mantissa = mantissa * 100 + i128::from(pair - 1);
                digits += 2;
            }
            _ => return None,
        }
    }
    // The leading pair has two digits, the first of them not 0.
    let mut scale = digits - 1 - exponent;
    while scale > 0 && mantissa % 10 == 0 && mantissa != 0 {
        mantissa /= 10;
        scale -= 1;
    }
    let (up, scale) = (scale.min(0).unsigned_abs(), scale.max(0));
    let mantissa = mantissa.checked_mul(10_i128.checked_pow(up)?)?;
    let sound = mantissa.checked_ilog10() == u32::try_from(exponent + scale).ok();
    let signed = if invert == 0 { mantissa } else { -mantissa };
    Decimal::new(signed, u8::try_from(scale).ok()?).filter(|_| sound)
}

/// Appends the key bytes of a string, as [`encode_key_value`] does for the text value.
pub fn encode_key_text(text: &str, key: &mut Vec<u8>) {
    key.push(PRESENT);
    encode_string(text.as_bytes(), key);
}

/// Appends bytes so that what follows them does not count in their order.
pub(crate) fn encode_string(bytes: &[u8], key: &mut Vec<u8>) {
    if bytes.contains(&0) {
        for byte in bytes {
            key.push(*byte);
            if *byte == 0 {
                key.push(0xff);
            }
        }
    } else {
        key.extend_from_slice(bytes);
    }
    key.extend_from_slice(&[0, 0]);
}

/// Takes the bytes of [`encode_string`] off the front of `key`.
pub(crate) fn decode_string(key: &mut &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        match take::<1>(key)? {
            [0] => match take::<1>(key)? {
                [0] => return Some(bytes),
                [0xff] => bytes.push(0),
                _ => return None,
            },
            [byte] => bytes.push(byte),
        }
    }
}

/// Passes over the bytes of [`encode_string`].
pub(crate) fn skip_string(key: &mut &[u8]) -> Option<()> {
    loop {
        let zero = key.iter().position(|byte| *byte == 0)?;
        let after = key.get(zero + 1)?;
        *key = key.get(zero + 2..)?;
        match after {
            0 => return Some(()),
            0xff => {}
            _ => return None,
        }
    }
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
            Value::of_integer(ty, i64::from(number))?
        }
        PhysicalType::Int64 => {
            let number = (u64::from_be_bytes(take(key)?) ^ SIGN64).cast_signed();
            Value::of_integer(ty, number)?
        }
        PhysicalType::Float64 => {
            let ordered = u64::from_be_bytes(take(key)?);
            let bits = if ordered & SIGN64 == 0 {
                !ordered
            } else {
                ordered & !SIGN64
            };
            let number = f64::from_bits(bits);
            let value = Value::of_double(ty, number)?;
            // A real that was rounded was never written.
            let exact = value.double() == Some(number) || number.is_nan();
            exact.then_some(value)?
        }
        PhysicalType::Decimal => Value::Numeric(decode_decimal(key)?),
        PhysicalType::Bytes => {
            let text = String::from_utf8(decode_string(key)?).ok()?;
            Value::of_str(ty, &text)?
        }
        PhysicalType::Binary => match ty {
            LogicalType::Uuid => Value::Uuid(take(key)?),
            LogicalType::Interval => Value::Interval(Interval::from_order_bytes(take(key)?)?),
            LogicalType::Bytea => Value::Bytea(decode_string(key)?.into()),
            _ => Value::of_binary(ty, &join(decode_string(key)?, &[]))?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::{
        KeyOrder, decode_key_value, decode_ordered_key_value, encode_key_text, encode_key_value,
        encode_ordered_key_value, key_prefix_end,
    };
    use crate::testing::{sample_types, sample_value};
    use crate::{ArrayValue, Decimal, Interval, Json, LogicalType, Value};
    use core::cmp::Ordering;
    use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

    fn value(ty: LogicalType) -> impl Strategy<Value = Value> {
        let text = "[\\x00-\\x02a-c\u{e9} ]{0,4}";
        (any::<u64>(), text).prop_map(move |(bits, text)| sample_value(ty, bits, &text))
    }

    fn two_of_one_type() -> impl Strategy<Value = (LogicalType, Value, Value)> {
        (0..sample_types().len()).prop_flat_map(|i| {
            let ty = sample_types()[i];
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
            let mut details = Vec::new();
            crate::put_details(&a, &mut details);
            let mut details = &details[..];
            let whole = crate::with_details(back, &mut details).unwrap();
            prop_assert_eq!(details.len(), 0);
            let is_nan = a.double().is_some_and(f64::is_nan);
            prop_assert!(is_nan || format!("{whole:?}") == format!("{a:?}"), "{:?}", whole);
            if let Value::Array(element, stored) = &a {
                let array = ArrayValue::decode(*element, stored).unwrap();
                prop_assert_eq!(&array.encode()[..], &stored[..]);
            }
            if let Value::Jsonb(stored) = &a {
                prop_assert_eq!(&Json::decode(stored).unwrap().encode()[..], &stored[..]);
            }
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
        fn any_bytes_are_an_answer(
            bytes: Vec<u8>, i in 0..sample_types().len(), code in 0_u8..4,
        ) {
            let ty = sample_types()[i];
            let mut rest = &bytes[..];
            let _ = decode_key_value(ty, &mut rest);
            let order = KeyOrder::from_code(code).unwrap();
            let _ = decode_ordered_key_value(ty, order, &mut &bytes[..]);
            let _ = Json::decode(&bytes);
            if let LogicalType::Array(element) = ty {
                let _ = ArrayValue::decode(element, &bytes);
            }
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
        let number = |mantissa, scale| Value::Numeric(Decimal::new(mantissa, scale).unwrap());
        let json = Json::Array(vec![Json::Number(Decimal::new(10, 1).unwrap())]);
        let array = ArrayValue::of(crate::ElementType::Int2, vec![Value::Int2(1), Value::Null]);
        let day = Interval {
            months: 0,
            days: 1,
            us: 0,
        };
        let array_key = [
            1, 1, 0x80, 0, 0xff, 0, 0xff, 1, 2, 0, 0xff, 1, 0, 0xff, 0, 0xff, 0, 0xff, 2, 0x80, 0,
            0xff, 0, 0xff, 1, 0, 0,
        ];
        let cases: [(Value, &[u8]); 15] = [
            (number(12_345, 2), &[1, 4, 212, 13, 35, 51, 0]),
            (number(-500, 3), &[1, 2, !209, !51, 0xff]),
            (number(0, 3), &[1, 3]),
            (Value::Numeric(Decimal::NAN), &[1, 6]),
            (
                Value::json(&json),
                &[
                    1, 6, 0, 0xff, 0, 0xff, 0, 0xff, 1, 3, 4, 210, 11, 0, 0xff, 0, 0,
                ],
            ),
            (Value::array(&array), &array_key),
            (
                Value::Interval(day),
                &[
                    1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0x1d, 0xd7, 0x60, 0,
                ],
            ),
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
