//! What a translation gives.

use core::fmt;

/// A script in our own dialect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// What is to be run, in this order.
    pub statements: Vec<Statement>,
    /// What could not be translated. A script that has any is not whole.
    pub faults: Vec<Fault>,
    /// What is kept in another form than it was.
    pub remarks: Vec<Remark>,
    /// What was left out because it means nothing here, such as PRAGMA and SET.
    pub passed_over: Vec<Remark>,
}

/// A statement of the translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The line of the source where it comes from, from 1.
    pub line: u64,
    /// Without a semicolon.
    pub sql: String,
}

/// What could not be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line of the source, from 1.
    pub line: u64,
    /// One sentence in lower case.
    pub message: String,
}

/// What is worth to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The line of the source, from 1.
    pub line: u64,
    /// One sentence in lower case, or what was passed over.
    pub message: String,
}

pub(crate) type Result<T> = core::result::Result<T, Fault>;

impl Fault {
    pub(crate) fn new(line: u64, message: impl Into<String>) -> Fault {
        Fault {
            line,
            message: message.into(),
        }
    }

    /// Line 0 stands for a place that is not known; the statement's is better.
    pub(crate) fn at(mut self, line: u64) -> Fault {
        if self.line == 0 {
            self.line = line;
        }
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}
