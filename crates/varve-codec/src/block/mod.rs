//! Blocks: the values of one column of up to 64 vectors, encoded by one cascade that was chosen on
//! a sample of them.
//!
//! An encoder serves the blocks of one column in turn. It keeps its cascade, shared part included,
//! from block to block until the bytes a row drift by a tenth; so most blocks are written without a
//! choice, and blocks whose shared parts are equal can share it.

use crate::frames::{Stage, write_frames};
use crate::strings::{ChosenStrings, StringPlan, StringSample, StringsRef, choose_named_strings};
use crate::words::{ChosenWords, Scale, WordKind, WordPlan, choose_named_words};
use crate::{BLOCK_VECTORS_MAX, Codec, CodecError, ROWS_MAX, Shared, SharedWriter, WrittenFrame};

/// How deep the chooser nests codecs above the basic ones.
const DEPTH: u8 = 2;
/// Vectors in the sample of a block.
const SAMPLE_VECTORS: usize = 4;

/// What a column wants of its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockOptions {
    /// The general stage that its frames will have.
    pub stage: Stage,
    /// Whether single rows are read often: then only codecs without a shared part are used, all of
    /// which find a row quickly.
    pub point_reads: bool,
    /// The codec that the user named; [`Codec::Auto`] for the best of all.
    pub codec: Codec,
}

/// The values of a block, vector after vector.
#[derive(Clone, Copy, Debug)]
pub enum BlockValues<'a> {
    /// Words of a kind; those of [`WordKind::Int32`] must fit 32 bits.
    Words(WordKind, &'a [i64]),
    /// Strings.
    Strings(StringsRef<'a>),
}

/// An encoded block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedBlock {
    /// What [`Shared::decode`] reads; empty when the vectors stand alone.
    pub shared: Vec<u8>,
    /// The bytes of each vector.
    pub vectors: Vec<Vec<u8>>,
    /// A bit for each outermost tag used.
    pub tags: u32,
}

/// Encodes the blocks of one column.
#[derive(Debug)]
pub struct BlockEncoder {
    options: BlockOptions,
    kept: Option<Kept>,
}

/// The cascade of the block before.
#[derive(Debug)]
struct Kept {
    plan: Plan,
    shared: SharedWriter,
    /// Bytes of a thousand rows, shared part excluded.
    bytes_of_1000_rows: u64,
}

#[derive(Clone, Debug)]
enum Plan {
    Words(WordPlan),
    Strings(StringPlan),
}

impl BlockEncoder {
    /// An encoder that has chosen nothing yet.
    pub fn new(options: BlockOptions) -> BlockEncoder {
        BlockEncoder {
            options,
            kept: None,
        }
    }

    /// Encodes a block whose vectors hold `vector_rows` values each. All blocks of an encoder have
    /// values of one kind.
    pub fn encode(
        &mut self,
        values: BlockValues<'_>,
        vector_rows: &[usize],
    ) -> Result<EncodedBlock, CodecError> {
        check_rows(values, vector_rows)?;
        let rows: usize = vector_rows.iter().sum();
        if let Some(kept) = &self.kept {
            let block = write(&kept.plan, &kept.shared, values, vector_rows)?;
            let now = bytes_of_1000_rows(&block, rows);
            if now.abs_diff(kept.bytes_of_1000_rows) * 10 <= kept.bytes_of_1000_rows {
                return Ok(block);
            }
        }
        let (plan, shared) = self.choose(values, vector_rows)?;
        let mut block = write(&plan, &shared, values, vector_rows)?;
        let mut kept = Some((plan, shared));
        if self.options.stage != Stage::None && self.options.codec == Codec::Auto {
            // The sample shows little of what the general stage finds over whole frames. Where it
            // finds much in plain values, it finds more in codes of the same pattern.
            for plan in repetitive_plans(values) {
                let other = write(&plan, &SharedWriter::default(), values, vector_rows)?;
                if self.stored_bytes(&other) >= self.stored_bytes(&block) {
                    break;
                }
                block = other;
                kept = Some((plan, SharedWriter::default()));
            }
        }
        self.kept = kept.map(|(plan, shared)| Kept {
            plan,
            shared,
            bytes_of_1000_rows: bytes_of_1000_rows(&block, rows),
        });
        Ok(block)
    }

    fn stored_bytes(&self, block: &EncodedBlock) -> usize {
        let frames = write_frames(block.vectors.iter().map(Vec::as_slice), self.options.stage);
        block.shared.len() + frames.iter().map(WrittenFrame::bytes).sum::<usize>()
    }

    fn choose(
        &self,
        values: BlockValues<'_>,
        vector_rows: &[usize],
    ) -> Result<(Plan, SharedWriter), CodecError> {
        let picked = sample_vectors(vector_rows);
        let rows_of = |picked: &[usize]| -> u64 {
            let rows = picked.iter().filter_map(|at| vector_rows.get(*at));
            rows.map(|rows| *rows as u64).sum()
        };
        let scale = Scale {
            sample_rows: rows_of(&picked),
            block_rows: vector_rows.iter().map(|rows| *rows as u64).sum(),
        };
        if self.options.point_reads && self.options.codec == Codec::Auto {
            let plan = match values {
                BlockValues::Words(..) => Plan::Words(WordPlan::Basic),
                BlockValues::Strings(_) => Plan::Strings(StringPlan::Basic),
            };
            return Ok((plan, SharedWriter::default()));
        }
        match values {
            BlockValues::Words(kind, words) => {
                let vectors: Vec<&[i64]> = words_by_vector(words, vector_rows).collect();
                let sample: Vec<Vec<i64>> = picked
                    .iter()
                    .filter_map(|at| vectors.get(*at))
                    .map(|vector| vector.to_vec())
                    .collect();
                let codec = self.options.codec;
                let ChosenWords { plan, shared, .. } =
                    choose_named_words(codec, kind, &sample, &vectors, scale, DEPTH)?;
                Ok((Plan::Words(plan), shared))
            }
            BlockValues::Strings(strings) => {
                let vectors: Vec<StringsRef<'_>> =
                    strings_by_vector(strings, vector_rows).collect();
                let picked: Vec<StringsRef<'_>> = picked
                    .iter()
                    .filter_map(|at| vectors.get(*at).copied())
                    .collect();
                let sample = StringSample {
                    vectors: &picked,
                    block: Some(&vectors),
                    scale,
                    staged: self.options.stage == Stage::Lz4,
                };
                let codec = self.options.codec;
                let ChosenStrings { plan, shared, .. } =
                    choose_named_strings(codec, sample, DEPTH)?;
                Ok((Plan::Strings(plan), shared))
            }
        }
    }
}

/// What a general stage may do best on, in the order to try.
fn repetitive_plans(values: BlockValues<'_>) -> [Plan; 2] {
    match values {
        BlockValues::Words(..) => [WordPlan::Plain, WordPlan::Basic].map(Plan::Words),
        BlockValues::Strings(_) => [StringPlan::Plain, StringPlan::Basic].map(Plan::Strings),
    }
}

fn check_rows(values: BlockValues<'_>, vector_rows: &[usize]) -> Result<(), CodecError> {
    let given = match values {
        BlockValues::Words(_, words) => words.len(),
        BlockValues::Strings(strings) => strings.len(),
    };
    if let Some(rows) = vector_rows.iter().find(|rows| **rows > ROWS_MAX) {
        return Err(CodecError::TooManyRows(*rows));
    }
    if vector_rows.len() > BLOCK_VECTORS_MAX {
        return Err(CodecError::TooManyRows(given));
    }
    if vector_rows.iter().sum::<usize>() != given {
        return Err(CodecError::Malformed("row count"));
    }
    Ok(())
}

/// Writes all vectors, and reads them back: what does not come back as it was is never stored.
fn write(
    plan: &Plan,
    shared: &SharedWriter,
    values: BlockValues<'_>,
    vector_rows: &[usize],
) -> Result<EncodedBlock, CodecError> {
    let mut block = EncodedBlock {
        shared: shared.finish(),
        vectors: Vec::with_capacity(vector_rows.len()),
        tags: 0,
    };
    let decoded_shared = Shared::decode(&block.shared, usize::MAX)?;
    match (plan, values) {
        (Plan::Words(plan), BlockValues::Words(kind, words)) => {
            for vector in words_by_vector(words, vector_rows) {
                let mut bytes = Vec::new();
                block.tags |= 1 << plan.encode(kind, vector, &mut bytes);
                let scope = crate::scope::Scope::new(&decoded_shared, 0);
                let back = crate::words::decode_plain(scope, kind, &bytes, vector.len())?;
                if back != vector {
                    return Err(UNFAITHFUL);
                }
                block.vectors.push(bytes);
            }
        }
        (Plan::Strings(plan), BlockValues::Strings(strings)) => {
            for vector in strings_by_vector(strings, vector_rows) {
                let mut bytes = Vec::new();
                block.tags |= 1 << plan.encode(vector, &mut bytes);
                let scope = crate::scope::Scope::new(&decoded_shared, usize::MAX);
                let back = crate::strings::decode_plain(scope, &bytes, vector.len())?;
                if !same_strings(back.as_ref(), vector) {
                    return Err(UNFAITHFUL);
                }
                block.vectors.push(bytes);
            }
        }
        _ => return Err(CodecError::Malformed("kind of values")),
    }
    Ok(block)
}

const UNFAITHFUL: CodecError =
    CodecError::Malformed("encoding, which does not decode to its input");

fn same_strings<'a>(a: StringsRef<'a>, b: StringsRef<'a>) -> bool {
    let lengths = |strings: StringsRef<'a>| {
        let pairs = strings.offsets.iter().zip(strings.offsets.iter().skip(1));
        pairs.map(|(start, end)| end - start)
    };
    a.len() == b.len() && lengths(a).eq(lengths(b)) && text_of(a) == text_of(b)
}

/// The bytes of all strings.
fn text_of(strings: StringsRef<'_>) -> &[u8] {
    let ends = strings.offsets.first().zip(strings.offsets.last());
    let bytes = ends.and_then(|(start, end)| strings.bytes.get(*start as usize..*end as usize));
    bytes.unwrap_or_default()
}

fn words_by_vector<'a>(
    words: &'a [i64],
    vector_rows: &'a [usize],
) -> impl Iterator<Item = &'a [i64]> {
    vector_rows.iter().scan(words, |rest, rows| {
        let (vector, after) = rest.split_at_checked(*rows)?;
        *rest = after;
        Some(vector)
    })
}

fn strings_by_vector<'a>(
    strings: StringsRef<'a>,
    vector_rows: &'a [usize],
) -> impl Iterator<Item = StringsRef<'a>> {
    vector_rows.iter().scan(0, move |start, rows| {
        let vector = strings.slice(*start, *start + rows);
        *start += rows;
        Some(vector)
    })
}

/// Which vectors are looked at: whole ones, at random, so that no period in the data can hide, but
/// the same ones at each run.
fn sample_vectors(vector_rows: &[usize]) -> Vec<usize> {
    let count = vector_rows.len();
    if count <= SAMPLE_VECTORS {
        return (0..count).collect();
    }
    let part = |i: usize| i * count / SAMPLE_VECTORS;
    let mut state = count as u64;
    (0..SAMPLE_VECTORS)
        .map(|i| {
            state = crate::distinct::mix(state, i as u64 + 1);
            let room = (part(i + 1) - part(i)) as u64;
            part(i) + usize::try_from((state >> 33) % room.max(1)).unwrap_or(0)
        })
        .collect()
}

fn bytes_of_1000_rows(block: &EncodedBlock, rows: usize) -> u64 {
    let bytes: usize = block.vectors.iter().map(Vec::len).sum();
    bytes as u64 * 1000 / rows.max(1) as u64
}

#[cfg(test)]
mod tests;
