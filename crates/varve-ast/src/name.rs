//! Names.

use crate::span::Span;

/// An identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its text: in lower case unless it is quoted.
    pub text: String,
    /// Whether it is written in quotes.
    pub is_quoted: bool,
    /// Where it stands.
    pub span: Span,
}

/// A name that may be qualified: `schema.table`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// What stands before its last part.
    pub qualifiers: Vec<Name>,
    /// Its last part.
    pub name: Name,
}

impl ObjectName {
    /// A name of one part.
    pub fn simple(name: Name) -> ObjectName {
        ObjectName {
            qualifiers: Vec::new(),
            name,
        }
    }

    /// Its parts in order.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &Name> + Clone {
        self.qualifiers.iter().chain(core::iter::once(&self.name))
    }

    /// Its first part.
    pub fn first(&self) -> &Name {
        self.qualifiers.first().unwrap_or(&self.name)
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.first().span.to(self.name.span)
    }
}
