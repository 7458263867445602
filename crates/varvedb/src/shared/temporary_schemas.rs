//! The schemas of temporary relations.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use varve_types::ObjectId;

/// Which sessions there were.
#[derive(Default)]
pub(crate) struct TemporarySchemas {
    pub(crate) next: AtomicU64,
    /// Schemas of sessions that have ended.
    pub(crate) left: Mutex<Vec<ObjectId>>,
}
