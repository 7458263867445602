//! Any text gives a translation or faults with lines, and no panic.

#![allow(missing_docs, reason = "tests")]

use proptest::prelude::{ProptestConfig, Strategy, any, prop, prop_oneof, proptest};
use varve_dialect::{Dialect, translate};

/// Pieces that scripts are made of, whole and broken.
const PIECES: [&str; 48] = [
    "CREATE TABLE ",
    "INSERT INTO ",
    "SELECT ",
    "CREATE TRIGGER ",
    "CREATE VIEW ",
    "ALTER TABLE ",
    "a",
    "`b`",
    "[c]",
    "\"d\"",
    "'e'",
    "(",
    ")",
    ",",
    ";",
    "\n",
    "BEGIN",
    " END",
    " AS ",
    " VALUES ",
    "1",
    "-",
    "--",
    "/*",
    "*/",
    "/*!40101 ",
    "'",
    "\"",
    "`",
    "[",
    "\\",
    "_binary '",
    "0x0",
    " INTEGER PRIMARY KEY AUTOINCREMENT",
    " enum('x')",
    " REFERENCES a(b)",
    " ON ",
    " FROM ",
    " WHERE ",
    " AND ",
    " NOT ",
    " CASE WHEN ",
    "DELIMITER ;;\n",
    " KEY ",
    "replace('a','',1)",
    "unistr('\\u00')",
    " OR REPLACE ",
    "sqlite_sequence",
];

fn script() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        9 => prop::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn check(script: &[u8]) {
    let lines = script.split(|&byte| byte == b'\n').count();
    for dialect in [Dialect::Sqlite, Dialect::MySql] {
        let translation = translate(script, dialect);
        for fault in &translation.faults {
            let line = usize::try_from(fault.line).unwrap_or(usize::MAX);
            assert!((1..=lines).contains(&line), "{fault} of {lines} lines");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_script_is_answered(script in script()) {
        check(&script);
    }
}

/// Scripts of both test files, cut at every byte.
#[test]
fn scripts_that_are_cut_are_answered() {
    for text in [include_str!("sqlite.txt"), include_str!("mysql.txt")] {
        for end in 0..text.len() {
            check(text.as_bytes().get(..end).unwrap_or_default());
        }
    }
}

#[test]
fn nesting_has_a_limit() {
    let repeated = [
        ("SELECT ", "(", "1", ")"),
        ("SELECT ", "1+", "1", ""),
        ("SELECT ", "NOT ", "1", ""),
        ("SELECT ", "- ", "1", ""),
        ("", "SELECT 1 UNION ", "SELECT 1", ""),
        ("SELECT ", "CASE WHEN 1 THEN ", "1", " END"),
        ("", "SELECT * FROM (", "SELECT 1", ") AS a"),
        (
            "CREATE TABLE a (b TEXT DEFAULT ",
            "replace(",
            "'a'",
            ",'a','b')",
        ),
    ];
    for (head, open, middle, close) in repeated {
        for times in [10, 1000, 100_000] {
            let (open, close) = (open.repeat(times), close.repeat(times));
            check(format!("{head}{open}{middle}{close}").as_bytes());
        }
    }
}
