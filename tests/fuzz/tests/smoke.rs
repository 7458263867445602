//! The short form of the fuzz run.

use varve_fuzz::{runner, seeds, targets};

/// Inputs of all codecs together.
const INPUTS: u64 = 1_000_000;
/// Inputs of each codec in the full run.
const FULL_INPUTS: u64 = 10_000_000;

#[test]
fn a_million_damaged_inputs_are_answered() {
    let codecs: std::collections::BTreeSet<String> =
        seeds::seeds().into_iter().map(|seed| seed.codec).collect();
    let each = match std::env::var("VARVEDB_TESTS").as_deref() {
        Ok("full") => FULL_INPUTS,
        _ => INPUTS.div_ceil(codecs.len() as u64),
    };
    let counts = runner::run(each, 1);
    assert_eq!(counts.len(), codecs.len(), "a thread ended early");
    assert!(counts.values().sum::<u64>() >= INPUTS, "{counts:?}");
}

#[test]
fn every_codec_has_a_seed() {
    let found: std::collections::BTreeSet<String> =
        seeds::seeds().into_iter().map(|seed| seed.codec).collect();
    let missing: Vec<String> = seeds::expected_codecs()
        .into_iter()
        .filter(|codec| !found.contains(codec))
        .collect();
    assert!(
        missing.is_empty(),
        "no seed for {missing:?} among {found:?}"
    );
}

#[test]
fn what_was_found_once_is_answered() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus");
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "hex") {
            let text: String = std::fs::read_to_string(&path).unwrap();
            let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
            let bytes: Vec<u8> = digits.chunks(2).map(|pair| byte(pair).unwrap()).collect();
            targets::block(&bytes);
            targets::frames(&bytes);
        }
    }
}
