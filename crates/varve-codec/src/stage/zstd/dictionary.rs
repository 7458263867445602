//! A dictionary with its decode tables built.

use std::sync::Arc;

use super::decode::Trained;
use crate::CodecError;

/// A dictionary, ready for decoding; clones share everything.
///
/// Any bytes are one, as for `zstd -D`: those that begin with the magic of a trained dictionary
/// must be well formed, all others are text that frames refer back into.
#[derive(Clone)]
pub struct ZstdDictionary {
    bytes: Arc<[u8]>,
    /// Its tables, if it was trained.
    trained: Option<Arc<Trained>>,
}

impl ZstdDictionary {
    /// Builds the tables of `bytes`.
    pub fn new(bytes: &[u8]) -> Result<ZstdDictionary, CodecError> {
        Ok(ZstdDictionary {
            trained: Trained::read(bytes)?.map(Arc::new),
            bytes: Arc::from(bytes),
        })
    }

    /// What it was made of.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The id that standard frames carry; 0 if it was not trained.
    pub fn id(&self) -> u32 {
        self.trained().map_or(0, |trained| trained.id)
    }

    /// Memory that it holds.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.trained().map_or(0, Trained::memory_bytes)
    }

    pub(super) fn trained(&self) -> Option<&Trained> {
        self.trained.as_deref()
    }

    /// What frames refer back into.
    pub(super) fn text(&self) -> &[u8] {
        let from = self.trained().map_or(0, |trained| trained.text_from);
        self.bytes.get(from..).unwrap_or_default()
    }

    /// Whether both are clones of one.
    pub fn is_same(&self, other: &ZstdDictionary) -> bool {
        Arc::ptr_eq(&self.bytes, &other.bytes)
    }
}

impl core::fmt::Debug for ZstdDictionary {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ZstdDictionary")
            .field("id", &self.id())
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}
