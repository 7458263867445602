//! What the engine needs of its surroundings: a clock, randomness, a turn for others, background
//! work.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A boxed future that stays on the thread that made it.
pub type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The surroundings of the engine, given by the layer that starts it.
///
/// Tests give one that runs under a seed, so implementations must be the only source of time and
/// chance.
pub trait Env: Send + Sync {
    /// Wall-clock time in microseconds since 1970-01-01 00:00 UTC; may jump.
    fn now_us(&self) -> i64;

    /// A clock that never goes back, in microseconds from an arbitrary start.
    fn monotonic_us(&self) -> u64;

    /// 64 random bits.
    fn random_u64(&self) -> u64;

    /// The longest stretch of work between two yields, in microseconds: 8,000 in a browser, 50,000
    /// natively.
    fn slice_us(&self) -> u64;

    /// Resolves after everything else that was ready had its turn, messages to the worker included.
    fn yield_now(&self) -> LocalFuture<'static, ()>;

    /// Resolves when so many microseconds have passed; in surroundings without a timer, after a
    /// turn.
    fn sleep(&self, duration_us: u64) -> LocalFuture<'static, ()> {
        let _ = duration_us;
        self.yield_now()
    }

    /// Runs `task` to its end in the background of the calling thread.
    fn spawn(&self, task: LocalFuture<'static, ()>);

    /// Hears whenever the storage of the database becomes full, and when there is room again.
    fn storage_changed(&self, is_full: bool) {
        let _ = is_full;
    }

    /// What computes on so many threads, or else on as many as there are cores; `None` where there
    /// is to be one only, or cannot be more.
    fn parallel(&self, threads: Option<u32>) -> Option<Arc<dyn Parallel>> {
        let _ = threads;
        None
    }
}

/// A piece of computing that waits for nothing.
pub type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Computes on several cores. What comes out must not depend on it.
pub trait Parallel: Send + Sync {
    /// Runs all jobs to their end, some of them at the same time; the first ones begin first.
    fn run_all(&self, jobs: Vec<Job<'_>>);
}

/// Keeps stretches of work between two yields short: watches the clock over a loop of small steps.
pub struct Pacer {
    env: Arc<dyn Env>,
    started_us: u64,
}

impl Pacer {
    /// A pacer whose stretch of work begins now.
    pub fn new(env: &Arc<dyn Env>) -> Pacer {
        Pacer {
            started_us: env.monotonic_us(),
            env: Arc::clone(env),
        }
    }

    /// Gives others a turn if half of a slice has passed: the next step may take as long again.
    pub async fn pause(&mut self) {
        let worked_us = self.env.monotonic_us().saturating_sub(self.started_us);
        if worked_us >= self.env.slice_us() / 2 {
            self.env.yield_now().await;
            self.started_us = self.env.monotonic_us();
        }
    }
}
