//! PostgreSQL's binary format of COPY.
//!
//! | part | bytes |
//! |---|---|
//! | signature, flags, length of an extension | 11 + 4 + 4, then the extension |
//! | a row: number of fields | 2 |
//! | a field: length, -1 for NULL; its value as PostgreSQL sends it | 4, then bytes |
//! | end: -1 instead of a number of fields | 2 |
//!
//! Integers are big-endian; dates and times count from 2000-01-01. What has no form of its own here
//! is the text of the value.

use varve_expr::{
    Locale, check_date, check_timestamp, coerce_length, parse_value_with_mod, write_cell,
};
use varve_types::{
    Column, Decimal, Error, Interval, LogicalType, Result, SqlState, TypeMod, Value, meter,
};

use crate::record::{FieldKind, Record, RecordReader, Step, bad_file, check_length};

/// Before the rows.
pub(super) const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// Behind them.
pub(super) const TRAILER: &[u8] = &[0xff, 0xff];

const SIGNATURE_BYTES: usize = 11;
/// 2000-01-01 in days and microseconds since 1970-01-01.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_US: i64 = 946_684_800_000_000;
const DAY_US: i64 = 86_400_000_000;
/// Flags that say how to read the rest.
const CRITICAL_FLAGS: u32 = 0xffff_0000;
const VERSION_OF_JSONB: u8 = 1;
const NUMERIC_NEGATIVE: u16 = 0x4000;
const NUMERIC_NAN: u16 = 0xc000;
const NUMERIC_INFINITY: u16 = 0xd000;
const NUMERIC_MINUS_INFINITY: u16 = 0xf000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Header,
    Extension,
    FieldCount,
    FieldLength,
    Field,
}

/// Cuts bytes by their lengths.
#[derive(Debug)]
pub struct BinaryReader {
    phase: Phase,
    /// The bytes of the part that is being read, and how many it has.
    part: Vec<u8>,
    wanted: usize,
    fields_left: u16,
    line: u64,
    record: Record,
}

impl Default for BinaryReader {
    fn default() -> BinaryReader {
        BinaryReader {
            phase: Phase::Header,
            part: Vec::new(),
            wanted: HEADER.len(),
            fields_left: 0,
            line: 0,
            record: Record::default(),
        }
    }
}

impl BinaryReader {
    fn expect(&mut self, phase: Phase, bytes: usize) {
        self.phase = phase;
        self.wanted = bytes;
        self.part.clear();
    }

    /// Takes a part that is complete; answers whether a record or the data end with it.
    fn take(&mut self) -> Result<Option<Step>> {
        let part = std::mem::take(&mut self.part);
        match self.phase {
            Phase::Header => {
                let (signature, rest) = part.split_at(SIGNATURE_BYTES.min(part.len()));
                if !HEADER.starts_with(signature) {
                    return Err(bad_file("COPY file signature not recognized"));
                }
                let (flags, extension) = rest.split_at(4.min(rest.len()));
                if big_endian(flags) & CRITICAL_FLAGS != 0 {
                    let message = "unrecognized critical flags in COPY file header";
                    return Err(bad_file(message));
                }
                let length = big_endian(extension) as usize;
                check_length(length)?;
                self.expect(Phase::Extension, length);
            }
            Phase::Extension => self.expect(Phase::FieldCount, 2),
            Phase::FieldCount => {
                if part == TRAILER {
                    return Ok(Some(Step::End));
                }
                self.line += 1;
                self.record.begin(self.line);
                self.fields_left = u16::try_from(big_endian(&part)).unwrap_or(u16::MAX);
                return Ok(self.next_field());
            }
            Phase::FieldLength => match big_endian(&part) {
                u32::MAX => {
                    self.record.end_field(FieldKind::Null);
                    return Ok(self.next_field());
                }
                length => {
                    let length = length as usize;
                    if i32::try_from(length).is_err() {
                        return Err(bad_file("invalid field size"));
                    }
                    check_length(length)?;
                    self.expect(Phase::Field, length);
                }
            },
            Phase::Field => {
                self.record.push(&part)?;
                self.record.end_field(FieldKind::Value);
                return Ok(self.next_field());
            }
        }
        Ok(None)
    }

    fn next_field(&mut self) -> Option<Step> {
        match self.fields_left.checked_sub(1) {
            Some(left) => {
                self.fields_left = left;
                self.expect(Phase::FieldLength, 4);
                None
            }
            None => {
                self.expect(Phase::FieldCount, 2);
                Some(Step::Record(0))
            }
        }
    }
}

impl RecordReader for BinaryReader {
    fn read(&mut self, input: &[u8]) -> Result<Step> {
        let mut rest = input;
        loop {
            let missing = self.wanted - self.part.len();
            let (taken, after) = rest.split_at(missing.min(rest.len()));
            self.part.extend_from_slice(taken);
            rest = after;
            if self.part.len() < self.wanted {
                return Ok(Step::More);
            }
            match self.take()? {
                None => {}
                Some(Step::Record(_)) => return Ok(Step::Record(input.len() - rest.len())),
                Some(step) => return Ok(step),
            }
        }
    }

    fn finish(&mut self) -> Result<bool> {
        match self.phase {
            Phase::FieldCount if self.part.is_empty() => Ok(false),
            _ => Err(bad_file("unexpected EOF in COPY data")),
        }
    }

    fn record(&self) -> &Record {
        &self.record
    }
}

/// Up to four bytes as a number.
fn big_endian(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// A value from its bytes.
pub(super) fn read_value(
    bytes: &[u8],
    ty: LogicalType,
    modifier: TypeMod,
    locale: &Locale,
) -> Result<Value> {
    let mut input = Input(bytes);
    let value = match ty {
        LogicalType::Boolean => Value::Boolean(input.take::<1>()? != [0]),
        LogicalType::Int2 => Value::Int2(i16::from_be_bytes(input.take()?)),
        LogicalType::Int4 => Value::Int4(i32::from_be_bytes(input.take()?)),
        LogicalType::Int8 => Value::Int8(i64::from_be_bytes(input.take()?)),
        LogicalType::Oid => Value::Oid(u32::from_be_bytes(input.take()?)),
        LogicalType::Float4 => Value::Float4(f32::from_be_bytes(input.take()?)),
        LogicalType::Float8 => Value::Float8(f64::from_be_bytes(input.take()?)),
        LogicalType::Date => Value::Date(match i32::from_be_bytes(input.take()?) {
            infinite @ (i32::MIN | i32::MAX) => infinite,
            days => check_date(i64::from(days) + i64::from(EPOCH_DAYS))?,
        }),
        LogicalType::Time => match i64::from_be_bytes(input.take()?) {
            us @ 0..=DAY_US => Value::Time(us),
            _ => {
                let message = "time out of range";
                return Err(Error::new(SqlState::DATETIME_FIELD_OVERFLOW, message));
            }
        },
        LogicalType::Timestamp => Value::Timestamp(since_1970(input.take()?)?),
        LogicalType::TimestampTz => Value::TimestampTz(since_1970(input.take()?)?),
        LogicalType::Interval => {
            let us = i64::from_be_bytes(input.take()?);
            let days = i32::from_be_bytes(input.take()?);
            let months = i32::from_be_bytes(input.take()?);
            Value::Interval(Interval { months, days, us })
        }
        LogicalType::Uuid => Value::Uuid(input.take()?),
        LogicalType::Bytea => Value::Bytea(input.rest().into()),
        LogicalType::Numeric => {
            let text = numeric_text(&mut input)?;
            Value::Numeric(Decimal::parse_with_mod(&text, modifier)?)
        }
        ty => {
            if ty == LogicalType::Jsonb && input.take::<1>()? != [VERSION_OF_JSONB] {
                return Err(bad_value("unsupported jsonb version number"));
            }
            let text = core::str::from_utf8(input.rest())
                .map_err(|_| bad_value("invalid byte sequence for encoding \"UTF8\""))?;
            parse_value_with_mod(text, ty, modifier, locale)?
        }
    };
    match input.0.is_empty() {
        true => coerce_length(value, ty, modifier, false),
        false => Err(bad_value("incorrect binary data format")),
    }
}

/// `22P03`
fn bad_value(message: &str) -> Error {
    Error::new(SqlState::INVALID_BINARY_REPRESENTATION, message)
}

/// The rest of a value's bytes.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (first, rest) = self
            .0
            .split_first_chunk()
            .ok_or_else(|| bad_value("insufficient data left in message"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

fn since_1970(bytes: [u8; 8]) -> Result<i64> {
    match i64::from_be_bytes(bytes) {
        infinite @ (i64::MIN | i64::MAX) => Ok(infinite),
        us => check_timestamp(i128::from(us) + i128::from(EPOCH_US)),
    }
}

fn since_2000(us: i64) -> i64 {
    match us {
        infinite @ (i64::MIN | i64::MAX) => infinite,
        us => us - EPOCH_US,
    }
}

/// A number from its digits, four a piece.
fn numeric_text(input: &mut Input<'_>) -> Result<String> {
    let count = u16::from_be_bytes(input.take()?);
    let weight = i16::from_be_bytes(input.take()?);
    let sign = u16::from_be_bytes(input.take()?);
    let scale = usize::from(u16::from_be_bytes(input.take()?));
    match sign {
        NUMERIC_NAN => return Ok("NaN".to_owned()),
        NUMERIC_INFINITY => return Ok("Infinity".to_owned()),
        NUMERIC_MINUS_INFINITY => return Ok("-Infinity".to_owned()),
        0 | NUMERIC_NEGATIVE => {}
        _ => return Err(bad_value("invalid sign in external \"numeric\" value")),
    }
    let mut whole = String::new();
    let mut fraction = "0000".repeat(usize::try_from(-1 - i32::from(weight)).unwrap_or(0));
    for place in 0..i32::from(count) {
        let digits = u16::from_be_bytes(input.take()?);
        if digits > 9999 {
            return Err(bad_value("invalid digit in external \"numeric\" value"));
        }
        let target = match place <= i32::from(weight) {
            true => &mut whole,
            false => &mut fraction,
        };
        target.push_str(&format!("{digits:04}"));
    }
    let missing = i32::from(weight) + 1 - i32::from(count);
    whole.push_str(&"0000".repeat(usize::try_from(missing).unwrap_or(0)));
    fraction.push_str(&"0".repeat(scale.saturating_sub(fraction.len())));
    fraction.truncate(scale);
    let minus = if sign == NUMERIC_NEGATIVE { "-" } else { "" };
    Ok(match scale {
        0 => format!("{minus}0{whole}"),
        _ => format!("{minus}0{whole}.{fraction}"),
    })
}

/// Appends a row.
pub(super) fn put_row(columns: &[&Column], row: usize, locale: &Locale, bytes: &mut Vec<u8>) {
    let count: u16 = meter::fitting(columns.len(), "columns of COPY");
    bytes.extend(count.to_be_bytes());
    let mut value = Vec::new();
    for column in columns {
        if column.is_null(row) {
            bytes.extend((-1_i32).to_be_bytes());
            continue;
        }
        value.clear();
        put_value(column, row, locale, &mut value);
        let length: u32 = meter::fitting(value.len(), "a value of COPY");
        bytes.extend(length.to_be_bytes());
        bytes.extend_from_slice(&value);
    }
}

fn put_value(column: &Column, row: usize, locale: &Locale, bytes: &mut Vec<u8>) {
    match column.value(row) {
        Value::Boolean(value) => bytes.push(u8::from(value)),
        Value::Int2(value) => bytes.extend(value.to_be_bytes()),
        Value::Int4(value) => bytes.extend(value.to_be_bytes()),
        Value::Int8(value) | Value::Time(value) => bytes.extend(value.to_be_bytes()),
        Value::Oid(value) => bytes.extend(value.to_be_bytes()),
        Value::Float4(value) => bytes.extend(value.to_be_bytes()),
        Value::Float8(value) => bytes.extend(value.to_be_bytes()),
        Value::Date(value @ (i32::MIN | i32::MAX)) => bytes.extend(value.to_be_bytes()),
        Value::Date(days) => bytes.extend((days - EPOCH_DAYS).to_be_bytes()),
        Value::Timestamp(us) | Value::TimestampTz(us) => {
            bytes.extend(since_2000(us).to_be_bytes());
        }
        Value::Interval(Interval { months, days, us }) => {
            bytes.extend(us.to_be_bytes());
            bytes.extend(days.to_be_bytes());
            bytes.extend(months.to_be_bytes());
        }
        Value::Uuid(value) => bytes.extend(value),
        Value::Bytea(value) => bytes.extend_from_slice(&value),
        Value::Numeric(value) => put_numeric(value, bytes),
        value => {
            if matches!(value, Value::Jsonb(_)) {
                bytes.push(VERSION_OF_JSONB);
            }
            let mut text = String::new();
            write_cell(column, row, locale, &mut text);
            bytes.extend_from_slice(text.as_bytes());
        }
    }
}

fn put_numeric(number: Decimal, bytes: &mut Vec<u8>) {
    let mut put = |digits: &[u16], weight: i16, sign: u16, scale: u8| {
        let count: u16 = meter::fitting(digits.len(), "digits of COPY");
        bytes.extend(count.to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend(sign.to_be_bytes());
        bytes.extend(u16::from(scale).to_be_bytes());
        for digit in digits {
            bytes.extend(digit.to_be_bytes());
        }
    };
    if !number.is_finite() {
        let sign = match (number.is_nan(), number.signum() < 0) {
            (true, _) => NUMERIC_NAN,
            (false, true) => NUMERIC_MINUS_INFINITY,
            (false, false) => NUMERIC_INFINITY,
        };
        return put(&[], 0, sign, 0);
    }
    let scale = number.scale();
    let mut digits = number.mantissa().unsigned_abs().to_string();
    let places = usize::from(scale);
    if digits.len() < places {
        digits.insert_str(0, &"0".repeat(places - digits.len()));
    }
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let whole = format!("{}{whole}", "0".repeat((4 - whole.len() % 4) % 4));
    let fraction = format!("{fraction}{}", "0".repeat((4 - places % 4) % 4));
    let groups = |text: &str| -> Vec<u16> {
        let digits: Vec<u16> = text.bytes().map(|byte| u16::from(byte - b'0')).collect();
        let value = |four: &[u16]| four.iter().fold(0, |sum, digit| sum * 10 + digit);
        digits.chunks(4).map(value).collect()
    };
    let whole = groups(&whole);
    let mut weight = meter::fitting::<i16>(whole.len(), "digits of COPY") - 1;
    let mut all = [whole, groups(&fraction)].concat();
    let leading = all.iter().take_while(|group| **group == 0).count();
    all.drain(..leading);
    weight -= meter::fitting::<i16>(leading, "digits of COPY");
    while all.last() == Some(&0) {
        all.pop();
    }
    if all.is_empty() {
        weight = 0;
    }
    let sign = match number.signum() < 0 {
        true => NUMERIC_NEGATIVE,
        false => 0,
    };
    put(&all, weight, sign, scale);
}
