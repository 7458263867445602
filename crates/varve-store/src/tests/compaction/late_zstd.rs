//! An encoder of zstd that cannot be had at first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use varve_codec::{CodecError, ZstdDictionary, ZstdEncoder, ZstdEncoders, ZstdFraming};
use varve_types::{Error, LocalFuture, Result};

use crate::ZstdSource;

/// Fails to be fetched the first time; then it compresses nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct LateZstd(Arc<AtomicBool>);

impl ZstdSource for LateZstd {
    fn fetch(&self) -> LocalFuture<'_, Result<Arc<dyn ZstdEncoders>>> {
        Box::pin(async { self.fetch_now() })
    }

    fn fetch_now(&self) -> Result<Arc<dyn ZstdEncoders>> {
        match self.0.swap(true, Ordering::Relaxed) {
            true => Ok(Arc::new(self.clone())),
            false => Err(Error::internal("no network")),
        }
    }
}

impl ZstdEncoders for LateZstd {
    fn encoder(&self) -> Box<dyn ZstdEncoder> {
        Box::new(self.clone())
    }

    fn train(&self, _: &[u8], _: &[u32], _: usize) -> core::result::Result<Vec<u8>, CodecError> {
        Err(CodecError::Malformed("training samples"))
    }
}

impl ZstdEncoder for LateZstd {
    fn compress(
        &mut self,
        raw: &[u8],
        _: u8,
        _: Option<&ZstdDictionary>,
        _: ZstdFraming,
    ) -> core::result::Result<Vec<u8>, CodecError> {
        Ok(raw.to_vec())
    }
}
