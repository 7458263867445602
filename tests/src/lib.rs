//! Where black-box tests of several crates live; see the test targets beside this folder.
//! There is no code here, because everything under test is used through its public API.
//!
//! Invariant: nothing depends on this crate.
