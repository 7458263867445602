//! Numbers in the text of dates, times and intervals.

use varve_types::parse_f64;

use super::fault::Fault;

/// The digits at the start of a text as a number that saturates, and what follows; `None` without
/// any.
pub(super) fn leading_integer(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
    if digits.is_empty() {
        return None;
    }
    Some((digits.parse().unwrap_or(i64::MAX), rest))
}

/// The number if it fits a field.
pub(super) fn integer(number: i64) -> Result<i64, Fault> {
    match i32::try_from(number) {
        Ok(_) => Ok(number),
        Err(_) => Err(Fault::Range),
    }
}

/// `.789` as microseconds, rounded as doubles are: halves to the even one; `None` where it is no
/// fraction. All of a second is allowed.
pub(super) fn fraction_us(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('.')?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut us = 0_i32;
    for at in 0..6 {
        let digit = digits.as_bytes().get(at).map_or(0, |byte| byte - b'0');
        us = us * 10 + i32::from(digit);
    }
    let rounds_up = digits.len() > 6
        && parse_f64(text).is_some_and(|fraction| libm::rint(fraction * 1e6) > f64::from(us));
    Some(i64::from(us) + i64::from(rounds_up))
}
