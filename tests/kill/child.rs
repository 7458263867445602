//! The process that is killed.

use std::io::Write;
use std::path::Path;

use pollster::block_on;
use varvedb::{BulkLoadOptions, Database, Session};

use crate::workload::{KEYS, Work, columns, open, run, text, work};

/// Says something to the parent: once it is written, no kill takes it back.
fn say(what: &str, token: i64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{what} {token}").unwrap();
    out.flush().unwrap();
}

/// Writes transactions until it is killed.
pub fn write(folder: &Path, first: i64) {
    let database = open(folder);
    database.spawn_jobs().unwrap();
    let mut session = database.session();
    for table in [
        "journal (token BIGINT PRIMARY KEY)",
        "data (k BIGINT PRIMARY KEY, token BIGINT NOT NULL, t TEXT NOT NULL)",
    ] {
        run(&mut session, &format!("CREATE TABLE IF NOT EXISTS {table}"));
    }
    say("open", first);
    for token in first.. {
        let (work, durability) = work(token);
        if let Work::Load(count) = work {
            load(&database, &mut session, token, count);
            continue;
        }
        run(
            &mut session,
            &format!("SET varve.durability = {durability}"),
        );
        run(&mut session, "BEGIN");
        run(
            &mut session,
            &format!("INSERT INTO journal VALUES ({token})"),
        );
        write_rows(&mut session, token, work);
        say("commit", token);
        run(&mut session, "COMMIT");
        say("done", token);
        upkeep(&database, &mut session, token);
    }
}

/// What changes no row.
fn upkeep(database: &Database, session: &mut Session, token: i64) {
    match token % 12 {
        0 => {
            say("flush", token);
            block_on(database.flush()).unwrap();
        }
        3 => {
            say("vacuum", token);
            run(session, "VACUUM data");
        }
        6 => {
            say("vacuum-full", token);
            run(session, "VACUUM FULL");
        }
        9 => {
            say("index", token);
            let (name, index) = match token / 12 % 2 {
                0 => ("by_token", "INDEX by_token ON data (token DESC, k)"),
                _ => ("by_text", "UNIQUE INDEX by_text ON data (t)"),
            };
            run(session, &format!("DROP INDEX IF EXISTS {name}"));
            run(session, &format!("CREATE {index}"));
        }
        _ => {}
    }
}

/// A load writes one table, so its token is journalled by a statement of its own.
fn load(database: &Database, session: &mut Session, token: i64, count: i64) {
    say("load", token);
    let rows = rows(token, count);
    let batches: Vec<_> = rows.chunks(700).map(columns).collect();
    let options = BulkLoadOptions::default();
    block_on(database.direct_bulk_load("data", batches, options)).unwrap();
    say("loaded", token);
    run(session, "SET varve.durability = strict");
    say("commit", token);
    run(session, &format!("INSERT INTO journal VALUES ({token})"));
    say("done", token);
}

fn rows(token: i64, count: i64) -> Vec<(i64, i64, String)> {
    let row = |i| (token * KEYS + i, token, text(token, i));
    (0..count).map(row).collect()
}

fn write_rows(session: &mut Session, token: i64, work: Work) {
    let keys = |other: i64| format!("k >= {} AND k < {}", other * KEYS, (other + 1) * KEYS);
    match work {
        Work::Insert(count) | Work::Load(count) => {
            for rows in rows(token, count).chunks(500) {
                let row = |row: &(i64, i64, String)| format!("({}, {}, '{}')", row.0, row.1, row.2);
                let rows: Vec<String> = rows.iter().map(row).collect();
                run(
                    session,
                    &format!("INSERT INTO data VALUES {}", rows.join(", ")),
                );
            }
        }
        Work::Update(other) => {
            let keys = keys(other);
            let update = format!("UPDATE data SET token = {token} WHERE {keys} AND k % 2 = 0");
            run(session, &update);
        }
        Work::Delete(other) => {
            let keys = keys(other);
            run(
                session,
                &format!("DELETE FROM data WHERE {keys} AND k % 2 = 1"),
            );
        }
    }
}
