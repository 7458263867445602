//! `sqlparser` as a second reader: what it takes of our statements and the corpora's as
//! PostgreSQL's our parser takes, or `second_reader.txt` says why not.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::string_slice,
    reason = "tests"
)]

use std::collections::BTreeMap;

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use varve_parserfuzz::statements::statements;
use varve_tests_dialect::corpora;

/// Below it `sqlparser` may overflow the stack of a test.
const NESTING_MAX: usize = 30;

/// Lines of a message, two blanks or more, and a reason.
const KNOWN: &str = include_str!("second_reader.txt");

/// The message without what is in quotes and the names of PRAGMAs, which differ from statement to
/// statement.
fn kind(message: &str) -> String {
    if message.starts_with("PRAGMA ") && message.ends_with(" is not supported") {
        return "PRAGMA * is not supported".to_owned();
    }
    match (message.find('"'), message.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}\"*\"{}", &message[..first], &message[last + 1..])
        }
        _ => message.to_owned(),
    }
}

fn is_taken_by_sqlparser(text: &str) -> bool {
    let parser = Parser::new(&PostgreSqlDialect {}).with_recursion_limit(NESTING_MAX);
    let parsed = parser
        .try_with_sql(text)
        .and_then(|mut parser| parser.parse_statements());
    parsed.is_ok_and(|statements| !statements.is_empty())
}

#[test]
fn what_sqlparser_takes_our_parser_takes() {
    let corpora = corpora();
    let known: Vec<&str> = KNOWN
        .lines()
        .filter_map(|line| line.split("  ").next())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let (mut taken, mut unknown) = (0, BTreeMap::<String, Vec<String>>::new());
    for text in statements(corpora.as_deref()).unwrap() {
        if !is_taken_by_sqlparser(&text) {
            continue;
        }
        taken += 1;
        if let Err(error) = varve_parser::parse(&text) {
            let kind = kind(&error.to_string());
            if !known.contains(&kind.as_str()) {
                unknown.entry(kind).or_default().push(text);
            }
        }
    }
    let mut report = String::new();
    for (kind, texts) in &unknown {
        let first: String = texts[0].chars().take(300).collect();
        report += &format!("{} x {kind}\n{first}\n\n", texts.len());
    }
    assert!(unknown.is_empty(), "of {taken} statements:\n{report}");
}
