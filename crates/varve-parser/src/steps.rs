//! Counted looks at tokens, so that a parser that does not come to an end is found. Only for tests:
//! no product enables the feature.

use std::cell::Cell;

thread_local! {
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
    static PLANTED: Cell<bool> = const { Cell::new(false) };
}

/// Allows this thread so many looks from here on; one more panics. Answers how many were left.
pub fn allow(looks: Option<u64>) -> Option<u64> {
    LEFT.replace(looks)
}

/// Plants a bug in this thread, or takes it out: loops see what cannot be read instead of an end.
pub fn plant(is_there: bool) {
    PLANTED.set(is_there);
}

pub(crate) fn is_planted() -> bool {
    PLANTED.get()
}

pub(crate) fn take() {
    if let Some(left) = LEFT.get() {
        assert!(left > 0, "the parser does not come to an end");
        LEFT.set(Some(left - 1));
    }
}
