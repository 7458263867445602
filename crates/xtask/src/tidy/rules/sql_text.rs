use crate::tidy::finding::Finding;
use crate::tidy::rust_source::RustSource;

const RULE: &str = "sql-text";
/// Where names and texts are quoted.
const HOME: &str = "crates/varve-types/src/sql_text.rs";
/// Who may say that a text has been read as SQL.
const READERS: [&str; 4] = [
    HOME,
    "crates/xtask/src/tidy/rules/sql_text.rs",
    "crates/varve-catalog/src/text/sql_source.rs",
    "crates/varvedb/src/dump/mod.rs",
];
/// How quotes are doubled by hand, in SQL or in CSV, which has the same rule.
const DOUBLED: [&str; 2] = ["'\"', \"\\\"\\\"\"", "'\\'', \"''\""];
const CSV: [&str; 1] = ["crates/varve-psql/src/table.rs"];

/// Names and texts come into SQL by `SqlText` only.
pub(crate) fn check(source: &RustSource<'_>) -> Vec<Finding> {
    if source.path == HOME || !source.path.starts_with("crates/") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in source.raw.iter().enumerate().take(source.product_lines) {
        let mut add = |message: &str| {
            findings.push(Finding::at(RULE, source.path, index, message));
        };
        let is_doubled = DOUBLED.iter().any(|pattern| line.contains(pattern));
        if is_doubled && !CSV.contains(&source.path) {
            add("quote names and texts by `SqlText::name` and `SqlText::literal`");
        }
        if line.contains("SqlText::read(") && !READERS.contains(&source.path) {
            add("only what the SQL parser has read is SQL: use `sql_source::source`");
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&RustSource::parse(path, text)).len()
    }

    #[test]
    fn quotes_by_hand_are_found() {
        let name = r#"fn a() { name.replace('"', "\"\"") }"#;
        let text = r#"fn a() { text.replace('\'', "''") }"#;
        for path in ["crates/a/src/b.rs", HOME] {
            let is_found = usize::from(path != HOME);
            assert_eq!(found(path, name), is_found);
            assert_eq!(found(path, text), is_found);
            assert_eq!(found(path, "fn a() { SqlText::read(text) }"), is_found);
        }
        assert_eq!(
            found("crates/a/src/b.rs", "fn a() { SqlText::name(text) }"),
            0
        );
    }
}
