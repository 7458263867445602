//! Damages the files of a store in every way that one byte, one cut or one missing file can, and
//! looks at what becomes of it: open answers `XX001` or every acknowledged row is there, and a
//! repair keeps what can be read.
//!
//! Invariant: a seed gives the same cases for the same files.

pub mod case;
pub mod run;
pub mod small_disk;
pub mod store;

pub use run::{Report, Settings, run};
