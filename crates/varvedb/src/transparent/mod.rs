//! sqlite-zstd's transparent compression: a column under `zstd_values` is compressed value by
//! value, with a dictionary that an expression of the user chooses for each row.
//!
//! Tables that users may read and change say how: `_zstd_configs` has a row a column, `_zstd_dicts`
//! a row a dictionary. What is asked by SQL is in `session/transparent/`; here is what the store
//! asks when it writes rows anew.

mod choices;
pub(crate) mod chooser;
pub(crate) mod config;
mod dictionaries;
mod maintenance;
mod pacing;
mod source;

pub(crate) use chooser::Chooser;
pub(crate) use config::Config;
pub(crate) use dictionaries::{DICTIONARY_CACHE_BYTES, PreparedDictionaries, new_cache};
pub(crate) use maintenance::Maintenance;
pub(crate) use pacing::Pacing;
pub(crate) use source::{ConfigSource, is_compressed};
