//! Options of sequences, and CREATE and ALTER SEQUENCE.

use crate::name::ObjectName;
use crate::span::Span;
use crate::type_name::TypeName;

/// A number with its sign.
#[derive(Clone, Debug)]
pub struct SignedNumber {
    /// `-`
    pub is_negative: bool,
    /// The number as it is written, without its sign.
    pub digits: String,
    /// Where it stands.
    pub span: Span,
}

/// An option of a sequence.
#[derive(Clone, Debug)]
pub struct SequenceOption {
    /// What it says.
    pub kind: SequenceOptionKind,
    /// Where it stands.
    pub span: Span,
}

/// What an option of a sequence says.
#[derive(Clone, Debug)]
pub enum SequenceOptionKind {
    /// `INCREMENT [BY] n`
    Increment(SignedNumber),
    /// `MINVALUE n`; `None` for NO MINVALUE.
    MinValue(Option<SignedNumber>),
    /// `MAXVALUE n`; `None` for NO MAXVALUE.
    MaxValue(Option<SignedNumber>),
    /// `START [WITH] n`
    Start(SignedNumber),
    /// `CACHE n`
    Cache(SignedNumber),
    /// `[NO] CYCLE`
    Cycle(bool),
}

/// What is said of a sequence.
#[derive(Clone, Debug, Default)]
pub struct SequenceOptions {
    /// `AS type`
    pub type_name: Option<TypeName>,
    /// Its numbers.
    pub items: Vec<SequenceOption>,
    /// `RESTART [WITH n]`
    pub restart: Option<Option<SignedNumber>>,
    /// `OWNED BY column`; `None` inside for NONE.
    pub owned_by: Option<Option<ObjectName>>,
}

/// A statement about sequences.
pub enum SequenceChange {
    /// `CREATE SEQUENCE`
    Create {
        /// `TEMPORARY`
        is_temporary: bool,
        /// `UNLOGGED`
        is_unlogged: bool,
        /// `IF NOT EXISTS`
        if_not_exists: bool,
        /// Its name.
        name: ObjectName,
        /// What is said of it.
        options: SequenceOptions,
    },
    /// `ALTER SEQUENCE` with options.
    Alter {
        /// `IF EXISTS`
        if_exists: bool,
        /// Its name.
        name: ObjectName,
        /// What is said of it.
        options: SequenceOptions,
    },
    /// `DROP SEQUENCE`
    Drop {
        /// `IF EXISTS`
        if_exists: bool,
        /// Their names.
        names: Vec<ObjectName>,
        /// `CASCADE`
        is_cascade: bool,
    },
}
