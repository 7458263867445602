//! An hour of work under a seed, while the storage is full at some write, or too small for it:
//! nothing is ever half-written, and the app frees space and goes on.
//!
//! `VARVEDB_TESTS=full` runs more seeds, and has each write of theirs find the storage full.

mod app;
mod clock;
mod steps;

use std::sync::atomic::Ordering;

use varve_kv::fault::FaultPlan;
use varve_types::SqlState;

use super::run;
use app::{App, assert_holds};
use steps::{Step, steps};

fn is_full_run() -> bool {
    std::env::var("VARVEDB_TESTS").is_ok_and(|tests| tests == "full")
}

/// All work of a seed while one commit finds the storage full; how many commits there were.
fn hour_full_at(seed: u64, commit: u64) -> u64 {
    let reserve_bytes = (seed % 2) * (48 << 10);
    let mut app = App::new(FaultPlan::new(1).full_at_commit(commit), reserve_bytes);
    for step in steps(seed, 30) {
        app.step(step, |app, _| {
            app.delete(10, 3).unwrap();
            run(&mut app.session, "VACUUM");
            // Nobody says that there is room again: it is found out after a while.
            app.clock.now_us.fetch_add(1_000_000, Ordering::Relaxed);
        });
    }
    assert!(app.refused <= 1, "{}", app.refused);
    app.assert_sound();
    app.kv.commits()
}

#[test]
fn a_full_storage_refuses_what_adds_rows_at_once_and_nothing_else() {
    let mut app = App::new(FaultPlan::new(1), 48 << 10);
    for step in [Step::Insert(2000), Step::Checkpoint, Step::Insert(1)] {
        app.try_step(step).unwrap();
    }
    app.kv.set_quota_bytes(Some(0));
    let adding = [
        Step::Insert(1),
        Step::Insert(1),
        Step::Load(1),
        Step::Update(1),
        Step::Index,
    ];
    for (at, step) in adding.into_iter().enumerate() {
        let before = app.kv.commits();
        let error = app.try_step(step).unwrap_err();
        assert_eq!(error.state(), SqlState::DISK_FULL, "{step:?}: {error}");
        // Only the first one is tried.
        assert_eq!(app.kv.commits() - before, u64::from(at == 0), "{step:?}");
    }
    assert!(app.database.is_storage_full());
    // In the reserve.
    app.kv.set_quota_bytes(Some(app.kv.inner().bytes()));
    app.try_step(Step::Delete(1)).unwrap();
    assert_holds(&mut app.session, &app.model);
    for sql in ["DELETE FROM t", "TRUNCATE t", "DROP TABLE t", "VACUUM"] {
        run(&mut app.session, sql);
    }
    assert_eq!(*app.clock.told.lock().unwrap(), [true, false]);
}

#[test]
fn any_write_may_find_the_storage_full() {
    let is_full_run = is_full_run();
    for seed in 1..=if is_full_run { 6 } else { 2 } {
        let commits = hour_full_at(seed, u64::MAX);
        assert!(commits > 40, "{commits}");
        let (first, step) = if is_full_run {
            (1, 1)
        } else {
            (1 + seed, commits / 8)
        };
        for commit in (first..=commits).step_by(step as usize) {
            hour_full_at(seed, commit);
        }
    }
}

#[test]
fn an_app_goes_on_in_a_storage_that_is_too_small() {
    let mut refused = 0;
    for seed in 1..=if is_full_run() { 40 } else { 3 } {
        let plan = FaultPlan::new(1).quota_bytes((160 << 10) + (seed % 5) * (16 << 10));
        let mut app = App::new(plan, 48 << 10);
        for step in steps(seed, 60) {
            app.step(step, |app, attempt| match attempt {
                0..3 => {
                    app.delete(3, attempt.cast_signed()).unwrap();
                    // Merging may want more space than there is.
                    if let Err(error) = app.execute("VACUUM") {
                        assert_eq!(error.state(), SqlState::DISK_FULL, "{error}");
                    }
                }
                _ => {
                    app.model.rows.clear();
                    run(&mut app.session, "TRUNCATE t");
                    run(&mut app.session, "CHECKPOINT");
                }
            });
        }
        app.assert_sound();
        refused += app.refused;
    }
    assert!(refused > 0);
}
