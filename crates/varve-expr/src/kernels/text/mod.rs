//! Text functions. Positions and lengths count characters.

pub(super) mod bytes;
pub(super) mod hash;
pub(super) mod like;
pub(super) mod regexp;
pub(super) mod strings;

use varve_types::{Error, LogicalType, Result, SqlState, Value, meter};

use crate::cast::{cast_value, write_cell};
use crate::kernels::math::arithmetic::count;
use crate::tree::Row;

/// The longest text that a function makes.
pub(super) const TEXT_BYTES_MAX: usize = 16 << 20;

/// `||`: strings, and what anything else is cast to.
pub(super) fn concat_two(row: &Row<'_>, out: &mut String) -> Result<()> {
    for (i, arg) in row.args.iter().enumerate() {
        match arg.str_at(row.row) {
            Some(text) if arg.logical_type() == LogicalType::Text => append(text, out)?,
            _ => {
                let value = cast_value(&row.value(i), LogicalType::Text, true, row.context.locale)?;
                append(value.str().unwrap_or_default(), out)?;
            }
        }
    }
    Ok(())
}

/// `concat(...)`: the text forms one after another, without the NULLs.
pub(super) fn concat(row: &Row<'_>, out: &mut String) -> Result<()> {
    for arg in row.args {
        write_cell(arg, row.row, row.context.locale, out);
        check_length(out.len())?;
    }
    Ok(())
}

pub(super) fn length(row: &Row<'_>) -> Result<Value> {
    count(char_count(row.text(0)))
}

pub(super) fn octet_length(row: &Row<'_>) -> Result<Value> {
    count(row.text(0).len())
}

pub(super) fn lower(row: &Row<'_>, out: &mut String) -> Result<()> {
    lower_into(row.text(0), out);
    Ok(())
}

pub(super) fn upper(row: &Row<'_>, out: &mut String) -> Result<()> {
    map_case(row.text(0), out, |character| {
        let mut mapped = character.to_uppercase();
        mapped.next().filter(|_| mapped.next().is_none())
    });
    Ok(())
}

pub(super) fn lowered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    lower_into(text, &mut out);
    out
}

pub(super) fn lower_into(text: &str, out: &mut String) {
    map_case(text, out, |character| {
        let mut mapped = character.to_lowercase();
        mapped.next().filter(|_| mapped.next().is_none())
    });
}

/// One character becomes one; those whose other case is several stay, as in PostgreSQL.
fn map_case(text: &str, out: &mut String, map: fn(char) -> Option<char>) {
    out.extend(
        text.chars()
            .map(|character| map(character).unwrap_or(character)),
    );
}

pub(super) fn initcap(row: &Row<'_>, out: &mut String) -> Result<()> {
    let mut in_word = false;
    for character in row.text(0).chars() {
        let mut buffer = [0; 4];
        let one = character.encode_utf8(&mut buffer);
        if in_word {
            lower_into(one, out);
        } else {
            let mut mapped = character.to_uppercase();
            let single = mapped.next().filter(|_| mapped.next().is_none());
            out.push(single.unwrap_or(character));
        }
        in_word = character.is_alphanumeric();
    }
    Ok(())
}

/// `substr(text, start)`, counted from 1.
pub(super) fn substr_from(row: &Row<'_>, out: &mut String) -> Result<()> {
    out.push_str(char_slice(
        row.text(0),
        i64::from(row.int4(1)) - 1,
        i64::MAX,
    ));
    Ok(())
}

/// `substr(text, start, length)`; places before the start of the text count too.
pub(super) fn substr_of_length(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (start, length) = (i64::from(row.int4(1)) - 1, i64::from(row.int4(2)));
    if length < 0 {
        return Err(Error::new(
            SqlState::SUBSTRING_ERROR,
            "negative substring length not allowed",
        ));
    }
    out.push_str(char_slice(row.text(0), start, start + length));
    Ok(())
}

pub(super) fn left(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (text, count) = (row.text(0), i64::from(row.int4(1)));
    let end = if count < 0 {
        chars(text) + count
    } else {
        count
    };
    out.push_str(char_slice(text, 0, end));
    Ok(())
}

pub(super) fn right(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (text, count) = (row.text(0), row.int4(1));
    let start = if count < 0 {
        // The least count wraps in PostgreSQL too: nothing is left out.
        i64::from(count.wrapping_neg())
    } else {
        chars(text) - i64::from(count)
    };
    out.push_str(char_slice(text, start, i64::MAX));
    Ok(())
}

pub(super) fn btrim(row: &Row<'_>, out: &mut String) -> Result<()> {
    let set = trim_set(row);
    out.push_str(
        row.text(0)
            .trim_matches(|character| set.contains(character)),
    );
    Ok(())
}

pub(super) fn ltrim(row: &Row<'_>, out: &mut String) -> Result<()> {
    let set = trim_set(row);
    out.push_str(
        row.text(0)
            .trim_start_matches(|character| set.contains(character)),
    );
    Ok(())
}

pub(super) fn rtrim(row: &Row<'_>, out: &mut String) -> Result<()> {
    let set = trim_set(row);
    out.push_str(
        row.text(0)
            .trim_end_matches(|character| set.contains(character)),
    );
    Ok(())
}

/// The characters to be trimmed: the second argument, or the space.
fn trim_set<'a>(row: &'a Row<'_>) -> &'a str {
    if row.args.len() > 1 { row.text(1) } else { " " }
}

pub(super) fn replace(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (text, from, to) = (row.text(0), row.text(1), row.text(2));
    if from.is_empty() {
        out.push_str(text);
        return Ok(());
    }
    let mut parts = text.split(from);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(to);
        out.push_str(part);
        check_length(out.len())?;
    }
    Ok(())
}

/// `strpos(text, part)`, from 1; 0 where it is not found.
pub(super) fn strpos(row: &Row<'_>) -> Result<Value> {
    let position = row
        .text(0)
        .split_once(row.text(1))
        .map_or(0, |(before, _)| char_count(before) + 1);
    count(position)
}

pub(super) fn starts_with(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Boolean(row.text(0).starts_with(row.text(1))))
}

pub(super) fn repeat(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (text, count) = (row.text(0), usize::try_from(row.int4(1)).unwrap_or(0));
    check_length(text.len().saturating_mul(count))?;
    out.push_str(&text.repeat(count));
    Ok(())
}

pub(super) fn reverse(row: &Row<'_>, out: &mut String) -> Result<()> {
    out.extend(row.text(0).chars().rev());
    Ok(())
}

pub(super) fn check_length(bytes: usize) -> Result<()> {
    if bytes > TEXT_BYTES_MAX {
        return Err(Error::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            "requested length too large",
        ));
    }
    meter::room(bytes)?;
    meter::steps(1)
}

/// Adds a part to a text that is not too long with it.
fn append(part: &str, out: &mut String) -> Result<()> {
    check_length(out.len().saturating_add(part.len()))?;
    out.push_str(part);
    Ok(())
}

pub(super) fn char_count(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

fn chars(text: &str) -> i64 {
    i64::try_from(char_count(text)).unwrap_or(i64::MAX)
}

/// The characters from `start` to `end`, as far as there are any.
pub(super) fn char_slice(text: &str, start: i64, end: i64) -> &str {
    let place = |position: i64| usize::try_from(position.max(0)).unwrap_or(usize::MAX);
    let (start, end) = (place(start), place(end));
    let (from, to) = if text.is_ascii() {
        (start.min(text.len()), end.min(text.len()))
    } else {
        let mut borders = text.char_indices().map(|(at, _)| at);
        let from = borders.nth(start).unwrap_or(text.len());
        let to = match end.checked_sub(start) {
            Some(0) | None => from,
            Some(count) => borders.nth(count - 1).unwrap_or(text.len()),
        };
        (from, to)
    };
    text.get(from..to).unwrap_or_default()
}
