//! Runs every `tests/sql/**/*.slt` on each engine: one test a file and engine.
//!
//! `VARVE_SLT_ENGINES` names the engines, separated by commas: `memory` and `rocksdb` (the
//! default), and `idb`, which runs the package `varvedb` on IndexedDB in a real Chromium and needs
//! it built. `idb-stubs` and `idb-failing` do so too: there the second part of the engine is loaded
//! in the middle of statements, or often fails to load.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test program stops when its own parts are missing; a JSON value answers any index"
)]

mod browser_engine;
mod native_engine;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use sqllogictest::Runner;

use browser_engine::{Browser, BrowserEngine, SecondPart};
use native_engine::NativeEngine;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sql");

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let engines = std::env::var("VARVE_SLT_ENGINES").unwrap_or("memory,rocksdb".to_owned());
    let files = slt_files(Path::new(FOLDER));
    assert!(!files.is_empty(), "there are no .slt files");
    let mut trials = Vec::new();
    for engine in engines.split(',') {
        let second_part = match engine {
            "idb" => Some(SecondPart::Ahead),
            "idb-stubs" => Some(SecondPart::InCalls),
            "idb-failing" => Some(SecondPart::Failing),
            _ => None,
        };
        if let Some(second_part) = second_part {
            // One browser serves all files, one after another.
            arguments.test_threads = Some(1);
            trials.extend(browser_trials(engine, second_part, &files));
        } else {
            for file in &files {
                let (engine, file) = (engine.to_owned(), file.clone());
                trials.push(trial(&engine.clone(), &file.clone(), move || {
                    let folder = tempfile::tempdir().expect("a temporary folder");
                    run(&file, || NativeEngine::open(&engine, folder.path()))
                }));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// How often a file is begun anew whose engine ended because it could not load its second part.
const RUNS_MAX: u32 = 50;

fn browser_trials(engine: &str, second_part: SecondPart, files: &[PathBuf]) -> Vec<Trial> {
    let browser = Arc::new(Mutex::new(Browser::start(second_part)));
    let mut trials: Vec<Trial> = Vec::new();
    for file in files {
        let (browser, file) = (Arc::clone(&browser), file.clone());
        trials.push(trial(engine, &file.clone(), move || {
            for _ in 0..RUNS_MAX {
                let done = run(&file, || BrowserEngine::open(&browser));
                let mut browser = browser.lock().unwrap_or_else(PoisonError::into_inner);
                if !browser.was_lost() {
                    return done;
                }
            }
            Err(Failed::from("the engine ended again and again"))
        }));
    }
    if matches!(second_part, SecondPart::Failing) {
        trials.push(Trial::test(
            format!("{engine}::calls were refused"),
            move || {
                let browser = browser.lock().unwrap_or_else(PoisonError::into_inner);
                let (refused, lost) = browser.failures();
                println!("{refused} calls were refused, {lost} engines were lost");
                match refused {
                    0 => Err(Failed::from("no call was refused")),
                    _ => Ok(()),
                }
            },
        ));
    }
    trials
}

fn trial(
    engine: &str,
    file: &Path,
    run: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let name = file.strip_prefix(FOLDER).expect("a file of the folder");
    let name = name.with_extension("");
    Trial::test(format!("{engine}::{}", name.display()), run)
}

fn run<D, E>(file: &Path, open: impl Fn() -> Result<D, E>) -> Result<(), Failed>
where
    D: sqllogictest::DB<Error = E, ColumnType = sqllogictest::DefaultColumnType> + Send,
    E: std::error::Error + Send + Sync + 'static,
{
    let mut runner = Runner::new(|| std::future::ready(open()));
    runner
        .run_file(file)
        .map_err(|error| Failed::from(error.display(false).to_string()))
}

fn slt_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of .slt files") {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            files.extend(slt_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "slt") {
            files.push(path);
        }
    }
    files.sort();
    files
}
