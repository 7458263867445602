//! Scripts of other databases are imported whole, or not at all.

#![allow(
    clippy::unwrap_used,
    reason = "a test program stops when its own parts are missing"
)]

#[expect(dead_code, reason = "other tests use all of it")]
mod common;

use std::path::Path;

use common::{Ran, varve};

const SQLITE: &str = "PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE [Item] (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(3), made DATETIME);
INSERT INTO Item VALUES(1,'longer','2020-01-02 03:04:05');
COMMIT;
";

const MYSQL: &[u8] = b"/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE `item` (`id` int(11) NOT NULL AUTO_INCREMENT, `raw` blob, PRIMARY KEY (`id`)) ENGINE=InnoDB;
LOCK TABLES `item` WRITE;
INSERT INTO `item` VALUES (4,_binary '\xff\\0');
UNLOCK TABLES;
";

fn import(folder: &Path, script: &[u8], arguments: &[&str]) -> Ran {
    std::fs::write(folder.join("dump.sql"), script).unwrap();
    let mut all = vec!["import", "dump.sql", "--path", "place"];
    all.extend(arguments);
    varve(folder, &all, "")
}

fn ask(folder: &Path, sql: &str) -> String {
    varve(folder, &["-qAt", "place", "-c", sql], "").out
}

#[test]
fn a_dump_of_sqlite_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let ran = import(folder.path(), SQLITE.as_bytes(), &["--dialect", "sqlite"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.out, "3 statements imported\n");
    assert!(
        ran.err.contains("line 1: PRAGMA foreign_keys=OFF"),
        "{}",
        ran.err
    );
    let added = "INSERT INTO \"Item\" (name) VALUES ('x'); SELECT * FROM \"Item\"";
    assert_eq!(
        ask(folder.path(), added),
        "1|longer|2020-01-02 03:04:05\n2|x|\n"
    );
}

#[test]
fn a_dump_of_mysql_is_imported_with_bytes_that_are_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let ran = import(folder.path(), MYSQL, &["--dialect", "mysql"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ask(folder.path(), "SELECT * FROM item"), "4|\\xff00\n");
}

#[test]
fn what_cannot_be_translated_or_fails_leaves_nothing_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let untold = format!("{SQLITE}CREATE VIRTUAL TABLE words USING fts5(a);\n");
    let ran = import(folder.path(), untold.as_bytes(), &["--dialect", "sqlite"]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.err.contains("ERROR: line 6: a virtual table"),
        "{}",
        ran.err
    );
    let failing = format!("{untold}INSERT INTO item VALUES (1, 'twice', NULL);\n");
    let failing = failing.replace("CREATE VIRTUAL", "--");
    let ran = import(folder.path(), failing.as_bytes(), &["--dialect", "sqlite"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("dump.sql: line 7: ERROR"), "{}", ran.err);
    let count = "SELECT count(*) FROM varve_tables WHERE table_name = 'Item'";
    assert_eq!(ask(folder.path(), count), "0\n");

    let all = format!("{untold}INSERT INTO item VALUES (1, 'twice', NULL);\n");
    let ran = import(
        folder.path(),
        all.as_bytes(),
        &["--dialect", "sqlite", "--keep-going"],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ask(folder.path(), "SELECT name FROM \"Item\""), "longer\n");
}

#[test]
fn a_dialect_that_is_unknown_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ran = import(folder.path(), b"", &["--dialect", "oracle"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("the dialects are sqlite and mysql"),
        "{}",
        ran.err
    );
}

/// Foreign keys are added to tables whose rows the same transaction wrote.
#[test]
fn foreign_keys_come_behind_the_rows_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b(id));
        INSERT INTO a VALUES (1, 2);
        CREATE TABLE b (id INTEGER PRIMARY KEY);
        INSERT INTO b VALUES (2);";
    let ran = import(folder.path(), script.as_bytes(), &["--dialect", "sqlite"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ask(folder.path(), "SELECT * FROM a"), "1|2\n");
    let refused = varve(
        folder.path(),
        &["place", "-c", "INSERT INTO a VALUES (2, 9)"],
        "",
    );
    assert!(refused.err.contains("foreign key"), "{}", refused.err);
}

#[test]
fn a_foreign_key_that_does_not_hold_leaves_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE b (id INTEGER PRIMARY KEY);
        CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b(id));
        INSERT INTO a VALUES (1, 2);";
    let ran = import(
        folder.path(),
        script.as_bytes(),
        &["--dialect", "sqlite", "--keep-going"],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.err.contains("line 2: ERROR"), "{}", ran.err);
    assert_eq!(ask(folder.path(), "SELECT * FROM a"), "1|2\n");
}
