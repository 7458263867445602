//! Checking and repairing a database.

use std::path::Path;

use pollster::block_on;
use varve_kv_rocksdb::Damage;
use varvedb::{Database, RepairReport};

use crate::message;
use crate::open::{self, Salvaged};
use crate::opening::Opening;

/// Prints what is damaged; fails if anything is.
pub fn check(path: &Path, with: &Opening) -> Result<(), String> {
    if let Some(salvaged) = open::salvaged(path, with)? {
        print_losses(&salvaged);
        close(&salvaged.database)?;
        return Err("the files are damaged".to_owned());
    }
    let database = open::for_reading(path, with)?;
    let report = block_on(database.check()).map_err(|error| message::of(&error));
    close(&database)?;
    let report = report?;
    message::print(&format!(
        "{} values, {} bytes, {} rows read",
        report.values, report.bytes, report.rows
    ))?;
    for problem in &report.problems {
        let table = problem.table.as_deref();
        let table = table.map_or(String::new(), |table| format!(" (table {table})"));
        message::print(&format!("{}{table}", problem.error))?;
    }
    match report.problems.len() {
        0 => Ok(()),
        1 => Err("1 problem was found".to_owned()),
        count => Err(format!("{count} problems were found")),
    }
}

/// Prints what was done, and what is lost.
pub fn repair(path: &Path, drop_quarantined: bool, with: &Opening) -> Result<(), String> {
    let (database, rebuilt, report) = open::repaired(path, with)?;
    let mut lines = Vec::new();
    match rebuilt {
        Some(rebuilt) => {
            lines.extend(damage_lines(&rebuilt.damage));
            let aside = rebuilt.aside.display();
            let made = format!("the files were made anew; the old ones are in {aside}");
            lines.push(made);
            lines.extend(report_lines(&report));
        }
        None if report == RepairReport::default() => {
            lines.push("nothing had to be repaired".to_owned());
        }
        None => lines.extend(report_lines(&report)),
    }
    let printed = message::print(&lines.join("\n"));
    let dropped = if drop_quarantined {
        block_on(database.drop_quarantined()).map_err(|error| message::of(&error))
    } else {
        Ok(())
    };
    close(&database)?;
    dropped.and(printed)
}

/// Tells, on standard error, what is wrong with files and what of them cannot be read.
pub fn print_losses(salvaged: &Salvaged) {
    let lines = damage_lines(&salvaged.damage).chain(report_lines(&salvaged.report));
    lines.for_each(|line| message::tell(&line));
}

fn damage_lines(damage: &Damage) -> impl Iterator<Item = String> {
    damage.files.iter().chain(&damage.refusal).cloned()
}

fn report_lines(report: &RepairReport) -> Vec<String> {
    let mut lines = Vec::new();
    let mut say = |line: String| lines.push(line);
    for record in &report.restored {
        say(format!("{record} was put back"));
    }
    if let Some(commit) = report.first_commit_lost {
        say(match report.commits_kept_after {
            0 => format!("commit {commit} and all after it are lost"),
            kept => format!("commit {commit} is lost; of those after it {kept} were applied again"),
        });
    }
    for table in &report.tables {
        let name = table.table.as_deref().unwrap_or("a table that was dropped");
        say(format!(
            "{name}: {} rows kept, {} rows lost",
            table.rows_kept, table.rows_lost
        ));
        if table.deleted_rows_back_max > 0 {
            say(format!(
                "{name}: up to {} deleted rows may be back",
                table.deleted_rows_back_max
            ));
        }
        for error in &table.errors {
            say(format!("  {error}"));
        }
    }
    lines
}

fn close(database: &Database) -> Result<(), String> {
    block_on(database.close()).map_err(|error| message::of(&error))
}
