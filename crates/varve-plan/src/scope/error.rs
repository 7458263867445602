//! Errors at a place of the statement.

use varve_types::{Error, Result};

/// `0A000` at a place, unless the place is unknown.
pub fn unsupported_at(what: impl core::fmt::Display, position: u32) -> Error {
    located(Error::unsupported(what), position)
}

/// The error at a place, unless the place is unknown.
pub fn located(error: Error, position: u32) -> Error {
    if position == 0 {
        error
    } else {
        error.at(position)
    }
}

/// Refuses a clause that is there.
pub fn refuse(present: bool, what: &str, position: u32) -> Result<()> {
    if present {
        return Err(unsupported_at(what, position));
    }
    Ok(())
}
