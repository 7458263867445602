//! All cases of a run, and what they found.

use std::fmt;

use varve_kv::fault::SplitMix64;

use crate::check::{Outcome, check, looks_max};
use crate::mutate::{changed, cut, pick, tokens};

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    pub seed: u64,
    /// Most places of a statement at which it is cut.
    pub cuts: usize,
    /// Changed texts of each statement.
    pub changes: usize,
    /// A run ends at so many failures.
    pub failures_max: usize,
}

/// What a run found.
#[derive(Debug, Default)]
pub struct Report {
    pub statements: usize,
    pub texts: u64,
    /// The greatest share of its limit that a text took, in percent, and the text.
    pub closest: (u64, String),
    pub failures: Vec<(String, String)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (percent, text) = &self.closest;
        writeln!(f, "{} statements, {} texts", self.statements, self.texts)?;
        writeln!(f, "at most {percent} % of the limit, by: {text:?}")?;
        for (text, message) in &self.failures {
            writeln!(f, "FAILED: {message}\n{text}\n")?;
        }
        writeln!(f, "{} failed", self.failures.len())
    }
}

/// Cuts and changes every statement.
pub fn run(statements: &[String], amount: Amount) -> Report {
    let mut report = Report {
        statements: statements.len(),
        ..Report::default()
    };
    let all: Vec<Vec<&str>> = statements.iter().map(|text| tokens(text)).collect();
    let mut chance = SplitMix64::new(amount.seed);
    for own in &all {
        let step = own.len().div_ceil(amount.cuts.max(1)).max(1);
        let first = pick(&mut chance, step);
        for count in (first..=own.len()).step_by(step) {
            for text in cut(own, count) {
                report.add(text);
            }
        }
        for _ in 0..amount.changes {
            let other = pick(&mut chance, all.len());
            report.add(changed(own, &all[other], &mut chance));
        }
        if report.failures.len() >= amount.failures_max {
            break;
        }
    }
    report
}

impl Report {
    fn add(&mut self, text: String) {
        self.texts += 1;
        match check(&text) {
            Outcome::Ended(looks) => {
                let percent = looks * 100 / looks_max(&text);
                if percent > self.closest.0 {
                    self.closest = (percent, text);
                }
            }
            Outcome::Failed(message) => self.failures.push((text, message)),
        }
    }
}
