//! A statement as the shell sees it: its text and its words, enough to know a COPY that waits for
//! data and the tag that a command answers.

use varve_types::SqlText;

/// A statement of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Its text, with the semicolon if there is one.
    pub sql: String,
    /// Its first words outside parentheses and comments: keywords and plain names in lower case,
    /// quoted ones and strings with their quotes.
    pub words: Vec<String>,
}

impl Statement {
    /// Word number `at`, or nothing.
    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// Whether it begins with these words.
    pub fn begins(&self, words: &[&str]) -> bool {
        self.words.len() >= words.len() && self.words.iter().zip(words).all(|(a, b)| a == b)
    }

    /// Whether it is a COPY whose data the client gives.
    pub fn reads_stdin(&self) -> bool {
        self.word(0) == "copy"
            && self
                .words
                .windows(2)
                .any(|pair| matches!(pair, [from, stdin] if from == "from" && stdin == "stdin"))
    }

    /// What a COPY from a file of the server names: the string after FROM.
    pub fn reads_file(&self) -> Option<&str> {
        let from = self.words.iter().position(|word| word == "from")?;
        let name = self.words.get(from + 1)?;
        (self.word(0) == "copy" && name.starts_with('\'')).then_some(name)
    }

    /// The tag of its answer. `command` is the first word of it as the engine says; `rows` how many
    /// rows were returned or changed.
    pub fn tag(&self, command: &str, rows: Option<u64>) -> String {
        match (command, rows) {
            ("INSERT", Some(rows)) => format!("INSERT 0 {rows}"),
            ("CREATE" | "DROP" | "ALTER", _) => self.definition_tag(command),
            ("SELECT" | "UPDATE" | "DELETE" | "MERGE" | "COPY" | "FETCH" | "MOVE", Some(rows)) => {
                format!("{command} {rows}")
            }
            ("DECLARE" | "CLOSE", None) => match self.word(1) {
                "all" => "CLOSE CURSOR ALL".to_owned(),
                _ => format!("{command} CURSOR"),
            },
            ("DEALLOCATE", _) if self.words.last().is_some_and(|word| word == "all") => {
                "DEALLOCATE ALL".to_owned()
            }
            ("DISCARD", _) => format!("DISCARD {}", self.word(1).to_ascii_uppercase()),
            ("LOCK" | "TRUNCATE", _) => format!("{command} TABLE"),
            ("REFRESH", _) => "REFRESH MATERIALIZED VIEW".to_owned(),
            ("SET", _) if self.word(1) == "constraints" => "SET CONSTRAINTS".to_owned(),
            (command, _) => command.to_owned(),
        }
    }

    /// `CREATE TABLE`, `DROP MATERIALIZED VIEW`: what is defined, without how.
    fn definition_tag(&self, command: &str) -> String {
        const HOW: [&str; 12] = [
            "or",
            "replace",
            "temp",
            "temporary",
            "local",
            "global",
            "unlogged",
            "recursive",
            "unique",
            "trusted",
            "default",
            "constraint",
        ];
        let mut tag = command.to_owned();
        for word in self
            .words
            .iter()
            .skip(1)
            .filter(|word| !HOW.contains(&word.as_str()))
        {
            let goes_on = ["materialized", "foreign", "event", "access", "text", "user"];
            tag.push(' ');
            tag.push_str(&word.to_ascii_uppercase());
            if !goes_on.contains(&word.as_str()) {
                break;
            }
        }
        tag
    }
}

/// The name that a word of a statement stands for: quotes are taken off.
pub fn identifier(word: &str) -> String {
    let word = word.trim_end_matches(';');
    match word
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(inner) => inner.replace("\"\"", "\""),
        None => word.to_lowercase(),
    }
}

/// A name in quotes.
pub fn quoted_identifier(name: &str) -> String {
    SqlText::quoted_name(name).into_string()
}

/// A text as a literal.
pub fn quoted_literal(text: &str) -> String {
    let literal = SqlText::any_literal(text);
    match text.contains('\\') {
        true => format!(" {literal}"),
        false => literal.into_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{identifier, quoted_literal};
    use crate::Scanner;

    #[test]
    fn tags_are_those_of_postgresql() {
        let cases = [
            (
                "create or replace view v as select 1",
                "CREATE",
                None,
                "CREATE VIEW",
            ),
            (
                "CREATE TEMP TABLE t (a int)",
                "CREATE",
                None,
                "CREATE TABLE",
            ),
            (
                "create unique index on t (a)",
                "CREATE",
                None,
                "CREATE INDEX",
            ),
            ("create table t as select 1", "SELECT", Some(1), "SELECT 1"),
            (
                "drop materialized view m",
                "DROP",
                None,
                "DROP MATERIALIZED VIEW",
            ),
            ("insert into t values (1)", "INSERT", Some(1), "INSERT 0 1"),
            ("delete from t", "DELETE", Some(0), "DELETE 0"),
            ("/* a */ begin", "BEGIN", None, "BEGIN"),
            ("truncate t", "TRUNCATE", None, "TRUNCATE TABLE"),
            ("close all", "CLOSE", None, "CLOSE CURSOR ALL"),
        ];
        for (sql, command, rows, tag) in cases {
            let statements = Scanner::split(sql);
            let [statement] = statements.as_slice() else {
                panic!("{sql} is one statement")
            };
            assert_eq!(statement.tag(command, rows), tag, "{sql}");
        }
    }

    #[test]
    fn a_copy_says_where_its_data_comes_from() {
        let cases = [
            ("COPY a.t (x, y) FROM stdin;", true, None),
            ("copy t from stdin with (format csv)", true, None),
            ("copy (select 1 from stdin) to stdout", false, None),
            (
                "copy t from '/tmp/a b.csv' csv",
                false,
                Some("'/tmp/a b.csv'"),
            ),
            ("insert into t select 1 from stdin", false, None),
        ];
        for (sql, stdin, file) in cases {
            let statement = &Scanner::split(sql)[0];
            assert_eq!(statement.reads_stdin(), stdin, "{sql}");
            assert_eq!(statement.reads_file(), file, "{sql}");
        }
    }

    #[test]
    fn names_and_literals() {
        assert_eq!(identifier("Chinook;"), "chinook");
        assert_eq!(identifier("\"A\"\"b\""), "A\"b");
        assert_eq!(quoted_literal("it's"), "'it''s'");
        assert_eq!(quoted_literal("a\\b"), " E'a\\\\b'");
    }
}
