//! Chinook as SQLite's and MySQL's scripts have it answers as the PostgreSQL script does. The
//! scripts are written here from the PostgreSQL one, in the spelling of the others.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

use std::fmt::Write;
use std::io::Read;

use varve_dialect::Dialect;
use varve_tests_dialect::{corpora, load, run, session};

fn corpus() -> Option<String> {
    let path = corpora()?.join("sql-dumps/Chinook_PostgreSql.sql.zst");
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(bytes.as_slice()).unwrap();
    decoder.read_to_string(&mut text).unwrap();
    Some(text.replace("\r\n", "\n"))
}

/// The statements of the script behind its psql commands, and without comments.
fn statements(script: &str) -> Vec<&str> {
    let tables = script.find("CREATE TABLE").unwrap();
    let pieces = script.get(tables..).unwrap().split(";\n").map(|piece| {
        let piece = piece.rsplit("*/").next().unwrap_or(piece);
        piece.trim()
    });
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// `invoice_line` as `InvoiceLine`.
fn camel(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(usize::from(!word.is_empty()));
        first.to_uppercase() + rest
    });
    words.collect()
}

/// Quotes every plain word outside of texts that is a name of the schema, by `open` and `close`.
fn renamed(statement: &str, names: &[String], open: char, close: char) -> String {
    let mut out = String::new();
    for (at, part) in statement.split('\'').enumerate() {
        if at > 0 {
            out.push('\'');
        }
        if at % 2 == 1 {
            out.push_str(part);
            continue;
        }
        let mut word = String::new();
        for c in part.chars().chain(['\0']) {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            if names.contains(&word) {
                _ = write!(out, "{open}{}{close}", camel(&word));
            } else {
                out.push_str(&word);
            }
            word.clear();
            out.extend(Some(c).filter(|c| *c != '\0'));
        }
    }
    out
}

/// All words of the schema: names of tables and columns.
fn names(statements: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for statement in statements.iter().filter(|s| s.starts_with("CREATE TABLE ")) {
        let mut lines = statement.lines();
        names.extend(
            lines
                .next()
                .and_then(|line| line.split(' ').nth(2))
                .map(str::to_owned),
        );
        let columns = lines.filter_map(|line| line.split_whitespace().next());
        names.extend(
            columns
                .filter(|w| w.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
                .map(str::to_owned),
        );
    }
    names
}

/// `N'text'` as `'text'`, which is all that SQLite knows.
fn without_national(statement: &str) -> String {
    let parts = statement.split('\'').enumerate();
    let parts = parts.map(|(at, part)| match part.strip_suffix('N') {
        Some(before) if at % 2 == 0 => before,
        _ => part,
    });
    parts.collect::<Vec<_>>().join("'")
}

fn other(script: &str, dialect: Dialect) -> String {
    let statements = statements(script);
    let names = names(&statements);
    let (open, close) = match dialect {
        Dialect::Sqlite => ('[', ']'),
        Dialect::MySql => ('`', '`'),
    };
    let mut out = String::new();
    if dialect == Dialect::MySql {
        out.push_str(
            "DROP DATABASE IF EXISTS `Chinook`;\nCREATE DATABASE `Chinook`;\nUSE `Chinook`;\n",
        );
    }
    for statement in statements {
        // SQLite has no ALTER TABLE ADD CONSTRAINT.
        if dialect == Dialect::Sqlite && statement.starts_with("ALTER TABLE") {
            continue;
        }
        let text = renamed(statement, &names, open, close);
        let text = match statement.starts_with("CREATE TABLE") {
            true => text
                .replace("VARCHAR", "NVARCHAR")
                .replace("TIMESTAMP", "DATETIME"),
            false if dialect == Dialect::Sqlite => without_national(&text),
            false => text.replace('\\', "\\\\"),
        };
        let text = match dialect {
            Dialect::Sqlite => text.replace(" INT ", " INTEGER "),
            Dialect::MySql => text,
        };
        _ = writeln!(out, "{text};");
    }
    out
}

const QUESTIONS: [&str; 6] = [
    "SELECT count(*), sum(total), min(invoice_date)::date, max(billing_city) FROM invoice",
    "SELECT a.name, count(*) FROM artist a JOIN album l ON l.artist_id = a.artist_id GROUP BY a.name ORDER BY 2 DESC, 1 LIMIT 5",
    "SELECT g.name, sum(l.unit_price * l.quantity) FROM invoice_line l JOIN track t ON t.track_id = l.track_id JOIN genre g ON g.genre_id = t.genre_id GROUP BY g.name ORDER BY 2 DESC, 1",
    "SELECT e.last_name, m.last_name FROM employee e LEFT JOIN employee m ON e.reports_to = m.employee_id ORDER BY e.employee_id",
    "SELECT name, composer, milliseconds, bytes, unit_price FROM track ORDER BY track_id",
    "SELECT * FROM customer ORDER BY customer_id",
];

#[test]
fn chinook_answers_in_all_dialects() {
    let Some(script) = corpus() else {
        return;
    };
    let statements = statements(&script);
    let names = names(&statements);
    let mut postgres = session();
    for statement in &statements {
        run(&mut postgres, statement);
    }
    for dialect in [Dialect::Sqlite, Dialect::MySql] {
        let mut db = session();
        let translation = load(&mut db, &other(&script, dialect), dialect);
        assert!(translation.statements.len() > 20);
        for question in QUESTIONS {
            let expected = run(&mut postgres, question);
            let asked = renamed(question, &names, '"', '"');
            assert!(!expected.is_empty());
            let found = run(&mut db, &asked);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                // PostgreSQL takes N'text ' for bpchar, and the blank at its end away.
                assert_eq!(&found.replace(" |", "|"), expected, "{dialect:?}: {asked}");
            }
        }
    }
}
