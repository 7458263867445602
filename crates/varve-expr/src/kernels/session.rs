//! Functions that ask the session: random numbers, settings.

use varve_types::{Error, Interval, Result, SqlState, Value};

use crate::tree::{Host, Row, RowCount};

pub(super) fn host<'a>(row: &Row<'a>) -> Result<&'a dyn Host> {
    let host = row.context.host;
    host.ok_or_else(|| Error::unsupported("a function of the session here"))
}

/// `random()`: from 0 up to 1, in steps of 2^-53.
pub(super) fn random(row: &Row<'_>) -> Result<Value> {
    const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_precision_loss,
        reason = "53 bits are what a double holds"
    )]
    let bits = (host(row)?.random_u64() >> 11) as f64;
    Ok(Value::Float8(bits * STEP))
}

/// `setseed(seed)`: the random numbers behind it are the same each time, not PostgreSQL's.
pub(super) fn set_seed(row: &Row<'_>) -> Result<Value> {
    let seed = row.float8(0);
    if !(-1.0..=1.0).contains(&seed) {
        let shown = crate::format_value(&Value::Float8(seed), row.context.locale);
        let message = format!("setseed parameter {shown} is out of allowed range [-1,1]");
        return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    host(row)?.seed(seed.to_bits());
    Ok(Value::text(""))
}

/// `random_normal(mean, stddev)`, by the method of Box and Muller.
pub(super) fn random_normal(row: &Row<'_>) -> Result<Value> {
    let uniform = || match random(row) {
        Ok(Value::Float8(number)) => Ok(number),
        other => other.map(|_| 0.0),
    };
    // The logarithm of what is never 0.
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - uniform()?));
    let deviation = radius * libm::sin(2.0 * core::f64::consts::PI * uniform()?);
    Ok(Value::Float8(row.float8(1) * deviation + row.float8(0)))
}

/// `pg_sleep(seconds)`: the statement waits once the rows at hand are computed.
pub(super) fn sleep(row: &Row<'_>) -> Result<Value> {
    /// 300 years.
    const LONGEST_US: f64 = 1e16;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between the bounds, and NaN becomes 0"
    )]
    let duration_us = (row.float8(0) * 1e6).clamp(0.0, LONGEST_US) as u64;
    host(row)?.sleep(duration_us);
    Ok(Value::text(""))
}

/// `pg_sleep_for(interval)`
pub(super) fn sleep_interval(row: &Row<'_>) -> Result<Value> {
    const DAY_US: i64 = 86_400_000_000;
    let Interval { months, days, us } = row.interval(0);
    let days = i64::from(months).saturating_mul(30) + i64::from(days);
    let duration_us = days.saturating_mul(DAY_US).saturating_add(us);
    host(row)?.sleep(duration_us.max(0).unsigned_abs());
    Ok(Value::text(""))
}

/// `pg_sleep_until(timestamptz)`
pub(super) fn sleep_until(row: &Row<'_>) -> Result<Value> {
    let now_us = host(row)?.now_us();
    let left_us = row.int8(0).saturating_sub(now_us).max(0);
    host(row)?.sleep(left_us.unsigned_abs());
    Ok(Value::text(""))
}

/// `gen_random_uuid()`: version 4.
pub(super) fn random_uuid(row: &Row<'_>) -> Result<Value> {
    let host = host(row)?;
    let (high, low) = (host.random_u64(), host.random_u64());
    let high = high & !0xf000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    let both = u128::from(high) << 64 | u128::from(low);
    Ok(Value::Uuid(both.to_be_bytes()))
}

/// `changes()`
pub(super) fn changes(row: &Row<'_>) -> Result<Value> {
    counted(row, RowCount::Last)
}

/// `total_changes()`
pub(super) fn total_changes(row: &Row<'_>) -> Result<Value> {
    counted(row, RowCount::Total)
}

/// `last_insert_rowid()`
pub(super) fn last_insert_rowid(row: &Row<'_>) -> Result<Value> {
    counted(row, RowCount::InsertedKey)
}

fn counted(row: &Row<'_>, count: RowCount) -> Result<Value> {
    Ok(Value::Int8(host(row)?.row_count(count)))
}

/// `current_setting(name [, missing_ok])`
pub(super) fn current_setting(row: &Row<'_>) -> Result<Value> {
    let name = row.text(0);
    match host(row)?.setting(name) {
        Some(value) => Ok(Value::text(value)),
        None if row.value(1) == Value::Boolean(true) => Ok(Value::Null),
        None => {
            let message = format!("unrecognized configuration parameter \"{name}\"");
            Err(Error::new(SqlState::UNDEFINED_OBJECT, message))
        }
    }
}

/// `set_config(name, value, is_local)`
pub(super) fn set_config(row: &Row<'_>) -> Result<Value> {
    if row.is_null(0) {
        let message = "SET requires parameter name";
        return Err(Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message));
    }
    let value = (!row.is_null(1)).then(|| row.text(1));
    let is_local = row.value(2) == Value::Boolean(true);
    let now = host(row)?.set_setting(row.text(0), value, is_local)?;
    Ok(Value::text(now))
}
