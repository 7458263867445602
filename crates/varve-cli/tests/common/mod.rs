//! The program, run with arguments and input.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the program printed, and its exit status.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub out: String,
    pub err: String,
    pub status: i32,
}

/// Runs `varve` in a folder.
pub fn varve(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), input).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_varve"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::from(file.reopen().unwrap()))
        .output()
        .unwrap();
    Ran {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code().unwrap(),
    }
}

/// A script of the corpora beside the repository, where they are.
pub fn corpus(name: &str) -> Option<String> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = repository.join("../shared/corpora/sql-dumps").join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    };
    let mut text = String::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(bytes.as_slice()).unwrap();
    decoder.read_to_string(&mut text).unwrap();
    Some(text)
}
