//! The surroundings: a clock that the test moves, and what was told of the storage.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use varve_types::{Env, LocalFuture};
use varvedb::SystemEnv;

/// A clock that the test moves, and what it was told of the storage.
pub(super) struct Clock {
    pub(super) now_us: AtomicU64,
    pub(super) told: Mutex<Vec<bool>>,
    pub(super) system: SystemEnv,
}

impl Env for Clock {
    fn now_us(&self) -> i64 {
        self.system.now_us()
    }

    fn monotonic_us(&self) -> u64 {
        self.now_us.fetch_add(1, Ordering::Relaxed)
    }

    fn random_u64(&self) -> u64 {
        self.now_us.fetch_add(1, Ordering::Relaxed)
    }

    fn slice_us(&self) -> u64 {
        self.system.slice_us()
    }

    fn yield_now(&self) -> LocalFuture<'static, ()> {
        self.system.yield_now()
    }

    fn storage_changed(&self, is_full: bool) {
        self.told.lock().unwrap().push(is_full);
    }

    fn spawn(&self, task: LocalFuture<'static, ()>) {
        self.system.spawn(task);
    }
}
