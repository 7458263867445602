//! Splits a wasm module in two after it is linked: a first part that starts, and a second part that
//! is loaded when something in it is called, or before.
//!
//! ```text
//!   first part                                  second part
//!   memory, tables, globals, data ───────────▶  imports them all
//!   functions of the profile      ───────────▶  imports those that it calls
//!   a stub for each other function ◀──────────  fills the stub's slot of the table
//!                                               has texts that only its functions read
//! ```
//!
//! A stub calls the function in its slot. As long as the gate, a global, is 0, it calls the loader
//! before, which has the second part instantiated; that fills the slots and opens the gate. So a
//! loader that returns has loaded, and one that cannot load has to throw.
//!
//! The parts of one build know each other: the memory is exported, and imported, under a name that
//! is a hash of the module. A second part of another build cannot be instantiated.
//!
//! Invariant: the first part does what the module does if the loader does what it must.
//! Invariant: the same module and profile give the same parts.

mod calls;
mod data;
mod first;
mod names;
mod parts;
mod second;
mod supported;

pub use names::stable_name;
pub use parts::{Parts, split};
