//! Statements that mean nothing here, and such as cannot be read at all.

use sqlparser::tokenizer::TokenWithSpan;

use crate::Dialect;
use crate::parse::word;

/// What is to be done with a statement, by its first words.
pub(crate) enum Verdict {
    Read,
    Trigger,
    /// It changes nothing here.
    PassOver,
    Refuse(&'static str),
}

pub(crate) fn verdict(tokens: &[TokenWithSpan], dialect: Dialect) -> Verdict {
    let words: Vec<String> = (0..3).map(|at| word(tokens, at)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match dialect {
        Dialect::Sqlite => of_sqlite(&words, tokens),
        Dialect::MySql => of_mysql(&words, tokens),
    }
}

fn of_sqlite(words: &[&str], tokens: &[TokenWithSpan]) -> Verdict {
    match *words {
        [
            "PRAGMA" | "BEGIN" | "COMMIT" | "END" | "ANALYZE" | "REINDEX" | "VACUUM",
            ..,
        ] => Verdict::PassOver,
        ["SAVEPOINT" | "RELEASE", ..] => Verdict::PassOver,
        ["ROLLBACK", ..] => Verdict::Refuse("ROLLBACK: the dump itself is not whole"),
        ["CREATE", "VIRTUAL", ..] => Verdict::Refuse("a virtual table, which has no counterpart"),
        ["CREATE", "TRIGGER", _] | ["CREATE", _, "TRIGGER"] => Verdict::Trigger,
        ["INSERT", "INTO", _] | ["DELETE", "FROM", _] => own_table(&name(tokens, 2)),
        _ => Verdict::Read,
    }
}

/// Tables in which SQLite keeps what is its own.
fn own_table(name: &str) -> Verdict {
    match name {
        "sqlite_master" | "sqlite_schema" => {
            Verdict::Refuse("a virtual table, which has no counterpart")
        }
        // The first reading has taken the values.
        name if name.starts_with("sqlite_") => Verdict::PassOver,
        _ => Verdict::Read,
    }
}

/// A name in lower case, quoted or not.
pub(crate) fn name(tokens: &[TokenWithSpan], at: usize) -> String {
    match tokens.get(at).map(|token| &token.token) {
        Some(sqlparser::tokenizer::Token::Word(word)) => word.value.to_ascii_lowercase(),
        _ => String::new(),
    }
}

fn of_mysql(words: &[&str], tokens: &[TokenWithSpan]) -> Verdict {
    let has = |wanted: &str| (0..tokens.len().min(24)).any(|at| word(tokens, at) == wanted);
    match *words {
        [
            "SET" | "LOCK" | "UNLOCK" | "USE" | "BEGIN" | "COMMIT" | "START" | "FLUSH",
            ..,
        ]
        | [
            "ANALYZE" | "OPTIMIZE" | "CHANGE" | "RESET" | "GRANT" | "REVOKE" | "DELIMITER",
            ..,
        ]
        | ["CREATE" | "DROP" | "ALTER", "DATABASE" | "SCHEMA", _]
        | [
            "DROP",
            "PROCEDURE" | "FUNCTION" | "EVENT" | "TRIGGER" | "USER",
            _,
        ] => Verdict::PassOver,
        ["ROLLBACK", ..] => Verdict::Refuse("ROLLBACK: the dump itself is not whole"),
        ["ALTER", "TABLE", _] if has("KEYS") && (has("DISABLE") || has("ENABLE")) => {
            Verdict::PassOver
        }
        [
            "CREATE",
            "TABLE" | "VIEW" | "INDEX" | "UNIQUE" | "TEMPORARY",
            _,
        ] => Verdict::Read,
        ["CREATE", ..] if has("VIEW") => Verdict::Read,
        ["CREATE", ..] if has("TRIGGER") => Verdict::Trigger,
        ["CREATE", ..] if has("PROCEDURE") => Verdict::Refuse("a procedure is not translated"),
        ["CREATE", ..] if has("FUNCTION") => Verdict::Refuse("a function is not translated"),
        ["CREATE", ..] if has("EVENT") => Verdict::Refuse("an event is not translated"),
        _ => Verdict::Read,
    }
}
