//! Functions of bytea.

use varve_types::{Error, Result, SqlState, Value};

use super::check_length;
use crate::kernels::math::arithmetic::count;
use crate::tree::Row;

fn bytea(bytes: impl Into<std::sync::Arc<[u8]>>) -> Result<Value> {
    Ok(Value::Bytea(bytes.into()))
}

fn bytes<'r>(row: &'r Row<'_>, i: usize) -> &'r [u8] {
    row.bytes(i).unwrap_or_default()
}

/// `int4send` and its like: the bytes of a number as the binary protocol has them.
pub(in crate::kernels) fn send(row: &Row<'_>) -> Result<Value> {
    match row.value(0) {
        Value::Int2(number) => bytea(number.to_be_bytes()),
        Value::Int4(number) => bytea(number.to_be_bytes()),
        Value::Float4(number) => bytea(number.to_be_bytes()),
        Value::Float8(number) => bytea(number.to_be_bytes()),
        other => bytea(other.integer().unwrap_or(0).to_be_bytes()),
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

pub(in crate::kernels) fn write_hex(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            out.extend(char::from_digit(u32::from(half), 16));
        }
    }
}

pub(in crate::kernels) fn length(row: &Row<'_>) -> Result<Value> {
    count(bytes(row, 0).len())
}

pub(in crate::kernels) fn bit_length(row: &Row<'_>) -> Result<Value> {
    let bytes = row.bytes(0).map_or(row.text(0).len(), <[u8]>::len);
    count(bytes.saturating_mul(8))
}

pub(in crate::kernels) fn concat(row: &Row<'_>) -> Result<Value> {
    let (left, right) = (bytes(row, 0), bytes(row, 1));
    check_length(left.len().saturating_add(right.len()))?;
    bytea([left, right].concat())
}

/// The bytes of `substr(x, start, length)`.
fn part(all: &[u8], start: i64, length: Option<i64>) -> Result<&[u8]> {
    if length.is_some_and(|length| length < 0) {
        let message = "negative substring length not allowed";
        return Err(Error::new(SqlState::SUBSTRING_ERROR, message));
    }
    let end = length.map_or(i64::MAX, |length| start.saturating_add(length));
    let place = |at: i64| {
        let place = usize::try_from((at - 1).max(0)).unwrap_or(usize::MAX);
        place.min(all.len())
    };
    Ok(all.get(place(start)..place(end)).unwrap_or_default())
}

pub(in crate::kernels) fn substr(row: &Row<'_>) -> Result<Value> {
    let length = (row.args.len() > 2).then(|| row.int8(2));
    bytea(part(bytes(row, 0), row.int8(1), length)?)
}

pub(in crate::kernels) fn strpos(row: &Row<'_>) -> Result<Value> {
    let (all, wanted) = (bytes(row, 0), bytes(row, 1));
    if wanted.is_empty() {
        return count(1);
    }
    let at = all.windows(wanted.len()).position(|part| part == wanted);
    count(at.map_or(0, |at| at + 1))
}

pub(in crate::kernels) fn overlay(row: &Row<'_>) -> Result<Value> {
    let (all, new) = (bytes(row, 0), bytes(row, 1));
    let (start, length) = overlay_range(row, new.len())?;
    let behind = start.saturating_add(length);
    check_length(all.len().saturating_add(new.len()))?;
    let (before, after) = (part(all, 1, Some(start - 1))?, part(all, behind, None)?);
    bytea([before, new, after].concat())
}

/// Where the replaced part starts, and its length: by default as long as what is put there.
pub(in crate::kernels) fn overlay_range(row: &Row<'_>, new: usize) -> Result<(i64, i64)> {
    let length = if row.args.len() > 3 {
        row.int8(3)
    } else {
        i64::try_from(new).unwrap_or(i64::MAX)
    };
    let start = row.int8(2);
    if start <= 0 {
        let message = "negative substring length not allowed";
        return Err(Error::new(SqlState::SUBSTRING_ERROR, message));
    }
    match start.checked_add(length).map(i32::try_from) {
        Some(Ok(_)) => Ok((start, length)),
        _ => Err(Error::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            "integer out of range",
        )),
    }
}

fn trimmed<'r>(row: &'r Row<'_>, front: bool, back: bool) -> &'r [u8] {
    let (mut all, set) = (bytes(row, 0), bytes(row, 1));
    while let Some((end, rest)) = all.split_first()
        && front
        && set.contains(end)
    {
        all = rest;
    }
    while let Some((end, rest)) = all.split_last()
        && back
        && set.contains(end)
    {
        all = rest;
    }
    all
}

pub(in crate::kernels) fn btrim(row: &Row<'_>) -> Result<Value> {
    bytea(trimmed(row, true, true))
}

pub(in crate::kernels) fn ltrim(row: &Row<'_>) -> Result<Value> {
    bytea(trimmed(row, true, false))
}

pub(in crate::kernels) fn rtrim(row: &Row<'_>) -> Result<Value> {
    bytea(trimmed(row, false, true))
}

/// Argument 1 as a place below `places`.
fn place(row: &Row<'_>, places: usize) -> Result<usize> {
    let index = row.int8(1);
    let found = usize::try_from(index).ok().filter(|at| *at < places);
    found.ok_or_else(|| {
        let last = i64::try_from(places).unwrap_or(i64::MAX) - 1;
        let message = format!("index {index} out of valid range, 0..{last}");
        Error::new(SqlState::ARRAY_SUBSCRIPT_ERROR, message)
    })
}

pub(in crate::kernels) fn get_byte(row: &Row<'_>) -> Result<Value> {
    let all = bytes(row, 0);
    let at = place(row, all.len())?;
    Ok(Value::Int4(all.get(at).copied().map_or(0, i32::from)))
}

pub(in crate::kernels) fn set_byte(row: &Row<'_>) -> Result<Value> {
    let mut all = bytes(row, 0).to_vec();
    let at = place(row, all.len())?;
    let [_, _, _, byte] = row.int4(2).to_be_bytes();
    if let Some(slot) = all.get_mut(at) {
        *slot = byte;
    }
    bytea(all)
}

pub(in crate::kernels) fn get_bit(row: &Row<'_>) -> Result<Value> {
    let all = bytes(row, 0);
    let at = place(row, all.len().saturating_mul(8))?;
    let byte = all.get(at / 8).copied().unwrap_or(0);
    Ok(Value::Int4(i32::from(byte >> (at % 8) & 1)))
}

pub(in crate::kernels) fn set_bit(row: &Row<'_>) -> Result<Value> {
    let mut all = bytes(row, 0).to_vec();
    let at = place(row, all.len().saturating_mul(8))?;
    let bit = match row.int4(2) {
        0 => 0,
        1 => 1,
        _ => return Err(invalid("new bit must be 0 or 1")),
    };
    if let Some(slot) = all.get_mut(at / 8) {
        *slot = *slot & !(1 << (at % 8)) | bit << (at % 8);
    }
    bytea(all)
}

pub(in crate::kernels) fn bit_count(row: &Row<'_>) -> Result<Value> {
    let ones = bytes(row, 0)
        .iter()
        .map(|byte| i64::from(byte.count_ones()));
    Ok(Value::Int8(ones.sum()))
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Characters on a line of base64.
const LINE: usize = 76;

fn write_base64(bytes: &[u8], out: &mut String) {
    let mut on_line = 0;
    for three in bytes.chunks(3) {
        if on_line == LINE {
            out.push('\n');
            on_line = 0;
        }
        on_line += 4;
        let at = |i: usize| three.get(i).copied().map_or(0, u32::from);
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4_usize {
            let six = (word >> (18 - 6 * i) & 63) as usize;
            let digit = BASE64.get(six).copied().map_or('=', char::from);
            out.push(if i <= three.len() { digit } else { '=' });
        }
    }
}

fn read_base64(text: &str) -> Result<Vec<u8>> {
    let (mut bytes, mut word, mut digits, mut ends) = (Vec::new(), 0_u32, 0, 0);
    for c in text
        .chars()
        .filter(|c| !matches!(c, ' ' | '\t' | '\n' | '\r'))
    {
        let digit = BASE64.iter().position(|known| char::from(*known) == c);
        let digit = match digit.and_then(|digit| u32::try_from(digit).ok()) {
            Some(digit) if ends == 0 => digit,
            _ if c == '=' && digits >= 2 => {
                ends += 1;
                0
            }
            Some(_) => return Err(unfinished()),
            _ if c == '=' => {
                return Err(invalid("unexpected \"=\" while decoding base64 sequence"));
            }
            _ => {
                return Err(invalid(format!(
                    "invalid symbol \"{c}\" found while decoding base64 sequence"
                )));
            }
        };
        (word, digits) = (word << 6 | digit, digits + 1);
        if digits == 4 {
            let [_, three @ ..] = word.to_be_bytes();
            bytes.extend(three.iter().take(3 - ends));
            (word, digits) = (0, 0);
        }
    }
    if digits != 0 {
        return Err(unfinished());
    }
    Ok(bytes)
}

fn unfinished() -> Error {
    let hint = "Input data is missing padding, is truncated, or is otherwise corrupted.";
    invalid("invalid base64 end sequence").with_hint(hint)
}

pub(in crate::kernels) fn encode(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (all, format) = (bytes(row, 0), row.text(1));
    match format.to_ascii_lowercase().as_str() {
        "hex" => write_hex(all, out),
        "base64" => write_base64(all, out),
        "escape" => {
            for byte in all {
                match byte {
                    b'\\' => out.push_str("\\\\"),
                    0 | 0x80.. => {
                        out.push('\\');
                        for shift in [6, 3, 0] {
                            out.extend(char::from_digit(u32::from(byte >> shift & 7), 8));
                        }
                    }
                    byte => out.push(char::from(*byte)),
                }
            }
        }
        _ => return Err(invalid(format!("unrecognized encoding: \"{format}\""))),
    }
    Ok(())
}

pub(in crate::kernels) fn decode(row: &Row<'_>) -> Result<Value> {
    let (text, format) = (row.text(0), row.text(1));
    let read =
        |text: &str| crate::parse_value(text, varve_types::LogicalType::Bytea, row.context.locale);
    match format.to_ascii_lowercase().as_str() {
        "hex" => read(&format!("\\x{text}")),
        "base64" => bytea(read_base64(text)?),
        // What begins as hexadecimal does is none here.
        "escape" if text.starts_with("\\x") => Err(Error::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            "invalid input syntax for type bytea",
        )),
        "escape" => read(text),
        _ => Err(invalid(format!("unrecognized encoding: \"{format}\""))),
    }
}

/// How text is written as bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Latin1,
}

/// The encoding with a name, which has the `role` that an error tells.
fn encoding(name: &str, role: &str) -> Result<Encoding> {
    let plain = name.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = plain.map(|c| c.to_ascii_lowercase()).collect();
    match plain.as_str() {
        "utf8" | "unicode" | "sqlascii" => return Ok(Encoding::Utf8),
        "latin1" | "iso88591" => return Ok(Encoding::Latin1),
        _ => {}
    }
    let others = [
        "latin", "iso8859", "win", "koi8", "euc", "mule", "big5", "gb", "sjis",
    ];
    if others.iter().any(|other| plain.starts_with(other)) {
        return Err(Error::unsupported(format!("the encoding \"{name}\"")));
    }
    Err(invalid(format!("invalid {role} encoding name \"{name}\"")))
}

fn decoded(bytes: &[u8], encoding: Encoding) -> Result<String> {
    if encoding == Encoding::Latin1 {
        return Ok(bytes.iter().copied().map(char::from).collect());
    }
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let bad = bytes.get(error.valid_up_to()).copied().unwrap_or(0);
        Error::new(
            SqlState::CHARACTER_NOT_IN_REPERTOIRE,
            format!("invalid byte sequence for encoding \"UTF8\": 0x{bad:02x}"),
        )
    })?;
    Ok(text.to_owned())
}

fn encoded(text: &str, encoding: Encoding) -> Result<Vec<u8>> {
    if encoding == Encoding::Utf8 {
        return Ok(text.as_bytes().to_vec());
    }
    let byte = |c: char| {
        u8::try_from(u32::from(c)).map_err(|_| {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).bytes();
            let bytes: Vec<String> = bytes.map(|byte| format!("0x{byte:02x}")).collect();
            let message = format!(
                "character with byte sequence {} in encoding \"UTF8\" has no equivalent in \
                 encoding \"LATIN1\"",
                bytes.join(" ")
            );
            Error::new(SqlState::UNTRANSLATABLE_CHARACTER, message)
        })
    };
    text.chars().map(byte).collect()
}

pub(in crate::kernels) fn convert_from(row: &Row<'_>) -> Result<Value> {
    let from = encoding(row.text(1), "source")?;
    Ok(Value::text(decoded(bytes(row, 0), from)?))
}

pub(in crate::kernels) fn convert_to(row: &Row<'_>) -> Result<Value> {
    let to = encoding(row.text(1), "destination")?;
    bytea(encoded(row.text(0), to)?)
}

/// `convert(bytea, from, to)`
pub(in crate::kernels) fn convert(row: &Row<'_>) -> Result<Value> {
    let from = encoding(row.text(1), "source")?;
    let to = encoding(row.text(2), "destination")?;
    bytea(encoded(&decoded(bytes(row, 0), from)?, to)?)
}

/// `length(bytea, encoding)`: in characters.
pub(in crate::kernels) fn length_in(row: &Row<'_>) -> Result<Value> {
    let text = decoded(bytes(row, 0), encoding(row.text(1), "source")?)?;
    count(text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::{read_base64, write_base64};
    use proptest::prelude::{prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn base64_comes_back(bytes: Vec<u8>) {
            let mut text = String::new();
            write_base64(&bytes, &mut text);
            prop_assert_eq!(read_base64(&text).unwrap(), bytes);
        }
    }
}
