//! See [`varve_fuzz::targets::block`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| varve_fuzz::targets::block(bytes));
