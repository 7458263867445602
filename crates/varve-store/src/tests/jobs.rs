//! The scheduler of background work.

use std::sync::{Arc, Mutex};

use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{KvError, MemoryKv};
use varve_types::{ColumnPredicate, CompareOp, Error, Failure, LocalFuture, PredicateTest, Value};

use super::crash::intents;
use super::{
    Background, KEYED, PLAIN, insert, open, open_with, positions_where, small, some_rows,
    sorted_rows, with_trees,
};
use crate::Durability;
use crate::error::Result;
use crate::store::{Job, JobControl, JobId, JobInfo, JobState, Store};

fn opened() -> (Arc<FaultKv<MemoryKv>>, Arc<Store>) {
    let plan = FaultPlan::new(3).yields_max(2);
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), plan));
    let store = open_with(kv.clone(), small()).unwrap();
    with_trees(&store);
    (kv, store)
}

/// Commits until a memtable waits to be flushed; answers how many rows there are.
fn until_frozen(store: &Arc<Store>) -> i64 {
    let mut rows = 0;
    while store.state().frozen.is_none() {
        insert(store, KEYED, &some_rows(rows..rows + 10));
        insert(store, PLAIN, &some_rows(rows..rows + 10));
        rows += 10;
    }
    rows
}

fn runner(store: &Arc<Store>) -> Background {
    let runner = store.job_runner();
    Background::new(async move {
        runner.run().await;
        Ok(())
    })
}

fn last_job(store: &Store) -> JobInfo {
    store.jobs().pop().unwrap()
}

/// Counts its steps; fails in the first attempts.
struct Counting {
    name: &'static str,
    steps: u64,
    failures_left: u32,
    log: Arc<Mutex<Vec<(&'static str, u64)>>>,
}

impl Counting {
    fn new(name: &'static str, steps: u64) -> Counting {
        Counting {
            name,
            steps,
            failures_left: 0,
            log: Arc::default(),
        }
    }
}

impl Job for Counting {
    fn kind(&self) -> &'static str {
        "count"
    }

    fn object(&self) -> Option<String> {
        Some(self.name.to_owned())
    }

    fn run<'a>(
        &'a mut self,
        _: &'a Arc<Store>,
        control: &'a mut JobControl,
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            control.set_total(self.steps);
            for step in 0..self.steps {
                control.step().await?;
                self.log.lock().unwrap().push((self.name, step));
                control.add_done(1);
                if step == 2 && self.failures_left > 0 {
                    self.failures_left -= 1;
                    return Err(Error::failed(Failure::Io, "it failed").into());
                }
            }
            Ok(())
        })
    }
}

#[test]
fn a_frozen_memtable_is_flushed_by_a_job() {
    let (kv, store) = opened();
    let rows = until_frozen(&store);
    block_on(store.run_jobs_until_idle()).unwrap();
    assert!(store.state().frozen.is_none());
    assert_eq!(store.stats().flushes, 1);
    let [job] = &store.jobs()[..] else {
        panic!("{:?}", store.jobs());
    };
    assert_eq!((job.kind, job.state), ("flush", JobState::Done));
    assert_eq!(job.total, Some(job.done));
    assert!(job.done > 0 && job.started_us.is_some() && job.error.is_none());
    assert_eq!(sorted_rows(&store.begin(), PLAIN), some_rows(0..rows));
    let store = open_with(kv, small()).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..rows));
}

#[test]
fn a_freeze_wakes_the_runner() {
    let (_kv, store) = opened();
    let mut running = runner(&store);
    running.steps(5);
    assert!(store.jobs().is_empty());
    until_frozen(&store);
    running.steps(200);
    assert_eq!(last_job(&store).state, JobState::Done);
    assert!(store.state().frozen.is_none());
}

#[test]
fn deleting_most_rows_of_a_run_wakes_the_runner() {
    let (_kv, store) = opened();
    insert(&store, KEYED, &some_rows(0..100));
    block_on(store.flush()).unwrap();
    let bytes = store.tree_storage(KEYED).unwrap().total_bytes;
    let mut running = runner(&store);
    running.steps(20);
    assert!(store.jobs().is_empty());
    let mut transaction = store.begin();
    let most = ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(CompareOp::GtEq, Value::Int8(10)),
    };
    let positions = positions_where(&transaction, KEYED, most);
    block_on(transaction.delete(KEYED, &positions)).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    running.steps(200);
    let storage = store.tree_storage(KEYED).unwrap();
    assert_eq!((storage.rows, storage.deleted_rows), (10, 0));
    assert!(storage.total_bytes < bytes);
}

#[test]
fn registered_jobs_follow_each_other_while_flushes_go_between() {
    let (_kv, store) = opened();
    let log = Arc::new(Mutex::new(Vec::new()));
    let jobs = [("first", 1000), ("second", 5)].map(|(name, steps)| {
        let log = Arc::clone(&log);
        Counting {
            log,
            ..Counting::new(name, steps)
        }
    });
    let ids = jobs.map(|job| store.add_job(Box::new(job)));
    assert_eq!(ids, [JobId(1), JobId(2)]);
    assert_eq!(last_job(&store).state, JobState::Queued);
    let mut running = runner(&store);
    running.step();
    until_frozen(&store);
    while store.state().frozen.is_some() {
        running.step();
    }
    assert!(log.lock().unwrap().len() < 1000);
    running.steps(1000);
    let names: Vec<_> = log.lock().unwrap().iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), 1005);
    assert!(names.is_sorted());
    let states = store.jobs().into_iter().map(|job| (job.object, job.state));
    let states: Vec<_> = states.collect();
    assert!(states.iter().all(|(_, state)| *state == JobState::Done));
    assert_eq!(states[1].0.as_deref(), Some("second"));
}

#[test]
fn a_job_lets_others_run_and_gives_requests_their_share() {
    let mut clocks = Vec::new();
    for polite in [false, true] {
        let (_kv, store) = opened();
        let log = Arc::new(Mutex::new(Vec::new()));
        let job = Counting {
            log: Arc::clone(&log),
            ..Counting::new("job", 200)
        };
        store.add_job(Box::new(job));
        let mut running = runner(&store);
        let start_us = store.env.monotonic_us();
        let mut before = 0;
        while log.lock().unwrap().len() < 200 {
            if polite {
                drop(store.begin());
            }
            running.step();
            let now = log.lock().unwrap().len();
            // A look at the clock takes a millisecond, and a slice is eight.
            assert!(now - before <= 8, "{now} {before}");
            before = now;
        }
        clocks.push(store.env.monotonic_us() - start_us);
    }
    assert!(clocks[1] * 10 > clocks[0] * 14, "{clocks:?}");
}

#[test]
fn a_flush_is_cancelled_at_any_step_and_done_again() {
    let mut was_cancelled = 0;
    for steps in 0..80 {
        let (kv, store) = opened();
        let rows = until_frozen(&store);
        let mut running = runner(&store);
        running.steps(steps);
        let job = store.jobs().first().map(|job| job.id);
        if let Some(id) = job {
            store.cancel_job(id);
        }
        // It is begun again after a while.
        running.steps(100);
        let is_cancelled = |info: &JobInfo| info.state == JobState::Cancelled;
        was_cancelled += store.jobs().iter().filter(|job| is_cancelled(job)).count();
        drop(running);
        assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..rows));
        block_on(store.run_jobs_until_idle()).unwrap();
        block_on(store.flush()).unwrap();
        assert_eq!(intents(&*kv), 0);
        let store = open_with(kv, small()).unwrap();
        assert_eq!(sorted_rows(&store.begin(), PLAIN), some_rows(0..rows));
    }
    assert!(was_cancelled > 1, "{was_cancelled}");
}

#[test]
fn a_job_is_paused_and_resumed() {
    let (_kv, store) = opened();
    let id = store.add_job(Box::new(Counting::new("job", 100)));
    let mut running = runner(&store);
    running.step();
    assert!(store.pause_job(id));
    running.steps(50);
    let paused = last_job(&store);
    assert_eq!(paused.state, JobState::Paused);
    assert!(paused.done < 100);
    running.steps(50);
    assert_eq!(last_job(&store), paused);
    assert!(store.resume_job(id));
    running.steps(200);
    assert_eq!(last_job(&store).state, JobState::Done);
    assert!(!store.pause_job(id) && !store.cancel_job(id) && !store.resume_job(JobId(9)));
}

#[test]
fn a_queued_job_is_cancelled_before_it_begins() {
    let (_kv, store) = opened();
    let job = Counting::new("job", 5);
    let log = Arc::clone(&job.log);
    let id = store.add_job(Box::new(job));
    assert!(store.cancel_job(id));
    block_on(store.run_jobs_until_idle()).unwrap();
    assert_eq!(last_job(&store).state, JobState::Cancelled);
    assert!(log.lock().unwrap().is_empty());
}

#[test]
fn a_paused_flush_goes_on_when_a_commit_waits_for_it() {
    let (_kv, store) = opened();
    until_frozen(&store);
    let mut running = runner(&store);
    while store.jobs().is_empty() {
        running.step();
    }
    store.pause_job(last_job(&store).id);
    running.steps(50);
    assert_eq!(last_job(&store).state, JobState::Paused);
    running.beside(store.flush()).unwrap();
    assert!(store.stats().flushes >= 1);
}

#[test]
fn what_failed_is_kept_and_tried_again_later() {
    let (_kv, store) = opened();
    let job = Counting {
        failures_left: 2,
        ..Counting::new("job", 5)
    };
    let log = Arc::clone(&job.log);
    store.add_job(Box::new(job));
    let start_us = store.env.monotonic_us();
    let mut running = runner(&store);
    while last_job(&store).state != JobState::Failed {
        running.step();
    }
    let error = last_job(&store).error.unwrap();
    assert!(error.contains("it failed"), "{error}");
    while last_job(&store).state != JobState::Done {
        running.step();
    }
    assert_eq!(last_job(&store).error, None);
    assert_eq!(log.lock().unwrap().len(), 3 + 3 + 5);
    // One second, then two.
    assert!(store.env.monotonic_us() - start_us > 3_000_000);
}

#[test]
fn a_failed_flush_is_reported_and_tried_again() {
    let (kv, store) = opened();
    let rows = until_frozen(&store);
    kv.fault_in(2, CallFault::Fail(KvError::StorageFull));
    let mut running = runner(&store);
    while store
        .jobs()
        .first()
        .is_none_or(|job| job.state != JobState::Failed)
    {
        running.step();
    }
    assert!(store.stats().flush_error.is_some());
    running.steps(200);
    assert_eq!(last_job(&store).state, JobState::Done);
    assert_eq!(store.stats().flush_error, None);
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..rows));
}

#[test]
fn only_the_last_jobs_are_remembered() {
    let (_kv, store) = opened();
    for _ in 0..100 {
        store.add_job(Box::new(Counting::new("job", 1)));
    }
    assert_eq!(store.jobs().len(), 100);
    block_on(store.run_jobs_until_idle()).unwrap();
    assert_eq!(store.jobs().len(), 32);
    assert_eq!(last_job(&store).id, JobId(100));
}

#[test]
fn the_runner_ends_with_the_store() {
    for close in [false, true] {
        let (_kv, store) = opened();
        let mut running = runner(&store);
        running.steps(3);
        assert!(!running.is_done());
        let alive = Arc::downgrade(&store);
        if close {
            block_on(store.close()).unwrap();
        } else {
            drop(store);
            assert!(alive.upgrade().is_none());
        }
        running.steps(3);
        assert!(running.is_done());
    }
}

#[test]
fn a_running_job_ends_with_the_store() {
    let (_kv, store) = opened();
    store.add_job(Box::new(Counting::new("job", u64::MAX)));
    let mut running = runner(&store);
    running.steps(5);
    assert_eq!(last_job(&store).state, JobState::Running);
    store.stop_jobs();
    running.steps(5);
    assert!(running.is_done());
    assert_eq!(last_job(&store).state, JobState::Failed);
    // Requests go on.
    insert(&store, KEYED, &some_rows(0..5));
    block_on(store.flush()).unwrap();
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a native process runs jobs on a thread"
)]
fn a_runner_on_a_thread_of_its_own_flushes() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let runner = store.job_runner();
    let thread = std::thread::spawn(move || block_on(runner.run()));
    let mut rows = 0;
    while store.stats().flushes < 5 {
        insert(&store, KEYED, &some_rows(rows..rows + 10));
        rows += 10;
    }
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..rows));
    block_on(store.close()).unwrap();
    thread.join().unwrap();
}
