//! More functions of strings: padding, splitting, quoting, `format`.

use varve_types::{
    ArrayValue, ElementType, Error, LogicalType, Result, SqlState, SqlText, Value, meter,
};

use super::bytes::overlay_range;
use super::{char_count, char_slice, check_length};
use crate::cast::{cast_value, write_cell};
use crate::tree::Row;

fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// `concat_ws(separator, ...)`: NULL without a separator; NULLs among the rest are left out.
pub(in crate::kernels) fn concat_ws(row: &Row<'_>) -> Result<Value> {
    if row.is_null(0) {
        return Ok(Value::Null);
    }
    let mut out = String::new();
    let mut is_first = true;
    for arg in row.args.iter().skip(1).filter(|arg| !arg.is_null(row.row)) {
        if !core::mem::replace(&mut is_first, false) {
            out.push_str(row.text(0));
        }
        write_cell(arg, row.row, row.context.locale, &mut out);
        check_length(out.len())?;
    }
    Ok(Value::text(out))
}

/// The text with so many characters, filled up or cut off.
fn padded(row: &Row<'_>, left: bool, out: &mut String) -> Result<()> {
    let text = row.text(0);
    let wanted = usize::try_from(row.int4(1)).unwrap_or(0);
    let fill = if row.args.len() > 2 { row.text(2) } else { " " };
    let kept = char_slice(text, 0, i64::try_from(wanted).unwrap_or(i64::MAX));
    let missing = match fill {
        "" => 0,
        _ => wanted - char_count(kept).min(wanted),
    };
    if !left {
        out.push_str(kept);
    }
    let width = fill.chars().map(char::len_utf8).max().unwrap_or(1);
    check_length(missing.saturating_mul(width).saturating_add(kept.len()))?;
    out.extend(fill.chars().cycle().take(missing));
    if left {
        out.push_str(kept);
    }
    Ok(())
}

pub(in crate::kernels) fn lpad(row: &Row<'_>, out: &mut String) -> Result<()> {
    padded(row, true, out)
}

pub(in crate::kernels) fn rpad(row: &Row<'_>, out: &mut String) -> Result<()> {
    padded(row, false, out)
}

/// `split_part(text, separator, n)`: counted from the end where n is negative.
pub(in crate::kernels) fn split_part(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (text, separator, number) = (row.text(0), row.text(1), row.int4(2));
    let place = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
    let Some(place) = place.checked_sub(1) else {
        return Err(invalid("field position must not be zero"));
    };
    let part = if separator.is_empty() {
        (place == 0).then_some(text)
    } else if number > 0 {
        text.split(separator).nth(place)
    } else {
        // Parts are found from the left, whichever end they are counted from.
        let parts: Vec<&str> = text.split(separator).collect();
        parts.into_iter().rev().nth(place)
    };
    out.push_str(part.unwrap_or_default());
    Ok(())
}

pub(in crate::kernels) fn translate(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (from, to) = (row.text(1), row.text(2));
    for c in row.text(0).chars() {
        match from.chars().position(|known| known == c) {
            None => out.push(c),
            Some(at) => out.extend(to.chars().nth(at)),
        }
        meter::steps(1 + (from.len() + to.len()) / 16)?;
    }
    Ok(())
}

pub(in crate::kernels) fn overlay(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (text, new) = (row.text(0), row.text(1));
    let (start, length) = overlay_range(row, char_count(new))?;
    check_length(text.len().saturating_add(new.len()))?;
    out.push_str(char_slice(text, 0, start - 1));
    out.push_str(new);
    let behind = (start - 1).saturating_add(length);
    out.push_str(char_slice(text, behind, i64::MAX));
    Ok(())
}

pub(in crate::kernels) fn ascii(row: &Row<'_>) -> Result<Value> {
    let first = row.text(0).chars().next().map_or(0, u32::from);
    Ok(Value::Int4(i32::try_from(first).unwrap_or(0)))
}

pub(in crate::kernels) fn chr(row: &Row<'_>, out: &mut String) -> Result<()> {
    let number = row.int4(0);
    let limit = |message: String| Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
    match u32::try_from(number)
        .ok()
        .map(|number| (number, char::from_u32(number)))
    {
        None => {
            let message = "character number must be positive";
            Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message))
        }
        Some((0, _)) => limit("null character not permitted".to_owned()),
        Some((0xd800..=0xdfff, _)) => limit(format!(
            "requested character not valid for encoding: {number}"
        )),
        Some((_, None)) => limit(format!(
            "requested character too large for encoding: {number}"
        )),
        Some((_, Some(c))) => {
            out.push(c);
            Ok(())
        }
    }
}

pub(in crate::kernels) fn quote_ident(row: &Row<'_>, out: &mut String) -> Result<()> {
    out.push_str(SqlText::name(row.text(0)).as_str());
    Ok(())
}

pub(in crate::kernels) fn quote_literal(row: &Row<'_>, out: &mut String) -> Result<()> {
    let text = cast_value(&row.value(0), LogicalType::Text, true, row.context.locale)?;
    out.push_str(SqlText::any_literal(text.str().unwrap_or_default()).as_str());
    Ok(())
}

pub(in crate::kernels) fn quote_nullable(row: &Row<'_>, out: &mut String) -> Result<()> {
    if row.is_null(0) {
        out.push_str("NULL");
        return Ok(());
    }
    quote_literal(row, out)
}

/// The digits of a number to a base of two, of integers without a sign.
fn write_digits(row: &Row<'_>, shift: u32, out: &mut String) {
    let mut number = match row.value(0) {
        Value::Int4(number) => u64::from(number.cast_unsigned()),
        other => other.integer().unwrap_or(0).cast_unsigned(),
    };
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(number & ((1 << shift) - 1)).unwrap_or(0);
        digits.extend(char::from_digit(digit, 16));
        number >>= shift;
        if number == 0 {
            break;
        }
    }
    out.extend(digits.into_iter().rev());
}

pub(in crate::kernels) fn to_hex(row: &Row<'_>, out: &mut String) -> Result<()> {
    write_digits(row, 4, out);
    Ok(())
}

pub(in crate::kernels) fn to_oct(row: &Row<'_>, out: &mut String) -> Result<()> {
    write_digits(row, 3, out);
    Ok(())
}

pub(in crate::kernels) fn to_bin(row: &Row<'_>, out: &mut String) -> Result<()> {
    write_digits(row, 1, out);
    Ok(())
}

/// `format(pattern, ...)`
pub(in crate::kernels) fn format(row: &Row<'_>) -> Result<Value> {
    if row.is_null(0) {
        return Ok(Value::Null);
    }
    let mut formatter = Formatter {
        row,
        rest: row.text(0).chars(),
        next: 1,
    };
    let mut out = String::new();
    while let Some(c) = formatter.rest.next() {
        if c == '%' {
            formatter.specifier(&mut out)?;
            check_length(out.len())?;
        } else {
            out.push(c);
        }
    }
    Ok(Value::text(out))
}

/// What `format` has read.
struct Formatter<'r> {
    row: &'r Row<'r>,
    rest: core::str::Chars<'r>,
    /// The argument that the next specifier without a number takes.
    next: usize,
}

fn unterminated() -> Error {
    invalid("unterminated format() type specifier").with_hint("For a single \"%\" use \"%%\".")
}

impl Formatter<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn number(&mut self) -> Result<Option<usize>> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.rest.next();
            let next = u64::from(number.unwrap_or(0)) * 10 + u64::from(digit);
            let next = i32::try_from(next).map_err(|_| {
                let message = "number is out of range";
                Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message)
            })?;
            number = Some(next.unsigned_abs());
        }
        Ok(number.map(|number| number as usize))
    }

    /// The number of an argument before a `$`, if that is what is next.
    fn position(&mut self) -> Result<Option<usize>> {
        let before = self.rest.clone();
        let number = self.number()?;
        if number.is_none() || self.peek() != Some('$') {
            self.rest = before;
            return Ok(None);
        }
        self.rest.next();
        if number == Some(0) {
            return Err(invalid(
                "format specifies argument 0, but arguments are numbered from 1",
            ));
        }
        Ok(number)
    }

    /// The argument with a number, or the next one.
    fn argument(&mut self, position: Option<usize>) -> Result<usize> {
        let index = position.unwrap_or(self.next);
        self.next = index + 1;
        if index >= self.row.args.len() {
            return Err(invalid("too few arguments for format()"));
        }
        Ok(index)
    }

    fn specifier(&mut self, out: &mut String) -> Result<()> {
        if self.peek() == Some('%') {
            self.rest.next();
            out.push('%');
            return Ok(());
        }
        let position = self.position()?;
        let mut to_left = false;
        while self.peek() == Some('-') {
            self.rest.next();
            to_left = true;
        }
        let mut width = self.number()?;
        if width.is_none() && self.peek() == Some('*') {
            self.rest.next();
            let position = self.position()?;
            let index = self.argument(position)?;
            let wanted = match self.row.value(index) {
                Value::Null => 0,
                value => {
                    let locale = self.row.context.locale;
                    let width = cast_value(&value, LogicalType::Int4, true, locale)?;
                    width.integer().unwrap_or(0)
                }
            };
            to_left |= wanted < 0;
            width = usize::try_from(wanted.unsigned_abs()).ok();
        }
        let kind = self.rest.next().ok_or_else(unterminated)?;
        if !matches!(kind, 's' | 'I' | 'L') {
            let message = format!("unrecognized format() type specifier \"{kind}\"");
            let hint = "For a single \"%\" use \"%%\".";
            return Err(invalid(message).with_hint(hint));
        }
        let index = self.argument(position)?;
        let shown = self.shown(kind, index)?;
        let missing = width.unwrap_or(0).saturating_sub(char_count(&shown));
        check_length(missing)?;
        if to_left {
            out.push_str(&shown);
        }
        out.extend(core::iter::repeat_n(' ', missing));
        if !to_left {
            out.push_str(&shown);
        }
        Ok(())
    }

    fn shown(&self, kind: char, index: usize) -> Result<String> {
        let mut shown = String::new();
        if self.row.is_null(index) {
            match kind {
                'I' => {
                    return Err(Error::new(
                        SqlState::NULL_VALUE_NOT_ALLOWED,
                        "null values cannot be formatted as an SQL identifier",
                    ));
                }
                'L' => shown.push_str("NULL"),
                _ => {}
            }
            return Ok(shown);
        }
        let mut text = String::new();
        if let Some(arg) = self.row.args.get(index) {
            write_cell(arg, self.row.row, self.row.context.locale, &mut text);
        }
        match kind {
            'I' => shown.push_str(SqlText::name(&text).as_str()),
            'L' => shown.push_str(SqlText::any_literal(&text).as_str()),
            _ => shown = text,
        }
        Ok(shown)
    }
}

/// `unistr(text)`: characters by their numbers behind a backslash.
pub(in crate::kernels) fn unistr(row: &Row<'_>, out: &mut String) -> Result<()> {
    let error = |message: &str| Error::new(SqlState::SYNTAX_ERROR, message);
    let bad = || {
        error("invalid Unicode escape")
            .with_hint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.")
    };
    let mut rest = row.text(0);
    let mut high: Option<u32> = None;
    while let Some((before, after)) = rest.split_once('\\') {
        if high.is_some() && !before.is_empty() {
            return Err(error("invalid Unicode surrogate pair"));
        }
        out.push_str(before);
        if let Some(behind) = after.strip_prefix('\\') {
            out.push('\\');
            rest = behind;
            continue;
        }
        let (skip, digits) = match after.chars().next() {
            Some('+') => (1, 6),
            Some('u') => (1, 4),
            Some('U') => (1, 8),
            _ => (0, 4),
        };
        let number = after
            .get(skip..skip + digits)
            .filter(|digits| digits.chars().all(|digit| digit.is_ascii_hexdigit()));
        let number = number.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let number = number.ok_or_else(bad)?;
        rest = after.get(skip + digits..).unwrap_or_default();
        let number = match (high.take(), number) {
            (None, 0xd800..=0xdbff) => {
                high = Some(number);
                continue;
            }
            (Some(high), 0xdc00..=0xdfff) => 0x1_0000 + ((high & 0x3ff) << 10 | (number & 0x3ff)),
            (None, 0xdc00..=0xdfff) | (Some(_), _) => {
                return Err(error("invalid Unicode surrogate pair"));
            }
            (None, number) => number,
        };
        match char::from_u32(number).filter(|c| *c != '\0') {
            Some(c) => out.push(c),
            None => return Err(error(&format!("invalid Unicode code point: {number:04X}"))),
        }
    }
    if high.is_some() {
        return Err(error("invalid Unicode surrogate pair"));
    }
    out.push_str(rest);
    Ok(())
}

/// `parse_ident(name, strict)`
pub(in crate::kernels) fn parse_ident(row: &Row<'_>) -> Result<Value> {
    let (text, strict) = (row.text(0), row.value(1) != Value::Boolean(false));
    let error = |detail: Option<&str>| {
        let error = invalid(format!("string is not a valid identifier: \"{text}\""));
        match detail {
            Some(detail) => error.with_detail(detail),
            None => error,
        }
    };
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut name = String::new();
            let mut left = quoted;
            loop {
                let Some((before, after)) = left.split_once('"') else {
                    return Err(error(Some("String has unclosed double quotes.")));
                };
                name.push_str(before);
                left = after;
                match after.strip_prefix('"') {
                    Some(behind) => {
                        name.push('"');
                        left = behind;
                    }
                    None => break,
                }
            }
            if name.is_empty() {
                return Err(error(Some("Quoted identifier must not be empty.")));
            }
            parts.push(Value::text(name));
            rest = left;
        } else {
            let is_inside = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
            let end = rest.find(|c: char| !is_inside(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            let is_name = name.starts_with(|c: char| c == '_' || c.is_alphabetic());
            if !is_name {
                let detail = match (rest.starts_with('.'), parts.is_empty()) {
                    (true, _) => Some("No valid identifier before \".\"."),
                    (false, false) => Some("No valid identifier after \".\"."),
                    _ => None,
                };
                return Err(error(detail));
            }
            parts.push(Value::text(name.to_lowercase()));
            rest = behind;
        }
        rest = rest.trim_start();
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind.trim_start(),
            None if rest.is_empty() || !strict => break,
            None => return Err(error(None)),
        }
    }
    Ok(Value::array(&ArrayValue::of(ElementType::Text, parts)))
}
