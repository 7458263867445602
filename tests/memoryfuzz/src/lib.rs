//! Statements that ask for much memory, run in a process that has little: every one is answered, or
//! refused with an error of SQL, and none ends the process.

pub mod child;
pub mod parent;
pub mod statements;
