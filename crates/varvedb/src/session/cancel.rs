//! Stops a running statement.

use std::sync::atomic::{AtomicBool, Ordering};

use varve_exec::Cancel;
use varve_types::{Error, Result, SqlState};

/// Raised by whoever wants the call that is running to stop; lowered when the session's next call
/// begins.
#[derive(Debug, Default)]
pub struct CancelFlag(AtomicBool);

impl CancelFlag {
    /// Asks the running statement to stop with `57014`.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn lower(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Cancel for CancelFlag {
    fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Error::new(
                SqlState::QUERY_CANCELED,
                "canceling statement due to user request",
            ));
        }
        Ok(())
    }
}
