//! Fuzzing of the decoders: blocks of every codec as seeds, damage done to them, and the calls that
//! must answer whatever the bytes are.
//!
//! Invariant: a target may only return; a panic, a hang or an allocation beyond its limit is a
//! finding, kept as a file in `corpus`.

pub mod input;
pub mod mutate;
pub mod random;
pub mod runner;
pub mod seeds;
pub mod targets;
