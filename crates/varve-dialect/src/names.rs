//! Names of the source as names of ours.
//!
//! A name in quotes keeps its letters; one without is folded to lower case, as our own dialect
//! does. Both sources compare names without regard to case, so a name that is declared is written
//! as its declaration is, however it is written where it is used.

use sqlparser::ast::{Ident, ObjectName, ObjectNamePart};

use crate::script::{Fault, Result};

/// The name as it is declared here.
pub(crate) fn spelled(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_ascii_lowercase(),
    }
}

/// What two names have in common that are the same in the source.
pub(crate) fn key(name: &str) -> String {
    name.to_lowercase()
}

/// The parts of a name.
pub(crate) fn parts(name: &ObjectName) -> Result<Vec<&Ident>> {
    let parts = name.0.iter().map(|part| match part {
        ObjectNamePart::Identifier(part) => Ok(part),
        ObjectNamePart::Function(_) => Err(Fault::new(0, "a function in place of a name")),
    });
    parts.collect()
}

/// The last part of a name: there is one database, so others are of no use.
pub(crate) fn last(name: &ObjectName) -> Result<&Ident> {
    let parts = parts(name)?;
    parts
        .last()
        .copied()
        .ok_or_else(|| Fault::new(0, "a name is missing"))
}

/// The line of a name, or 0.
pub(crate) fn line(name: &Ident) -> u64 {
    name.span.start.line
}
