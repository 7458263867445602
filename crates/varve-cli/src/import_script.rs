//! Imports a script of another database in one transaction.

use std::path::PathBuf;

use indicatif::ProgressBar;
use varve_dialect::{Dialect, Script, Statement, translate};
use varve_psql::Verbosity;
use varvedb::Session;

use crate::opening::Opening;
use crate::{message, open};

/// What is to be imported.
pub struct Job {
    pub file: PathBuf,
    pub dialect: Dialect,
    /// Whether what fails is left out.
    pub keep_going: bool,
    pub path: PathBuf,
}

/// Translates the script and runs it, all of it or nothing.
pub fn run(job: &Job, with: &Opening) -> Result<(), String> {
    let text = std::fs::read(&job.file)
        .map_err(|error| format!("cannot read {}: {error}", job.file.display()))?;
    let script = translate(&text, job.dialect);
    drop(text);
    tell(&script, job);
    if !script.faults.is_empty() && !job.keep_going {
        let faults = script.faults.len();
        return Err(format!(
            "nothing is imported, because of {faults} statements that cannot be translated \
             (--keep-going leaves them out)"
        ));
    }
    let database = open::database(&job.path, with)?;
    let mut session = database.session();
    let imported = import(&script, &mut session, job);
    drop(session);
    let closed = pollster::block_on(database.close()).map_err(|error| message::of(&error));
    let imported = format!("{} statements imported", imported?);
    closed.and(message::print(&imported))
}

fn tell(script: &Script, job: &Job) {
    let name = job.file.display();
    for remark in &script.remarks {
        message::tell(&format!("{name}: NOTICE: {remark}"));
    }
    if job.dialect == Dialect::Sqlite {
        let is_pragma = |text: &str| text.to_ascii_lowercase().starts_with("pragma");
        for passed in &script.passed_over {
            if is_pragma(&passed.message) {
                message::tell(&format!("{name}: NOTICE: {passed}: passed over"));
            }
        }
    }
    if !script.passed_over.is_empty() {
        let passed = script.passed_over.len();
        message::tell(&format!(
            "{name}: NOTICE: {passed} statements that change nothing here are passed over"
        ));
    }
    for fault in &script.faults {
        message::tell(&format!("{name}: ERROR: {fault}"));
    }
}

/// Runs the statements; gives how many.
fn import(script: &Script, session: &mut Session, job: &Job) -> Result<usize, String> {
    execute(session, "BEGIN")?;
    let progress = ProgressBar::new(script.statements.len() as u64);
    let mut imported = 0;
    for statement in &script.statements {
        match run_one(session, statement, job) {
            Ok(()) => imported += 1,
            Err(error) if job.keep_going => message::tell(&error),
            Err(error) => {
                execute(session, "ROLLBACK")?;
                return Err(error);
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    execute(session, "COMMIT")?;
    Ok(imported)
}

/// Where the import goes on after errors, each statement has a savepoint to go back to.
fn run_one(session: &mut Session, statement: &Statement, job: &Job) -> Result<(), String> {
    if job.keep_going {
        execute(session, "SAVEPOINT statement")?;
    }
    let outcome = execute(session, &statement.sql);
    if job.keep_going {
        let end = match outcome {
            Ok(()) => "RELEASE statement",
            Err(_) => "ROLLBACK TO statement",
        };
        execute(session, end)?;
    }
    outcome.map_err(|error| format!("{}: line {}: {error}", job.file.display(), statement.line))
}

fn execute(session: &mut Session, sql: &str) -> Result<(), String> {
    let outcome = pollster::block_on(session.query(sql, &[]));
    outcome
        .map(drop)
        .map_err(|error| message::of_statement(&error, sql, Verbosity::Verbose))
}
