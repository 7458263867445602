//! Background work: one scheduler for flush, compaction and what the layers above register.
//!
//! A job is an async function over small pieces of work, with [`JobControl::step`] between them:
//! there it is cancelled or paused, lets others run when its slice is used, and rests while
//! foreground requests come. Whatever a job publishes, it publishes by one commit, so that a job
//! dropped at any step leaves nothing half done.
//!
//! To add a job of the store: implement [`Job`], and let `due` of its lane (in `scheduler.rs`) make
//! one when the state of the store asks for it; call [`Store::wake_jobs`] where that may become so.
//! Nothing is queued that could be lost: what is due is asked anew whenever a job ends. The facade
//! registers its own jobs by [`Store::add_job`].
//!
//! Nothing depends on the scheduler being run: a commit that needs a flush helps itself.
//!
//! [`Job`]: crate::Job
//! [`JobControl::step`]: crate::JobControl::step
//! [`Store::wake_jobs`]: crate::Store::wake_jobs
//! [`Store::add_job`]: crate::Store::add_job

mod scheduler;

pub use scheduler::JobRunner;
