//! The surroundings of a native process.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use varve_types::{Env, LocalFuture, Parallel};

use crate::threads::Threads;
use crate::timer::Timer;

/// The operating system's clocks and randomness. Futures are polled to their end by the thread that
/// began them.
#[derive(Debug, Clone)]
pub struct SystemEnv {
    start: Instant,
    threads: usize,
}

impl SystemEnv {
    /// Surroundings whose monotonic clock starts now, with as many threads as there are cores.
    pub fn new() -> SystemEnv {
        let cores = std::thread::available_parallelism();
        SystemEnv::with_threads(cores.map_or(1, NonZero::get))
    }

    /// Surroundings that encode on so many threads at a time what nobody says otherwise of.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the Env that the lint points to"
    )]
    pub fn with_threads(threads: usize) -> SystemEnv {
        SystemEnv {
            start: Instant::now(),
            threads,
        }
    }
}

impl Default for SystemEnv {
    fn default() -> SystemEnv {
        SystemEnv::new()
    }
}

impl Env for SystemEnv {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the Env that the lint points to"
    )]
    fn now_us(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
        })
    }

    fn monotonic_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn random_u64(&self) -> u64 {
        // A new RandomState is keyed by the operating system's randomness.
        RandomState::new().build_hasher().finish()
    }

    fn slice_us(&self) -> u64 {
        50_000
    }

    fn yield_now(&self) -> LocalFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn sleep(&self, duration_us: u64) -> LocalFuture<'static, ()> {
        Box::pin(Timer::new(duration_us))
    }

    fn spawn(&self, task: LocalFuture<'static, ()>) {
        pollster::block_on(task);
    }

    fn parallel(&self, threads: Option<u32>) -> Option<Arc<dyn Parallel>> {
        let threads = match threads {
            Some(threads) => usize::try_from(threads).unwrap_or(usize::MAX),
            None => self.threads,
        };
        let several = threads > 1;
        several.then(|| Arc::new(Threads(threads)) as Arc<dyn Parallel>)
    }
}
