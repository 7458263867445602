//! Names of relations, functions and types: in syntax trees, and in texts.

use varve_ast::ObjectName;
use varve_types::{Error, Result, SqlState};

use crate::model::schema::{DATABASE, RelationName};

/// The name of a function or type without `pg_catalog`; `None` for any other qualified name.
pub fn simple_name(name: &ObjectName) -> Option<&str> {
    match name.qualifiers.as_slice() {
        [] => Some(&name.name.text),
        [schema] if schema.text == "pg_catalog" => Some(&name.name.text),
        _ => None,
    }
}

/// The name of a relation from its folded parts.
pub fn relation_name(mut parts: Vec<String>) -> Result<RelationName> {
    let whole = parts.join(".");
    let name = parts.pop().unwrap_or_default();
    let schema = parts.pop();
    match parts.as_slice() {
        [] => Ok(RelationName { schema, name }),
        [database] if database == DATABASE => Ok(RelationName { schema, name }),
        [_] => Err(Error::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("cross-database references are not implemented: \"{whole}\""),
        )),
        _ => Err(Error::new(
            SqlState::SYNTAX_ERROR,
            format!("improper qualified name (too many dotted names): {whole}"),
        )),
    }
}

/// The name of a relation as a tree has it.
pub fn qualified_name(name: &ObjectName) -> Result<RelationName> {
    relation_name(name.parts().map(|part| part.text.clone()).collect())
}

/// A name in a text as SQL folds it.
pub fn folded_path(text: &str) -> Result<RelationName> {
    let bad = || Error::new(SqlState::INVALID_NAME, "invalid name syntax");
    let space = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(space);
        let part = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (part, behind) = quoted_part(quoted).ok_or_else(bad)?;
                rest = behind;
                part
            }
            None => {
                let end = rest.find(|c| c == '.' || c == '"' || space(c));
                let (part, behind) = rest.split_at(end.unwrap_or(rest.len()));
                rest = behind;
                part.to_ascii_lowercase()
            }
        };
        if part.is_empty() {
            return Err(bad());
        }
        parts.push(part);
        rest = rest.trim_start_matches(space);
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind,
            None if rest.is_empty() => return relation_name(parts),
            None => return Err(bad()),
        }
    }
}

/// A name behind its first quote, and what comes behind its last.
fn quoted_part(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let (before, behind) = rest.split_once('"')?;
        part.push_str(before);
        match behind.strip_prefix('"') {
            Some(behind) => {
                part.push('"');
                rest = behind;
            }
            None => return Some((part, behind)),
        }
    }
}

/// `42P01`.
pub fn undefined_table(name: &RelationName, position: u32) -> Error {
    let message = format!("relation \"{name}\" does not exist");
    let error = Error::new(SqlState::UNDEFINED_TABLE, message);
    match position {
        0 => error,
        position => error.at(position),
    }
}

/// `3F000`.
pub fn undefined_schema(name: &str) -> Error {
    let message = format!("schema \"{name}\" does not exist");
    Error::new(SqlState::INVALID_SCHEMA_NAME, message)
}
