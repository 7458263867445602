//! How earlier failures of a file explain later ones: an object that was never made, rows that
//! were never written, a transaction block that had failed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::classify::{FOLLOWS, class_of};
use crate::engine::Failure;
use crate::record::Verdict;

static CREATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?is)^\s*create\s+(?:or\s+replace\s+)?",
        r"(?:(?:local|global|temp|temporary|unlogged|materialized|recursive|foreign|unique|external)",
        r"\s+)*",
        r"(?:table|view|type|domain|sequence|schema|function|index|aggregate|operator|source)\s+",
        r"(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?",
        r#"(?:[\w]+\.)*("[^"]+"|\w+)"#
    ))
    .expect("a pattern")
});
static CHANGED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?is)^\s*(?:with\s.*)?(?:insert\s+into|copy|update|delete\s+from|alter\s+table|merge\s+into|",
        r"truncate(?:\s+table)?)\s+(?:only\s+)?(?:if\s+exists\s+)?(?:[\w]+\.)*(\w+)"
    ))
    .expect("a pattern")
});
static RENAMED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?is)^\s*alter\s.*\srename\s+to\s+(\w+)").expect("a pattern"));
static MISSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:"|function |type )(?:\w+\.)*(\w+)(?:"|\(|\s).*does not exist"#)
        .expect("a pattern")
});
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+").expect("a pattern"));

/// What a file meant to do and could not, with the classes of these failures.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    never_made: BTreeMap<String, String>,
    /// Tables that have not the rows or columns that they should have.
    never_changed: BTreeMap<String, String>,
    /// Why the transaction block failed, if it did.
    block: Option<String>,
}

impl Causes {
    /// Notes how a statement ended; answers its class if it failed.
    pub fn note(&mut self, sql: &str, failure: Option<&Failure>) -> Option<String> {
        let created = name(&CREATED, sql).or_else(|| name(&RENAMED, sql));
        let Some(failure) = failure else {
            if let Some(name) = created {
                self.never_made.remove(&name);
                self.never_changed.remove(&name);
            }
            return None;
        };
        let class = self.class(failure);
        if failure.state != "25P02" {
            self.block = Some(root(&class).to_owned());
        }
        if let Some(name) = created {
            self.never_made
                .entry(name)
                .or_insert(root(&class).to_owned());
        }
        Some(class)
    }

    fn class(&self, failure: &Failure) -> String {
        if failure.state == "25P02" {
            let cause = self.block.as_deref().unwrap_or("25P02");
            return format!("{FOLLOWS}{cause}");
        }
        let missing = name(&MISSING, &failure.message);
        match missing.and_then(|name| self.never_made.get(&name)) {
            Some(cause) => format!("{FOLLOWS}{cause}"),
            None => class_of(failure),
        }
    }

    /// The verdict with its cause: wrong rows of a table that a failed statement should have
    /// changed follow from that failure.
    pub fn explain(&mut self, sql: &str, is_ok: bool, verdict: Verdict) -> Verdict {
        let Verdict::Failed(mut failed) = verdict else {
            return verdict;
        };
        if is_ok {
            let mut words = WORD.find_iter(sql).map(|word| word.as_str().to_lowercase());
            if let Some(cause) = words.find_map(|word| self.never_changed.get(&word)) {
                failed.class = format!("{FOLLOWS}{cause}");
            }
        }
        if let Some(table) = name(&CHANGED, sql) {
            let cause = root(&failed.class).to_owned();
            self.never_changed.entry(table).or_insert(cause);
        }
        Verdict::Failed(failed)
    }
}

fn name(pattern: &Regex, text: &str) -> Option<String> {
    let found = pattern.captures(text)?;
    Some(found[1].trim_matches('"').to_lowercase())
}

fn root(class: &str) -> &str {
    class.strip_prefix(FOLLOWS).unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::Causes;
    use crate::classify::tests::failed;
    use crate::record::Verdict;

    #[test]
    fn what_was_never_made_is_the_cause() {
        let mut causes = Causes::default();
        let broken = failed("0A000", "arrays is not supported");
        causes.note("CREATE TEMP TABLE s.t1 (a int[])", Some(&broken));
        let missing = failed("42P01", "relation \"t1\" does not exist");
        let class = causes.note("SELECT * FROM t1", Some(&missing)).unwrap();
        assert_eq!(class, "follows: 0A000 arrays is not supported");
        let aborted = failed("25P02", "current transaction is aborted");
        let class = causes.note("SELECT 1", Some(&aborted)).unwrap();
        assert_eq!(class, "follows: 0A000 arrays is not supported");
        causes.note("CREATE TABLE t1 (a int)", None);
        let class = causes.note("SELECT * FROM t1", Some(&missing)).unwrap();
        assert!(!class.starts_with("follows"));
    }

    #[test]
    fn rows_that_were_never_written_are_the_cause() {
        let mut causes = Causes::default();
        let verdict = |class: &str| Verdict::failed(class, String::new(), String::new());
        causes.explain("INSERT INTO t VALUES (1)", false, verdict("0A000 x"));
        let class = |verdict| match verdict {
            Verdict::Failed(failed) => failed.class,
            _ => "passed".to_owned(),
        };
        let explained = causes.explain("SELECT * FROM T, u", true, verdict("wrong values"));
        assert_eq!(class(explained), "follows: 0A000 x");
        let explained = causes.explain("SELECT * FROM u", true, verdict("wrong values"));
        assert_eq!(class(explained), "wrong values");
    }
}
