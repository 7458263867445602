//! The loops that decoding spends its time in. They are a crate because cargo chooses between speed
//! and size by crate: in the browser these few kilobytes are compiled for speed, and the codecs
//! around them for size.
//!
//! It knows nothing of codecs or formats; whoever calls has checked that the bytes are there.
//!
//! Invariant: no input makes a function panic or allocate more than it is asked for; missing bytes
//! read as zeros.
//! Invariant: no loop is generic, or it would be compiled with its caller; what is inlined into
//! callers has none.

mod integers;
mod packed;
mod strings;
#[cfg(test)]
mod tests;

pub use integers::{
    add_line, doubles_of_integers, fit_32_bits, fold, look_up, narrow, prefix_sums,
    scale_to_integers,
};
pub use packed::{load, mask, unpack, unpack_codes};
pub use strings::repeat_strings;
