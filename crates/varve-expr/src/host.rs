//! What functions that have an effect ask of the database that runs them.

use core::fmt;

/// What can be asked of a background job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobOrder {
    /// To end at its next step.
    Cancel,
    /// To stop there until it is resumed.
    Pause,
    /// To go on.
    Resume,
}

/// The database that a statement runs in.
pub trait Host: fmt::Debug {
    /// Gives an order to the job with this number; false where no such job is under way.
    fn order_job(&self, job: i64, order: JobOrder) -> bool;
}
