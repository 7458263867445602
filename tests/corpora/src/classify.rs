//! Which failures have one cause: their class is the SQLSTATE and the message without what differs
//! from case to case. What fails only because the object was never made follows from the class of
//! that failure.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::engine::{Failure, FailureKind};

/// A class that is only the trace of another one begins so.
pub const FOLLOWS: &str = "follows: ";

static DIGITS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[0-9]+").expect("a pattern"));
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""[^"]*"|'[^']*'"#).expect("a pattern"));
static KEPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)function|\btype\b|operator|setting|parameter|syntax|near|supported|keyword")
        .expect("a pattern")
});
static CREATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?is)^\s*create\s+(?:or\s+replace\s+)?",
        r"(?:(?:local|global|temp|temporary|unlogged|materialized|recursive|foreign|unique)\s+)*",
        r"(?:table|view|type|domain|sequence|schema|function|index|aggregate|operator|source)\s+",
        r"(?:if\s+not\s+exists\s+)?(?:[\w]+\.)?",
        r#"("[^"]+"|\w+)"#
    ))
    .expect("a pattern")
});
static MISSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:"|function |type )(?:\w+\.)?(\w+)(?:"|\(|\s).*does not exist"#)
        .expect("a pattern")
});

/// The class of an error that should not have been.
pub fn class_of(failure: &Failure) -> String {
    let message = match failure.kind {
        FailureKind::Panic | FailureKind::Timeout => cut(&failure.message, 160),
        FailureKind::Error => normalised(&failure.message),
    };
    format!("{} {message}", failure.state)
}

/// A message without numbers, and without names where these do not tell what is missing.
pub fn normalised(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let text = if KEPT.is_match(line) {
        line.to_owned()
    } else {
        QUOTED.replace_all(line, "\"_\"").into_owned()
    };
    cut(&DIGITS.replace_all(&text, "N"), 160)
}

pub fn cut(text: &str, characters_max: usize) -> String {
    match text.char_indices().nth(characters_max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Names that a file meant to create and could not, with the class of that failure.
#[derive(Debug, Default)]
pub struct NeverMade(BTreeMap<String, String>);

impl NeverMade {
    /// Notes how a statement ended; answers its class if it failed.
    pub fn note(&mut self, sql: &str, failure: Option<&Failure>) -> Option<String> {
        let created = CREATED
            .captures(sql)
            .map(|found| found[1].trim_matches('"').to_lowercase());
        let Some(failure) = failure else {
            if let Some(name) = created {
                self.0.remove(&name);
            }
            return None;
        };
        let class = self.class(failure);
        if let Some(name) = created {
            let root = class.trim_start_matches(FOLLOWS).to_owned();
            self.0.entry(name).or_insert(root);
        }
        Some(class)
    }

    fn class(&self, failure: &Failure) -> String {
        let root = MISSING
            .captures(&failure.message)
            .and_then(|found| self.0.get(&found[1].to_lowercase()));
        match root {
            Some(root) => format!("{FOLLOWS}{root}"),
            None if failure.state == "25P02" => format!("{FOLLOWS}25P02 failed transaction"),
            None => class_of(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NeverMade, class_of};
    use crate::engine::{Failure, FailureKind};

    fn failure(state: &str, message: &str) -> Failure {
        let mut failure = Failure::new(FailureKind::Error, message);
        failure.state = state.to_owned();
        failure
    }

    #[test]
    fn names_and_numbers_make_no_classes() {
        let one = class_of(&failure("42P01", "relation \"a1\" does not exist"));
        let two = class_of(&failure("42P01", "relation \"b\" does not exist"));
        assert_eq!(one, two);
        let one = class_of(&failure("42883", "function \"f\" does not exist"));
        let two = class_of(&failure("42883", "function \"g\" does not exist"));
        assert_ne!(one, two, "a function that is missing is a class");
    }

    #[test]
    fn what_was_never_made_is_the_cause() {
        let mut never = NeverMade::default();
        let broken = failure("0A000", "arrays is not supported");
        never.note("CREATE TEMP TABLE t1 (a int[])", Some(&broken));
        let missing = failure("42P01", "relation \"t1\" does not exist");
        let class = never.note("SELECT * FROM t1", Some(&missing)).unwrap();
        assert_eq!(class, "follows: 0A000 arrays is not supported");
        never.note("CREATE TABLE t1 (a int)", None);
        let class = never.note("SELECT * FROM t1", Some(&missing)).unwrap();
        assert!(!class.starts_with("follows"));
    }
}
