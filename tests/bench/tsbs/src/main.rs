//! `varve-bench-tsbs`: loads and queries of TSBS in hypertables, plain, compressed, half compressed
//! and after updates, against SQLite, and PostgreSQL where one answers, in one run.
//!
//! Invariant: every engine is asked the same; answers of ours are compared with those of loops over
//! the rows; losses are printed too.

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

mod measure;
mod peer;
mod postgres;
mod report;
mod space;
mod sqlite;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use varve_kv_rocksdb::{RocksKv, RocksOptions};
use varve_tsbs::devops::Cpu;
use varve_tsbs::engine::Engine;
use varve_tsbs::iot::Iot;
use varve_tsbs::window::{DAY, SECOND};

use crate::measure::Work;

const USAGE: &str = "usage: bench tsbs [--scale 100] [--days 1] [--iot] [--queries 20] \
[--chunk-hours 4] [--flush-each N] [--folder DIR] [--docs DIR]

  --scale        hosts, and trucks; each reports every ten seconds
  --days         for how long
  --iot          trucks too
  --queries      windows for each type of query
  --chunk-hours  how long a chunk is
  --flush-each   after so many transactions of 10,000 rows, else where memory is full
  --folder       where the databases are made (the folder for temporary files)
  --docs DIR     where the page goes (docs/benchmarks for a whole run)";

const TICK: i64 = 10 * SECOND;

struct Arguments {
    scale: usize,
    days: usize,
    with_iot: bool,
    work: Work,
    folder: PathBuf,
    docs: Option<PathBuf>,
}

impl Arguments {
    fn ticks(&self) -> usize {
        self.days * (DAY / TICK) as usize
    }

    /// What writes the same page.
    fn command(&self) -> String {
        let iot = if self.with_iot { " --iot" } else { "" };
        let each = self.work.flushed_each;
        let flush = each.map_or(String::new(), |each| format!(" --flush-each {each}"));
        format!(
            "cargo xtask bench tsbs --scale {} --days {}{iot} --queries {} --chunk-hours {}{flush}",
            self.scale, self.days, self.work.windows, self.work.chunk_hours
        )
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = parse(&arguments)
        .ok_or_else(|| USAGE.to_owned())
        .and_then(|arguments| run(&arguments).map_err(|error| error.to_string()));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: &[String]) -> Option<Arguments> {
    let mut parsed = Arguments {
        scale: 100,
        days: 1,
        with_iot: false,
        work: Work {
            windows: 20,
            chunk_hours: 4,
            flushed_each: None,
        },
        folder: std::env::temp_dir(),
        docs: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--iot" => parsed.with_iot = true,
            "--scale" => parsed.scale = rest.next()?.parse().ok().filter(|scale| *scale >= 10)?,
            "--days" => parsed.days = rest.next()?.parse().ok().filter(|days| *days >= 1)?,
            "--queries" => {
                parsed.work.windows = rest.next()?.parse().ok().filter(|count| *count >= 1)?;
            }
            "--chunk-hours" => {
                parsed.work.chunk_hours = rest.next()?.parse().ok().filter(|hours| *hours >= 1)?;
            }
            "--flush-each" => {
                let each = rest.next()?.parse().ok().filter(|each| *each >= 1)?;
                parsed.work.flushed_each = Some(each);
            }
            "--folder" => parsed.folder = PathBuf::from(rest.next()?),
            "--docs" => parsed.docs = Some(PathBuf::from(rest.next()?)),
            _ => return None,
        }
    }
    if parsed.docs.is_none() && parsed.with_iot && parsed.scale >= 100 {
        parsed.docs = Some(PathBuf::from("docs/benchmarks"));
    }
    Some(parsed)
}

fn run(arguments: &Arguments) -> std::io::Result<()> {
    let folder = tempfile::tempdir_in(&arguments.folder)?;
    let (scale, ticks) = (arguments.scale, arguments.ticks());
    let hosts = || Cpu::generate(scale, ticks, TICK);
    let space = space::measure(folder.path(), hosts, arguments.work.chunk_hours);
    let mut sections = vec![measure::run(
        "DevOps",
        folder.path(),
        hosts,
        &arguments.work,
    )];
    if arguments.with_iot {
        let trucks = || Iot::generate(scale, ticks, TICK);
        sections.push(measure::run("IoT", folder.path(), trucks, &arguments.work));
    }
    let command = arguments.command();
    let page = report::page(&sections, &space, &command);
    println!("\n{page}");
    let Some(docs) = &arguments.docs else {
        return Ok(());
    };
    std::fs::create_dir_all(docs)?;
    std::fs::write(docs.join("tsbs.md"), page)?;
    for section in &sections {
        std::fs::write(
            docs.join(report::chart_name(section)),
            report::chart(section),
        )?;
    }
    let json = report::as_json(&sections, &space, &command);
    std::fs::write(docs.join("tsbs.json"), format!("{json:#}\n"))
}

/// A new database of ours on RocksDB.
fn on_disk(folder: &Path) -> Engine {
    let kv = RocksKv::open(folder, &RocksOptions::default()).expect("RocksDB opens");
    Engine::open(Arc::new(kv))
}
