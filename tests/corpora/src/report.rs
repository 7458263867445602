//! What is printed and written: totals by family, failures by class.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::classify::{FOLLOWS, cut};
use crate::family::Family;
use crate::glob::matches;
use crate::peer::PeerFailures;
use crate::record::{Failed, Place, Verdict};

/// Longest texts that are written of a failed record, in characters.
const SQL_MAX: usize = 1_000;
const RESULT_MAX: usize = 600;

/// What became of the records of a family.
pub struct FamilyReport {
    pub family: Family,
    /// By file and line; of a record that ran several times the worst counts.
    records: BTreeMap<Arc<str>, BTreeMap<u32, State>>,
    pub failures: Vec<Failure>,
    /// Records by the reason for which they were skipped.
    pub skips: BTreeMap<String, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Skipped,
    Passed,
    Failed,
}

pub struct Failure {
    pub place: Place,
    pub sql: String,
    pub failed: Failed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub total: u64,
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl FamilyReport {
    pub fn new(family: Family) -> FamilyReport {
        FamilyReport {
            family,
            records: BTreeMap::new(),
            failures: Vec::new(),
            skips: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, place: Place, sql: String, verdict: Verdict) {
        let state = match &verdict {
            Verdict::Passed => State::Passed,
            Verdict::Skipped(_) => State::Skipped,
            Verdict::Failed(_) => State::Failed,
        };
        let lines = self.records.entry(Arc::clone(&place.file)).or_default();
        let before = lines.get(&place.line).copied();
        lines.insert(place.line, before.map_or(state, |before| before.max(state)));
        match verdict {
            Verdict::Failed(mut failed) if before != Some(State::Failed) => {
                failed.expected = cut(&failed.expected, RESULT_MAX);
                failed.got = cut(&failed.got, RESULT_MAX);
                self.failures.push(Failure {
                    place,
                    sql: cut(&sql, SQL_MAX),
                    failed: *failed,
                });
            }
            Verdict::Skipped(reason) if before.is_none() => {
                *self.skips.entry(reason).or_default() += 1;
            }
            _ => {}
        }
    }

    pub fn totals(&self) -> Totals {
        self.totals_of(&["*"])
    }

    /// Of the files that one of the patterns fits.
    pub fn totals_of(&self, patterns: &[&str]) -> Totals {
        let mut totals = Totals::default();
        let fits = |file: &str| patterns.iter().any(|pattern| matches(pattern, file));
        let files = self.records.iter().filter(|(file, _)| fits(file));
        for state in files.flat_map(|(_, lines)| lines.values()) {
            totals.count(*state);
        }
        totals
    }

    /// Of the records that PostgreSQL passes, where that is known.
    pub fn totals_beside(&self, peer: &PeerFailures) -> Option<Totals> {
        let family = self.family.name;
        if !peer.knows(family) {
            return None;
        }
        let mut totals = Totals::default();
        for (file, lines) in &self.records {
            for (line, state) in lines {
                if !peer.has_line(family, file, *line) {
                    totals.count(*state);
                }
            }
        }
        Some(totals)
    }

    /// Whether more is skipped than may be.
    pub fn skips_too_much(&self) -> bool {
        let totals = self.totals();
        totals.skipped * 100 > totals.total * self.family.skipped_percent_max
    }
}

impl Totals {
    fn count(&mut self, state: State) {
        self.total += 1;
        match state {
            State::Passed => self.passed += 1,
            State::Failed => self.failed += 1,
            State::Skipped => self.skipped += 1,
        }
    }
}

pub fn totals_table(reports: &[FamilyReport], peer: &PeerFailures) -> String {
    let mut text = format!(
        "{:<26}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
        "family", "total", "passed", "failed", "skipped", "percent"
    );
    for report in reports {
        text.push_str(&totals_line(report.family.name, report.totals()));
        if let Some(share) = report.family.share {
            let name = format!("  of these {}", share.name);
            text.push_str(&totals_line(&name, report.totals_of(share.files)));
        }
        if let Some(totals) = report.totals_beside(peer) {
            text.push_str(&totals_line("  that PostgreSQL passes", totals));
        }
    }
    text
}

fn totals_line(name: &str, totals: Totals) -> String {
    let percent = totals.passed as f64 * 100.0 / totals.total.max(1) as f64;
    format!(
        "{name:<26}{:>10}{:>10}{:>10}{:>10}{percent:>9.2}%\n",
        totals.total, totals.passed, totals.failed, totals.skipped
    )
}

/// How often a class failed, on its own and as the trace of a failure before.
#[derive(Default)]
struct Class<'a> {
    own: u64,
    follows: u64,
    families: BTreeMap<&'static str, u64>,
    example: Option<&'a Failure>,
}

/// The most frequent classes.
pub fn classes_table(reports: &[FamilyReport], top: usize) -> String {
    let mut classes: BTreeMap<&str, Class> = BTreeMap::new();
    for report in reports {
        for failure in &report.failures {
            let name = failure.failed.class.as_str();
            let root = name.strip_prefix(FOLLOWS);
            let class = classes.entry(root.unwrap_or(name)).or_default();
            match root {
                Some(_) => class.follows += 1,
                None => {
                    class.own += 1;
                    class.example.get_or_insert(failure);
                }
            }
            *class.families.entry(report.family.name).or_default() += 1;
        }
    }
    let mut sorted: Vec<(&str, Class)> = classes.into_iter().collect();
    sorted.sort_by_key(|(name, class)| (u64::MAX - class.own - class.follows, *name));
    let mut text = format!("{:>8}{:>8}{:>9}  class\n", "records", "own", "follows");
    for (name, class) in sorted.into_iter().take(top) {
        let all = class.own + class.follows;
        text.push_str(&format!(
            "{all:>8}{:>8}{:>9}  {name}\n",
            class.own, class.follows
        ));
        let families: Vec<String> = class
            .families
            .iter()
            .map(|(family, count)| format!("{family} {count}"))
            .collect();
        let example = class.example.map_or(String::new(), |failure| {
            format!("; {}:{}", failure.place.file, failure.place.line)
        });
        text.push_str(&format!("{:>27}{}{example}\n", "", families.join(", ")));
    }
    text
}

/// Why records were skipped.
pub fn skips_table(reports: &[FamilyReport]) -> String {
    let mut text = String::new();
    for report in reports {
        for (reason, count) in &report.skips {
            text.push_str(&format!("{count:>8}  {}: {reason}\n", report.family.name));
        }
    }
    text
}

pub fn to_json(reports: &[FamilyReport]) -> String {
    let families = reports.iter().map(|report| {
        let totals = report.totals();
        let failures = report.failures.iter().map(|failure| {
            json!({
                "file": &*failure.place.file,
                "line": failure.place.line,
                "class": failure.failed.class,
                "sql": failure.sql,
                "expected": failure.failed.expected,
                "got": failure.failed.got,
            })
        });
        json!({
            "family": report.family.name,
            "total": totals.total,
            "passed": totals.passed,
            "failed": totals.failed,
            "skipped": totals.skipped,
            "failures": failures.collect::<Vec<_>>(),
        })
    });
    let families: Vec<serde_json::Value> = families.collect();
    json!({ "families": families }).to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{FamilyReport, Totals, classes_table, to_json};
    use crate::family::FAMILIES;
    use crate::record::{Place, Verdict};

    #[test]
    fn a_record_counts_once_and_by_its_worst() {
        let mut report = FamilyReport::new(FAMILIES[0]);
        let place = |line| Place {
            file: Arc::from("f"),
            line,
        };
        let failed = || Verdict::failed("class", "1".to_owned(), "2".to_owned());
        report.add(place(1), "a".to_owned(), Verdict::Passed);
        report.add(place(1), "a".to_owned(), failed());
        report.add(place(1), "a".to_owned(), failed());
        report.add(place(2), "b".to_owned(), Verdict::Passed);
        assert!(!report.skips_too_much());
        report.add(place(3), "c".to_owned(), Verdict::Skipped("why".to_owned()));
        let totals = Totals {
            total: 3,
            passed: 1,
            failed: 1,
            skipped: 1,
        };
        assert_eq!(report.totals(), totals);
        assert_eq!(report.failures.len(), 1);
        assert!(report.skips_too_much(), "a third is skipped");
        let reports = [report];
        assert!(classes_table(&reports, 5).contains("1       1        0  class"));
        assert!(to_json(&reports).contains("\"line\":1"));
    }
}
