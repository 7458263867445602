//! Where the time of a statement goes.

use std::cell::Cell;

use crate::shared::Shared;
use crate::shared::phases::{Laps, Phase};

/// Runs from the call on; each phase ends where the next one begins.
#[derive(Default)]
pub(crate) struct PhaseClock {
    last_us: Cell<u64>,
    laps: Cell<Laps>,
}

impl PhaseClock {
    pub(super) fn start(&self, shared: &Shared) {
        self.last_us.set(shared.env.monotonic_us());
        self.laps.set(Laps::default());
    }

    /// Ends a phase, which gave or changed so many rows.
    pub(super) fn end(&self, shared: &Shared, phase: Phase, rows: u64) {
        let now_us = shared.env.monotonic_us();
        let elapsed_us = now_us.saturating_sub(self.last_us.replace(now_us));
        shared.phases.ended(phase, elapsed_us, rows);
        let mut laps = self.laps.get();
        if let Some(lap) = laps.get_mut(phase as usize) {
            *lap += elapsed_us;
        }
        self.laps.set(laps);
    }

    /// What the phases took that have ended since the start.
    pub(super) fn laps(&self) -> Laps {
        self.laps.get()
    }
}
