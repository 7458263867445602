//! What the codecs are called where people read of them.

use crate::TAG_SAME_COLUMN;

const INTEGERS: [&str; 17] = [
    "plain",
    "constant",
    "dictionary",
    "run ends",
    "frame of reference",
    "delta",
    "decimal",
    "steps",
    "dictionary",
    "alp",
    "alp-rd",
    "gorilla",
    "chimp",
    "delta of delta",
    "patched frame",
    "linear frame",
    "bins",
];
const STRINGS: [&str; 11] = [
    "plain",
    "constant",
    "dictionary",
    "run ends",
    "fsst",
    "split",
    "json",
    "same",
    "dictionary",
    "packed text",
    "prefix",
];
const BITS: [&str; 4] = ["bits", "constant", "constant", "run ends"];

/// The names of the codecs whose tags are set in `tags`, each once, for vectors of integers.
pub fn integer_codec_names(tags: u32) -> Vec<&'static str> {
    names(&INTEGERS, tags)
}

/// As [`integer_codec_names`], for vectors of strings.
pub fn string_codec_names(tags: u32) -> Vec<&'static str> {
    names(&STRINGS, tags)
}

/// As [`integer_codec_names`], for vectors of bits.
pub fn bit_codec_names(tags: u32) -> Vec<&'static str> {
    names(&BITS, tags)
}

fn names(table: &[&'static str], tags: u32) -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    if tags >> TAG_SAME_COLUMN & 1 == 1 {
        names.push("same as another column");
    }
    for (tag, name) in table.iter().enumerate() {
        if tags >> tag & 1 == 1 && !names.contains(name) {
            names.push(name);
        }
    }
    names
}
