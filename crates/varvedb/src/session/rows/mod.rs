//! The rows of a plan that runs: computed at once, collected, or handed out.

pub(crate) mod collected;
pub(crate) mod direct;
pub(crate) mod outlet;
