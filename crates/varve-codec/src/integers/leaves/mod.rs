//! The codecs that hold their values themselves and nest none, and what they are made of.

pub(crate) mod alp_pair;
pub(crate) mod alp_rd;
pub(crate) mod bin_table;
pub(crate) mod block_leaf;
pub(crate) mod chimp;
pub(crate) mod constant;
pub(crate) mod delta;
pub(crate) mod delta_of_delta;
pub(crate) mod exceptions;
pub(crate) mod frame;
pub(crate) mod gorilla;
pub(crate) mod kind;
pub(crate) mod linear;
pub(crate) mod patched;
pub(crate) mod plain;
pub(crate) mod simple8b;
pub(crate) mod stats;

use crate::CodecError;
use block_leaf::BlockLeaf;
use kind::IntegerKind;

/// Those that are chosen for a block, in the order of the choice: of two that cost the same it
/// takes the first.
pub(crate) static BLOCK_LEAVES: [&BlockLeaf; 4] = [
    &alp_rd::LEAF,
    &gorilla::LEAF,
    &chimp::LEAF,
    &delta_of_delta::LEAF,
];

/// The leaf of a block that a tag stands for among integers of this kind.
pub(crate) fn block_leaf(kind: IntegerKind, tag: u8) -> Result<&'static BlockLeaf, CodecError> {
    let mut leaves = BLOCK_LEAVES.into_iter();
    let leaf = leaves.find(|leaf| leaf.tag == tag);
    leaf.filter(|leaf| !leaf.for_doubles || kind == IntegerKind::Float64)
        .ok_or(CodecError::UnknownTag(tag))
}
