//! Impossible states: what must hold whatever the user asks and whatever bytes are stored. Where it
//! does not, the statement ends with `XX000`, which names the place, before anything wrong is
//! written. Builds with debug assertions panic there, so that tests stop at the cause.
//!
//! Damaged bytes are no broken invariant: they answer [`Error::corrupted`].

use crate::Error;

/// A broken invariant; names the place where it was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken(&'static str);

impl Broken {
    /// Panics in builds with debug assertions.
    #[cold]
    #[inline(never)]
    pub fn new(place: &'static str) -> Broken {
        debug_assert!(false, "broken invariant: {place}");
        Broken(place)
    }

    /// The place where it was noticed.
    pub fn place(self) -> &'static str {
        self.0
    }
}

impl core::fmt::Display for Broken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "broken invariant: {}", self.0)
    }
}

impl core::error::Error for Broken {}

impl From<Broken> for Error {
    #[cold]
    fn from(broken: Broken) -> Error {
        Error::internal(broken.to_string())
    }
}

/// Returns [`Broken`], as the error of the function around it, unless the condition holds.
#[macro_export]
macro_rules! invariant {
    ($holds:expr, $place:expr) => {
        if !$holds {
            return Err($crate::Broken::new($place).into());
        }
    };
}

/// A value that must be there.
pub trait Invariant {
    /// What it holds.
    type Value;

    /// The value, or [`Broken`], which names the place.
    fn or_broken(self, place: &'static str) -> Result<Self::Value, Broken>;
}

impl<T> Invariant for Option<T> {
    type Value = T;

    #[inline]
    fn or_broken(self, place: &'static str) -> Result<T, Broken> {
        match self {
            Some(value) => Ok(value),
            None => Err(Broken::new(place)),
        }
    }
}

impl<T, E> Invariant for Result<T, E> {
    type Value = T;

    #[inline]
    fn or_broken(self, place: &'static str) -> Result<T, Broken> {
        match self {
            Ok(value) => Ok(value),
            Err(_) => Err(Broken::new(place)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Broken, Invariant};
    use crate::{Error, Result};

    fn half(number: u32) -> Result<u32> {
        invariant!(number.is_multiple_of(2), "halves");
        Ok(number / 2)
    }

    #[test]
    fn what_holds_goes_on() {
        assert_eq!(half(4), Ok(2));
        assert_eq!(u8::try_from(7_u32).or_broken("byte"), Ok(7));
        assert_eq!(Some(1).or_broken("value"), Ok(1));
    }

    #[test]
    #[should_panic(expected = "broken invariant: halves")]
    fn what_does_not_hold_panics_in_tests() {
        let _ = half(3);
    }

    #[test]
    #[should_panic(expected = "broken invariant: byte")]
    fn a_number_that_does_not_fit_panics_in_tests() {
        let _ = u8::try_from(700_u32).or_broken("byte");
    }

    #[test]
    fn the_error_names_the_place() {
        let error = Error::from(Broken("slab"));
        assert_eq!(error.state().code(), "XX000");
        assert_eq!(error.message(), "broken invariant: slab");
    }
}
