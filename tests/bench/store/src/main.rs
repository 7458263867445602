//! `varve-bench-store`: the store and its SQL against SQLite, in memory and on disk, in one run.
//!
//! Invariant: every engine does the same work with the same promises; losses are printed too.

#![allow(
    missing_docs,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark that cannot go on must stop and say where"
)]

mod cases;
mod clock;
mod encrypted;
mod engine;
mod report;
mod rows;
mod sqlite;
mod varve;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use varve_bench::generate::Size;

use crate::cases::Work;
use crate::engine::{Engine, Place};
use crate::report::Section;
use crate::rows::Orders;
use crate::sqlite::Sqlite;
use crate::varve::Varve;

const USAGE: &str = "usage: bench store [--size XS|S|M] [--place memory|disk] [--folder DIR] \
[--json FILE] [--docs DIR]
       bench store --encrypted [--size XS|S|M] [--runs 5] [--folder DIR] [--docs DIR]

  --size       10,000 orders, 100,000 or a million (the default)
  --place      only there; else both
  --folder     where the databases on disk are made (the folder for temporary files)
  --json FILE  writes everything measured
  --docs DIR   where the page goes (docs/benchmarks for a whole run)
  --encrypted  loads an encrypted store on disk beside one in clear; medians of --runs";

/// Runs of an encrypted store and of one in clear.
const RUNS: usize = 5;

struct Arguments {
    work: Work,
    places: Vec<Place>,
    encrypted: bool,
    runs: Option<usize>,
    folder: PathBuf,
    json: Option<PathBuf>,
    docs: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = parse(&arguments).and_then(|arguments| {
        let done = match arguments.encrypted {
            true => run_encrypted(&arguments),
            false => run(&arguments),
        };
        done.map_err(|error| error.to_string())
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: &[String]) -> Result<Arguments, String> {
    let mut size = Size::M;
    let mut parsed = Arguments {
        work: work(size),
        places: vec![Place::Memory, Place::Disk],
        encrypted: false,
        runs: None,
        folder: std::env::temp_dir(),
        json: None,
        docs: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(USAGE);
        match argument.as_str() {
            "--size" => size = Size::parse(value()?).ok_or(USAGE)?,
            "--place" => {
                parsed.places = match value()?.as_str() {
                    "memory" => vec![Place::Memory],
                    "disk" => vec![Place::Disk],
                    _ => return Err(USAGE.to_owned()),
                }
            }
            "--encrypted" => parsed.encrypted = true,
            "--runs" => match value()?.parse() {
                Ok(runs @ 1..) => parsed.runs = Some(runs),
                _ => return Err(USAGE.to_owned()),
            },
            "--folder" => parsed.folder = PathBuf::from(value()?),
            "--json" => parsed.json = Some(PathBuf::from(value()?)),
            "--docs" => parsed.docs = Some(PathBuf::from(value()?)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    let both_places = parsed.places.len() == 2;
    let fits = match parsed.encrypted {
        true => both_places && parsed.json.is_none(),
        false => parsed.runs.is_none(),
    };
    if !fits {
        return Err(USAGE.to_owned());
    }
    parsed.work = work(size);
    if parsed.docs.is_none() && size == Size::M && both_places {
        parsed.docs = Some(PathBuf::from("docs/benchmarks"));
    }
    Ok(parsed)
}

fn work(size: Size) -> Work {
    let rows = match size {
        Size::XS => 10_000,
        Size::S => 100_000,
        _ => 1_000_000,
    };
    Work {
        size,
        updates: rows,
        small_commits: 10_000,
    }
}

fn run(arguments: &Arguments) -> std::io::Result<()> {
    let orders = Orders::new(arguments.work.size);
    let mut sections = Vec::new();
    for place in &arguments.places {
        let folder = tempfile::tempdir_in(&arguments.folder)?;
        let path: Option<&Path> = (*place == Place::Disk).then_some(folder.path());
        let title = match place {
            Place::Memory => "In memory",
            Place::Disk => "On disk",
        };
        let measure = |name: &str, engine: &mut dyn Engine| {
            println!("{name}, {title}");
            cases::run(engine, *place, &orders, &arguments.work)
        };
        let peer = measure("SQLite", &mut Sqlite::new(path));
        let ours = measure("VarveDB", &mut Varve::new(path));
        sections.push(Section {
            title: title.to_owned(),
            in_memory: path.is_none(),
            ours,
            peer,
        });
    }
    let size = arguments.work.size.letter();
    let command = format!("cargo run --release -p xtask -- bench store --size {size}");
    let page = report::page(&sections, &command);
    println!("\n{page}");
    if let Some(path) = &arguments.json {
        std::fs::write(path, format!("{:#}\n", report::as_json(&sections)))?;
    }
    write_page(arguments, "store.md", &page)
}

fn run_encrypted(arguments: &Arguments) -> std::io::Result<()> {
    let orders = Orders::new(arguments.work.size);
    let Arguments { work, folder, .. } = arguments;
    let runs = arguments.runs.unwrap_or(RUNS);
    let pair = encrypted::measure(folder, &orders, runs)?;
    let size = work.size.letter();
    let command = format!(
        "cargo run --release -p xtask -- bench store --encrypted --size {size} --runs {runs}"
    );
    let page = report::encryption_page(&pair, runs, &command);
    println!("\n{page}");
    write_page(arguments, "encryption.md", &page)
}

fn write_page(arguments: &Arguments, name: &str, page: &str) -> std::io::Result<()> {
    let Some(folder) = &arguments.docs else {
        return Ok(());
    };
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(name), page)
}
