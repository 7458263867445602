//! The choice of a cascade for a block of strings, by encoding a sample of its vectors in each
//! candidate, general stage included.

use std::collections::HashMap;
use std::sync::Arc;

use crate::fsst::{Encoder, train};
use crate::hashing::StringHashing;
use crate::integers::{IntegerKind, Scale, choose_integers};
use crate::shared::SHARED_VALUES_MAX;
use crate::string_data::{Strings, StringsRef};
use crate::strings::fsst::{FsstPlan, codes_of};
use crate::strings::plan::SharedStrings;
use crate::strings::{CODECS, StringPlan, packed, split_choose};
use crate::{Codec, CodecError, SharedWriter, compress_lz4};

/// A cascade, the shared part that it needs, and what it costs.
#[derive(Clone, Debug)]
pub(crate) struct ChosenStrings {
    pub(crate) plan: StringPlan,
    pub(crate) shared: SharedWriter,
    /// Estimated bytes of the block, shared part included, raised by the cost of decoding.
    pub(crate) cost: u64,
}

/// What strings are chosen by.
#[derive(Clone, Copy)]
pub(crate) struct StringSample<'a> {
    /// Vectors of the block.
    pub(crate) vectors: &'a [StringsRef<'a>],
    /// All vectors of the block, where a shared dictionary is wanted.
    pub(crate) block: Option<&'a [StringsRef<'a>]>,
    pub(crate) scale: Scale,
    /// Whether LZ4 may follow.
    pub(crate) staged: bool,
}

/// The cheapest cascade of at most `depth` levels over the basic codecs. `shared` is what the
/// shared part holds already.
pub(crate) fn choose_strings(
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> ChosenStrings {
    let weighing = Weighing {
        sample,
        shared,
        few_values: few_values(sample),
    };
    let mut best = weighing.weigh(StringPlan::Basic, shared.clone());
    if sample.staged {
        weighing.consider(&mut best, Some((StringPlan::Plain, shared.clone())));
    }
    if depth == 0 {
        return best;
    }
    weighing.consider(&mut best, shared_dictionary(sample, depth, shared));
    let text: usize = sample
        .vectors
        .iter()
        .map(|vector| vector.text().len())
        .sum();
    let text_bytes = sample.scale.up(text as u64);
    if weighing.few_values && best.cost * CODES_PART <= text_bytes {
        return best;
    }
    for candidate in CODECS {
        weighing.consider(&mut best, candidate(sample, depth, shared));
    }
    if best.cost * FSST_PART > text_bytes {
        weighing.consider_symbols(&mut best, depth);
    }
    best
}

/// What candidates are compared by.
#[derive(Clone, Copy)]
struct Weighing<'a> {
    sample: StringSample<'a>,
    /// What the shared part holds already.
    shared: &'a SharedWriter,
    few_values: bool,
}

impl Weighing<'_> {
    fn weigh(self, plan: StringPlan, grown: SharedWriter) -> ChosenStrings {
        let mut out = Vec::new();
        for vector in self.sample.vectors {
            plan.encode(*vector, &mut out);
        }
        let mut bytes = out.len() as u64;
        if self.sample.staged {
            // As the general stage has it: used only when it saves a tenth.
            let block = compress_lz4(&out).len() as u64;
            if block * 10 < bytes * 9 {
                bytes = block + block / 16;
            }
        }
        let lost_codes = match self.few_values && !plan.keeps_codes() {
            true => LOST_CODES_COST,
            false => 0,
        };
        let added = grown.bytes().saturating_sub(self.shared.bytes());
        let bytes = self.sample.scale.up(bytes) + added as u64;
        ChosenStrings {
            cost: bytes + bytes * (plan.decode_cost() + lost_codes) / 16,
            plan,
            shared: grown,
        }
    }

    /// Takes a candidate that costs less than the best so far.
    fn consider(self, best: &mut ChosenStrings, candidate: Option<(StringPlan, SharedWriter)>) {
        if let Some((plan, shared)) = candidate {
            let candidate = self.weigh(plan, shared);
            if candidate.cost < best.cost {
                *best = candidate;
            }
        }
    }

    /// Codes of a symbol table, and the same packed.
    fn consider_symbols(self, best: &mut ChosenStrings, depth: u8) {
        let fsst = fsst(self.sample, depth, self.shared);
        if let Some((StringPlan::Fsst(plan), shared)) = &fsst
            && longest(self.sample) <= PACKED_STRING_BYTES_MAX
            && packed::may_pay(self.sample, plan)
        {
            let packed = packed::candidate(self.sample, plan, shared);
            let packed = packed.map(|(plan, shared)| (StringPlan::Codec(Arc::new(plan)), shared));
            self.consider(best, packed);
        }
        self.consider(best, fsst);
    }
}

/// Packed text decodes strings side by side: one that is much longer than the others is decoded
/// alone, a code at a time.
const PACKED_STRING_BYTES_MAX: usize = 4096;

/// Bytes of the longest string of the sample.
fn longest(sample: StringSample<'_>) -> usize {
    let strings = |vector: &StringsRef<'_>| {
        let lengths = vector.offsets.iter().zip(vector.offsets.iter().skip(1));
        lengths.map(|(start, end)| end.saturating_sub(*start)).max()
    };
    let longest = sample.vectors.iter().filter_map(strings).max();
    longest.map_or(0, |bytes| bytes as usize)
}

/// A cascade of the form of `plan` for values that its shared part does not suit; `None` where the
/// form itself is to be chosen.
pub(crate) fn strings_of_form(
    plan: &StringPlan,
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(StringPlan, SharedWriter)> {
    match plan {
        StringPlan::Basic | StringPlan::Plain => Some((plan.clone(), shared.clone())),
        StringPlan::SharedDictionary(_) => shared_dictionary(sample, depth, shared),
        StringPlan::Split(split) => split_choose::of_form(split, sample, depth, shared),
        _ => None,
    }
}

/// Codes that take less than this part of the text are not given up for what has none.
const CODES_PART: u64 = 32;
/// A symbol stands for eight bytes at most, and a general stage after it rarely saves more than it
/// does without.
const FSST_PART: u64 = 16;

/// What it costs, in sixteenths of the bytes, to write a column of few values in a form that has
/// no codes: filters and groups then take every row for itself.
const LOST_CODES_COST: u64 = 8;

/// Whether a string of the sample occurs eight times and more, on average.
fn few_values(sample: StringSample<'_>) -> bool {
    let limit = usize::try_from(sample.scale.sample_rows / 8).unwrap_or(usize::MAX);
    distinct(sample.vectors, limit).is_some()
}

/// The codec that the user named, for the strings of a block.
pub(crate) fn choose_named_strings(
    codec: Codec,
    sample: StringSample<'_>,
    depth: u8,
) -> Result<ChosenStrings, CodecError> {
    let shared = &SharedWriter::default();
    let alone = |plan| Some((plan, shared.clone()));
    let named = match codec {
        Codec::Auto => return Ok(choose_strings(sample, depth, shared)),
        Codec::Plain | Codec::Lz4 | Codec::Zstd => alone(StringPlan::Plain),
        Codec::Fsst => fsst(sample, depth.max(1), shared),
        Codec::RunEnds => alone(StringPlan::RunEnds),
        Codec::SharedDictionary => shared_dictionary(sample, depth.max(1), shared),
        Codec::Dictionary => shared_dictionary(sample, depth.max(1), shared)
            .or_else(|| alone(StringPlan::Dictionary)),
        _ => None,
    };
    let (plan, shared) = named.ok_or(CodecError::UnsuitedCodec(codec))?;
    Ok(ChosenStrings {
        plan: StringPlan::Named(Box::new(plan)),
        shared,
        cost: 0,
    })
}

/// FSST with a table trained on all vectors that are at hand.
pub(super) fn fsst(
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(StringPlan, SharedWriter)> {
    let vectors = sample.block.unwrap_or(sample.vectors);
    let strings = vectors
        .iter()
        .flat_map(|vector| (0..vector.len()).map(|row| vector.get(row)));
    let table = train(strings);
    let mut grown = shared.clone();
    let resource = grown.add_symbols(&table)?;
    let encoder = Encoder::new(&table);
    let lengths: Vec<Vec<i64>> = sample
        .vectors
        .iter()
        .map(|vector| codes_of(&encoder, *vector).0)
        .collect();
    let scale = sample.scale;
    let chosen = choose_integers(IntegerKind::Int32, &lengths, None, scale, depth - 1, &grown);
    let plan = FsstPlan {
        resource,
        encoder,
        lengths: chosen.plan,
    };
    Some((StringPlan::Fsst(Arc::new(plan)), chosen.shared))
}

/// A shared dictionary of the block, unless the sample already shows too many values.
fn shared_dictionary(
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(StringPlan, SharedWriter)> {
    let block = sample.block?;
    let half = usize::try_from(sample.scale.sample_rows / 2).unwrap_or(usize::MAX);
    distinct(sample.vectors, half)?;
    let limit = usize::try_from(sample.scale.block_rows / 4).unwrap_or(usize::MAX);
    let values = distinct(block, limit.min(SHARED_VALUES_MAX))?;
    let mut grown = shared.clone();
    let mut dictionary = Strings::with_capacity(values.len());
    for value in &values {
        dictionary.push(value, usize::MAX).ok()?;
    }
    let resource = grown.add_strings(&dictionary)?;
    let owned = values.into_iter().map(<[u8]>::to_vec);
    let codes: HashMap<Vec<u8>, u32, StringHashing> = owned.zip(0_u32..).collect();
    let code = |string: &[u8]| codes.get(string).map_or(0, |code| i64::from(*code));
    let vectors: Vec<Vec<i64>> = sample
        .vectors
        .iter()
        .map(|vector| (0..vector.len()).map(|row| code(vector.get(row))).collect())
        .collect();
    let scale = sample.scale;
    let chosen = choose_integers(IntegerKind::Int32, &vectors, None, scale, depth - 1, &grown);
    let shared_strings = SharedStrings {
        resource,
        codes,
        nested: chosen.plan,
    };
    let plan = StringPlan::SharedDictionary(Arc::new(shared_strings));
    Some((plan, chosen.shared))
}

/// The distinct strings, ascending; `None` when there are more than `limit`.
fn distinct<'a>(vectors: &[StringsRef<'a>], limit: usize) -> Option<Vec<&'a [u8]>> {
    let mut seen: HashMap<&[u8], (), StringHashing> = HashMap::default();
    for vector in vectors {
        for row in 0..vector.len() {
            seen.insert(vector.get(row), ());
            if seen.len() > limit {
                return None;
            }
        }
    }
    let mut values: Vec<&[u8]> = seen.into_keys().collect();
    varve_sort::sort(&mut values);
    Some(values)
}
