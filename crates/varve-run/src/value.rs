//! The values that a run is stored as.

/// A finished value of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunValue {
    /// Its number in the run: 0, 1, 2, ...
    pub number: u32,
    /// Its bytes, envelope included.
    pub bytes: Vec<u8>,
}
