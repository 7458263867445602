//! Starts the child, kills it, and compares.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pollster::block_on;
use varve_kv::fault::SplitMix64;
use varve_store::{KeyRange, ScanOptions, Transaction};
use varve_types::{RowPosition, TreeId};

use crate::child::number;
use crate::workload::{DATA, JOURNAL, Rows, Work, apply, open, work};
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
}

pub fn kill_often(kills: usize) -> Result<(), String> {
    let mut random = SplitMix64::new(1);
    let mut phases: BTreeMap<String, usize> = BTreeMap::new();
    let mut commits = 0;
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
    }
    println!("{kills} kills, {commits} commits, killed in {phases:?}");
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
    let store = open(folder);
    let transaction = store.begin();
    if transaction.tree_schema(JOURNAL).is_none() {
        return Err("the trees are gone".to_owned());
    }
    let journal = scan(&transaction, JOURNAL);
    let found: BTreeSet<i64> = journal.into_iter().map(|(row, _)| row.0).collect();
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
    let rows_found: Rows = scan(&transaction, DATA)
        .into_iter()
        .map(|((key, token, text), _)| (key, (token, text)))
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
        let mut journal = store.begin();
        let row = crate::workload::batch(&[(token, token, String::new())]);
        block_on(journal.insert(JOURNAL, &row)).map_err(|error| format!("{error:?}"))?;
        let commit = journal.commit(varve_store::Durability::Strict);
        block_on(commit).map_err(|error| error.to_string())?;
        known.done.insert(token);
    }
    known.done.extend(found);
    known.asked = None;
    known.loading = None;
    drop(transaction);
    let report = block_on(store.check()).map_err(|error| error.to_string())?;
    if !report.is_sound() {
        return Err(format!("the store is damaged: {:?}", report.problems));
    }
    block_on(store.close()).map_err(|error| error.to_string())
}

/// Every row of a tree with its position.
pub fn scan(transaction: &Transaction, tree: TreeId) -> Vec<((i64, i64, String), RowPosition)> {
    let options = ScanOptions {
        tree,
        columns: vec![0, 1, 2],
        predicates: Vec::new(),
        with_position: true,
        range: KeyRange::default(),
        ordered: false,
        reverse: false,
        limit_rows: None,
    };
    let mut scan = block_on(transaction.scan(options)).unwrap();
    let mut rows = Vec::new();
    while let Some(batch) = block_on(scan.next()).unwrap() {
        let columns = [0, 1, 2, 3].map(|at| batch.column(at).unwrap());
        for at in 0..batch.rows() {
            let [key, token, text, position] = &columns;
            let text = text.str_at(at).unwrap().to_owned();
            let position = RowPosition(number(&position.value(at)).cast_unsigned());
            rows.push((
                (number(&key.value(at)), number(&token.value(at)), text),
                position,
            ));
        }
    }
    rows
}
