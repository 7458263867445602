//! Computing on several cores, natively.

use std::sync::{Mutex, PoisonError};

use varve_types::{Job, Parallel};

/// Threads that live as long as a call; the calling one is among them.
#[derive(Debug)]
pub(crate) struct Threads(pub usize);

impl Parallel for Threads {
    fn run_all(&self, jobs: Vec<Job<'_>>) {
        let helpers = self.0.min(jobs.len()).saturating_sub(1);
        let queue = Mutex::new(jobs.into_iter());
        let next = || {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.next()
        };
        let work = || {
            while let Some(job) = next() {
                job();
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(work);
            }
            work();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Threads;
    use varve_types::{Job, Parallel};

    #[test]
    fn every_job_runs_once() {
        for threads in [0, 1, 2, 5] {
            for count in [0, 1, 3, 100] {
                let mut done = vec![0; count];
                let jobs = done
                    .iter_mut()
                    .map(|slot| Box::new(|| *slot += 1) as Job<'_>);
                Threads(threads).run_all(jobs.collect());
                assert!(done.iter().all(|times| *times == 1), "{threads} {count}");
            }
        }
    }
}
