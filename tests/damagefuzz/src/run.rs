//! Goes through the cases.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use pollster::block_on;
use varve_kv::fault::SplitMix64;
use varve_types::{Error, SqlState};
use varvedb::Database;

use crate::case::{Case, cases};
use crate::store::{self, Tables};

/// What to try.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Of the choice of places.
    pub seed: u64,
    /// Most places of one file.
    pub places: u64,
    /// Whether what was promised is taken away before the store is opened: a bug that must be
    /// found.
    pub forgets_promises: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// Cases tried.
    pub cases: u64,
    /// Of these, how many open or a read noticed.
    pub noticed: u64,
    /// Rows that repairs did not keep, by case.
    pub losses: Vec<(Case, u64)>,
    /// What must not happen, with its case.
    pub failures: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (case, rows) in &self.losses {
            writeln!(f, "{case}: {rows} rows are lost")?;
        }
        for failure in &self.failures {
            writeln!(f, "{failure}")?;
        }
        writeln!(
            f,
            "{} cases, {} noticed, {} rows not kept by repairs, {} failures",
            self.cases,
            self.noticed,
            self.losses.iter().map(|(_, rows)| rows).sum::<u64>(),
            self.failures.len()
        )
    }
}

/// Tries all cases; an error is one of the machine.
pub fn run(settings: &Settings) -> Result<Report, String> {
    let text = |error: std::io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(text)?;
    let (made, sound) = (folder.path().join("made"), folder.path().join("sound"));
    let expected = store::make(&made).map_err(|error| error.to_string())?;
    store::copy(&made, &sound).map_err(text)?;
    let mut random = SplitMix64::new(settings.seed);
    let cases = cases(&sound, settings.places, &mut |below| {
        random.up_to(below.saturating_sub(1))
    });
    let mut report = Report::default();
    for case in cases.map_err(text)? {
        let damaged = folder.path().join("damaged");
        if damaged.exists() {
            std::fs::remove_dir_all(&damaged).map_err(text)?;
        }
        store::copy(&sound, &damaged).map_err(text)?;
        case.apply(&damaged).map_err(text)?;
        if settings.forgets_promises {
            // As if the store had not been made yet.
            let _ = std::fs::remove_file(damaged.join("PROMISE"));
            let _ = std::fs::rename(damaged.join("VARVE"), damaged.join("VARVE.new"));
        }
        report.cases += 1;
        let tried = catch_unwind(AssertUnwindSafe(|| {
            try_case(&damaged, &expected, &mut report)
        }));
        let failed = tried.unwrap_or_else(|_| Err("a panic".to_owned()));
        match failed {
            Ok(0) => {}
            Ok(rows) if rows > case.rows_lost_max() => {
                let message = format!("{case}: a repair loses {rows} rows");
                report.failures.push(message);
            }
            Ok(rows) => report.losses.push((case, rows)),
            Err(message) => report.failures.push(format!("{case}: {message}")),
        }
    }
    Ok(report)
}

/// How many rows a repair does not keep.
fn try_case(folder: &Path, expected: &Tables, report: &mut Report) -> Result<u64, String> {
    let is_noticed = match store::open(folder) {
        Ok(database) => {
            let found = store::tables(&database);
            end(&database);
            compare(&found, expected)? > 0
        }
        Err(error) if is_damage(&error) => true,
        Err(error) => return Err(format!("open: {error:?}")),
    };
    if !is_noticed {
        return Ok(0);
    }
    report.noticed += 1;
    let salvaged = store::salvaged(folder).map_err(|error| format!("salvage: {error:?}"))?;
    let kept_by_dump = kept(&store::tables(&salvaged), expected)?;
    end(&salvaged);
    let database = store::repaired(folder).map_err(|error| format!("repair: {error:?}"))?;
    let kept_by_repair = kept(&store::tables(&database), expected)?;
    end(&database);
    if kept_by_dump != kept_by_repair {
        return Err(format!(
            "a dump has {kept_by_dump} rows, a repair {kept_by_repair}"
        ));
    }
    let reopened = store::open(folder).map_err(|error| format!("after the repair: {error:?}"))?;
    let kept_by_reopen = kept(&store::tables(&reopened), expected)?;
    end(&reopened);
    if kept_by_reopen != kept_by_repair {
        return Err("what was repaired does not stay".to_owned());
    }
    let all: u64 = expected
        .values()
        .flatten()
        .map(|rows| rows.len() as u64)
        .sum();
    Ok(all.saturating_sub(kept_by_repair))
}

fn end(database: &Database) {
    // A store that is damaged may not be able to end in order.
    let _ = block_on(database.close());
}

fn is_damage(error: &Error) -> bool {
    error.state() == SqlState::DATA_CORRUPTED
}

/// How many tables answer that they are damaged. All others have all their rows.
fn compare(found: &Tables, expected: &Tables) -> Result<u64, String> {
    let mut damaged = 0;
    for (table, rows) in found {
        match rows {
            Err(error) if is_damage(error) => damaged += 1,
            Err(error) => return Err(format!("{table}: {error:?}")),
            Ok(rows) if Some(&Ok(rows.clone())) == expected.get(table) => {}
            Ok(rows) => {
                let count = rows.len();
                return Err(format!("silent loss: {table} answers {count} other rows"));
            }
        }
    }
    Ok(damaged)
}

/// How many rows a repaired store has; they are among those that were there.
fn kept(found: &Tables, expected: &Tables) -> Result<u64, String> {
    let mut kept = 0;
    for (table, rows) in found {
        let Some(Ok(all)) = expected.get(table) else {
            continue;
        };
        if let Ok(rows) = rows {
            kept += rows.iter().filter(|row| all.contains(row)).count() as u64;
        }
    }
    Ok(kept)
}
