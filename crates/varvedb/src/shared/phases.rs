//! How long the phases of statements take.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A part of what is done for a statement. All of them together are all of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The text is looked up, or made a syntax tree.
    Parse,
    /// The tree is bound and optimized, if no plan is known.
    Plan,
    /// A transaction begins.
    Begin,
    /// The plan runs.
    Execute,
    /// The transaction ends.
    Commit,
}

impl Phase {
    /// All phases.
    pub const ALL: [Phase; 5] = [
        Phase::Parse,
        Phase::Plan,
        Phase::Begin,
        Phase::Execute,
        Phase::Commit,
    ];

    /// Its name in `varve_statistics`.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Parse => "parse",
            Phase::Plan => "plan",
            Phase::Begin => "begin",
            Phase::Execute => "execute",
            Phase::Commit => "commit",
        }
    }
}

/// Who wants to know of each phase: a bridge to whatever traces the application.
pub trait Tracer: fmt::Debug + Send + Sync {
    /// A phase has ended, after so many microseconds; of the execution also how many rows it gave
    /// or changed. It is called while the session waits, so it should not take long.
    fn phase_ended(&self, phase: Phase, elapsed_us: u64, rows: u64);
}

/// What the phases of all statements took.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    tracer: Option<Arc<dyn Tracer>>,
    elapsed_us: [AtomicU64; 5],
    executed: AtomicU64,
    rows: AtomicU64,
}

/// What the phases of one statement took, in the order of [`Phase::ALL`].
pub(crate) type Laps = [u64; 5];

impl Phases {
    pub fn new(tracer: Option<Arc<dyn Tracer>>) -> Phases {
        Phases {
            tracer,
            ..Phases::default()
        }
    }

    pub fn ended(&self, phase: Phase, elapsed_us: u64, rows: u64) {
        if let Some(total) = self.elapsed_us.get(phase as usize) {
            total.fetch_add(elapsed_us, Ordering::Relaxed);
        }
        if phase == Phase::Execute {
            self.executed.fetch_add(1, Ordering::Relaxed);
            self.rows.fetch_add(rows, Ordering::Relaxed);
        }
        if let Some(tracer) = &self.tracer {
            tracer.phase_ended(phase, elapsed_us, rows);
        }
    }

    /// Microseconds of each phase.
    pub fn totals_us(&self) -> Vec<(Phase, u64)> {
        let totals = Phase::ALL.into_iter().zip(&self.elapsed_us);
        totals
            .map(|(phase, total)| (phase, total.load(Ordering::Relaxed)))
            .collect()
    }

    /// Statements that ran, and the rows that they gave or changed.
    pub fn executed(&self) -> (u64, u64) {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (load(&self.executed), load(&self.rows))
    }
}
