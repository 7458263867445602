//! How long maintenance may take.

use varve_types::{Error, Result, SqlState, Value};

/// More seconds than anybody waits.
const SECONDS_MAX: f64 = 1e9;

/// What `zstd_incremental_maintenance` is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maintenance {
    /// How long it may take; `None` for as long as there is something to do.
    pub duration_us: Option<u64>,
    /// The share of the time that is worked.
    pub load: f64,
}

impl Maintenance {
    pub fn of(duration: &Value, load: &Value) -> Result<Maintenance> {
        let out = |what: &str| Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, what));
        let duration_us = match duration.double() {
            None => None,
            Some(seconds) if (0.0..=SECONDS_MAX).contains(&seconds) => Some(micros(seconds)),
            Some(_) => return out("the duration must be a number of seconds from 0, or NULL"),
        };
        match load.double() {
            Some(load) if load > 0.0 && load <= 1.0 => Ok(Maintenance { duration_us, load }),
            _ => out("the load must be above 0 and not above 1: the share of time that is worked"),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range was checked"
)]
fn micros(seconds: f64) -> u64 {
    (seconds * 1e6) as u64
}
