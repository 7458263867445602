//! Statements that change rows.

pub(crate) mod copy;
pub(crate) mod insert;
pub(crate) mod merge;
pub(crate) mod update;
