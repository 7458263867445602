//! The wrapper passes the suite, over the memory backend, bare and behind faults.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test program stops when its own parts are missing"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pollster::block_on;
use varve_kv::conformance::{Backend, run_all};
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_kv::{Kv, KvError, LocalFuture, MemoryKv};
use varve_kv_encrypted::{Encryption, OpenError, open};

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

    async fn open(&self, name: &str, plan: Option<&FaultPlan>) -> Result<Box<dyn Kv>, KvError> {
        let store = self.store(name);
        let kv: Arc<dyn Kv> = match plan {
            None => Arc::new(store),
            Some(plan) => Arc::new(FaultKv::new(store, plan.clone())),
        };
        match open(&kv, Some(&Encryption::key(&[1; 32]))).await {
            Ok(Some(opened)) => Ok(Box::new(Arc::into_inner(opened).unwrap())),
            Ok(None) => panic!("it is not encrypted"),
            Err(OpenError::Kv(error)) => Err(error),
            Err(error) => panic!("{error:?}"),
        }
    }
}

impl Backend for Memory {
    fn open<'a>(&'a self, name: &'a str) -> LocalFuture<'a, Result<Box<dyn Kv>, KvError>> {
        Box::pin(self.open(name, self.plan.as_ref()))
    }

    fn open_with_quota<'a>(
        &'a self,
        name: &'a str,
        bytes: u64,
    ) -> Option<LocalFuture<'a, Result<Box<dyn Kv>, KvError>>> {
        let plan = self.plan.clone()?.quota_bytes(bytes);
        Some(Box::pin(async move {
            Memory::open(self, name, Some(&plan)).await
        }))
    }
}

#[test]
fn encrypted_memory_passes() {
    assert_eq!(block_on(run_all(&Memory::default())), []);
}

#[test]
fn encrypted_delayed_memory_passes() {
    for seed in 0..3 {
        let plan = Some(FaultPlan::new(seed).yields_max(3));
        let memory = Memory {
            plan,
            ..Memory::default()
        };
        assert_eq!(block_on(run_all(&memory)), []);
    }
}
