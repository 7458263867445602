//! SKIP LOCKED and NOWAIT: what other open transactions hold is known at once.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::SqlState;
use varvedb::Session;

use super::{ints, open, rows, run};

const QUEUE: &str = "SELECT id FROM jobs WHERE state = 'new' ORDER BY id";

fn jobs() -> (Session, Session) {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut one, mut two) = (database.session(), database.session());
    run(
        &mut one,
        "CREATE TABLE jobs (id BIGINT PRIMARY KEY, state TEXT);
         INSERT INTO jobs SELECT n, 'new' FROM generate_series(1, 5) n;
         CREATE TABLE runs (id BIGINT, job BIGINT REFERENCES jobs)",
    );
    run(&mut one, "BEGIN");
    run(&mut two, "BEGIN");
    (one, two)
}

fn skipped(session: &mut Session, query: &str) -> Vec<Vec<varve_types::Value>> {
    rows(session, &format!("{query} FOR UPDATE SKIP LOCKED"))
}

#[test]
fn what_others_locked_or_changed_is_left_out() {
    for (held, expected) in [
        (format!("{QUEUE} LIMIT 1 FOR UPDATE"), &[2, 3, 4, 5][..]),
        (format!("{QUEUE} LIMIT 2 FOR SHARE"), &[3, 4, 5]),
        (
            format!("{QUEUE} LIMIT 1 FOR UPDATE SKIP LOCKED"),
            &[2, 3, 4, 5],
        ),
        (
            "UPDATE jobs SET state = 'done' WHERE id IN (2, 3)".to_owned(),
            &[1, 4, 5],
        ),
        ("DELETE FROM jobs WHERE id < 5".to_owned(), &[5]),
        ("INSERT INTO runs VALUES (1, 4)".to_owned(), &[1, 2, 3, 5]),
        // What is not there yet for others is nobody's.
        (
            "INSERT INTO jobs VALUES (6, 'new')".to_owned(),
            &[1, 2, 3, 4, 5],
        ),
    ] {
        let (mut one, mut two) = jobs();
        run(&mut one, &held);
        assert_eq!(skipped(&mut two, QUEUE), ints(expected), "{held}");
        // A transaction does not stand in its own way.
        assert_eq!(skipped(&mut two, QUEUE), ints(expected), "{held}");
        run(&mut one, "ROLLBACK");
        assert_eq!(skipped(&mut two, QUEUE), ints(&[1, 2, 3, 4, 5]), "{held}");
    }
}

#[test]
fn a_limit_locks_no_more_than_it_gives() {
    let (mut one, mut two) = jobs();
    for (of_one, of_two) in [(1, 2), (3, 4)] {
        let query = format!("{QUEUE} LIMIT 1");
        let take = |session: &mut Session| {
            let job = skipped(session, &query);
            run(
                session,
                "UPDATE jobs SET state = 'taken' WHERE id = (SELECT id FROM jobs
                 WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)",
            );
            job
        };
        assert_eq!(take(&mut one), ints(&[of_one]));
        assert_eq!(take(&mut two), ints(&[of_two]));
    }
    run(&mut one, "COMMIT");
    run(&mut two, "COMMIT");
    let left = "SELECT id FROM jobs WHERE state = 'new'";
    assert_eq!(rows(&mut one, left), ints(&[5]));
}

#[test]
fn what_a_commit_took_since_the_snapshot_is_left_out() {
    let (mut one, mut two) = jobs();
    assert_eq!(rows(&mut two, "SELECT count(*) FROM jobs"), ints(&[5]));
    run(&mut one, "DELETE FROM jobs WHERE id = 1");
    // A row lock that is committed with a change counts, too.
    run(&mut one, "SELECT id FROM jobs WHERE id = 2 FOR UPDATE");
    run(&mut one, "COMMIT");
    assert_eq!(skipped(&mut two, QUEUE), ints(&[3, 4, 5]));
    run(&mut two, "DELETE FROM jobs WHERE id = 3");
    run(&mut two, "COMMIT");
}

#[test]
fn a_change_in_with_takes_what_was_locked_for_it() {
    let (mut one, mut two) = jobs();
    let take = "WITH job AS (SELECT id FROM jobs ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED),
                gone AS (DELETE FROM jobs USING job WHERE jobs.id = job.id)
                SELECT id FROM job";
    assert_eq!(rows(&mut one, take), ints(&[1, 2]));
    assert_eq!(rows(&mut two, take), ints(&[3, 4]));
    run(&mut one, "COMMIT");
    run(&mut two, "COMMIT");
    assert_eq!(rows(&mut two, "SELECT id FROM jobs"), ints(&[5]));
}

#[test]
fn nowait_is_an_error_where_others_hold_a_row() {
    let (mut one, mut two) = jobs();
    run(&mut one, "SELECT id FROM jobs WHERE id = 3 FOR SHARE");
    let shared = "SELECT id FROM jobs FOR SHARE NOWAIT";
    assert_eq!(rows(&mut two, shared).len(), 5);
    for query in [
        "SELECT id FROM jobs FOR UPDATE NOWAIT",
        "SELECT j.id FROM jobs AS j, runs RIGHT JOIN jobs USING (id) FOR NO KEY UPDATE OF j NOWAIT",
    ] {
        run(&mut two, "SAVEPOINT s");
        let error = pollster::block_on(two.query(query, &[])).unwrap_err();
        assert_eq!(error.state(), SqlState::LOCK_NOT_AVAILABLE, "{query}");
        let message = "could not obtain lock on row in relation \"jobs\"";
        assert_eq!(error.message(), message, "{query}");
        run(&mut two, "ROLLBACK TO s");
    }
    let other = "SELECT id FROM jobs WHERE id <> 3 FOR UPDATE NOWAIT";
    assert_eq!(rows(&mut two, other).len(), 4);
}

#[test]
fn rows_that_moved_since_are_the_same_rows() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut one, mut two) = (database.session(), database.session());
    run(
        &mut one,
        "CREATE TABLE jobs (id BIGINT PRIMARY KEY, state TEXT);
         INSERT INTO jobs SELECT n, 'new' FROM generate_series(1, 5) n",
    );
    run(&mut one, "BEGIN");
    assert_eq!(
        skipped(&mut one, &format!("{QUEUE} LIMIT 2")),
        ints(&[1, 2])
    );
    run(&mut two, "CHECKPOINT");
    run(&mut two, "BEGIN");
    assert_eq!(skipped(&mut two, QUEUE), ints(&[3, 4, 5]));
}
