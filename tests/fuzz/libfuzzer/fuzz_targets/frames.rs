//! See [`varve_fuzz::targets::frames`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| varve_fuzz::targets::frames(bytes));
