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
//! codec nests comes last, or behind its length. A *leaf* holds its values itself, a *form*
//! (dictionary, run ends) gives an executor codes or runs to work on, and a *cascade* nests codecs
//! in codecs, eight deep at most.
//!
//! The vectors of one column of a group are a [block](BlockEncoder): one cascade, chosen on some of
//! its vectors, and one [shared part](Shared) of what all of them need. They are stored by
//! [frames](Frame) of up to eight, where LZ4 or zstd may follow as a general stage.
//!
//! | tag | integers ([`encode_integers`]) | strings ([`encode_strings`]) | bits ([`encode_bits`]) |
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
//!
//! # How a column becomes bytes
//!
//! - *Block, shared part, vector, frame.* `BlockEncoder` writes all vectors of a block in one
//!   cascade, a tree of codecs (`IntegerPlan`, `StringPlan`). What all of them need (dictionaries,
//!   symbol tables, templates, entropy tables) is the shared part, stored once; groups of a run
//!   that follow each other and have equal shared parts store one together. Any one vector decodes
//!   alone, and single rows of it are gathered. Up to eight vectors are a frame, under LZ4 or zstd
//!   where that saves more than a tenth. Columns of point reads have neither shared part nor stage.
//! - *The choice* (`integers/choose.rs`, `strings/choose.rs`) encodes four whole vectors, picked at
//!   random but alike everywhere, in each candidate. Nested values are chosen for in the same way,
//!   two levels deep. It weighs bytes, shared part included, and what decoding costs, in integers.
//!   The cascade is kept for the next blocks until their bytes a row change by a tenth. Then its
//!   form is tried again with a new shared part, before all is chosen anew. Every block is decoded
//!   again before it is stored, and one that does not come back as it was is stored without a
//!   cascade. [`Codec`] names what a caller may ask for.
//! - *Strings that a program put together* are cut by a template of the block (`strings/split`),
//!   JSON documents by the shapes that they share (`strings/json`). What varies becomes columns of
//!   integers and text with cascades of their own.
//! - *Compute on encoded vectors* (`compute/`): a predicate becomes ascending ranges, which are
//!   carried down into codes, runs, distances or ALP's integers, so that few kernels filter every
//!   cascade.
//! - *zstd* (`stage/zstd`). The decoder is our own and in the core. Encoder and trainer, of crate
//!   `structured-zstd`, are behind a feature: in browsers they are a module of their own. Code that
//!   compresses takes a [`ZstdEncoder`], so this crate never substitutes another codec.
//!
//! # What holds it
//!
//! Each codec round trips in property tests, whole and by position, against a slow twin. Golden
//! bytes pin each format. Aggregates and filters are compared with decoding first. No decoder
//! recurses deeper than eight or panics, and none takes more memory than rows and `bytes_max` allow
//! (dictionaries of a shared part: a million values together). `tests/fuzz` damages vectors, shared
//! parts and frames of every codec: a million in each test run, ten million of each codec in the
//! full one. `tests/bench` compares with peers on the sets and files of `docs/benchmarks`, and
//! hashes all bytes natively and in wasm.

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
mod decode_shared;
mod decoded;
mod distinct;
mod entropy;
mod error;
mod float;
mod frame_dictionary;
mod frames;
mod fsst;
mod hashing;
mod integers;
mod positions;
mod reader;
mod scope;
mod shared;
mod short;
mod split_mix;
mod stage;
mod string_data;
mod strings;
pub mod tags;
mod writer;

#[cfg(test)]
mod testing;

pub use bitmap::{DecodedBits, decode_bits, encode_bits, gather_bits, split_bits};
pub use block::{BlockEncoder, BlockOptions, BlockValues, EncodedBlock};
pub use codec_name::{Codec, UnknownCodec};
pub use composite::{
    IntegerLists, StringLists, decode_integer_lists, decode_string_lists, decode_wide,
    encode_integer_lists, encode_string_lists, encode_wide, gather_wide,
};
pub use compute::{
    Comparison, IntegerPredicate, StringPredicate, filter_bits, filter_integers, filter_strings,
    filters_integers_encoded, filters_strings_encoded, spread_bits,
};
pub use decoded::Decoded;
pub use error::CodecError;
pub use float::{f64_from_integer, integer_from_f64};
pub use frame_dictionary::{FrameDictionary, ZstdBlock, write_zstd_block};
pub use frames::{
    Frame, Stage, WrittenFrame, ZstdDictionaries, ZstdStage, put_frames, read_frames, write_frames,
    write_zstd_frames,
};
pub use integers::{
    IntegerKind, decode_integer, decode_integers, decode_plain_integers, decode_same_integers,
    encode_integers, encode_same_integers, equal_integers_per_mille, gather_integers,
    gather_same_integers,
};
pub use reader::ByteReader;
pub use shared::Shared;
pub(crate) use shared::SharedWriter;
#[cfg(feature = "zstd-encode")]
pub use stage::{StructuredZstd, StructuredZstdEncoders, train_dictionary};
pub use stage::{
    ZSTD_DICTIONARY_BYTES_MAX, ZSTD_LEVEL_MAX, ZSTD_LEVEL_MIN, ZSTD_TRAINING_BYTES_MAX,
    ZstdDecoder, ZstdDictionary, ZstdEncoder, ZstdEncoders, ZstdFraming, ZstdSamples, compress_lz4,
    decompress_lz4, decompress_zstd, zstd_content_bytes_max,
};
pub use string_data::{Strings, StringsRef};
pub use strings::{
    BytesByWay, FramedBlock, ValueFrame, ValueFrameBytes, ValueFramer, decode_plain_strings,
    decode_same_strings, decode_strings, encode_same_strings, encode_strings,
    equal_strings_per_mille, gather_same_strings, gather_strings,
};
pub use tags::{bit_codec_names, integer_codec_names, string_codec_names};
pub use varve_kernels::doubles_of_integers;
pub use writer::{put_varint, put_zigzag};

/// The most values in one vector.
pub const ROWS_MAX: usize = 1024;

/// The most vectors in one block.
pub const BLOCK_VECTORS_MAX: usize = 64;
