//! Functions with regular expressions.

use std::rc::Rc;

use varve_types::meter::{self, ValueList};
use varve_types::{ArrayValue, ElementType, Error, Result, SqlState, Value};

use crate::kernels::math::arithmetic;
use crate::regex::{Options, Regex, Spans};
use crate::tree::set_rows::values;
use crate::tree::{Row, SetRows};

/// The longest text that a replacement makes.
const TEXT_BYTES_MAX: usize = 64 << 20;

fn is_match(row: &Row<'_>, ignore_case: bool) -> Result<bool> {
    let options = Options {
        ignore_case,
        ..Options::DEFAULT
    };
    Regex::cached(row.text(1), options)?.is_match(row.text(0))
}

pub(in crate::kernels) fn matches(row: &Row<'_>) -> Result<Value> {
    is_match(row, false).map(Value::Boolean)
}

pub(in crate::kernels) fn matches_any_case(row: &Row<'_>) -> Result<Value> {
    is_match(row, true).map(Value::Boolean)
}

pub(in crate::kernels) fn differs(row: &Row<'_>) -> Result<Value> {
    is_match(row, false).map(|is_match| Value::Boolean(!is_match))
}

pub(in crate::kernels) fn differs_any_case(row: &Row<'_>) -> Result<Value> {
    is_match(row, true).map(|is_match| Value::Boolean(!is_match))
}

/// What the letters of an argument ask for, and whether `g` is among them.
fn read_options(letters: &str) -> Result<(Options, bool)> {
    let (mut options, mut is_global) = (Options::DEFAULT, false);
    for letter in letters.chars() {
        if letter == 'g' {
            is_global = true;
        } else if !options.apply(letter) {
            return Err(invalid(format!(
                "invalid regular expression option: \"{letter}\""
            )));
        }
    }
    Ok((options, is_global))
}

fn invalid(message: String) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// A call: the text, the expression, and where the search begins.
struct Call<'r> {
    text: &'r str,
    regex: Rc<Regex>,
    start: usize,
}

impl<'r> Call<'r> {
    /// The arguments 0 and 1; options are argument `flags`, where there is one, without `g`.
    fn new(row: &'r Row<'_>, name: &str, flags: usize) -> Result<Call<'r>> {
        let (options, is_global) = read_options(row.text(flags))?;
        if is_global {
            let message = format!("{name}() does not support the \"global\" option");
            let error = invalid(message);
            return Err(match name {
                "regexp_match" => error.with_hint("Use the regexp_matches function instead."),
                _ => error,
            });
        }
        Call::with(row, options)
    }

    fn with(row: &'r Row<'_>, options: Options) -> Result<Call<'r>> {
        Ok(Call {
            text: row.text(0),
            regex: Regex::cached(row.text(1), options)?,
            start: 0,
        })
    }

    /// Begins at the character with the number in argument `index`, where there is one.
    fn starting(mut self, row: &Row<'_>, index: usize) -> Result<Call<'r>> {
        let number = at_least(row, index, "start", 1)?.unwrap_or(1);
        let characters = self.text.char_indices().map(|(at, _)| at);
        let place = usize::try_from(number - 1).unwrap_or(usize::MAX);
        // Behind the end there is nothing to find, not even nothing.
        self.start = match characters.chain([self.text.len()]).nth(place) {
            Some(at) => at,
            None => self.text.len() + 1,
        };
        Ok(self)
    }

    /// Calls `visit` for each match until it says that it has enough.
    fn each(&self, visit: &mut dyn FnMut(&Spans) -> Result<bool>) -> Result<()> {
        let mut from = self.start;
        while from <= self.text.len() {
            let Some(spans) = self.regex.find(self.text, from)? else {
                return Ok(());
            };
            let (start, end) = whole(&spans);
            meter::steps(1)?;
            if !visit(&spans)? {
                return Ok(());
            }
            from = if start == end {
                next_place(self.text, end)
            } else {
                end
            };
        }
        Ok(())
    }

    /// Match number `n`, from 1.
    fn nth(&self, n: i32) -> Result<Option<Spans>> {
        let (mut left, mut found) = (n, None);
        self.each(&mut |spans| {
            left -= 1;
            if left == 0 {
                found = Some(spans.clone());
            }
            Ok(left > 0)
        })?;
        Ok(found)
    }

    fn part(&self, span: Option<(usize, usize)>) -> Value {
        let text = span.and_then(|(start, end)| self.text.get(start..end));
        text.map_or(Value::Null, Value::text)
    }

    /// The groups of a match, or the whole where there are none.
    fn parts(&self, spans: &Spans) -> Value {
        let skip = usize::from(self.regex.groups() > 0);
        let parts = spans.iter().skip(skip).map(|span| self.part(*span));
        texts(parts.collect())
    }
}

fn texts(values: Vec<Value>) -> Value {
    Value::array(&ArrayValue::of(ElementType::Text, values))
}

fn whole(spans: &Spans) -> (usize, usize) {
    spans.first().copied().flatten().unwrap_or((0, 0))
}

/// The place behind the character at `at`; one past the end behind the last one.
fn next_place(text: &str, at: usize) -> usize {
    let next = text.get(at..).and_then(|rest| rest.chars().next());
    at + next.map_or(1, char::len_utf8)
}

/// The integer argument `index`, where there is one.
fn at_least(row: &Row<'_>, index: usize, name: &str, least: i32) -> Result<Option<i32>> {
    if index >= row.args.len() {
        return Ok(None);
    }
    let number = row.int4(index);
    if number < least {
        let message = format!("invalid value for parameter \"{name}\": {number}");
        return Err(invalid(message));
    }
    Ok(Some(number))
}

pub(in crate::kernels) fn like(row: &Row<'_>) -> Result<Value> {
    let call = Call::new(row, "regexp_like", 2)?;
    call.regex.is_match(call.text).map(Value::Boolean)
}

/// `regexp_count(text, pattern, start, flags)`
pub(in crate::kernels) fn count(row: &Row<'_>) -> Result<Value> {
    let call = Call::new(row, "regexp_count", 3)?.starting(row, 2)?;
    let mut count = 0;
    call.each(&mut |_| {
        count += 1;
        Ok(true)
    })?;
    Ok(Value::Int4(count))
}

/// `regexp_instr(text, pattern, start, n, end, flags, group)`
pub(in crate::kernels) fn instr(row: &Row<'_>) -> Result<Value> {
    let call = Call::new(row, "regexp_instr", 5)?.starting(row, 2)?;
    let n = at_least(row, 3, "n", 1)?.unwrap_or(1);
    let end_wanted = at_least(row, 4, "endoption", 0)?.unwrap_or(0);
    if end_wanted > 1 {
        let message = format!("invalid value for parameter \"endoption\": {end_wanted}");
        return Err(invalid(message));
    }
    let group = at_least(row, 6, "subexpr", 0)?.unwrap_or(0);
    let group = usize::try_from(group).unwrap_or(usize::MAX);
    let span = call.nth(n)?.and_then(|spans| spans.get(group).copied());
    let Some((start, end)) = span.flatten() else {
        return Ok(Value::Int4(0));
    };
    let at = if end_wanted == 1 { end } else { start };
    let before = call.text.get(..at).unwrap_or_default().chars().count();
    arithmetic::count(before + 1)
}

/// `regexp_substr(text, pattern, start, n, flags, group)`
pub(in crate::kernels) fn substr(row: &Row<'_>) -> Result<Value> {
    let call = Call::new(row, "regexp_substr", 4)?.starting(row, 2)?;
    let n = at_least(row, 3, "n", 1)?.unwrap_or(1);
    let group = at_least(row, 5, "subexpr", 0)?.unwrap_or(0);
    let group = usize::try_from(group).unwrap_or(usize::MAX);
    let span = call.nth(n)?.and_then(|spans| spans.get(group).copied());
    Ok(call.part(span.flatten()))
}

pub(in crate::kernels) fn first_match(row: &Row<'_>) -> Result<Value> {
    let call = Call::new(row, "regexp_match", 2)?;
    let spans = call.regex.find(call.text, 0)?;
    Ok(spans.map_or(Value::Null, |spans| call.parts(&spans)))
}

pub(in crate::kernels) fn all_matches(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    let (options, is_global) = read_options(row.text(2))?;
    let call = Call::with(row, options)?;
    let mut found = ValueList::default();
    call.each(&mut |spans| {
        found.push(call.parts(spans))?;
        Ok(is_global)
    })?;
    Ok(values(found.into_values()))
}

/// What stands between the matches, of which those without a character at the edges do not count.
fn pieces(row: &Row<'_>, name: &str) -> Result<Vec<Value>> {
    let call = Call::new(row, name, 2)?;
    let (mut found, mut last) = (ValueList::default(), 0);
    call.each(&mut |spans| {
        let (start, end) = whole(spans);
        if start < call.text.len() && end > last {
            found.push(call.part(Some((last, start))))?;
            last = end;
        }
        Ok(true)
    })?;
    found.push(call.part(Some((last, call.text.len()))))?;
    Ok(found.into_values())
}

pub(in crate::kernels) fn split_to_array(row: &Row<'_>) -> Result<Value> {
    pieces(row, "regexp_split_to_array").map(texts)
}

pub(in crate::kernels) fn split_to_rows(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    pieces(row, "regexp_split_to_table").map(values)
}

/// `regexp_replace(text, pattern, replacement, flags)`
pub(in crate::kernels) fn replace(row: &Row<'_>, out: &mut String) -> Result<()> {
    let flags = row.text(3);
    if flags.starts_with(|first: char| first.is_ascii_digit()) {
        let message = format!("invalid regular expression option: \"{flags}\"");
        return Err(invalid(message).with_hint(
            "If you meant to use regexp_replace() with a start parameter, cast the fourth \
             argument to integer explicitly.",
        ));
    }
    let (options, is_global) = read_options(flags)?;
    let call = Call::with(row, options)?;
    replace_in(&call, row.text(2), i32::from(!is_global), out)
}

/// `regexp_replace(text, pattern, replacement, start, n, flags)`
pub(in crate::kernels) fn replace_from(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (options, is_global) = read_options(row.text(5))?;
    let call = Call::with(row, options)?.starting(row, 3)?;
    let n = at_least(row, 4, "n", 0)?.unwrap_or(i32::from(!is_global));
    replace_in(&call, row.text(2), n, out)
}

/// Replaces match number `n`, or all for 0.
fn replace_in(call: &Call<'_>, replacement: &str, n: i32, out: &mut String) -> Result<()> {
    let (mut last, mut number) = (0, 0);
    call.each(&mut |spans| {
        number += 1;
        if n != 0 && number != n {
            return Ok(true);
        }
        let (start, end) = whole(spans);
        out.push_str(call.text.get(last..start).unwrap_or_default());
        last = end;
        write_replacement(replacement, call.text, spans, out);
        if out.len() > TEXT_BYTES_MAX {
            let message = "requested length too large";
            return Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
        }
        meter::room(out.len())?;
        Ok(n == 0)
    })?;
    out.push_str(call.text.get(last..).unwrap_or_default());
    Ok(())
}

/// `\1` to `\9` are the groups, `\&` is the whole match, `\\` a backslash.
fn write_replacement(replacement: &str, text: &str, spans: &Spans, out: &mut String) {
    let mut rest = replacement.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let mut ahead = rest.clone();
        let group = match ahead.next() {
            Some('&') => Some(0),
            Some(digit @ '1'..='9') => digit.to_digit(10).map(|digit| digit as usize),
            Some('\\') => {
                rest = ahead;
                out.push('\\');
                continue;
            }
            _ => None,
        };
        match group {
            Some(group) => {
                rest = ahead;
                let span = spans.get(group).copied().flatten();
                let part = span.and_then(|(start, end)| text.get(start..end));
                out.push_str(part.unwrap_or_default());
            }
            None => out.push('\\'),
        }
    }
}

/// `substring(text FROM pattern)`: the first group, or the whole without groups.
pub(in crate::kernels) fn substring(row: &Row<'_>) -> Result<Value> {
    part_of(row.text(0), row.text(1))
}

fn part_of(text: &str, pattern: &str) -> Result<Value> {
    let regex = Regex::cached(pattern, Options::DEFAULT)?;
    let Some(spans) = regex.find(text, 0)? else {
        return Ok(Value::Null);
    };
    let span = spans.get(usize::from(regex.groups() > 0)).copied();
    let part = span.flatten().and_then(|(start, end)| text.get(start..end));
    Ok(part.map_or(Value::Null, Value::text))
}

/// `substring(text SIMILAR pattern ESCAPE escape)`
pub(in crate::kernels) fn substring_similar(row: &Row<'_>) -> Result<Value> {
    let mut pattern = String::new();
    similar(row.text(1), row.text(2), &mut pattern)?;
    part_of(row.text(0), &pattern)
}

/// `similar_to_escape(pattern, escape)`: the pattern of SIMILAR TO as a regular expression.
pub(in crate::kernels) fn similar_to_escape(row: &Row<'_>, out: &mut String) -> Result<()> {
    let escape = if row.args.len() > 1 {
        row.text(1)
    } else {
        "\\"
    };
    similar(row.text(0), escape, out)
}

fn similar(pattern: &str, escape: &str, out: &mut String) -> Result<()> {
    let mut escapes = escape.chars();
    let escape = escapes.next();
    if escapes.next().is_some() {
        let error = Error::new(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid escape string");
        return Err(error.with_hint("Escape string must be empty or one character."));
    }
    out.push_str("^(?:");
    let (mut separators, mut in_set) = (0, false);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        if Some(c) == escape {
            match rest.next() {
                Some('"') if !in_set => {
                    separators += 1;
                    // The part before is as short as can be, the part between as long.
                    out.push_str(match separators {
                        1 => "){1,1}?(",
                        2 => "){1,1}(?:",
                        _ => {
                            let message = "SQL regular expression may not contain more than two \
                                           escape-double-quote separators";
                            let state = SqlState::INVALID_USE_OF_ESCAPE_CHARACTER;
                            return Err(Error::new(state, message));
                        }
                    });
                }
                Some(escaped) => out.extend(['\\', escaped]),
                None => {}
            }
            continue;
        }
        match c {
            '\\' if in_set => out.push_str("\\\\"),
            ']' if in_set => {
                in_set = false;
                out.push(c);
            }
            c if in_set => out.push(c),
            '[' => {
                in_set = true;
                out.push(c);
            }
            '%' => out.push_str(".*"),
            '_' => out.push('.'),
            '(' => out.push_str("(?:"),
            '\\' | '.' | '^' | '$' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push_str(")$");
    Ok(())
}
