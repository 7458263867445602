//! Statements that ask for much memory, run in a process that has little: every one is answered, or
//! refused with an error of SQL, and none ends the process.
//!
//! Invariant: a seed gives the same statements as long as the functions are the same.

pub mod child;
pub mod parent;
pub mod statements;
