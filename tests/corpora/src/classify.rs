//! Which failures have one cause: their class is the SQLSTATE and the message without what differs
//! from case to case.

use std::sync::LazyLock;

use regex::Regex;

use crate::engine::{Failure, FailureKind};

/// A class that is only the trace of another one begins so.
pub const FOLLOWS: &str = "follows: ";

static DIGITS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[0-9]+").expect("a pattern"));
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""[^"]*"|'[^']*'"#).expect("a pattern"));
static KEPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)function|\btype\b|operator|setting|parameter|syntax|near|supported|keyword",
        r#"|"pg_|"information_schema|"crdb_internal|"system\.|"rw_"#
    ))
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

#[cfg(test)]
pub(crate) mod tests {
    use super::class_of;
    use crate::engine::{Failure, FailureKind};

    /// An error as the engine answers it.
    pub(crate) fn failed(state: &str, message: &str) -> Box<Failure> {
        let mut failure = Failure::new(FailureKind::Error, message);
        failure.state = state.to_owned();
        failure
    }

    #[test]
    fn names_and_numbers_make_no_classes() {
        let one = class_of(&failed("42P01", "relation \"a1\" does not exist"));
        let two = class_of(&failed("42P01", "relation \"b\" does not exist"));
        assert_eq!(one, two);
        let one = class_of(&failed("42883", "function \"f\" does not exist"));
        let two = class_of(&failed("42883", "function \"g\" does not exist"));
        assert_ne!(one, two, "a function that is missing is a class");
        let catalog = class_of(&failed("42P01", "relation \"pg_class\" does not exist"));
        assert!(catalog.contains("pg_class"));
    }
}
