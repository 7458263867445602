//! `zstd_compress` and its kin, with the arguments of sqlite-zstd.
//!
//! A dictionary of no bytes is none at all; what a call names by number, the binder looks up.

use varve_types::{Error, LogicalType, Result, SqlState, Value, meter};

use super::text::{TEXT_BYTES_MAX, check_length};
use crate::tree::{Row, ZstdForm, zstd};

/// The levels of the `zstd` tool.
const LEVELS: core::ops::RangeInclusive<i32> = 1..=22;
/// An encoder holds that many times what it is given, on high levels.
const ENCODER_BYTES_PER_BYTE: usize = 20;
/// The number that stands for no dictionary.
const NO_DICTIONARY: i64 = -1;

/// `zstd_compress(data, level, dictionary, compact)`
pub(super) fn compress(row: &Row<'_>) -> Result<Value> {
    if row.is_null(0) {
        return Ok(Value::Null);
    }
    let raw = raw(row);
    present(row, 1, "level")?;
    let level = row.int4(1);
    let Some(level) = u8::try_from(level).ok().filter(|_| LEVELS.contains(&level)) else {
        let message = format!("compression level {level} is out of range");
        let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
        return Err(error.with_hint("Levels go from 1, the fastest, to 22."));
    };
    let form = form(row)?;
    check_length(raw.len())?;
    meter::room(raw.len().saturating_mul(ENCODER_BYTES_PER_BYTE))?;
    let frame = zstd()?.compress(raw, level, form)?;
    Ok(Value::Bytea(frame.into()))
}

/// `zstd_compress_col(data, level, dictionary, compact)`: without a dictionary `data` stays.
pub(super) fn compress_column(row: &Row<'_>) -> Result<Value> {
    match row.is_null(2) && !row.is_null(0) {
        true => Ok(Value::Bytea(raw(row).into())),
        false => compress(row),
    }
}

/// `zstd_decompress(data, is_text, dictionary, compact)`: the type of the result says what is
/// wanted.
pub(super) fn decompress(row: &Row<'_>) -> Result<Value> {
    let Some(frame) = row.bytes(0) else {
        return Ok(Value::Null);
    };
    let form = form(row)?;
    meter::room(frame.len())?;
    let raw = zstd()?.decompress(frame, TEXT_BYTES_MAX, form)?;
    check_length(raw.len())?;
    shown(raw, row.result)
}

/// `zstd_decompress_col(data, is_text, dictionary, compact)`: without a dictionary `data` was never
/// compressed.
pub(super) fn decompress_column(row: &Row<'_>) -> Result<Value> {
    match row.bytes(0) {
        Some(raw) if row.is_null(2) => shown(raw.to_vec(), row.result),
        _ => decompress(row),
    }
}

/// The dictionary of a number, which was looked up: NULL for NULL, none for -1.
pub(super) fn dictionary(row: &Row<'_>) -> Result<Value> {
    if row.is_null(0) {
        return Ok(Value::Null);
    }
    match row.int8(0) {
        NO_DICTIONARY => Ok(Value::Bytea([].into())),
        number if row.is_null(1) => {
            let message = format!("there is no dictionary {number} in \"_zstd_dicts\"");
            let error = Error::new(SqlState::UNDEFINED_OBJECT, message);
            Err(error.with_hint("-1 stands for no dictionary."))
        }
        _ => Ok(row.value(1)),
    }
}

fn raw<'r>(row: &'r Row<'_>) -> &'r [u8] {
    row.bytes(0).unwrap_or_else(|| row.text(0).as_bytes())
}

fn form<'r>(row: &'r Row<'_>) -> Result<ZstdForm<'r>> {
    present(row, 3, "compact")?;
    Ok(ZstdForm {
        dictionary: row.bytes(2).filter(|dictionary| !dictionary.is_empty()),
        is_compact: row.value(3) == Value::Boolean(true),
    })
}

/// `22004` where an argument that decides how is NULL.
fn present(row: &Row<'_>, argument: usize, name: &str) -> Result<()> {
    if !row.is_null(argument) {
        return Ok(());
    }
    let message = format!("argument \"{name}\" must not be null");
    Err(Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message))
}

fn shown(raw: Vec<u8>, ty: LogicalType) -> Result<Value> {
    if ty == LogicalType::Bytea {
        return Ok(Value::Bytea(raw.into()));
    }
    match String::from_utf8(raw) {
        Ok(text) if !text.contains('\0') => Ok(Value::text(text)),
        _ => {
            let message = "what was compressed is no text";
            let error = Error::new(SqlState::CHARACTER_NOT_IN_REPERTOIRE, message);
            Err(error.with_hint("With is_text false the answer is bytea."))
        }
    }
}
