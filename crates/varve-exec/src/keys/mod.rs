//! Keys of rows: their bytes, and the numbering of distinct ones.

mod batch_keys;
mod block;
mod encode;
mod hash;
mod index;
mod table;

pub(crate) use block::KeyBlock;
pub(crate) use encode::{KeyOrder, encode_keys};
pub(crate) use index::{ABSENT, KeyIndex};
