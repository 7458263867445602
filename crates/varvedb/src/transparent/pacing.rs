//! How maintenance shares the time with others.

use std::sync::Arc;

use varve_store::Pace;
use varve_types::meter::Cancel;
use varve_types::{Env, Error, Failure, LocalFuture, Result};

use super::Maintenance;
use crate::shared::cancel::CancelFlag;

/// How late a cancel is noticed.
const SLICE_US: u64 = 10_000;

/// The time of one call.
pub(crate) struct Pacing {
    env: Arc<dyn Env>,
    /// Stops the call.
    pub cancel: Arc<CancelFlag>,
    asked: Maintenance,
    begun_us: u64,
    /// The caller's `statement_timeout`; 0 where there is none.
    timeout_us: u64,
}

impl Pacing {
    /// Of a call that begins now.
    pub fn new(
        env: Arc<dyn Env>,
        cancel: Arc<CancelFlag>,
        asked: Maintenance,
        timeout_us: u64,
    ) -> Pacing {
        Pacing {
            begun_us: env.monotonic_us(),
            env,
            cancel,
            asked,
            timeout_us,
        }
    }

    pub fn now_us(&self) -> u64 {
        self.env.monotonic_us()
    }

    fn elapsed_us(&self) -> u64 {
        self.now_us().saturating_sub(self.begun_us)
    }

    /// What is left of the caller's `statement_timeout`; 0 where there is none.
    pub fn time_left_us(&self) -> Result<u64> {
        match self.timeout_us.checked_sub(self.elapsed_us()) {
            _ if self.timeout_us == 0 => Ok(0),
            Some(left_us) if left_us > 0 => Ok(left_us),
            _ => {
                let message = "canceling statement due to statement timeout";
                Err(Error::failed(Failure::Canceled, message))
            }
        }
    }
}

impl Pace for Pacing {
    fn is_bounded(&self) -> bool {
        self.asked.duration_us.is_some()
    }

    fn is_over(&self) -> bool {
        let is_late = |duration_us| self.elapsed_us() >= duration_us;
        self.asked.duration_us.is_some_and(is_late)
    }

    /// Leaves the others their share of the time. Once the time is over that was given, what was
    /// begun is done without rests.
    fn rest(&self, worked_us: u64) -> LocalFuture<'_, Result<()>> {
        Box::pin(async move {
            let rest = (1.0 - self.asked.load) / self.asked.load;
            let mut rest_us = scaled(worked_us, rest);
            if let Some(duration_us) = self.asked.duration_us {
                rest_us = rest_us.min(duration_us.saturating_sub(self.elapsed_us()));
            }
            let end_us = self.now_us().saturating_add(rest_us);
            self.env.yield_now().await;
            loop {
                self.cancel.check()?;
                self.time_left_us()?;
                match end_us.saturating_sub(self.now_us()) {
                    0 => return Ok(()),
                    left_us => self.env.sleep(left_us.min(SLICE_US)).await,
                }
            }
        })
    }
}

/// A time made longer or shorter.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a cast of floats saturates, and a rest need not be exact"
)]
fn scaled(time_us: u64, by: f64) -> u64 {
    (time_us as f64 * by) as u64
}
