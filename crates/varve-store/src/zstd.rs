//! Where what makes frames of zstd comes from: it is large, so browsers fetch it when it is first
//! wanted.

use std::sync::Arc;

use varve_codec::ZstdEncoders;
use varve_types::{LocalFuture, Result};

/// Fetches what makes frames of zstd.
pub trait ZstdSource: core::fmt::Debug + Send + Sync {
    /// Fetches it, unless it is there.
    fn fetch(&self) -> LocalFuture<'_, Result<Arc<dyn ZstdEncoders>>>;

    /// The same without waiting, for who cannot wait: in the middle of a call.
    fn fetch_now(&self) -> Result<Arc<dyn ZstdEncoders>>;
}

/// What makes encoders in this build, if it has one.
pub fn zstd_encoders() -> Option<Arc<dyn ZstdEncoders>> {
    #[cfg(feature = "zstd-encode")]
    let encoders: Option<Arc<dyn ZstdEncoders>> =
        Some(Arc::new(varve_codec::StructuredZstdEncoders));
    #[cfg(not(feature = "zstd-encode"))]
    let encoders = None;
    encoders
}
