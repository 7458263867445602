//! `AT TIME ZONE`, and the zones that arguments name.

use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::cast::write_value;
use crate::datetime::{
    Abbreviation, Zone, abbreviation, check_timestamp, in_zone, interval_out_of_range, is_infinite,
    out_of_zone, unknown_zone,
};
use crate::tree::Row;

/// The zone of a name, an abbreviation or a rule; `us` is the time in question, by clocks if it
/// is `local`.
pub(super) fn named_at(name: &str, us: i64, is_local: bool) -> Result<Zone> {
    let fixed = |offset_s| Zone::of_offset(offset_s).ok_or_else(|| unknown_zone(name));
    match abbreviation(name) {
        Some(Abbreviation::Fixed { offset_s, .. }) => fixed(offset_s),
        Some(Abbreviation::Of(zone)) => {
            let zone = Zone::named(zone).ok_or_else(|| unknown_zone(name))?;
            let us = if is_local { zone.utc_us(us) } else { us };
            match zone.offset_of_abbreviation_s(name, us) {
                Some(offset_s) => fixed(offset_s),
                None => Ok(zone),
            }
        }
        None => Zone::named(name).ok_or_else(|| unknown_zone(name)),
    }
}

/// The zone of a name, an abbreviation or a rule.
pub(in crate::kernels) fn named(name: &str) -> Result<Zone> {
    named_at(name, 0, false)
}

/// `timezone(zone, value)`, which is `value AT TIME ZONE zone`: a timestamp becomes one with time
/// zone and the other way round.
pub(in crate::kernels) fn at_time_zone(row: &Row<'_>) -> Result<Value> {
    let (value, is_local) = match row.value(1) {
        Value::Timestamp(us) => (us, true),
        other => (other.integer().unwrap_or(0), false),
    };
    let result = |us| match row.result {
        LogicalType::Timestamp => Value::Timestamp(us),
        _ => Value::TimestampTz(us),
    };
    if is_infinite(value) {
        return Ok(result(value));
    }
    let zone = match row.value(0) {
        Value::Interval(offset) => {
            if offset.months != 0 || offset.days != 0 {
                let mut shown = String::new();
                write_value(&row.value(0), row.context.locale, &mut shown);
                return Err(Error::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("interval time zone \"{shown}\" must not include months or days"),
                ));
            }
            // No rule of a zone holds more than a week; offsets may be longer.
            let seconds = i32::try_from(offset.us / 1_000_000);
            let seconds = seconds.map_err(|_| interval_out_of_range())?;
            let shift = i128::from(seconds) * 1_000_000;
            let shift = if is_local { -shift } else { shift };
            return check_timestamp(i128::from(value) + shift).map(result);
        }
        _ => named_at(row.text(0), value, is_local)?,
    };
    let moved = if is_local {
        in_zone(value, &zone)
    } else {
        out_of_zone(value, &zone)
    };
    moved.map(result)
}
