//! Starts the child, kills it, and compares.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pollster::block_on;
use varve_kv::fault::SplitMix64;
use varve_types::Value;
use varvedb::Session;

use crate::workload::{Rows, Work, apply, open, run, work};
use crate::{FIRST, FOLDER};

/// Kills on one store, before the next one begins empty.
const KILLS_PER_STORE: usize = 25;

/// What is known of a store from what its writers said.
#[derive(Default)]
struct Known {
    /// Transactions that must be there.
    done: BTreeSet<i64>,
    /// The last one that was asked for, and may be there.
    asked: Option<i64>,
    /// A load that may have happened without its transaction.
    loading: Option<i64>,
    next: i64,
    /// How many indexes were compared with their rows.
    indexes: usize,
}

pub fn kill_often(kills: usize) -> Result<(), String> {
    let mut random = SplitMix64::new(1);
    let mut phases: BTreeMap<String, usize> = BTreeMap::new();
    let (mut commits, mut indexes) = (0, 0);
    for first in (0..kills).step_by(KILLS_PER_STORE) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut known = Known {
            next: 2,
            ..Known::default()
        };
        for kill in first..kills.min(first + KILLS_PER_STORE) {
            let after = Duration::from_micros(random.up_to(120_000));
            let phase = run_and_kill(folder.path(), &mut known, after);
            *phases.entry(phase).or_default() += 1;
            check(folder.path(), &mut known).map_err(|what| format!("kill {kill}: {what}"))?;
        }
        commits += known.done.len();
        indexes += known.indexes;
    }
    println!("{kills} kills, {commits} commits, {indexes} indexes, killed in {phases:?}");
    Ok(())
}

/// Runs the writer, kills it some time after it has opened the store, and answers in what.
fn run_and_kill(folder: &Path, known: &mut Known, after: Duration) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env(FOLDER, folder)
        .env(FIRST, known.next.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the writer starts");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let opened = lines.next().expect("the writer opens the store").unwrap();
    assert!(opened.starts_with("open "), "{opened}");
    let mut phase = "open".to_owned();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            #[expect(
                clippy::disallowed_methods,
                reason = "a kill comes at a time of its own"
            )]
            std::thread::sleep(after);
            child.kill().expect("SIGKILL is sent");
        });
        for line in lines.map_while(Result::ok) {
            // What was written half is no line.
            let Some((what, token)) = line.split_once(' ') else {
                continue;
            };
            let token: i64 = token.parse().unwrap();
            known.next = token + 1;
            match what {
                "commit" => known.asked = Some(token),
                "load" => known.loading = Some(token),
                "done" => {
                    known.done.insert(token);
                    known.asked = None;
                    known.loading = None;
                }
                _ => {}
            }
            what.clone_into(&mut phase);
        }
    });
    child.wait().unwrap();
    phase
}

fn check(folder: &Path, known: &mut Known) -> Result<(), String> {
    let database = open(folder);
    let mut session = database.session();
    let journal = run(&mut session, "SELECT token FROM journal").into_iter();
    let found: BTreeSet<i64> = journal.map(|row| number(&row[0])).collect();
    let lost: Vec<&i64> = known.done.difference(&found).collect();
    let extra: Vec<&i64> = found.difference(&known.done).collect();
    let may_be: Vec<&i64> = known.asked.iter().collect();
    if !lost.is_empty() || !extra.is_empty() && extra != may_be {
        return Err(format!("lost {lost:?}, not committed {extra:?}"));
    }
    let mut rows = Rows::new();
    for token in &found {
        apply(&mut rows, *token);
    }
    let rows_found: Rows = run(&mut session, "SELECT k, token, t FROM data")
        .into_iter()
        .map(|row| (number(&row[0]), (number(&row[1]), text(&row[2]))))
        .collect();
    let loaded = known.loading.filter(|token| !found.contains(token));
    let mut with_load = rows.clone();
    if let Some(token) = loaded {
        assert!(matches!(work(token).0, Work::Load(_)));
        apply(&mut with_load, token);
    }
    if rows_found != rows && rows_found != with_load {
        return Err(format!(
            "{} rows are there, not {}; the first that differs: {:?}",
            rows_found.len(),
            rows.len(),
            rows_found
                .iter()
                .zip(&rows)
                .find(|(found, row)| found != row)
        ));
    }
    if let (Some(token), true) = (loaded, rows_found == with_load) {
        // It is there for good; its transaction says so to later checks.
        run(
            &mut session,
            &format!("INSERT INTO journal VALUES ({token})"),
        );
        known.done.insert(token);
    }
    known.done.extend(found);
    known.asked = None;
    known.loading = None;
    let by_token = "SELECT token, k FROM data WHERE token >= 0 ORDER BY token DESC, k";
    known.indexes += check_index(&mut session, by_token, "by_token", &rows_found)?;
    let by_text = "SELECT token, k FROM data WHERE t >= '' ORDER BY t";
    known.indexes += check_index(&mut session, by_text, "by_text", &rows_found)?;
    let report = block_on(database.check()).map_err(|error| error.to_string())?;
    if !report.problems.is_empty() {
        return Err(format!("the store is damaged: {:?}", report.problems));
    }
    block_on(database.close()).map_err(|error| error.to_string())
}

/// What an index answers is what the table says, where it has that index; tells whether it has.
fn check_index(
    session: &mut Session,
    query: &str,
    index: &str,
    rows: &Rows,
) -> Result<usize, String> {
    let plan = run(session, &format!("EXPLAIN {query}"));
    if !format!("{plan:?}").contains(index) {
        return Ok(0);
    }
    let found = run(session, query).into_iter();
    let found: Vec<(i64, i64)> = found
        .map(|row| (number(&row[0]), number(&row[1])))
        .collect();
    let mut wanted: Vec<(i64, i64)> = rows.iter().map(|(k, row)| (row.0, *k)).collect();
    if index == "by_token" {
        wanted.sort_by_key(|(token, k)| (-token, *k));
    } else {
        let text = |(_, k): &(i64, i64)| rows[k].1.clone();
        wanted.sort_by_key(text);
    }
    match found == wanted {
        true => Ok(1),
        false => Err(format!(
            "index {index} has {} of {} rows",
            found.len(),
            wanted.len()
        )),
    }
}

/// The value of a TEXT column.
fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => panic!("{other:?} is no text"),
    }
}

/// The value of a BIGINT column.
fn number(value: &Value) -> i64 {
    match value {
        Value::Int8(number) => *number,
        other => panic!("{other:?} is no number"),
    }
}
