//! A note on a run that a repair put aside: its values stay, but no manifest lists it.
//!
//! Layout (varints): tree, number of errors, each as length and UTF-8 bytes.

use varve_codec::put_varint;
use varve_types::{RunId, TreeId};

use crate::format::envelope::{Kind, seal};
use crate::format::keys;
use crate::format::wire::put_bytes;

/// The value at [`keys::quarantine`].
pub(crate) fn encode(run: RunId, tree: TreeId, errors: &[String]) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(tree.0, &mut out);
    put_varint(errors.len() as u64, &mut out);
    for error in errors {
        put_bytes(error.as_bytes(), &mut out);
    }
    seal(Kind::Quarantine, &keys::quarantine(run), &out)
}
