//! Routines: the bodies of functions in SQL and PL/pgSQL and of triggers, run step by step.
//!
//! A variable is a parameter of the pieces of SQL in the body: each piece is bound once for all
//! rows that a statement calls the function for, and run with the values of the moment. A
//! [`Caller`] is the statement around; its [`RoutineSession`] runs what the body says.
//!
//! Invariant: routines that statements of routines call nest at most 8 deep.
//! Invariant: a block that catches an error goes back to a savepoint first.

mod body;
mod caller;
mod frame;
mod loops;
mod piece;
mod raise;
mod routine;
mod trigger;

pub use caller::{Answer, Caller, RoutineSession, Within};
pub use routine::Routine;
