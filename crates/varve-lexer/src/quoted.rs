//! What quoted tokens say.

use std::ops::Range;

use varve_types::{Error, Result, SqlState};

use crate::open::Open;
use crate::token::Token;

/// Where the next part of a string starts, behind its quote: strings go on in parts with a line
/// break between them. `at` stands behind the quote that ends a part.
pub(crate) fn continuation(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut newline = false;
    loop {
        match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'\n' | b'\r', _) => newline = true,
            (b' ' | b'\t' | 0x0b | 0x0c, _) => {}
            (b'-', Some(b'-')) => {
                while !matches!(bytes.get(at)?, b'\n' | b'\r') {
                    at += 1;
                }
                continue;
            }
            (b'\'', _) if newline => return Some(at + 1),
            _ => return None,
        }
        at += 1;
    }
}

/// The parts of a string between quotes, doubled quotes and escapes left as they are, and what
/// stands behind it.
fn parts(raw: &str, quote: char, escapes: bool) -> (Vec<&str>, &str) {
    let mut parts = Vec::new();
    let mut at = raw.find(quote).map_or(raw.len(), |at| at + 1);
    loop {
        let start = at;
        let end = Open::Quotes(quote, escapes).end(raw, start);
        at = end.unwrap_or(raw.len());
        let part = raw.get(start..at).unwrap_or_default();
        parts.push(
            part.strip_suffix(quote)
                .filter(|_| end.is_some())
                .unwrap_or(part),
        );
        match continuation(raw.as_bytes(), at).filter(|_| quote == '\'') {
            Some(next) => at = next,
            None => return (parts, raw.get(at..).unwrap_or_default()),
        }
    }
}

/// A string that goes on in parts as one of a single part, whatever stands between them.
pub fn in_one_part(token: Token, raw: &str) -> Option<String> {
    let escapes = match token {
        Token::EscapedStringLiteral => true,
        Token::SingleQuotedString
        | Token::NationalStringLiteral
        | Token::BitStringLiteral
        | Token::HexStringLiteral
        | Token::UnicodeStringLiteral => false,
        _ => return None,
    };
    let (parts, rest) = parts(raw, '\'', escapes);
    let prefix = raw.split('\'').next().unwrap_or_default();
    (parts.len() > 1).then(|| format!("{prefix}'{}'{rest}", parts.concat()))
}

/// The text of a quoted name.
pub fn name_text(token: Token, raw: &str) -> Result<String> {
    let (parts, rest) = parts(raw, '"', false);
    let text = parts.concat().replace("\"\"", "\"");
    match token {
        Token::UnicodeWord => unicode_text(&text, raw, rest),
        _ => Ok(text),
    }
}

/// The text of a string of any kind. Bits and hexadecimal digits are not looked at.
pub fn string_text(token: Token, raw: &str) -> Result<String> {
    if token == Token::DollarQuotedString {
        let tag = dollar_tag(raw).len() + 2;
        let text = raw.get(tag..raw.len().saturating_sub(tag));
        return Ok(text.unwrap_or_default().to_owned());
    }
    let escaped = token == Token::EscapedStringLiteral;
    let (parts, rest) = parts(raw, '\'', escaped);
    if escaped {
        let mut text = Vec::new();
        for part in parts {
            let start = part.as_ptr().addr() - raw.as_ptr().addr();
            unescape(raw, start..start + part.len(), &mut text)?;
        }
        return String::from_utf8(text).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes().get(at..).unwrap_or_default();
            let length = match bytes.first() {
                Some(0xc0..=0xdf) => 2,
                Some(0xe0..=0xef) => 3,
                Some(0xf0..=0xf7) => 4,
                _ => 1,
            };
            invalid_bytes(bytes.get(..length).unwrap_or(bytes))
        });
    }
    let text = parts.concat();
    let text = match text.contains("''") {
        true => text.replace("''", "'"),
        false => text,
    };
    match token {
        Token::UnicodeStringLiteral => unicode_text(&text, raw, rest),
        _ => Ok(text),
    }
}

/// What stands between the dollar signs of a dollar-quoted string.
pub(crate) fn dollar_tag(raw: &str) -> &str {
    raw.split('$').nth(1).unwrap_or_default()
}

fn invalid_bytes(bytes: &[u8]) -> Error {
    let shown: String = bytes.iter().map(|byte| format!(" 0x{byte:02x}")).collect();
    let message = format!("invalid byte sequence for encoding \"UTF8\":{shown}");
    Error::new(SqlState::CHARACTER_NOT_IN_REPERTOIRE, message)
}

fn invalid_escape(hint: &str) -> Error {
    Error::new(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid Unicode escape").with_hint(hint)
}

fn invalid_pair() -> Error {
    Error::new(SqlState::SYNTAX_ERROR, "invalid Unicode surrogate pair")
}

/// An error with the place of a byte of a token, whose start is position 1.
fn at_byte(error: Error, raw: &str, byte: usize) -> Error {
    let before = raw.get(..byte).unwrap_or_default().chars().count();
    error.at(u32::try_from(before + 1).unwrap_or(u32::MAX))
}

/// An error as PostgreSQL's lexer words it for a part of a token.
fn near(error: Error, raw: &str, range: Range<usize>) -> Error {
    let shown = raw.get(range.clone()).unwrap_or_default();
    let message = format!("{} at or near \"{shown}\"", error.message());
    at_byte(error.with_message(message), raw, range.start)
}

/// Gathers code points, whose larger ones may be written as surrogate pairs.
#[derive(Default)]
struct Points {
    high: Option<u32>,
}

impl Points {
    /// The character that a code point completes.
    fn add(&mut self, point: u32) -> Result<Option<char>> {
        match (self.high.take(), point) {
            (None, 0xd800..=0xdbff) => {
                self.high = Some(point);
                Ok(None)
            }
            (Some(high), 0xdc00..=0xdfff) => {
                let point = 0x10000 + ((high - 0xd800) << 10) + (point - 0xdc00);
                Ok(char::from_u32(point))
            }
            (Some(_), _) | (None, 0xdc00..=0xdfff) => Err(invalid_pair()),
            (None, _) => match char::from_u32(point) {
                Some('\0') | None => {
                    let message = "invalid Unicode escape value";
                    Err(Error::new(SqlState::SYNTAX_ERROR, message))
                }
                Some(character) => Ok(Some(character)),
            },
        }
    }

    fn end(&self) -> Result<()> {
        match self.high {
            Some(_) => Err(invalid_pair()),
            None => Ok(()),
        }
    }
}

fn hexadecimal(text: &str, start: usize, digits: usize) -> Option<u32> {
    let digits = text.get(start..start + digits)?;
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// One part of `E'...'`, where backslashes escape: `part` are its places in the token.
fn unescape(raw: &str, part: Range<usize>, text: &mut Vec<u8>) -> Result<()> {
    let bytes = raw.as_bytes().get(..part.end).unwrap_or_default();
    let mut points = Points::default();
    let mut at = part.start;
    let pair_ends = |points: &Points, at: usize| {
        let next = raw.get(at..).and_then(|rest| rest.chars().next());
        let end = at + next.map_or(0, char::len_utf8);
        points.end().map_err(|error| near(error, raw, at..end))
    };
    while let Some(byte) = bytes.get(at).copied() {
        let behind = bytes.get(at + 1).copied();
        if let (b'\\', Some(letter @ (b'u' | b'U'))) = (byte, behind) {
            let end = at + if letter == b'u' { 6 } else { 10 };
            if let Some(character) = code_point(raw, at..end, &mut points)? {
                text.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            at = end;
            continue;
        }
        pair_ends(&points, at)?;
        let (byte, length) = match byte {
            b'\\' => escaped(bytes.get(at + 1..).unwrap_or_default())?,
            byte => (byte, usize::from(byte == b'\'')),
        };
        text.push(byte);
        at += 1 + length;
    }
    pair_ends(&points, at)
}

/// The character that `\uXXXX` or `\UXXXXXXXX` completes.
fn code_point(raw: &str, place: Range<usize>, points: &mut Points) -> Result<Option<char>> {
    let hint = "Unicode escapes must be \\uXXXX or \\UXXXXXXXX.";
    let point = hexadecimal(raw, place.start + 2, place.len() - 2);
    let point = point.ok_or_else(|| at_byte(invalid_escape(hint), raw, place.start))?;
    points.add(point).map_err(|error| near(error, raw, place))
}

/// The byte that stands behind a backslash, and how many bytes it takes there.
fn escaped(rest: &[u8]) -> Result<(u8, usize)> {
    let letter = rest.first().copied().unwrap_or(b'\\');
    let (radix, before, digits_max) = match letter {
        b'x' => (16, 1, 2),
        b'0'..=b'7' => (8, 0, 3),
        _ => {
            let byte = match letter {
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 11,
                other => other,
            };
            return Ok((byte, 1));
        }
    };
    let digits = rest.iter().skip(before).take(digits_max);
    let values = digits.map_while(|byte| char::from(*byte).to_digit(radix));
    let add = |(count, value), digit| (count + 1, value * radix + digit);
    match values.fold((0, 0_u32), add) {
        (0, _) => Ok((letter, 1)),
        (count, value) => match value.to_le_bytes()[0] {
            0 => Err(invalid_bytes(&[0])),
            byte => Ok((byte, before + count)),
        },
    }
}

/// A text with `\XXXX` and `\+XXXXXX`; `rest` may be the clause that names another character for
/// the backslash. Places are counted as if the token held the text as it is.
fn unicode_text(text: &str, raw: &str, rest: &str) -> Result<String> {
    const BEFORE_TEXT: usize = "U&'".len();
    let mut escape = '\\';
    if let Some((_, clause)) = rest.split_once('\'') {
        let mut characters = clause.chars();
        let named = (characters.next(), characters.as_str());
        match named {
            (Some(named), "'")
                if !named.is_ascii_hexdigit()
                    && !named.is_ascii_whitespace()
                    && !matches!(named, '+' | '\'' | '"') =>
            {
                escape = named;
            }
            _ => {
                let message = "invalid Unicode escape character";
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                return Err(near(error, raw, raw.len() - clause.len() - 1..raw.len()));
            }
        }
    }
    let hint = "Unicode escapes must be \\XXXX or \\+XXXXXX.";
    let mut out = String::with_capacity(text.len());
    let mut points = Points::default();
    let mut rest = text;
    let placed = |error: Error, rest: &str| {
        let before = text.get(..text.len() - rest.len()).unwrap_or_default();
        let place = before.chars().count() + BEFORE_TEXT + 1;
        error.at(u32::try_from(place).unwrap_or(u32::MAX))
    };
    while let Some(character) = rest.chars().next() {
        let behind = rest.get(character.len_utf8()..).unwrap_or_default();
        if character != escape || behind.starts_with(escape) {
            points.end().map_err(|error| placed(error, rest))?;
            out.push(character);
            rest = match character == escape {
                true => behind.get(escape.len_utf8()..).unwrap_or_default(),
                false => behind,
            };
            continue;
        }
        let (from, digits) = match behind.starts_with('+') {
            true => (1, 6),
            false => (0, 4),
        };
        let point = hexadecimal(behind, from, digits).ok_or_else(|| invalid_escape(hint));
        let point = point.and_then(|point| points.add(point));
        out.extend(point.map_err(|error| placed(error, rest))?);
        rest = behind.get(from + digits..).unwrap_or_default();
    }
    points.end().map_err(|error| placed(error, rest))?;
    Ok(out)
}
