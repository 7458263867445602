//! Advisory locks between sessions.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;

use varve_kv::MemoryKv;
use varve_types::{SqlState, Value};
use varvedb::Session;

use super::{fails, open, rows, run};

fn two() -> (Session, Session) {
    let database = open(&Arc::new(MemoryKv::new()));
    (database.session(), database.session())
}

fn is_true(session: &mut Session, sql: &str) -> bool {
    rows(session, &format!("SELECT {sql}")) == [vec![Value::Boolean(true)]]
}

#[test]
fn one_session_has_what_another_cannot() {
    let (mut one, mut two) = two();
    run(&mut one, "SELECT pg_advisory_lock(7)");
    assert!(!is_true(&mut two, "pg_try_advisory_lock(7)"));
    assert!(!is_true(&mut two, "pg_try_advisory_lock_shared(7)"));
    assert!(
        is_true(&mut two, "pg_try_advisory_lock(0, 7)"),
        "pairs are apart"
    );
    // As often as it was taken.
    run(&mut one, "SELECT pg_advisory_lock(7)");
    assert!(is_true(&mut one, "pg_advisory_unlock(7)"));
    assert!(!is_true(&mut two, "pg_try_advisory_xact_lock(7)"));
    assert!(is_true(&mut one, "pg_advisory_unlock(7)"));
    assert!(!is_true(&mut one, "pg_advisory_unlock(7)"));
    assert!(is_true(&mut two, "pg_try_advisory_xact_lock(7)"));
    assert!(
        is_true(&mut one, "pg_try_advisory_lock(7)"),
        "it ended with its transaction"
    );
}

#[test]
fn shared_ones_are_shared() {
    let (mut one, mut two) = two();
    run(&mut one, "SELECT pg_advisory_lock_shared(1, 2)");
    assert!(is_true(&mut two, "pg_try_advisory_lock_shared(1, 2)"));
    assert!(!is_true(&mut two, "pg_try_advisory_lock(1, 2)"));
    assert!(is_true(&mut one, "pg_advisory_unlock_shared(1, 2)"));
    assert!(is_true(&mut two, "pg_try_advisory_lock(1, 2)"));
}

#[test]
fn they_end_with_their_transaction_savepoint_or_session() {
    let (mut one, mut two) = two();
    run(
        &mut one,
        "BEGIN; SELECT pg_advisory_xact_lock(1); SAVEPOINT s; SELECT pg_advisory_xact_lock(2);
         SELECT pg_advisory_lock(3)",
    );
    assert!(!is_true(&mut two, "pg_try_advisory_lock(2)"));
    run(&mut one, "ROLLBACK TO s");
    assert!(is_true(&mut two, "pg_try_advisory_lock(2)"));
    assert!(!is_true(&mut two, "pg_try_advisory_lock(1)"));
    run(&mut one, "ROLLBACK");
    assert!(is_true(&mut two, "pg_try_advisory_lock(1)"));
    assert!(!is_true(&mut two, "pg_try_advisory_lock(3)"));
    run(&mut one, "SELECT pg_advisory_unlock_all()");
    assert!(is_true(&mut two, "pg_try_advisory_lock(3)"));
    run(&mut two, "BEGIN; SELECT pg_advisory_xact_lock(4)");
    fails(&mut two, "SELECT 1 / 0");
    assert!(
        is_true(&mut one, "pg_try_advisory_lock(4)"),
        "an error ends the transaction"
    );
    assert!(!is_true(&mut one, "pg_try_advisory_lock(1)"));
    drop(two);
    assert!(is_true(&mut one, "pg_try_advisory_lock(1)"));
    run(&mut one, "DISCARD ALL");
    assert_eq!(
        rows(&mut one, "SELECT 1 FROM pg_locks"),
        Vec::<Vec<Value>>::new()
    );
}

#[test]
fn waiting_ends_by_release_timeout_or_in_a_circle() {
    let (mut one, mut two) = two();
    run(&mut one, "SELECT pg_advisory_lock(1)");
    run(
        &mut two,
        "SELECT pg_advisory_lock(2); SET lock_timeout = '20ms'",
    );
    let error = fails(&mut two, "SELECT pg_advisory_lock(1)");
    assert_eq!(error.state(), SqlState::LOCK_NOT_AVAILABLE);
    assert_eq!(error.message(), "canceling statement due to lock timeout");
    run(
        &mut two,
        "RESET lock_timeout; SET statement_timeout = '20ms'",
    );
    let error = fails(&mut two, "SELECT pg_advisory_lock(1)");
    assert_eq!(error.state(), SqlState::QUERY_CANCELED);
    run(&mut two, "RESET statement_timeout");
    run(
        &mut one,
        "SELECT pg_advisory_unlock_all(); BEGIN; SELECT pg_advisory_xact_lock(3)",
    );
    run(&mut two, "BEGIN; SELECT pg_advisory_xact_lock(4)");
    // One waits for what the other has, and the other way round: one of them is told, and its
    // transaction ends.
    let mut waits = [
        Box::pin(one.query("SELECT pg_advisory_xact_lock(4)", &[])),
        Box::pin(two.query("SELECT pg_advisory_xact_lock(3)", &[])),
    ];
    let mut ends = [None, None];
    pollster::block_on(poll_fn(|context| {
        for (wait, end) in waits.iter_mut().zip(&mut ends) {
            if end.is_none()
                && let Poll::Ready(waited) = wait.as_mut().poll(context)
            {
                *end = Some(waited.err().map(|error| error.state()));
            }
        }
        match ends.contains(&None) {
            true => Poll::Pending,
            false => Poll::Ready(()),
        }
    }));
    ends.sort_by_key(|end| *end != Some(None));
    assert_eq!(ends, [Some(None), Some(Some(SqlState::DEADLOCK_DETECTED))]);
}
