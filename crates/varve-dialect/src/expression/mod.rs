//! Expressions and the values in them.

pub(crate) mod expr;
pub(crate) mod function;
pub(crate) mod literal;
pub(crate) mod number;
pub(crate) mod operator;
pub(crate) mod strftime;
pub(crate) mod value;
