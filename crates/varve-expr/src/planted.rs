//! Bugs that the fuzzing of queries plants to see whether it finds them. Only for tests: no product
//! enables the feature.

use std::cell::Cell;

/// A wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// `NOT NULL` is true.
    NotOfNull,
    /// `COALESCE` knows its first argument only.
    FirstOfCoalesce,
    /// A scan takes `<=` for `<`.
    OpenBound,
}

thread_local! {
    static PLANTED: Cell<Option<Planted>> = const { Cell::new(None) };
}

/// Plants a bug in this thread, or takes it out.
pub fn plant(bug: Option<Planted>) {
    PLANTED.set(bug);
}

/// Whether a bug is there.
pub fn is_planted(bug: Planted) -> bool {
    PLANTED.get() == Some(bug)
}
