//! Who makes frames of zstd: the encoder is large, so builds for browsers leave it out.

use std::sync::Arc;

use varve_codec::ZstdEncoders;

/// What makes encoders in this build, if it has one.
pub(crate) fn encoders() -> Option<Arc<dyn ZstdEncoders>> {
    #[cfg(feature = "zstd-encode")]
    let encoders: Option<Arc<dyn ZstdEncoders>> =
        Some(Arc::new(varve_codec::StructuredZstdEncoders));
    #[cfg(not(feature = "zstd-encode"))]
    let encoders = None;
    encoders
}
