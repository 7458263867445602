//! Stops a running statement: on somebody's word, or when its time is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use varve_types::meter::Cancel;
use varve_types::{Env, Error, Failure, Result};

/// Raised by whoever wants the call that is running to stop; lowered when the session's next call
/// begins.
pub struct CancelFlag {
    raised: AtomicBool,
    env: Arc<dyn Env>,
    /// By the clock that never goes back; `u64::MAX` for a statement that may take any time.
    deadline_us: AtomicU64,
}

impl CancelFlag {
    pub(crate) fn new(env: Arc<dyn Env>) -> CancelFlag {
        CancelFlag {
            raised: AtomicBool::new(false),
            env,
            deadline_us: AtomicU64::new(u64::MAX),
        }
    }

    /// Asks the running statement to stop with `57014`.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    pub(crate) fn lower(&self) {
        self.raised.store(false, Ordering::Relaxed);
        self.deadline_us.store(u64::MAX, Ordering::Relaxed);
    }

    /// Gives a statement that begins now so much time; 0 for as much as it wants.
    pub(crate) fn allow(&self, timeout_us: u64) {
        let deadline_us = match timeout_us {
            0 => u64::MAX,
            timeout_us => self.env.monotonic_us().saturating_add(timeout_us),
        };
        self.deadline_us.store(deadline_us, Ordering::Relaxed);
    }
}

impl core::fmt::Debug for CancelFlag {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "CancelFlag({})", self.raised.load(Ordering::Relaxed))
    }
}

impl Cancel for CancelFlag {
    fn check(&self) -> Result<()> {
        let why = if self.raised.load(Ordering::Relaxed) {
            "canceling statement due to user request"
        } else {
            let deadline_us = self.deadline_us.load(Ordering::Relaxed);
            if deadline_us == u64::MAX || self.env.monotonic_us() < deadline_us {
                return Ok(());
            }
            "canceling statement due to statement timeout"
        };
        Err(Error::failed(Failure::Canceled, why))
    }
}
