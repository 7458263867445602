//! A dictionary with its decode tables built.

use std::sync::Arc;

use structured_zstd::decoding::DictionaryHandle;

use crate::CodecError;

/// A dictionary, ready for decoding; clones share everything.
///
/// Any bytes are one, as for `zstd -D`: those that begin with the magic of a trained dictionary
/// must be well formed, all others are text that frames refer back into.
#[derive(Clone)]
pub struct ZstdDictionary {
    bytes: Arc<[u8]>,
    tables: DictionaryHandle,
}

impl ZstdDictionary {
    /// Builds the tables of `bytes`.
    pub fn new(bytes: &[u8]) -> Result<ZstdDictionary, CodecError> {
        let tables = DictionaryHandle::from_serialized_or_raw_content(bytes)
            .map_err(|_| CodecError::Malformed("zstd dictionary"))?;
        Ok(ZstdDictionary {
            bytes: Arc::from(bytes),
            tables,
        })
    }

    /// What it was made of.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The id that standard frames carry; 0 if it was not trained.
    pub fn id(&self) -> u32 {
        self.tables.id()
    }

    /// Memory that it holds.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.tables.heap_size()
    }

    pub(crate) fn tables(&self) -> &DictionaryHandle {
        &self.tables
    }

    /// Whether both are clones of one.
    #[cfg(feature = "zstd-encode")]
    pub(crate) fn is_same(&self, other: &ZstdDictionary) -> bool {
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
