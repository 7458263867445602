//! Files of one column: a text or a number a line, or doubles as they lie in memory.

use crate::set::{Column, Set, Values};

/// A text a line.
pub(super) fn texts(name: &str, raw: &[u8]) -> Set {
    one_column(name, lines(raw))
}

/// Any texts.
pub(super) fn one_column<'a>(name: &str, texts: impl Iterator<Item = &'a [u8]>) -> Set {
    Set::new(
        name,
        vec![Column::new("text", Values::Text(texts.collect()))],
    )
}

/// A number a line.
pub(super) fn doubles(name: &str, raw: &[u8]) -> Set {
    let number = |line: &[u8]| std::str::from_utf8(line).ok()?.trim().parse().ok();
    let numbers = lines(raw).map(|line| number(line).unwrap_or(f64::NAN));
    Set::new(
        name,
        vec![Column::new("double", Values::Float64(numbers.collect()))],
    )
}

/// Whether every line is one number, and some of them are no integers.
pub(super) fn is_doubles(raw: &[u8]) -> bool {
    let is_number = |line: &[u8]| {
        std::str::from_utf8(line).is_ok_and(|line| line.trim().parse::<f64>().is_ok())
    };
    raw.contains(&b'.') && lines(raw).all(is_number)
}

/// Doubles, little-endian.
pub(super) fn doubles_le(name: &str, raw: &[u8]) -> Set {
    let numbers = raw
        .as_chunks::<8>()
        .0
        .iter()
        .map(|eight| f64::from_le_bytes(*eight));
    Set::new(
        name,
        vec![Column::new("double", Values::Float64(numbers.collect()))],
    )
}

/// The lines, without what ends them.
pub(super) fn lines(raw: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let whole = raw.strip_suffix(b"\n").unwrap_or(raw);
    whole
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}
