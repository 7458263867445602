//! The suite that every backend passes unchanged: what the words on [`Kv`](crate::Kv) mean, as
//! cases. It knows no backend, runner or clock: cases are futures that answer what went wrong, so
//! that a browser can run them too.
//!
//! Invariant: a case uses a store of its own, named after it, and leaves it closed.

mod check;
mod commits;
mod gets;
mod guards;
mod life;
mod model;
mod scans;

pub use check::Failure;

use crate::{Kv, KvError, LocalFuture};

/// How the suite reaches a backend.
pub trait Backend {
    /// Opens the store of this name, with what earlier handles committed to it; a name used for the
    /// first time is an empty store.
    fn open<'a>(&'a self, name: &'a str) -> LocalFuture<'a, Result<Box<dyn Kv>, KvError>>;

    /// Opens an empty store that holds no more than about so many bytes, where the backend can be
    /// told so.
    fn open_with_quota<'a>(
        &'a self,
        _name: &'a str,
        _bytes: u64,
    ) -> Option<LocalFuture<'a, Result<Box<dyn Kv>, KvError>>> {
        None
    }
}

/// One case of the suite.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name, also the name of its store.
    pub name: &'static str,
    run: for<'a> fn(&'a dyn Backend, &'a str) -> LocalFuture<'a, Result<(), Failure>>,
}

impl Case {
    /// Runs the case.
    pub async fn run(&self, backend: &dyn Backend) -> Result<(), Failure> {
        (self.run)(backend, self.name).await
    }
}

macro_rules! cases {
    ($($module:ident::$name:ident,)*) => {
        &[$(Case {
            name: stringify!($name),
            run: |backend, store| Box::pin($module::$name(backend, store)),
        },)*]
    };
}

/// Every case.
pub const CASES: &[Case] = cases![
    gets::point_gets_keep_order_and_duplicates,
    gets::empty_value_is_not_absence,
    gets::empty_key_is_a_key,
    gets::large_values_come_back_whole,
    gets::read_answers_gets_and_scan,
    gets::read_sees_one_state_among_concurrent_commits,
    gets::many_reads_in_flight,
    scans::keys_order_by_unsigned_bytes,
    scans::ranges_include_start_and_exclude_end,
    scans::empty_ranges_answer_nothing,
    scans::entry_limits_stop_the_scan,
    scans::byte_limits_stop_after_the_entry_that_reaches_them,
    scans::pages_cover_the_range_once,
    scans::long_scans_of_mixed_sizes,
    commits::empty_batches_succeed,
    commits::later_writes_win,
    commits::range_deletes_take_their_turn,
    commits::deleting_what_is_absent_is_no_error,
    commits::ten_thousand_keys_in_one_batch,
    commits::concurrent_commits_all_take_effect,
    guards::matching_guard_lets_the_batch_through,
    guards::mismatched_guard_writes_nothing,
    guards::absent_guard,
    guards::repeat_that_finds_its_own_value_succeeds,
    guards::empty_batch_with_guard_checks,
    guards::only_one_of_racing_takeovers_wins,
    life::what_was_committed_is_there_after_reopening,
    life::stores_are_apart,
    life::closed_handles_answer_closed,
    life::full_store_writes_nothing,
    model::random_steps_match_the_model,
];

/// Runs every case and answers the names and reasons of those that failed.
pub async fn run_all(backend: &dyn Backend) -> Vec<(&'static str, Failure)> {
    let mut failures = Vec::new();
    for case in CASES {
        if let Err(failure) = case.run(backend).await {
            failures.push((case.name, failure));
        }
    }
    failures
}
