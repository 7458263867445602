//! What the shell does where its results cannot be written, and when they are.

#![allow(
    clippy::unwrap_used,
    reason = "a test program stops when its own parts are missing"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A file that takes nothing, on systems that have it.
const FULL: &str = "/dev/full";

#[test]
fn what_cannot_be_written_ends_a_script_and_is_told() {
    if !Path::new(FULL).exists() {
        eprintln!("skipped: there is no {FULL}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let varve = |folder: &Path, arguments: &[&str], input: &str| {
        let mut child = started(arguments);
        let child = child.current_dir(folder).stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        // A script that has ended reads no more.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            text(output.stdout),
            text(output.stderr),
            output.status.code(),
        )
    };
    let script = "SELECT 1;\nCREATE TABLE t (a int);\n";
    let full = "cannot write to /dev/full: No space left on device";
    let (_, err, status) = varve(folder.path(), &["-q", "-o", FULL, "db"], script);
    assert!(err.contains(full), "{err}");
    assert_eq!(status, Some(1));
    let (_, err, status) = varve(folder.path(), &["-q", "db"], "CREATE TABLE t (a int);");
    assert_eq!((err.as_str(), status), ("", Some(0)), "the script ended");
    let script =
        "SELECT 1 \\g /dev/full\n\\set ON_ERROR_STOP on\nSELECT 1 \\g /dev/full\n\\echo no\n";
    let (out, err, status) = varve(folder.path(), &["-q", "db"], script);
    assert_eq!((out.as_str(), status), ("", Some(3)));
    assert_eq!(err.matches(full).count(), 2, "{err}");
}

#[test]
fn a_reader_that_goes_away_ends_a_script() {
    for (arguments, input) in [
        (
            &["-qAt", "memory://"][..],
            "SELECT 1;\nSELECT pg_sleep(60);\n",
        ),
        (
            &["memory://", "-c", "SELECT 1", "-c", "SELECT pg_sleep(60)"],
            "",
        ),
        (&["-l", "memory://"], ""),
    ] {
        let (status, err) = with_closed_output(arguments, input);
        assert!(err.contains("cannot write to standard output: "), "{err}");
        assert_eq!(status, 1, "{arguments:?}");
    }
}

#[test]
fn results_are_there_before_the_next_statement_is_read() {
    let first = first_line_while_open(&["-qAt", "memory://"], "SELECT 42;\n");
    assert_eq!(first, "42\n");
}

/// Runs `varve` with a pipe that nobody reads as its output; its exit status and what it says on
/// standard error.
fn with_closed_output(arguments: &[&str], input: &str) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = started(arguments).stdout(writer).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A script that has ended reads no more.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), err)
}

/// The first line that `varve` prints, its input being open still.
fn first_line_while_open(arguments: &[&str], input: &str) -> String {
    let mut child = started(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    stdin.flush().unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    drop(stdin);
    child.wait().unwrap();
    line
}

fn started(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varve"));
    command.args(arguments);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    command
}
