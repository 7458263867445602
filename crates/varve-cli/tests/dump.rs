//! A dump loads into an empty database, whose dump is the same then; and into PostgreSQL and back.
//! The latter runs where `VARVE_POSTGRES=HOST:PORT` names a server, and psql and pg_dump are there.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test program stops when its own parts are missing"
)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{corpus, varve};

const OBJECTS: &str = include_str!("objects.sql");

const INHERITANCE: &str = "
    create table logged (day date not null, n int, primary key (day, n)) partition by range (day);
    create table logged_1 partition of logged for values from ('2024-01-01') to ('2024-02-01');
    create table logged_2 partition of logged for values from ('2024-02-01') to (maxvalue);
    create table logged_rest partition of logged default;
    create index logged_n on logged (n);
    insert into logged values ('2024-01-05', 1), ('2024-03-05', 2), ('2023-01-01', 3);
    create table beast (name text not null, legs int check (legs >= 0));
    create table dog (breed text) inherits (beast);
    insert into beast values ('ant', 6);
    insert into dog values ('rex', 4, 'mutt');
    comment on table logged is 'of logged';";

/// Loads a script into a new place, whose dump it gives.
fn load(folder: &Path, place: &str, script: &str) -> String {
    let script = format!("SET varve.durability = async;\n{script}");
    let loaded = varve(folder, &["-q", "-v", "ON_ERROR_STOP=1", place], &script);
    assert_eq!(loaded.status, 0, "{}", loaded.err);
    dump(folder, &[place])
}

fn dump(folder: &Path, arguments: &[&str]) -> String {
    let arguments: Vec<&str> = ["dump"].iter().chain(arguments).copied().collect();
    let dumped = varve(folder, &arguments, "");
    assert_eq!((dumped.err.as_str(), dumped.status), ("", 0));
    dumped.out
}

/// A corpus that connects to a database of its own is loaded into the main one.
fn scripts() -> Vec<(&'static str, String)> {
    let mut scripts = vec![("objects", OBJECTS.to_owned())];
    scripts.extend(corpus("northwind.sql.zst").map(|script| ("northwind", script)));
    if let Some(script) = corpus("Chinook_PostgreSql.sql.zst") {
        scripts.push(("chinook", script.replace("\\c chinook;", "")));
    }
    scripts
}

#[test]
fn what_a_dump_makes_has_the_same_dump() {
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in scripts() {
        let place = |step: &str| format!("{name}-{step}");
        let first = load(folder.path(), &place("first"), &script);
        let second = load(folder.path(), &place("second"), &first);
        assert!(first == second, "{name}: {first}\n\n{second}");
        let schema = dump(folder.path(), &["--schema-only", &place("first")]);
        let rows = dump(folder.path(), &["--data-only", &place("first")]);
        assert!(
            !schema.contains("COPY") && !rows.contains("CREATE"),
            "{name}"
        );
    }
}

#[test]
fn inheritance_and_partitions_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let first = load(folder.path(), "first", INHERITANCE);
    assert!(first.contains("ATTACH PARTITION public.logged_rest DEFAULT"));
    assert!(first.contains("INHERIT public.beast"));
    assert_eq!(first, load(folder.path(), "second", &first));
    let inserts = dump(folder.path(), &["--inserts", "first"]);
    assert_eq!(first, load(folder.path(), "third", &inserts));
}

#[test]
fn what_is_said_of_storage_comes_back_and_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "create table stored (id int primary key, state text storage dictionary not null, \
         note text compression zstd(9) default 'x', price float8 storage columnar compression alp, \
         doc json compression zstd_values) \
         with (compression = none);
         create index stored_state on stored (state);
         insert into stored values (1, 'new', 'a note', 2.5);";
    let first = load(folder.path(), "first", script);
    for line in [
        "    state text STORAGE dictionary NOT NULL,",
        "    note text COMPRESSION zstd(9) DEFAULT 'x'::text,",
        "    price double precision STORAGE columnar COMPRESSION alp,",
        "    doc json COMPRESSION zstd_values",
        ") WITH (compression=none);",
    ] {
        assert!(first.contains(line), "{line} in {first}");
    }
    assert_eq!(first, load(folder.path(), "second", &first));
    let shown = varve(folder.path(), &["second"], "\\d+ stored\n\\d stored\n").out;
    for part in [
        "| dictionary | auto",
        "| default    | zstd(9)",
        "Options: compression=none",
    ] {
        assert_eq!(shown.matches(part).count(), 1, "{part} in {shown}");
    }
}

#[test]
fn transparent_compression_goes_on_in_a_database_that_was_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let script = "create table events (id int primary key, data text);
         insert into events select i, 'event number ' || i % 17 || md5((i % 5)::text)
             from generate_series(1, 10000) i;
         select zstd_enable_transparent('{\"table\": \"events\", \"column\": \"data\", \
             \"min_dict_size_bytes_for_training\": 500, \"dict_chooser\": \"''a''\"}');
         select zstd_incremental_maintenance(NULL, 1);";
    let first = load(folder.path(), "first", script);
    assert_eq!(first, load(folder.path(), "second", &first));
    let maintain = "select zstd_incremental_maintenance(NULL, 1); \
         select 'group', chooser_key, rows from zstd_stats; select count(*) from _events_zstd;";
    let shown = varve(folder.path(), &["-A", "second"], maintain).out;
    for part in ["group|a|10000\n", "\n10000\n"] {
        assert_eq!(shown.matches(part).count(), 1, "{part} in {shown}");
    }
}

#[test]
fn rows_come_as_inserts_too() {
    let folder = tempfile::tempdir().unwrap();
    let first = load(folder.path(), "first", OBJECTS);
    let inserts = dump(folder.path(), &["--inserts", "first"]);
    assert!(!inserts.contains("COPY"));
    assert_eq!(first, load(folder.path(), "second", &inserts));
}

#[test]
fn a_dump_that_cannot_be_written_fails() {
    let folder = tempfile::tempdir().unwrap();
    load(folder.path(), "first", "create table t (a int);");
    let dumped = varve(folder.path(), &["dump", "-f", "/dev/full", "first"], "");
    if Path::new("/dev/full").exists() {
        assert_ne!(dumped.status, 0);
        assert!(dumped.err.contains("space"), "{}", dumped.err);
    }
}

#[test]
fn a_search_path_is_what_it_was_when_a_dump_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let first = load(folder.path(), "first", OBJECTS);
    let script = format!("SET search_path = s1, public;\n{first}\nSHOW search_path;\n");
    let loaded = varve(folder.path(), &["-qAt", "second"], &script);
    assert_eq!((loaded.err.as_str(), loaded.status), ("", 0));
    assert_eq!(loaded.out.lines().last(), Some("s1, public"));
}

#[test]
fn dumps_load_into_postgresql_and_back() {
    let Some(address) = std::env::var_os("VARVE_POSTGRES") else {
        eprintln!("skipped: VARVE_POSTGRES names no server");
        return;
    };
    let address = address.into_string().unwrap();
    let (host, port) = address.split_once(':').unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let command = command.args(["-h", host, "-p", port, "-U", "postgres"]);
        command.args(arguments).output()
    };
    if run("pg_dump", &["--version"]).is_err() || run("psql", &["--version"]).is_err() {
        eprintln!("skipped: psql or pg_dump is not there");
        return;
    }
    let done = |program: &str, arguments: &[&str]| {
        let output = run(program, arguments).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{program}: {err}");
        String::from_utf8(output.stdout).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let through = |name: &str, dumped: &str| {
        let file = folder.path().join("dump.sql");
        std::fs::write(&file, dumped).unwrap();
        let database = format!("varve_dump_{name}");
        let drop = format!("DROP DATABASE IF EXISTS {database}");
        let create = format!("CREATE DATABASE {database}");
        done("psql", &["-qc", &drop, "-c", &create, "postgres"]);
        let file = file.to_str().unwrap();
        let script = ["-q", "-v", "ON_ERROR_STOP=1", "-f", file, &database];
        done("psql", &script);
        let back = done("pg_dump", &["--no-owner", &database]);
        done("psql", &["-qc", &drop, "postgres"]);
        back
    };
    for (name, script) in scripts() {
        let place = |step: &str| format!("{name}-{step}");
        let first = load(folder.path(), &place("first"), &script);
        let second = load(folder.path(), &place("second"), &through(name, &first));
        // PostgreSQL writes queries and conditions its own way, and leaves out what is said of the
        // database; the rows are equal.
        let rows = |step: &str| dump(folder.path(), &["--data-only", &place(step)]);
        let (before, after) = (rows("first"), rows("second"));
        assert!(before == after, "{name}: {before}\n\n{after}");
        // Once they are written so, all is equal.
        let third = load(folder.path(), &place("third"), &through(name, &second));
        assert!(second == third, "{name}: {second}\n\n{third}");
    }
}
