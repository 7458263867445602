//! What the codecs are measured against. Native only.

pub mod sqlite_zstd;
