//! Options with names: `WITH (fillfactor = 70)`, `EXPLAIN (ANALYZE, FORMAT json)`.

use crate::name::Name;
use crate::span::Span;

/// A name with a value or without. Dots in the name are part of its text.
#[derive(Clone, Debug)]
pub struct DefinedOption {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Option<OptionValue>,
}

/// The value of an option.
#[derive(Clone, Debug)]
pub struct OptionValue {
    /// What it is written as.
    pub kind: OptionValueKind,
    /// Its text: of a word in lower case unless it is quoted, of a number with its sign.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// What the value of an option is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValueKind {
    /// A word, `TRUE` and `FALSE` among them.
    Word,
    /// A string.
    Text,
    /// A number.
    Number,
    /// `NULL`, a parameter or a string of bits.
    Other,
}
