//! The one place that knows the interface of `varve-codec`: a column into blocks and back, cut as
//! runs cut them.
//!
//! A vector holds up to 1,024 rows, less where they have more than 1 MiB; a block has up to 64
//! vectors. A vector is its validity and, unless every row is NULL, its values: a NULL row of
//! numbers repeats the value before it, NULL strings are left out.

use crate::set::{Column, Texts, Values};
use std::hint::black_box;
use varve_codec::{
    BLOCK_VECTORS_MAX, BlockEncoder, BlockOptions, BlockValues, Codec, Decoded, DecodedBits,
    IntegerKind, ROWS_MAX, Shared, Stage, Strings, StringsRef, bit_codec_names, decode_bits,
    decode_integers, decode_strings, encode_bits, f64_from_integer, integer_codec_names,
    integer_from_f64, put_frames, read_frames, split_bits, string_codec_names, write_frames,
};

/// A vector ends with the row in which its text passes this.
const VECTOR_BYTES_MAX: usize = 1 << 20;
/// No vector of ours has more text.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// An encoded column.
#[derive(Debug)]
pub struct Encoded {
    kind: Kind,
    /// By block.
    pub blocks: Vec<Block>,
}

/// The values of up to 64 vectors.
#[derive(Debug)]
pub struct Block {
    /// Rows of each vector.
    pub vector_rows: Vec<usize>,
    /// The part that all vectors share, as stored; empty where there is none or it is as in the
    /// block before.
    pub stored_shared: Vec<u8>,
    /// The vectors, as stored: frames with a general stage.
    pub stored_vectors: Vec<u8>,
    /// The shared part as it is decoded.
    shared: Vec<u8>,
    /// A bit for each tag that a vector begins with.
    pub tags: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Words(IntegerKind),
    Strings,
    Bits,
}

impl Kind {
    fn of(values: &Values) -> Kind {
        match values {
            Values::Int32(_) => Kind::Words(IntegerKind::Int32),
            Values::Int64(_) => Kind::Words(IntegerKind::Int64),
            Values::Float64(_) => Kind::Words(IntegerKind::Float64),
            Values::Bool(_) => Kind::Bits,
            Values::Text(_) | Values::Bytes(_) => Kind::Strings,
        }
    }
}

impl Encoded {
    /// Bytes as stored.
    pub fn bytes(&self) -> u64 {
        let bytes = |block: &Block| block.stored_shared.len() + block.stored_vectors.len();
        self.blocks.iter().map(bytes).sum::<usize>() as u64
    }

    /// Adds all that is stored to a hash.
    pub fn hash_into(&self, hasher: &mut blake3::Hasher) {
        for block in &self.blocks {
            hasher.update(&block.stored_shared);
            hasher.update(&block.stored_vectors);
        }
    }

    /// What most of its blocks begin with: the kind of their values and the codec.
    pub fn codec(&self) -> String {
        let mut counts = [0_usize; 32];
        for block in &self.blocks {
            for tag in (0..32).filter(|tag| block.tags >> tag & 1 == 1) {
                counts[tag] += block.vector_rows.len();
            }
        }
        let tag = (0..32).max_by_key(|tag| counts[*tag]).unwrap_or(0);
        let (kind, names) = match self.kind {
            Kind::Words(_) => ("numbers", integer_codec_names(1 << tag)),
            Kind::Strings => ("strings", string_codec_names(1 << tag)),
            Kind::Bits => ("booleans", bit_codec_names(1 << tag)),
        };
        format!("{kind}: {}", names.join(" "))
    }
}

/// The hash of all that is stored of a set.
pub fn hash_of(encoded: &[Encoded]) -> String {
    let mut hasher = blake3::Hasher::new();
    encoded
        .iter()
        .for_each(|column| column.hash_into(&mut hasher));
    hasher.finalize().to_hex().to_string()
}

/// The rows of each vector of a column.
pub fn vector_rows(column: &Column) -> Vec<usize> {
    let rows = column.rows();
    let (Values::Text(texts) | Values::Bytes(texts)) = &column.values else {
        let vector = |at: usize| ROWS_MAX.min(rows - at * ROWS_MAX);
        return (0..rows.div_ceil(ROWS_MAX)).map(vector).collect();
    };
    let mut vectors = Vec::new();
    let mut first = 0;
    for row in 1..=rows {
        let bytes = (texts.offsets[row] - texts.offsets[first]) as usize;
        if row - first == ROWS_MAX || bytes > VECTOR_BYTES_MAX || row == rows {
            vectors.push(row - first);
            first = row;
        }
    }
    vectors
}

/// Encodes a column, with the chooser on and this general stage.
pub fn encode(column: &Column, stage: Stage) -> Encoded {
    encode_as(column, stage, Codec::Auto)
}

/// As [`encode`], with the codec that was named where it can hold the values.
pub fn encode_as(column: &Column, stage: Stage, codec: Codec) -> Encoded {
    let mut blocks: Vec<Block> = Vec::new();
    let mut before: Vec<u8> = Vec::new();
    encode_blocks(
        column,
        stage,
        codec,
        |vector_rows, tags, shared, vectors| {
            let framed = |parts: &[Vec<u8>]| {
                let mut stored = Vec::new();
                let frames = write_frames(parts.iter().map(Vec::as_slice), stage);
                put_frames(&frames, &mut stored).expect("frames of eight vectors");
                stored
            };
            let fresh = !shared.is_empty() && shared != before;
            let stored_shared = if fresh {
                framed(std::slice::from_ref(&shared))
            } else {
                Vec::new()
            };
            before.clone_from(&shared);
            blocks.push(Block {
                vector_rows,
                stored_shared,
                stored_vectors: framed(&vectors),
                shared,
                tags,
            });
        },
    );
    Encoded {
        kind: Kind::of(&column.values),
        blocks,
    }
}

/// Hands over each block before any general stage: rows of its vectors, tags, shared part, vectors.
pub fn encode_blocks(
    column: &Column,
    stage: Stage,
    codec: Codec,
    mut take: impl FnMut(Vec<usize>, u32, Vec<u8>, Vec<Vec<u8>>),
) {
    let mut encoder = BlockEncoder::new(BlockOptions {
        stage,
        point_reads: false,
        codec,
    });
    let all_vector_rows = vector_rows(column);
    let mut first = 0;
    for vector_rows in all_vector_rows.chunks(BLOCK_VECTORS_MAX) {
        let rows: usize = vector_rows.iter().sum();
        let mut vectors = validity_of(column, first, vector_rows);
        let (tags, shared) = match &column.values {
            Values::Bool(bools) => (
                put_bits(bools, first, vector_rows, &mut vectors),
                Vec::new(),
            ),
            Values::Int32(ints) | Values::Int64(ints) => {
                let words = filled(column, first, ints[first..first + rows].to_vec());
                put_words(
                    column,
                    &mut encoder,
                    &words,
                    first,
                    vector_rows,
                    &mut vectors,
                )
            }
            Values::Float64(doubles) => {
                let words = doubles[first..first + rows]
                    .iter()
                    .map(|d| integer_from_f64(*d));
                let words = filled(column, first, words.collect());
                put_words(
                    column,
                    &mut encoder,
                    &words,
                    first,
                    vector_rows,
                    &mut vectors,
                )
            }
            Values::Text(texts) | Values::Bytes(texts) => put_strings(
                column,
                texts,
                &mut encoder,
                first,
                vector_rows,
                &mut vectors,
            ),
        };
        take(vector_rows.to_vec(), tags, shared, vectors);
        first += rows;
    }
}

fn validity_of(column: &Column, first: usize, vector_rows: &[usize]) -> Vec<Vec<u8>> {
    let mut from = first;
    let vector = |rows: &usize| {
        let mut bits = vec![0_u8; rows.div_ceil(8)];
        for row in 0..*rows {
            bits[row / 8] |= u8::from(column.is_valid(from + row)) << (row % 8);
        }
        from += rows;
        let mut out = Vec::new();
        encode_bits(&bits, *rows, &mut out).expect("a vector is not too long");
        out
    };
    vector_rows.iter().map(vector).collect()
}

fn put_bits(bools: &[bool], first: usize, vector_rows: &[usize], out: &mut [Vec<u8>]) -> u32 {
    let mut from = first;
    let mut tags = 0;
    for (rows, vector) in vector_rows.iter().zip(out) {
        let mut bits = vec![0_u8; rows.div_ceil(8)];
        for row in 0..*rows {
            bits[row / 8] |= u8::from(bools[from + row]) << (row % 8);
        }
        from += rows;
        tags |= 1 << encode_bits(&bits, *rows, vector).expect("a vector is not too long");
    }
    tags
}

/// The words with those of NULL rows replaced by the one before, or the first of the block.
fn filled(column: &Column, first: usize, mut words: Vec<i64>) -> Vec<i64> {
    if let Some(validity) = &column.validity {
        let valid = &validity[first..first + words.len()];
        let from = valid.iter().position(|valid| *valid).unwrap_or(0);
        let mut last = words.get(from).copied().unwrap_or(0);
        for (word, valid) in words.iter_mut().zip(valid) {
            if *valid {
                last = *word;
            } else {
                *word = last;
            }
        }
    }
    words
}

fn put_words(
    column: &Column,
    encoder: &mut BlockEncoder,
    words: &[i64],
    first: usize,
    vector_rows: &[usize],
    out: &mut [Vec<u8>],
) -> (u32, Vec<u8>) {
    let Kind::Words(kind) = Kind::of(&column.values) else {
        unreachable!("only columns of numbers have words")
    };
    let block = encoder.encode(BlockValues::Integers(kind, words), vector_rows);
    let block = block.expect("the values are within bounds");
    let mut from = first;
    for ((vector, rows), out) in block.vectors.iter().zip(vector_rows).zip(out) {
        if present(column, from, *rows) > 0 {
            out.extend_from_slice(vector);
        }
        from += rows;
    }
    (block.tags, block.shared)
}

fn put_strings(
    column: &Column,
    texts: &Texts,
    encoder: &mut BlockEncoder,
    first: usize,
    vector_rows: &[usize],
    out: &mut [Vec<u8>],
) -> (u32, Vec<u8>) {
    let rows: usize = vector_rows.iter().sum();
    let mut from = first;
    let present_rows: Vec<usize> = vector_rows
        .iter()
        .map(|rows| {
            from += rows;
            present(column, from - rows, *rows)
        })
        .collect();
    let dense: Texts;
    let strings = if column.validity.is_some() {
        let valid = (first..first + rows).filter(|row| column.is_valid(*row));
        dense = valid.map(|row| texts.get(row)).collect();
        StringsRef {
            offsets: &dense.offsets,
            bytes: &dense.bytes,
        }
    } else {
        StringsRef {
            offsets: &texts.offsets[first..=first + rows],
            bytes: &texts.bytes,
        }
    };
    let block = encoder.encode(BlockValues::Strings(strings), &present_rows);
    let block = block.expect("the values are within bounds");
    for ((vector, present), out) in block.vectors.iter().zip(&present_rows).zip(out) {
        if *present > 0 {
            out.extend_from_slice(vector);
        }
    }
    (block.tags, block.shared)
}

fn present(column: &Column, first: usize, rows: usize) -> usize {
    (first..first + rows)
        .filter(|row| column.is_valid(*row))
        .count()
}

/// The values of one vector, one a row; buffers are used again from vector to vector.
#[derive(Debug, Default)]
pub struct Flat {
    /// Integers.
    pub ints: Vec<i64>,
    /// Doubles.
    pub doubles: Vec<f64>,
    /// Strings; those of NULL rows are left out.
    pub texts: Texts,
    /// Booleans.
    pub bits: Option<DecodedBits>,
}

/// Decodes vector after vector to the form that an executor takes: dictionaries, runs and constants
/// stay as they are.
pub fn decode_forms(encoded: &Encoded) {
    visit(encoded, |kind, shared, values, rows, _| match kind {
        _ if rows == 0 => {}
        Kind::Words(kind) => {
            black_box(decode_integers(kind, shared, values, rows).expect("we wrote it"));
        }
        Kind::Strings => {
            black_box(decode_strings(shared, values, rows, TEXT_BYTES_MAX).expect("we wrote it"));
        }
        Kind::Bits => {
            black_box(decode_bits(values, rows).expect("we wrote it"));
        }
    });
}

/// Decodes vector after vector to one value a row; `take` sees each with its validity.
pub fn decode_flat(encoded: &Encoded, mut take: impl FnMut(&Flat, &DecodedBits, usize)) {
    let mut flat = Flat::default();
    visit(
        encoded,
        |kind, shared, values, rows, (validity, vector_rows)| {
            match kind {
                Kind::Words(kind) if rows > 0 => {
                    let words = decode_integers(kind, shared, values, rows).expect("we wrote it");
                    if kind == IntegerKind::Float64 {
                        flat.doubles.clear();
                        spread(&words, shared, rows, f64_from_integer, &mut flat.doubles);
                    } else {
                        flat.ints.clear();
                        spread(&words, shared, rows, |word| word, &mut flat.ints);
                    }
                }
                Kind::Strings => {
                    flat.texts.clear();
                    if rows > 0 {
                        let strings = decode_strings(shared, values, rows, TEXT_BYTES_MAX);
                        spread_strings(
                            &strings.expect("we wrote it"),
                            shared,
                            rows,
                            &mut flat.texts,
                        );
                    }
                }
                Kind::Bits if rows > 0 => {
                    flat.bits = Some(decode_bits(values, rows).expect("we wrote it"));
                }
                Kind::Words(_) | Kind::Bits => {}
            }
            take(&flat, validity, vector_rows);
        },
    );
}

/// Calls `take` with each vector: kind, shared part, bytes, rows that are stored; validity and
/// rows.
fn visit(
    encoded: &Encoded,
    mut take: impl FnMut(Kind, &Shared, &[u8], usize, (&DecodedBits, usize)),
) {
    for block in &encoded.blocks {
        let shared = Shared::decode(&block.shared, TEXT_BYTES_MAX).expect("we wrote it");
        let vectors = block.vector_rows.len();
        let frames = read_frames(&block.stored_vectors, 0, vectors).expect("we wrote it");
        let mut current = 0;
        for (at, rows) in block.vector_rows.iter().enumerate() {
            if frames
                .get(current + 1)
                .is_some_and(|next| next.first_vector() <= at)
            {
                current += 1;
            }
            let frame = &frames[current];
            let bytes = frame
                .vector(&block.stored_vectors, at, &())
                .expect("we wrote it");
            let (validity, values) = split_bits(bytes, *rows).expect("we wrote it");
            let validity = decode_bits(validity, *rows).expect("we wrote it");
            let present = match &validity {
                DecodedBits::Constant(false) => 0,
                DecodedBits::Plain(bits) if encoded.kind == Kind::Strings => {
                    bits.iter().map(|byte| byte.count_ones() as usize).sum()
                }
                _ => *rows,
            };
            take(encoded.kind, &shared, values, present, (&validity, *rows));
        }
    }
}

fn spread<T: Copy>(
    words: &Decoded<Vec<i64>>,
    shared: &Shared,
    rows: usize,
    value: impl Fn(i64) -> T,
    out: &mut Vec<T>,
) {
    match words {
        Decoded::Plain(words) => out.extend(words.iter().map(|word| value(*word))),
        Decoded::Constant(words) => out.extend(std::iter::repeat_n(value(words[0]), rows)),
        Decoded::Dictionary { codes, values } => {
            out.extend(codes.iter().map(|code| value(values[*code as usize])));
        }
        Decoded::Shared { codes, resource } => {
            let values = shared.integers(*resource).expect("we wrote it");
            out.extend(codes.iter().map(|code| value(values[*code as usize])));
        }
        Decoded::RunEnds { ends, values } => {
            for (end, word) in ends.iter().zip(values) {
                out.resize(*end as usize, value(*word));
            }
        }
    }
}

fn spread_strings(strings: &Decoded<Strings>, shared: &Shared, rows: usize, out: &mut Texts) {
    match strings {
        Decoded::Plain(strings) => {
            out.bytes.extend_from_slice(&strings.bytes);
            out.offsets.clear();
            out.offsets.extend_from_slice(&strings.offsets);
        }
        Decoded::Constant(strings) => (0..rows).for_each(|_| out.push(strings.as_ref().get(0))),
        Decoded::Dictionary { codes, values } => {
            let values = values.as_ref();
            codes
                .iter()
                .for_each(|code| out.push(values.get(*code as usize)));
        }
        Decoded::Shared { codes, resource } => {
            let values = shared.strings(*resource).expect("we wrote it").as_ref();
            codes
                .iter()
                .for_each(|code| out.push(values.get(*code as usize)));
        }
        Decoded::RunEnds { ends, values } => {
            let mut row = 0;
            for (i, end) in ends.iter().enumerate() {
                (row..*end).for_each(|_| out.push(values.as_ref().get(i)));
                row = *end;
            }
        }
    }
}

/// Stops where the column does not come back as it was.
pub fn check(column: &Column, encoded: &Encoded) {
    let mut row = 0;
    decode_flat(encoded, |flat, validity, rows| {
        let mut stored = 0;
        for i in 0..rows {
            let valid = match validity {
                DecodedBits::Constant(bit) => *bit,
                DecodedBits::Plain(bits) => bits[i / 8] >> (i % 8) & 1 == 1,
            };
            assert_eq!(valid, column.is_valid(row), "{}: row {row}", column.name);
            if valid {
                let same = match &column.values {
                    Values::Int32(ints) | Values::Int64(ints) => ints[row] == flat.ints[i],
                    Values::Float64(doubles) => doubles[row].to_bits() == flat.doubles[i].to_bits(),
                    Values::Bool(bools) => match flat.bits.as_ref() {
                        Some(DecodedBits::Constant(bit)) => bools[row] == *bit,
                        Some(DecodedBits::Plain(bits)) => {
                            bools[row] == (bits[i / 8] >> (i % 8) & 1 == 1)
                        }
                        None => false,
                    },
                    Values::Text(texts) | Values::Bytes(texts) => {
                        texts.get(row) == flat.texts.get(stored)
                    }
                };
                assert!(same, "{}: row {row} does not come back", column.name);
                stored += 1;
            }
            row += 1;
        }
    });
    assert_eq!(row, column.rows(), "{}", column.name);
}

#[cfg(test)]
mod tests {
    use super::{check, encode, vector_rows};
    use crate::generate::{GENERATORS, Size};
    use varve_codec::Stage;

    #[test]
    fn every_set_comes_back() {
        for generator in GENERATORS {
            for column in &generator.set(Size::XS).columns {
                for stage in [Stage::Lz4, Stage::None] {
                    check(column, &encode(column, stage));
                }
                assert_eq!(vector_rows(column).iter().sum::<usize>(), column.rows());
            }
        }
    }
}
