//! Whether what is stored is what was written, and getting back what can be.

mod check;
mod inspect;
mod reapply;
mod references;
mod repair;
mod report;
mod salvage;
#[cfg(feature = "inspect")]
mod strays;

use varve_kv::{Bytes, Key, Kv, KvError};

pub use report::{CheckReport, Problem, RepairReport, RunRepair};

use crate::error::Result;

/// A value; one that the backend cannot read is none.
async fn readable(kv: &dyn Kv, key: &Key) -> Result<Option<Bytes>> {
    match kv.get_many(core::slice::from_ref(key)).await {
        Ok(values) => Ok(values.into_iter().next().flatten()),
        Err(KvError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
