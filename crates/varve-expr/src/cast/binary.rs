//! Bytea and uuid from text and as text.

use core::fmt::Write;

use varve_types::{Error, Result, SqlState};

use crate::tree::ByteaOutput;

fn invalid_bytea(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// Hexadecimal after `\x`, else the escape format.
pub(super) fn parse_bytea(text: &str) -> Result<Vec<u8>> {
    match text.strip_prefix("\\x") {
        Some(digits) => parse_hex(digits),
        None => parse_escaped(text.as_bytes()),
    }
}

fn parse_hex(digits: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    let mut high = None;
    for character in digits.chars() {
        if character.is_ascii_whitespace() && high.is_none() {
            continue;
        }
        let digit = character
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok());
        let digit = digit
            .ok_or_else(|| invalid_bytea(format!("invalid hexadecimal digit: \"{character}\"")))?;
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push(high << 4 | digit),
        }
    }
    if high.is_some() {
        return Err(invalid_bytea(
            "invalid hexadecimal data: odd number of digits",
        ));
    }
    Ok(bytes)
}

/// `\\` is a backslash, `\ooo` a byte in octal; all else stands for itself.
fn parse_escaped(text: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        if *byte != b'\\' {
            bytes.push(*byte);
            rest = after;
            continue;
        }
        let (escaped, length) = match after {
            [b'\\', ..] => (b'\\', 1),
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), 3)
            }
            _ => {
                return Err(Error::new(
                    SqlState::INVALID_TEXT_REPRESENTATION,
                    "invalid input syntax for type bytea",
                ));
            }
        };
        bytes.push(escaped);
        rest = after.get(length..).unwrap_or_default();
    }
    Ok(bytes)
}

pub(super) fn write_bytea(bytes: &[u8], output: ByteaOutput, text: &mut String) {
    if output == ByteaOutput::Hex {
        text.push_str("\\x");
    }
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = match (output, byte) {
            (ByteaOutput::Hex, _) => write!(text, "{byte:02x}"),
            (ByteaOutput::Escape, b'\\') => write!(text, "\\\\"),
            (ByteaOutput::Escape, b' '..=b'~') => write!(text, "{}", char::from(*byte)),
            (ByteaOutput::Escape, _) => write!(text, "\\{byte:03o}"),
        };
    }
}

/// 32 hexadecimal digits, in braces or not, with a hyphen after any four of them.
pub(super) fn parse_uuid(text: &str) -> Result<[u8; 16]> {
    let invalid = || {
        Error::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("invalid input syntax for type uuid: \"{text}\""),
        )
    };
    let inner = match text.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}').ok_or_else(invalid)?,
        None => text,
    };
    let mut bits = 0_u128;
    let mut digits = 0;
    let mut after_group = false;
    for character in inner.chars() {
        if character == '-' && after_group {
            after_group = false;
            continue;
        }
        let digit = character.to_digit(16).ok_or_else(invalid)?;
        bits = bits << 4 | u128::from(digit);
        digits += 1;
        after_group = digits % 4 == 0 && digits < 32;
        if digits > 32 {
            return Err(invalid());
        }
    }
    if digits == 32 {
        Ok(bits.to_be_bytes())
    } else {
        Err(invalid())
    }
}

pub(super) fn write_uuid(bytes: &[u8; 16], text: &mut String) {
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
}
