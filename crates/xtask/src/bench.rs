//! Starts the benchmarks. They are a package of their own, so that building the checks of the
//! repository does not build their peers.

use std::env::var_os;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const NATIVE: [&str; 4] = ["run", "--quiet", "--release", "--package"];
const WASM_SCRIPT: &str = "scripts/bench/index.mjs";

pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let in_node = arguments.iter().any(|argument| argument == "--wasm");
    let mut command = if in_node {
        let mut command = Command::new("node");
        command.arg(WASM_SCRIPT);
        command.args(arguments.iter().filter(|argument| *argument != "--wasm"));
        command
    } else {
        let mut command = Command::new(var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
        // The store's peers and RocksDB take minutes to build, which the codecs do without.
        let (package, rest) = match arguments.split_first() {
            Some((first, rest)) if first == "store" => ("varve-bench-store", rest),
            Some((first, rest)) if first == "tsbs" => ("varve-bench-tsbs", rest),
            _ => ("varve-bench", arguments),
        };
        command.args(NATIVE).args([package, "--"]).args(rest);
        command
    };
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{:?} cannot be started: {error}", command.get_program());
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace, two above that of this package.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_owned()
}
