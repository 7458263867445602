//! The first byte of every encoded vector, which is its codec, and the names of codecs where people
//! read of them.
//!
//! Integers, strings and bits count their tags apart, since it is always known which of them bytes
//! are; what both integers and strings have bears one tag. Tags are added, never changed nor used
//! again.

// Integers and strings.

/// Values as they are.
pub const TAG_PLAIN: u8 = 0;
/// One value for all rows.
pub const TAG_CONSTANT: u8 = 1;
/// Sorted distinct values and one code a row.
pub const TAG_DICTIONARY: u8 = 2;
/// One value and one end for each run of equal rows.
pub const TAG_RUN_ENDS: u8 = 3;
/// Codes of a dictionary in the shared part of the block.
pub const TAG_SHARED_DICTIONARY: u8 = 8;

// Integers.

/// Distances from the least value, bit-packed.
pub const TAG_FRAME: u8 = 4;
/// Distances from one value to the next, bit-packed.
pub const TAG_DELTA: u8 = 5;
/// Doubles as integers over a power of ten; read, no longer written.
pub const TAG_DECIMAL: u8 = 6;
/// The first value, and the distances between neighbours as nested integers.
pub const TAG_STEPS: u8 = 7;
/// Doubles as integers scaled by powers of ten, and exceptions.
pub const TAG_ALP: u8 = 9;
/// Doubles cut in two, the left parts by dictionary.
pub const TAG_ALP_RD: u8 = 10;
/// Doubles XORed with the one before.
pub const TAG_GORILLA: u8 = 11;
/// Doubles XORed with one of the 128 before.
pub const TAG_CHIMP: u8 = 12;
/// Changes of the step from value to value.
pub const TAG_DELTA_OF_DELTA: u8 = 13;
/// Bit-packed distances from a base, and exceptions.
pub const TAG_PATCHED: u8 = 14;
/// Bit-packed distances from a line.
pub const TAG_LINEAR: u8 = 15;
/// Entropy-coded bins, and the distances from their least values.
pub const TAG_BINS: u8 = 16;

/// By tag.
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

// Strings.

/// Codes of a symbol table in the shared part of the block.
pub const TAG_FSST: u8 = 4;
/// Columns of a template in the shared part of the block.
pub const TAG_SPLIT: u8 = 5;
/// Documents as a template of the shared part and the columns of their fields.
pub const TAG_JSON: u8 = 6;
/// A field of a document as another field of it, but for some rows.
pub const TAG_SAME: u8 = 7;
/// Codes of FSST, entropy-coded by the code before.
pub const TAG_PACKED: u8 = 9;
/// The bytes shared with the string before, and the others.
pub const TAG_PREFIXES: u8 = 10;
/// Each value a frame of zstd.
pub const TAG_VALUE_FRAMES: u8 = 11;

/// By tag.
const STRINGS: [&str; 12] = [
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
    "zstd values",
];

// Bits.

/// One bit a row.
pub const TAG_BITS: u8 = 0;
/// All rows are 0.
pub const TAG_ALL_ZERO: u8 = 1;
/// All rows are 1.
pub const TAG_ALL_ONE: u8 = 2;
/// The first bit, and where it changes.
pub const TAG_BIT_RUNS: u8 = 3;

/// By tag.
const BITS: [&str; 4] = ["bits", "constant", "constant", "run ends"];

// In sets of tags, one bit each, which no vector begins with.

/// The whole column is stored as its differences from another one.
pub const TAG_SAME_COLUMN: u8 = 31;
/// The general stage is zstd, where it saves more than a tenth.
pub const TAG_ZSTD: u8 = 30;
/// zstd was asked for, and there was no encoder.
pub const TAG_ZSTD_DUE: u8 = 29;
/// It was said of each value how zstd compresses it; vectors have that form where it is smaller.
pub const TAG_VALUES_CHOSEN: u8 = 28;
/// It was to be said of each value how zstd compresses it, and nobody was there to say it.
pub const TAG_VALUES_DUE: u8 = 27;

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
