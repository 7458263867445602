//! Dumps of random databases, where some objects got other names than they were made with. Names
//! and texts hold quotes, line breaks, backslashes, dollar signs and comments. A dump loads, what
//! it makes has the same dump, and a shell that reads it finds nothing but SQL and rows in it.
//!
//! Invariant: a case follows from its seed and number alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test program stops when its own parts are missing"
)]

pub mod psql;
pub mod world;

use std::sync::Arc;

use varve_kv::fault::SplitMix64;
use varve_kv::{Kv, MemoryKv};
use varvedb::{Database, DumpOptions, Options, Session, SystemEnv};

use crate::psql::{Piece, pieces};
use crate::world::World;

/// What is done to a dump before it is looked at: bugs that must be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// Nothing.
    Nothing,
    /// Quotes in names are not doubled.
    PlainQuotes,
    /// An object is left out.
    LessOfIt,
    /// The body of a function names what is not there.
    StaleName,
}

/// What was found wrong.
#[derive(Debug)]
pub struct Finding {
    /// The number of the case.
    pub case: u64,
    /// What is wrong.
    pub what: String,
    /// The dump.
    pub dump: String,
}

/// Runs cases of a seed; gives how many statements made something, and the first finding.
pub fn run(seed: u64, cases: std::ops::Range<u64>, planted: Planted) -> (usize, Option<Finding>) {
    let mut made = 0;
    for case in cases {
        match check(seed, case, planted) {
            Ok(count) => made += count,
            Err((what, dump)) => return (made, Some(Finding { case, what, dump })),
        }
    }
    (made, None)
}

fn check(seed: u64, case: u64, planted: Planted) -> Result<usize, (String, String)> {
    let mixed = SplitMix64::new(seed).next_u64() ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let statements = World::new(mixed).statements();
    let mut first = session();
    let mut made = 0;
    for statement in &statements {
        match pollster::block_on(first.query(statement, &[])) {
            Ok(_) => made += 1,
            Err(error) if is_expected(error.state().code()) => {}
            Err(error) => return Err((format!("{error}: {statement}"), String::new())),
        }
    }
    views_answer(&mut first).map_err(|what| (what, statements.join(";\n")))?;
    let copies = dump(&mut first, false).map_err(|error| (error, String::new()))?;
    let inserts = dump(&mut first, true).map_err(|error| (error, String::new()))?;
    let broken = break_it(&inserts, planted);
    let failed = |what: String| (what, broken.clone());
    pieces(&copies).map_err(|what| (what, copies.clone()))?;
    let mut second = session();
    for piece in pieces(&broken).map_err(failed)? {
        let Piece::Statement(sql) = piece else {
            return Err(failed("there are rows of COPY among INSERTs".to_owned()));
        };
        let run = pollster::block_on(second.query(&sql, &[]));
        run.map_err(|error| failed(format!("{error}: {sql}")))?;
    }
    views_answer(&mut second).map_err(failed)?;
    let again = dump(&mut second, true).map_err(failed)?;
    match again == inserts {
        true => Ok(made),
        false => Err(failed(difference(&inserts, &again))),
    }
}

/// Asks each view.
fn views_answer(session: &mut Session) -> Result<(), String> {
    let names = "SELECT format('SELECT * FROM %I.%I', schemaname, viewname) FROM pg_views \
                 WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
    let names = pollster::block_on(session.query(names, &[]));
    let names = names.map_err(|error| error.to_string())?;
    for row in names.text_rows() {
        let sql = row.into_iter().flatten().next().unwrap_or_default();
        let answer = pollster::block_on(session.query(&sql, &[]));
        answer.map_err(|error| format!("{error}: {sql}"))?;
    }
    Ok(())
}

/// Names may be taken already, and what is named was not made then.
fn is_expected(state: &str) -> bool {
    !state.starts_with("XX") && state != "42601"
}

fn session() -> Session {
    let kv: Arc<dyn Kv> = Arc::new(MemoryKv::new());
    let env = Arc::new(SystemEnv::with_threads(1));
    let database = pollster::block_on(Database::open(kv, env, Options::native()));
    database.expect("a database on memory").session()
}

fn dump(session: &mut Session, inserts: bool) -> Result<String, String> {
    let options = DumpOptions {
        inserts,
        ..DumpOptions::default()
    };
    let mut bytes = Vec::new();
    let mut sink = |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        Ok(())
    };
    pollster::block_on(session.dump(options, &mut sink)).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn break_it(dump: &str, planted: Planted) -> String {
    match planted {
        Planted::Nothing => dump.to_owned(),
        Planted::PlainQuotes => dump.replace("\"\"", "\""),
        Planted::LessOfIt => {
            let parts = dump.split("\n\n");
            let kept = parts.filter(|part| !part.starts_with("COMMENT"));
            kept.collect::<Vec<&str>>().join("\n\n")
        }
        Planted::StaleName => {
            let parts = dump
                .split("\n\n")
                .map(|part| match part.contains("BEGIN ATOMIC") {
                    true => part.replace(" WHERE ", "x WHERE "),
                    false => part.to_owned(),
                });
            parts.collect::<Vec<String>>().join("\n\n")
        }
    }
}

fn difference(first: &str, second: &str) -> String {
    let mut lines = first.lines().zip(second.lines());
    let other = lines.find(|(first, second)| first != second);
    match other {
        Some((first, second)) => format!("loaded, the dump has\n{second}\nfor\n{first}"),
        None => "loaded, the dump is longer or shorter".to_owned(),
    }
}
