//! The store's surroundings under a seed: a clock that goes on by itself, chance, tasks.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use varve_kv::fault::SplitMix64;
use varve_types::{Env, LocalFuture};

use crate::executor::yield_now;

thread_local! {
    /// Futures are not `Send`, so they cannot be kept in the environment itself.
    static SPAWNED: RefCell<Vec<LocalFuture<'static, ()>>> = const { RefCell::new(Vec::new()) };
}

/// What was spawned on this thread since the last call.
pub(crate) fn take_spawned() -> Vec<LocalFuture<'static, ()>> {
    SPAWNED.with(|spawned| core::mem::take(&mut *spawned.borrow_mut()))
}

/// Looking at the clock takes a random time, so that every pause yields sometimes.
#[derive(Debug)]
pub(crate) struct SimEnv {
    chance: Mutex<SplitMix64>,
    clock_us: AtomicU64,
}

const SLICE_US: u64 = 8000;

impl SimEnv {
    pub(crate) fn new(seed: u64) -> SimEnv {
        SimEnv {
            chance: Mutex::new(SplitMix64::new(seed)),
            clock_us: AtomicU64::new(0),
        }
    }

    fn up_to(&self, max: u64) -> u64 {
        let mut chance = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        chance.up_to(max)
    }
}

impl Env for SimEnv {
    fn now_us(&self) -> i64 {
        self.monotonic_us().cast_signed()
    }

    fn monotonic_us(&self) -> u64 {
        let step_us = self.up_to(SLICE_US);
        self.clock_us.fetch_add(step_us, Ordering::Relaxed) + step_us
    }

    fn random_u64(&self) -> u64 {
        self.up_to(u64::MAX)
    }

    fn slice_us(&self) -> u64 {
        SLICE_US
    }

    fn yield_now(&self) -> LocalFuture<'static, ()> {
        Box::pin(yield_now())
    }

    fn spawn(&self, task: LocalFuture<'static, ()>) {
        SPAWNED.with(|spawned| spawned.borrow_mut().push(task));
    }
}
