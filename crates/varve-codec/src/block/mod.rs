//! Blocks: the values of one column of up to 64 vectors, encoded by one cascade that was chosen on
//! a sample of them.
//!
//! An encoder serves the blocks of one column in turn. It keeps its cascade, shared part included,
//! from block to block until the bytes a row drift by a tenth; so most blocks are written without a
//! choice, and blocks whose shared parts are equal can share it. Where only the shared part has
//! ceased to suit, as a dictionary does when other values come, the form of the cascade is kept and
//! the shared part made anew.

use crate::frames::{Stage, write_frames};
use crate::integers::{
    ChosenIntegers, IntegerKind, IntegerPlan, Scale, choose_named_integers, integers_of_form,
};
use crate::string_data::StringsRef;
use crate::strings::{
    ChosenStrings, StringPlan, StringSample, choose_named_strings, strings_of_form,
};
use crate::writer::low32;
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
    /// Integers of a kind; those of [`IntegerKind::Int32`] must fit 32 bits.
    Integers(IntegerKind, &'a [i64]),
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
    /// The same when the form was chosen, shared part included.
    all_bytes_of_1000_rows: u64,
    /// Whether the shared part was new in the block before, in a form that was kept: so it will be
    /// in the next one.
    renewed: bool,
}

#[derive(Clone, Debug)]
enum Plan {
    Integers(IntegerPlan),
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
        match self.encode_best(values, vector_rows) {
            Err(CodecError::UnsuitedCodec(codec)) => Err(CodecError::UnsuitedCodec(codec)),
            // What a cascade does not give back as it was is stored without one.
            Err(_) => {
                self.kept = None;
                let plan = match values {
                    BlockValues::Integers(..) => Plan::Integers(IntegerPlan::Basic),
                    BlockValues::Strings(_) => Plan::Strings(StringPlan::Basic),
                };
                write(&plan, &SharedWriter::default(), values, vector_rows)
            }
            block => block,
        }
    }

    fn encode_best(
        &mut self,
        values: BlockValues<'_>,
        vector_rows: &[usize],
    ) -> Result<EncodedBlock, CodecError> {
        let rows: usize = vector_rows.iter().sum();
        if let Some(kept) = &self.kept {
            if !kept.renewed {
                let block = write(&kept.plan, &kept.shared, values, vector_rows)?;
                let now = bytes_of_1000_rows(&block, rows);
                if now.abs_diff(kept.bytes_of_1000_rows) * 10 <= kept.bytes_of_1000_rows {
                    return Ok(block);
                }
            }
            if let Some((plan, shared)) = self.renew(&kept.plan, values, vector_rows) {
                let block = write(&plan, &shared, values, vector_rows)?;
                let chosen = kept.all_bytes_of_1000_rows;
                if all_bytes_of_1000_rows(&block, rows) * 10 <= chosen * 11 {
                    let renewed = shared != kept.shared;
                    self.kept = Some(Kept {
                        all_bytes_of_1000_rows: chosen,
                        renewed,
                        ..Kept::new(plan, shared, &block, rows)
                    });
                    return Ok(block);
                }
            }
        }
        let (mut chosen, mut shared) = self.choose(values, vector_rows)?;
        let mut block = write(&chosen, &shared, values, vector_rows)?;
        if self.options.stage != Stage::None && self.options.codec == Codec::Auto {
            // The sample shows little of what the general stage finds over whole frames. Where it
            // finds much in plain values, it finds more in codes of the same pattern.
            for plan in repetitive_plans(values) {
                let other = write(&plan, &SharedWriter::default(), values, vector_rows)?;
                if self.stored_bytes(&other) >= self.stored_bytes(&block) {
                    break;
                }
                block = other;
                (chosen, shared) = (plan, SharedWriter::default());
            }
        }
        self.kept = Some(Kept::new(chosen, shared, &block, rows));
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
        let codec = self.options.codec;
        if self.options.point_reads && self.options.codec == Codec::Auto {
            let plan = match values {
                BlockValues::Integers(..) => Plan::Integers(IntegerPlan::Basic),
                BlockValues::Strings(_) => Plan::Strings(StringPlan::Basic),
            };
            return Ok((plan, SharedWriter::default()));
        }
        match values {
            BlockValues::Integers(kind, integers) => {
                let block: Vec<&[i64]> = integers_by_vector(integers, vector_rows).collect();
                let (sample, scale) = sampled(&block, vector_rows);
                let sample: Vec<Vec<i64>> = sample.into_iter().map(<[i64]>::to_vec).collect();
                let ChosenIntegers { plan, shared, .. } =
                    choose_named_integers(codec, kind, &sample, &block, scale, DEPTH)?;
                Ok((Plan::Integers(plan), shared))
            }
            BlockValues::Strings(strings) => {
                let block: Vec<StringsRef<'_>> = strings_by_vector(strings, vector_rows).collect();
                let (vectors, scale) = sampled(&block, vector_rows);
                let sample = self.string_sample(&vectors, &block, scale);
                let ChosenStrings { plan, shared, .. } =
                    choose_named_strings(codec, sample, DEPTH)?;
                Ok((Plan::Strings(plan), shared))
            }
        }
    }

    /// A cascade of the form of `plan`, for these values; `None` where the form is to be chosen.
    fn renew(
        &self,
        plan: &Plan,
        values: BlockValues<'_>,
        vector_rows: &[usize],
    ) -> Option<(Plan, SharedWriter)> {
        match (plan, values) {
            (Plan::Integers(plan), BlockValues::Integers(kind, integers)) => {
                let block: Vec<&[i64]> = integers_by_vector(integers, vector_rows).collect();
                let (sample, scale) = sampled(&block, vector_rows);
                let sample: Vec<Vec<i64>> = sample.into_iter().map(<[i64]>::to_vec).collect();
                let (plan, shared) = integers_of_form(plan, kind, &sample, &block, scale, DEPTH)?;
                Some((Plan::Integers(plan), shared))
            }
            (Plan::Strings(plan), BlockValues::Strings(strings)) => {
                let block: Vec<StringsRef<'_>> = strings_by_vector(strings, vector_rows).collect();
                let (vectors, scale) = sampled(&block, vector_rows);
                let sample = self.string_sample(&vectors, &block, scale);
                let none = &SharedWriter::default();
                let (plan, shared) = strings_of_form(plan, sample, DEPTH, none)?;
                Some((Plan::Strings(plan), shared)).filter(|(_, shared)| shared != none)
            }
            _ => None,
        }
    }

    fn string_sample<'a>(
        &self,
        vectors: &'a [StringsRef<'a>],
        block: &'a [StringsRef<'a>],
        scale: Scale,
    ) -> StringSample<'a> {
        StringSample {
            vectors,
            block: Some(block),
            scale,
            staged: self.options.stage == Stage::Lz4,
        }
    }
}

impl Kept {
    fn new(plan: Plan, shared: SharedWriter, block: &EncodedBlock, rows: usize) -> Kept {
        Kept {
            plan,
            shared,
            bytes_of_1000_rows: bytes_of_1000_rows(block, rows),
            all_bytes_of_1000_rows: all_bytes_of_1000_rows(block, rows),
            renewed: false,
        }
    }
}

/// The vectors that are looked at, and what they stand for.
fn sampled<V: Copy>(vectors: &[V], vector_rows: &[usize]) -> (Vec<V>, Scale) {
    let picked = sample_vectors(vector_rows);
    let rows = picked.iter().filter_map(|at| vector_rows.get(*at));
    let scale = Scale {
        sample_rows: rows.map(|rows| *rows as u64).sum(),
        block_rows: vector_rows.iter().map(|rows| *rows as u64).sum(),
    };
    let vectors = picked.iter().filter_map(|at| vectors.get(*at).copied());
    (vectors.collect(), scale)
}

/// What a general stage may do best on, in the order to try.
fn repetitive_plans(values: BlockValues<'_>) -> [Plan; 2] {
    match values {
        BlockValues::Integers(..) => [IntegerPlan::Plain, IntegerPlan::Basic].map(Plan::Integers),
        BlockValues::Strings(_) => [StringPlan::Plain, StringPlan::Basic].map(Plan::Strings),
    }
}

fn check_rows(values: BlockValues<'_>, vector_rows: &[usize]) -> Result<(), CodecError> {
    let given = match values {
        BlockValues::Integers(_, integers) => integers.len(),
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
        (Plan::Integers(plan), BlockValues::Integers(kind, integers)) => {
            for vector in integers_by_vector(integers, vector_rows) {
                let mut bytes = Vec::new();
                block.tags |= 1 << plan.encode(kind, vector, &mut bytes);
                let scope = crate::scope::Scope::new(&decoded_shared, 0);
                let back = crate::integers::decode_plain(scope, kind, &bytes, vector.len())?;
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
                // No reader may need to allow more than the strings take.
                let bytes_max = (0..vector.len()).map(|row| vector.get(row).len()).sum();
                let scope = crate::scope::Scope::new(&decoded_shared, bytes_max);
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
    a.len() == b.len() && lengths(a).eq(lengths(b)) && a.text() == b.text()
}

fn integers_by_vector<'a>(
    integers: &'a [i64],
    vector_rows: &'a [usize],
) -> impl Iterator<Item = &'a [i64]> {
    vector_rows.iter().scan(integers, |rest, rows| {
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
            part(i) + low32((state >> 33) % room.max(1)) as usize
        })
        .collect()
}

fn bytes_of_1000_rows(block: &EncodedBlock, rows: usize) -> u64 {
    let bytes: usize = block.vectors.iter().map(Vec::len).sum();
    bytes as u64 * 1000 / rows.max(1) as u64
}

fn all_bytes_of_1000_rows(block: &EncodedBlock, rows: usize) -> u64 {
    bytes_of_1000_rows(block, rows) + block.shared.len() as u64 * 1000 / rows.max(1) as u64
}

#[cfg(test)]
mod tests;
