//! Functions that ask the session: random numbers, settings.

use varve_types::{Error, Result, SqlState, Value};

use super::operand::Row;
use crate::Host;

fn host<'a>(row: &Row<'a>) -> Result<&'a dyn Host> {
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

/// `gen_random_uuid()`: version 4.
pub(super) fn random_uuid(row: &Row<'_>) -> Result<Value> {
    let host = host(row)?;
    let (high, low) = (host.random_u64(), host.random_u64());
    let high = high & !0xf000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    let both = u128::from(high) << 64 | u128::from(low);
    Ok(Value::Uuid(both.to_be_bytes()))
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
