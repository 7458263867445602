//! A database as one file: made of it again, its export is the same bytes.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test program stops when its own parts are missing"
)]

mod common;

use std::path::Path;

use common::{corpus, varve};

const OBJECTS: &str = include_str!("objects.sql");

/// Runs what must succeed and say nothing else; gives what it printed.
fn done(folder: &Path, arguments: &[&str], input: &str) -> String {
    let ran = varve(folder, arguments, input);
    assert_eq!((ran.err.as_str(), ran.status), ("", 0), "{arguments:?}");
    ran.out
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let ran = varve(folder, arguments, "");
    assert_eq!(ran.status, 1, "{arguments:?}");
    ran.err
}

fn load(folder: &Path, place: &str, script: &str) {
    let loaded = varve(folder, &["-q", "-v", "ON_ERROR_STOP=1", place], script);
    assert_eq!(loaded.status, 0, "{}", loaded.err);
}

fn same_files(folder: &Path, first: &str, second: &str) -> bool {
    std::fs::read(folder.join(first)).unwrap() == std::fs::read(folder.join(second)).unwrap()
}

#[test]
fn what_an_export_makes_has_the_same_export_and_dump() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut scripts = vec![("objects", OBJECTS.to_owned())];
    scripts.extend(corpus("northwind.sql.zst").map(|script| ("northwind", script)));
    for (name, script) in scripts {
        load(folder, name, &script);
        let [file, copy, again] = ["varve", "place", "again"].map(|end| format!("{name}.{end}"));
        done(folder, &["export", name, &file], "");
        done(folder, &["import-store", &file, &copy], "");
        done(folder, &["export", &copy, &again], "");
        assert!(same_files(folder, &file, &again), "{name}");
        assert_eq!(
            done(folder, &["dump", name], ""),
            done(folder, &["dump", &copy], "")
        );
        assert!(done(folder, &["check", &copy], "").ends_with("rows read\n"));
    }
}

/// The browser's tests have the same file.
#[test]
fn a_file_of_this_format_has_the_same_export() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/format/v1/export.varve");
    std::fs::copy(golden, folder.join("file")).unwrap();
    done(folder, &["import-store", "file", "a"], "");
    done(folder, &["export", "a", "again"], "");
    assert!(same_files(folder, "file", "again"));
    let count = ["-A", "-t", "-c", "SELECT count(*) FROM tea", "a"];
    assert_eq!(done(folder, &count, ""), "198\n");
}

#[test]
fn later_exports_go_on_from_earlier_ones() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let fill = "CREATE TABLE t (k int PRIMARY KEY, v text);
        INSERT INTO t SELECT k, md5(k::text) FROM generate_series(1, 20000) k;";
    load(folder, "a", fill);
    done(folder, &["export", "a", "first"], "");
    load(
        folder,
        "a",
        "DELETE FROM t WHERE k <= 10; INSERT INTO t VALUES (0, 'new');",
    );
    done(folder, &["export", "a", "second", "--since", "first"], "");
    let bytes = |name: &str| std::fs::metadata(folder.join(name)).unwrap().len();
    assert!(
        bytes("second") < bytes("first") / 10,
        "{} {}",
        bytes("second"),
        bytes("first")
    );
    done(folder, &["export", "a", "whole"], "");
    done(folder, &["import-store", "first", "second", "b"], "");
    done(folder, &["export", "b", "again"], "");
    assert!(same_files(folder, "whole", "again"));

    let error = refused(folder, &["import-store", "second", "c"]);
    assert!(
        error.contains("the store is empty") && error.contains("HINT"),
        "{error}"
    );
    assert!(!folder.join("c").exists());
    let error = refused(folder, &["import-store", "first", "a"]);
    assert!(error.contains("the store is not empty"), "{error}");
}

#[test]
fn only_whole_files_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    load(
        folder,
        "a",
        "CREATE TABLE t (k int); INSERT INTO t VALUES (1);",
    );
    done(folder, &["export", "a", "file"], "");
    let error = refused(folder, &["export", "a", "file"]);
    assert!(error.contains("exists"), "{error}");
    let mut bytes = std::fs::read(folder.join("file")).unwrap();
    std::fs::write(folder.join("torn"), &bytes[..bytes.len() - 1]).unwrap();
    let error = refused(folder, &["import-store", "torn", "b"]);
    assert!(
        error.contains("XX001") && error.contains("ends too early"),
        "{error}"
    );
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(folder.join("changed"), &bytes).unwrap();
    let error = refused(folder, &["import-store", "changed", "b"]);
    assert!(error.contains("the export is damaged"), "{error}");
    assert!(!folder.join("b").exists());
    let error = refused(folder, &["export", "nowhere", "x"]);
    assert_eq!(error, "there is no database at nowhere\n");
}
