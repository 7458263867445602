//! Runs every `tests/sql/**/*.slt` on each engine: one test a file and engine.
//!
//! `VARVE_SLT_ENGINES` names the engines, separated by commas: `memory` and `rocksdb` (the
//! default), and `idb`, which runs the package `varvedb` on IndexedDB in a real Chromium and needs
//! it built.

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
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use sqllogictest::Runner;

use browser_engine::{Browser, BrowserEngine};
use native_engine::NativeEngine;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sql");

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let engines = std::env::var("VARVE_SLT_ENGINES").unwrap_or("memory,rocksdb".to_owned());
    let files = slt_files(Path::new(FOLDER));
    assert!(!files.is_empty(), "there are no .slt files");
    let mut trials = Vec::new();
    for engine in engines.split(',') {
        if engine == "idb" {
            // One browser serves all files, one after another.
            arguments.test_threads = Some(1);
            let browser = Arc::new(Mutex::new(Browser::start()));
            for file in &files {
                let (browser, file) = (Arc::clone(&browser), file.clone());
                trials.push(trial("idb", &file.clone(), move || {
                    run(&file, || BrowserEngine::open(&browser))
                }));
            }
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
