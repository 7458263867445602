//! Checking and repairing a database.

use std::path::Path;

use pollster::block_on;
use varvedb::{Database, RepairReport};

use crate::{message, open};

/// Prints what is damaged; fails if anything is.
pub fn check(path: &Path) -> Result<(), String> {
    let database = open::existing(path)?;
    let report = block_on(database.check()).map_err(|error| message::of(&error));
    close(&database)?;
    let report = report?;
    println!(
        "{} values, {} bytes, {} rows read",
        report.values, report.bytes, report.rows
    );
    for problem in &report.problems {
        let table = problem.table.as_deref();
        let table = table.map_or(String::new(), |table| format!(" (table {table})"));
        println!("{}{table}", problem.error);
    }
    match report.problems.len() {
        0 => Ok(()),
        1 => Err("1 problem was found".to_owned()),
        count => Err(format!("{count} problems were found")),
    }
}

/// Prints what was done, and what is lost.
pub fn repair(path: &Path, drop_quarantined: bool) -> Result<(), String> {
    let (database, report) = open::repaired(path)?;
    print(&report);
    let dropped = if drop_quarantined {
        block_on(database.drop_quarantined()).map_err(|error| message::of(&error))
    } else {
        Ok(())
    };
    close(&database)?;
    dropped
}

fn print(report: &RepairReport) {
    if *report == RepairReport::default() {
        println!("nothing had to be repaired");
    }
    for record in &report.restored {
        println!("{record} was put back");
    }
    if let Some(commit) = report.first_commit_lost {
        println!("commit {commit} and all after it are lost");
    }
    for table in &report.tables {
        let name = table.table.as_deref().unwrap_or("a table that was dropped");
        println!(
            "{name}: {} rows kept, {} rows lost",
            table.rows_kept, table.rows_lost
        );
        if table.deleted_rows_back_max > 0 {
            println!(
                "{name}: up to {} deleted rows may be back",
                table.deleted_rows_back_max
            );
        }
        for error in &table.errors {
            println!("  {error}");
        }
    }
}

fn close(database: &Database) -> Result<(), String> {
    block_on(database.close()).map_err(|error| message::of(&error))
}
