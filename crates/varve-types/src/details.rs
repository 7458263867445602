//! What a value shows beside what compares as equal: the scale of a numeric, the sign of a zero,
//! the parts of an interval, the padding of a character string.
//!
//! Jsonb, arrays and rows hold their contents as bytes that order as the values do, then the
//! *details* of what is in them, left out where all are as the order bytes read back, then how long
//! those are: a byte, or 255 after a u32 (little-endian).

use crate::meter::fitting;
use crate::{Decimal, Interval, LogicalType, Value};

/// A length of details that does not fit a byte.
const LONG: u8 = u8::MAX;

/// The stored form of bytes that order and details.
pub(crate) fn join(mut order: Vec<u8>, details: &[u8]) -> Vec<u8> {
    order.extend_from_slice(details);
    match u8::try_from(details.len()) {
        Ok(short) if short < LONG => order.push(short),
        _ => {
            let length: u32 = fitting(details.len(), "details");
            order.extend_from_slice(&length.to_le_bytes());
            order.push(LONG);
        }
    }
    order
}

/// The bytes that order, and the details.
pub(crate) fn split(stored: &[u8]) -> Option<(&[u8], &[u8])> {
    let (last, rest) = stored.split_last()?;
    let (rest, length) = if *last == LONG {
        let (rest, length) = rest.split_last_chunk::<4>()?;
        (rest, u32::from_le_bytes(*length) as usize)
    } else {
        (rest, usize::from(*last))
    };
    rest.split_at_checked(rest.len().checked_sub(length)?)
}

/// The part of a stored binary value that orders as the values of the type do.
pub fn binary_order(ty: LogicalType, stored: &[u8]) -> &[u8] {
    match ty {
        LogicalType::Interval => stored.get(..Interval::ORDER_BYTES).unwrap_or(stored),
        LogicalType::Jsonb | LogicalType::Array(_) | LogicalType::Row(_) => {
            split(stored).map_or(stored, |(order, _)| order)
        }
        _ => stored,
    }
}

/// Whether values of a type that compare as equal can look different.
pub fn has_details(ty: LogicalType) -> bool {
    matches!(
        ty,
        LogicalType::Numeric
            | LogicalType::Float4
            | LogicalType::Float8
            | LogicalType::Interval
            | LogicalType::Bpchar
            | LogicalType::Jsonb
            | LogicalType::Array(_)
            | LogicalType::Row(_)
    )
}

/// Appends the details of a value that its key bytes do not hold.
pub fn put_details(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Numeric(number) => out.push(number.scale()),
        Value::Float4(number) => out.push(u8::from(*number == 0.0 && number.is_sign_negative())),
        Value::Float8(number) => out.push(u8::from(*number == 0.0 && number.is_sign_negative())),
        Value::Interval(interval) => {
            let bytes = interval.to_bytes();
            out.extend(bytes.iter().skip(Interval::ORDER_BYTES));
        }
        Value::Bpchar(text) => {
            let spaces = text.len() - text.trim_end_matches(' ').len();
            let spaces: u32 = fitting(spaces, "padding");
            out.extend_from_slice(&spaces.to_le_bytes());
        }
        Value::Jsonb(stored) | Value::Array(_, stored) | Value::Row(_, stored) => {
            let details = split(stored).map_or(&[][..], |(_, details)| details);
            let length: u32 = fitting(details.len(), "details");
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(details);
        }
        _ => {}
    }
}

/// Gives a value that was read from its key bytes the details that [`put_details`] wrote, taken off
/// the front of `details`.
pub fn with_details(value: Value, details: &mut &[u8]) -> Option<Value> {
    Some(match value {
        Value::Numeric(number) => Value::Numeric(rescaled(number, take::<1>(details)?[0])?),
        Value::Float4(number) => {
            let [negative] = take::<1>(details)?;
            Value::Float4(if negative == 1 { -number } else { number })
        }
        Value::Float8(number) => {
            let [negative] = take::<1>(details)?;
            Value::Float8(if negative == 1 { -number } else { number })
        }
        Value::Interval(read) => {
            let parts = take::<{ Interval::BYTES - Interval::ORDER_BYTES }>(details)?;
            let mut bytes = read.order_bytes().to_vec();
            bytes.extend(parts);
            let interval = Interval::from_bytes(&bytes)?;
            (interval.span_us() == read.span_us()).then_some(Value::Interval(interval))?
        }
        Value::Bpchar(text) => {
            let spaces = u32::from_le_bytes(take::<4>(details)?) as usize;
            if spaces > PADDING_MAX {
                return None;
            }
            Value::Bpchar((text.to_string() + &" ".repeat(spaces)).into())
        }
        Value::Jsonb(stored) => Value::Jsonb(with_inner(&stored, details)?.into()),
        Value::Array(element, stored) => {
            Value::Array(element, with_inner(&stored, details)?.into())
        }
        Value::Row(id, stored) => Value::Row(id, with_inner(&stored, details)?.into()),
        other => other,
    })
}

/// The longest `character(n)`.
const PADDING_MAX: usize = 10_485_760;

fn with_inner(stored: &[u8], details: &mut &[u8]) -> Option<Vec<u8>> {
    let length = u32::from_le_bytes(take::<4>(details)?) as usize;
    let (inner, rest) = details.split_at_checked(length)?;
    *details = rest;
    Some(join(split(stored)?.0.to_vec(), inner))
}

/// The same number with at least this scale.
pub(crate) fn rescaled(number: Decimal, scale: u8) -> Option<Decimal> {
    if !number.is_finite() {
        return Some(number);
    }
    let up = scale.checked_sub(number.scale())?;
    let factor = 10_i128.checked_pow(u32::from(up));
    let mantissa = match factor {
        _ if number.mantissa() == 0 => 0,
        Some(factor) => number.mantissa().checked_mul(factor)?,
        None => return None,
    };
    Decimal::new(mantissa, scale)
}

pub(crate) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}
