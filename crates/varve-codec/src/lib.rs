//! Encodings of one vector of one column: at most [`ROWS_MAX`] values in, self-describing bytes
//! out, and back. It knows nothing of tables, pages, I/O or the clock; the caller keeps row counts
//! and checksums.
//!
//! Invariant: decoding accepts any bytes and answers with a [`CodecError`], never a panic.
//! Invariant: no decoder allocates more than the caller's row count and byte limit allow.
//! Invariant: equal values give equal bytes on every target; no choice rests on `usize`, hash order
//! or libm.
//!
//! An encoded vector is a tag byte, the parameters of that codec and its packed values; what a
//! codec nests comes last. Codecs come in two levels: a *leaf* holds its values itself, a *form*
//! (dictionary, run ends) nests one leaf.
//!
//! | tag | words ([`encode_words`]) | strings ([`encode_strings`]) | bits ([`encode_bits`]) |
//! |---|---|---|---|
//! | 0 | plain | plain | plain |
//! | 1 | constant | constant | all 0 |
//! | 2 | dictionary | dictionary | all 1 |
//! | 3 | run ends | run ends | runs |
//! | 4 | frame of reference | FSST | |
//! | 5 | delta | split | |
//! | 6 | decimal | template of documents | |
//! | 7 | steps | same as a sibling | |
//! | 8 | shared dictionary | shared dictionary | |
//! | 9 | ALP | packed text | |
//! | 10 | ALP-RD | prefixes | |
//! | 11 | Gorilla | | |
//! | 12 | Chimp128 | | |
//! | 13 | delta of delta | | |
//! | 14 | patched frame | | |
//! | 15 | linear frame | | |
//! | 16 | bins | | |

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "test data is small"
    )
)]

mod bitmap;
mod bits;
mod block;
mod codec_name;
mod composite;
mod compute;
mod decoded;
mod distinct;
mod entropy;
mod error;
mod float;
mod frames;
mod fsst;
mod names;
mod reader;
mod scope;
mod shared;
mod stage;
mod strings;
mod words;
mod writer;

#[cfg(test)]
mod testing;

pub use bitmap::{DecodedBits, decode_bits, encode_bits, gather_bits, split_bits};
pub use block::{BlockEncoder, BlockOptions, BlockValues, EncodedBlock};
pub use codec_name::{Codec, UnknownCodec};
pub use composite::{
    StringLists, WordLists, decode_string_lists, decode_wide, decode_word_lists,
    encode_string_lists, encode_wide, encode_word_lists, gather_wide,
};
pub use compute::{
    Comparison, StringPredicate, WordAggregate, WordPredicate, aggregate_words, count_codes,
    filter_bits, filter_strings, filter_words, filters_strings_encoded, filters_words_encoded,
    spread_bits,
};
pub use decoded::Decoded;
pub use error::CodecError;
pub use float::{f64_from_word, word_from_f64};
pub use frames::{
    Frame, Stage, WrittenFrame, ZstdDictionaries, ZstdStage, put_frames, read_frames, write_frames,
    write_zstd_frames,
};
pub use names::{bit_codec_names, string_codec_names, word_codec_names};
pub use reader::ByteReader;
pub use shared::Shared;
pub(crate) use shared::SharedWriter;
#[cfg(feature = "zstd-encode")]
pub use stage::{StructuredZstd, train_dictionary};
pub use stage::{
    ZSTD_DICTIONARY_BYTES_MAX, ZSTD_LEVEL_MAX, ZSTD_LEVEL_MIN, ZSTD_TRAINING_BYTES_MAX,
    ZstdDecoder, ZstdDictionary, ZstdEncoder, ZstdFraming, ZstdSamples, compress_lz4,
    decompress_lz4, decompress_zstd,
};
pub use strings::{
    Strings, StringsRef, decode_plain_strings, decode_same_strings, decode_strings,
    encode_same_strings, encode_strings, equal_strings_per_mille, gather_same_strings,
    gather_strings,
};
pub use words::{
    WordKind, decode_plain_words, decode_same_words, decode_word, decode_words, encode_same_words,
    encode_words, equal_words_per_mille, gather_same_words, gather_words,
};
pub use writer::{put_varint, put_zigzag};

/// The most values in one vector.
pub const ROWS_MAX: usize = 1024;

/// The most vectors in one block.
pub const BLOCK_VECTORS_MAX: usize = 64;

/// Plain values, in the width of their kind.
pub const TAG_PLAIN: u8 = 0;
/// One value for all rows; for bits all 0.
pub const TAG_CONSTANT: u8 = 1;
/// Sorted distinct values and one code a row; for bits all 1.
pub const TAG_DICTIONARY: u8 = 2;
/// One value and one end for each run of equal rows.
pub const TAG_RUN_ENDS: u8 = 3;
/// Distances from the least value, bit-packed.
pub const TAG_FRAME: u8 = 4;
/// Distances from one value to the next, bit-packed.
pub const TAG_DELTA: u8 = 5;
/// Doubles as integers over a power of ten.
pub const TAG_DECIMAL: u8 = 6;
/// The first value, and the distances between neighbours as nested words.
pub const TAG_STEPS: u8 = 7;
/// Documents as a template of the shared part and the columns of their fields.
pub const TAG_JSON: u8 = 6;
/// Strings as those of another field of the same template, but for some.
pub const TAG_SAME: u8 = 7;
/// Entropy-coded bins, and the distances from their least values.
pub const TAG_BINS: u8 = 16;
/// Codes of FSST, entropy-coded by the code before.
pub const TAG_PACKED: u8 = 9;
/// Codes of a dictionary in the shared part of the block.
pub const TAG_SHARED_DICTIONARY: u8 = 8;
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
/// Strings as codes of a symbol table in the shared part of the block.
pub const TAG_FSST: u8 = 4;
/// In sets of tags: the whole column is stored as its differences from another one.
pub const TAG_SAME_COLUMN: u8 = 31;
/// Strings: columns of a template in the shared part of the block.
pub const TAG_SPLIT: u8 = 5;
/// Strings: the bytes shared with the string before, and the others.
pub const TAG_PREFIXES: u8 = 10;
