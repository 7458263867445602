//! The memory backend, bare and behind a wrapper that delays every call, passes the suite
//! (B1).

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pollster::block_on;
use varve_kv::conformance::{Backend, CASES, run_all};
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_kv::{Kv, KvError, LocalFuture, MemoryKv};

/// Keeps one `MemoryKv` for each name, as a disk would.
#[derive(Default)]
struct Memory {
    stores: Mutex<BTreeMap<String, MemoryKv>>,
    plan: Option<FaultPlan>,
}

impl Memory {
    fn store(&self, name: &str) -> MemoryKv {
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        stores.entry(name.to_owned()).or_default().reopen()
    }
}

impl Backend for Memory {
    fn open<'a>(&'a self, name: &'a str) -> LocalFuture<'a, Result<Box<dyn Kv>, KvError>> {
        let store = self.store(name);
        Box::pin(async move {
            Ok(match &self.plan {
                None => Box::new(store) as Box<dyn Kv>,
                Some(plan) => Box::new(FaultKv::new(store, plan.clone())),
            })
        })
    }

    fn open_with_quota<'a>(
        &'a self,
        name: &'a str,
        bytes: u64,
    ) -> Option<LocalFuture<'a, Result<Box<dyn Kv>, KvError>>> {
        let plan = self.plan.clone()?.quota_bytes(bytes);
        let store = self.store(name);
        Some(Box::pin(async move {
            Ok(Box::new(FaultKv::new(store, plan)) as Box<dyn Kv>)
        }))
    }
}

#[test]
fn memory_passes() {
    assert_eq!(block_on(run_all(&Memory::default())), []);
}

#[test]
fn delayed_memory_passes() {
    for seed in 0..3 {
        let plan = Some(FaultPlan::new(seed).yields_max(3));
        assert_eq!(
            block_on(run_all(&Memory {
                plan,
                ..Memory::default()
            })),
            []
        );
    }
}

#[test]
fn case_names_are_distinct() {
    let names: std::collections::BTreeSet<_> = CASES.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), CASES.len());
}
