//! The codecs that hold their values themselves and nest none, and what they are made of.

pub(crate) mod alp_pair;
pub(crate) mod alp_rd;
pub(crate) mod bin_table;
pub(crate) mod chimp;
pub(crate) mod constant;
pub(crate) mod delta;
pub(crate) mod delta_of_delta;
pub(crate) mod exceptions;
pub(crate) mod frame;
pub(crate) mod gorilla;
pub(crate) mod kind;
pub(crate) mod linear;
pub(crate) mod patched;
pub(crate) mod plain;
pub(crate) mod simple8b;
pub(crate) mod stats;
