//! Text to tokens.

pub(crate) mod fault;
pub(crate) mod keyword;
pub(crate) mod lexer;
pub(crate) mod open;
pub(crate) mod quoted;
pub(crate) mod token;
pub(crate) mod token_reader;
