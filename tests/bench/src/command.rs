//! The arguments of the program.

use crate::generate::Size;
use crate::report;
use crate::report::run::{Options, run};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str =
    "usage: bench codecs [--data DIR] [--json FILE] [--size S|M|L] [--docs DIR] [NAME...]

  --data DIR   a folder laid out like corpora/compression
               (../shared/corpora/compression)
  --json FILE  writes everything measured, with hashes of data and encoded bytes
  --size       100,000 rows a set, a million (the default) or ten million
  --docs DIR   where the page and its charts go (docs/benchmarks for a whole run)
  --hashes     no speeds
  NAME...      only sets and files whose names begin so";

/// Runs what the arguments ask for.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((command, rest)) if command == "codecs" => codecs(rest),
        Some((command, rest)) if command == "ours" => ours(rest),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn codecs(arguments: &[String]) -> Result<(), String> {
    let mut options = Options {
        size: Size::M,
        data: PathBuf::from("../shared/corpora/compression"),
        json: None,
        docs: None,
        only: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(USAGE);
        match argument.as_str() {
            "--data" => options.data = PathBuf::from(value()?),
            "--json" => options.json = Some(PathBuf::from(value()?)),
            "--docs" => options.docs = Some(PathBuf::from(value()?)),
            "--size" => options.size = Size::parse(value()?).ok_or(USAGE)?,
            name if !name.starts_with('-') => options.only.push(name.to_owned()),
            _ => return Err(USAGE.to_owned()),
        }
    }
    if options.docs.is_none() && options.only.is_empty() && options.size == Size::M {
        options.docs = Some(PathBuf::from("docs/benchmarks"));
    }
    run(&options).map_err(|error| error.to_string())
}

fn ours(arguments: &[String]) -> Result<(), String> {
    let mut size = Size::M;
    let mut speeds = true;
    let mut only = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--size" => {
                size = rest
                    .next()
                    .and_then(|size| Size::parse(size))
                    .ok_or(USAGE)?
            }
            "--hashes" => speeds = false,
            name if !name.starts_with('-') => only.push(name.to_owned()),
            _ => return Err(USAGE.to_owned()),
        }
    }
    println!("{}", report::ours::report(size, &only, speeds));
    Ok(())
}
