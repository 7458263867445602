//! The records that PostgreSQL fails too, where a corpus asks for the dialect of another engine:
//! they say nothing of ours. A run with `--backend postgres --failures FILE` writes the list.
//!
//! One line a file: family, path, and the lines of its records, separated by blanks.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::FamilyReport;

/// The list of the repository.
pub const REPOSITORY: &str = include_str!("../postgres_fails.txt");

#[derive(Debug, Default)]
pub struct PeerFailures(BTreeMap<(String, String), BTreeSet<u32>>);

impl PeerFailures {
    pub fn parse(text: &str) -> Result<PeerFailures, String> {
        let mut failures = PeerFailures::default();
        for line in text.lines() {
            let broken = || format!("postgres_fails.txt: {line}");
            let mut words = line.split_whitespace();
            let (Some(family), Some(file)) = (words.next(), words.next()) else {
                return Err(broken());
            };
            let lines: Result<BTreeSet<u32>, _> = words.map(str::parse).collect();
            let key = (family.to_owned(), file.to_owned());
            failures.0.insert(key, lines.map_err(|_| broken())?);
        }
        Ok(failures)
    }

    /// Whether PostgreSQL fails the record that begins in this line.
    pub fn has_line(&self, family: &str, file: &str, line: u32) -> bool {
        let lines = self.0.get(&(family.to_owned(), file.to_owned()));
        lines.is_some_and(|lines| lines.contains(&line))
    }

    /// Whether anything of the family is listed.
    pub fn knows(&self, family: &str) -> bool {
        self.0.keys().any(|(known, _)| known == family)
    }

    /// The list of what failed in these reports.
    pub fn of(reports: &[FamilyReport]) -> PeerFailures {
        let mut failures = PeerFailures::default();
        for report in reports {
            for failure in &report.failures {
                let file = failure.place.file.to_string();
                let key = (report.family.name.to_owned(), file);
                failures
                    .0
                    .entry(key)
                    .or_default()
                    .insert(failure.place.line);
            }
        }
        failures
    }
}

impl std::fmt::Display for PeerFailures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for ((family, file), lines) in &self.0 {
            write!(f, "{family} {file}")?;
            for line in lines {
                write!(f, " {line}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{PeerFailures, REPOSITORY};

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let text = "a x/y.test 3 17\nb z.test 1\n";
        let list = PeerFailures::parse(text).unwrap();
        assert!(list.has_line("a", "x/y.test", 17) && !list.has_line("a", "x/y.test", 4));
        assert!(list.knows("b") && !list.knows("c"));
        assert_eq!(list.to_string(), text);
        assert!(PeerFailures::parse("a x/y.test three").is_err());
        assert!(PeerFailures::parse(REPOSITORY).is_ok());
    }
}
