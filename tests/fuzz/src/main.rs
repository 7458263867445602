//! `varve-fuzz [--inputs N] [--seed N]` damages N inputs of every codec; `varve-fuzz seeds DIR`
//! writes the seeds as files for libFuzzer; `varve-fuzz block FILE` runs one input.

use cap::Cap;
use std::alloc::System;
use std::path::Path;
use std::process::ExitCode;
use varve_fuzz::{runner, seeds, targets};

/// No decoder may need more than this, seeds and threads included.
const MEMORY_BYTES_MAX: usize = 256 << 20;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MEMORY_BYTES_MAX);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["seeds", folder] => exit(write_seeds(Path::new(folder))),
        ["block", file] => exit(std::fs::read(file).map(|bytes| targets::block(&bytes))),
        options => match parse(options) {
            Some((inputs, seed)) => {
                for (codec, count) in runner::run(inputs, seed) {
                    println!("{codec}: {count} inputs");
                }
                ExitCode::SUCCESS
            }
            None => {
                eprintln!("usage: varve-fuzz [--inputs N] [--seed N] | seeds DIR | block FILE");
                ExitCode::from(2)
            }
        },
    }
}

fn parse(options: &[&str]) -> Option<(u64, u64)> {
    let (mut inputs, mut seed) = (100_000, 1);
    for pair in options.chunks(2) {
        match pair {
            ["--inputs", number] => inputs = number.parse().ok()?,
            ["--seed", number] => seed = number.parse().ok()?,
            _ => return None,
        }
    }
    Some((inputs, seed))
}

fn write_seeds(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (number, seed) in seeds::seeds().iter().enumerate() {
        let name = format!("{}-{number}", seed.codec.replace([' ', ':', '/'], "-"));
        std::fs::write(folder.join(name), seed.input.to_bytes())?;
    }
    Ok(())
}

fn exit(result: std::io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
