//! A file system that is small enough to be filled, for tests.

#![allow(clippy::expect_used, reason = "a failure fails the test")]

use std::path::PathBuf;
use std::process::Command;

/// Where the file system is, as a test that runs on one is told.
const PLACE: &str = "VARVE_SMALL_DISK";
/// Makes it, in a namespace of the test's own, so that nobody needs to be root.
const MOUNT: &str = r#"mount -t tmpfs -o size=64m tmpfs "$0" && exec "$@""#;

/// A file system of 64 MiB: the one that `VARVE_SMALL_DISK` names; else the test of this name runs
/// again on one of its own, and there is nothing left to do here. Where the system allows that to
/// nobody, the test is skipped.
pub fn small_disk(test: &str) -> Option<PathBuf> {
    if let Some(place) = std::env::var_os(PLACE) {
        return Some(place.into());
    }
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
        command
    };
    let place = tempfile::tempdir().expect("a folder");
    let tried = unshare().arg(MOUNT).arg(place.path()).arg("true").output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        eprintln!("skipped: no small file system can be made here, and {PLACE} is not set");
        return None;
    }
    let ran = unshare()
        .arg(MOUNT)
        .arg(place.path())
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture"])
        .env(PLACE, place.path())
        .status();
    assert!(ran.expect("it starts").success(), "on a small file system");
    None
}

/// How often a test does what it does.
pub fn rounds(few: u32) -> u32 {
    let rounds = std::env::var("VARVE_ROUNDS").ok();
    rounds.map_or(few, |rounds| rounds.parse().expect("a number"))
}
