//! What objects need of each other: to be made, to be dropped, to be bound to.

pub mod bound_to;
pub mod creation;
pub mod dependents;
pub mod dropped;
