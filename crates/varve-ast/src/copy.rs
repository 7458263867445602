//! COPY.

use crate::expr::Expr;
use crate::name::{Name, ObjectName};
use crate::query::Query;
use crate::span::Span;

/// `COPY`
pub struct Copy {
    /// What is copied.
    pub source: CopySource,
    /// `FROM`, else `TO`.
    pub is_from: bool,
    /// Where to or from.
    pub target: CopyTarget,
    /// Its options in order, in whichever way they are written.
    pub options: Vec<CopyOption>,
    /// `WHERE`
    pub filter: Option<Expr>,
}

/// What is copied.
pub enum CopySource {
    /// A table, and the columns that are named.
    Table(ObjectName, Vec<Name>),
    /// The rows of a query, or of a statement that changes rows.
    Query(Box<Query>),
}

/// Where COPY reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyTarget {
    /// `STDIN`, `STDOUT`
    Client,
    /// A file of the server.
    File,
    /// `PROGRAM`
    Program,
}

/// An option of COPY.
#[derive(Clone, Debug)]
pub struct CopyOption {
    /// Its name, in lower case.
    pub name: String,
    /// Its value.
    pub value: CopyValue,
    /// Where it stands.
    pub span: Span,
}

/// The value of an option of COPY.
#[derive(Clone, Debug)]
pub enum CopyValue {
    /// None is written.
    None,
    /// A word, a string or a number.
    Text(String),
    /// `*`
    All,
    /// Names of columns.
    Columns(Vec<Name>),
}
