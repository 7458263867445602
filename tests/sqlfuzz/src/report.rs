//! What a run prints.

use core::fmt::{Display, Formatter, Result};

use crate::compare::Difference;
use crate::run::{Found, Report};

/// Refusals that are printed.
const REFUSALS_MAX: usize = 25;

impl Difference {
    /// Why it is no fault of the engine.
    pub fn reason(self) -> &'static str {
        match self {
            Difference::Digits => "floats: the order of a sum, the last digit of a function",
            Difference::Looks => "which of equal values is shown: 1.0 or 1.00",
            Difference::Failing => "what fails for a row may not be computed for it",
            Difference::LongNumeric => "numerics of more than 38 digits",
            Difference::Limit => "a limit of time, memory or size",
            Difference::Theirs => "what PostgreSQL cannot do, or an older version does otherwise",
        }
    }
}

impl Display for Found {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "-- FAILED {}: {}", self.name, self.message)?;
        for statement in self.script.iter().chain(&self.statements) {
            writeln!(f, "{statement};")?;
        }
        Ok(())
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(
            f,
            "{:<12} {:>9} {:>9} {:>9} {:>9} {:>7}",
            "oracle", "equal", "differs", "skipped", "refused", "failed"
        )?;
        for (oracle, counts) in &self.counts {
            writeln!(
                f,
                "{:<12} {:>9} {:>9} {:>9} {:>9} {:>7}",
                oracle.name(),
                counts.passed,
                counts.differs.values().sum::<u64>(),
                counts.skipped.values().sum::<u64>(),
                counts.refused,
                counts.failed
            )?;
        }
        writeln!(f, "{} statements in {:.0} s", self.statements, self.seconds)?;
        let all = self.counts.values();
        let all: Vec<(&Difference, &u64)> = all
            .flat_map(|counts| counts.differs.iter().chain(&counts.skipped))
            .collect();
        for difference in [
            Difference::Digits,
            Difference::Looks,
            Difference::Failing,
            Difference::LongNumeric,
            Difference::Limit,
            Difference::Theirs,
        ] {
            let of = all.iter().filter(|(of, _)| **of == difference);
            let count: u64 = of.map(|(_, count)| **count).sum();
            if count > 0 {
                writeln!(f, "{count:>9}  {}", difference.reason())?;
            }
        }
        writeln!(f, "\nshapes:")?;
        for (shape, count) in &self.shapes {
            writeln!(f, "{count:>9}  {shape}")?;
        }
        let mut refusals: Vec<_> = self.refusals.iter().collect();
        refusals.sort_by_key(|(message, (count, _))| (core::cmp::Reverse(*count), *message));
        if !refusals.is_empty() {
            writeln!(f, "\nnot supported:")?;
        }
        for (message, (count, name)) in refusals.into_iter().take(REFUSALS_MAX) {
            writeln!(f, "{count:>9}  {message} ({name})")?;
        }
        writeln!(f, "\n{} failures", self.found.len())?;
        for found in &self.found {
            let message = &found.message;
            writeln!(f, "  --case {}  {message}", found.name)?;
        }
        Ok(())
    }
}
