//! What the codecs are measured against. Native only.

pub mod alp_crate;
pub mod columnar;
pub mod general;
pub mod light_zstd;
mod plain;
pub mod row_wise;
pub mod sqlite_zstd;
pub mod whole_file;
