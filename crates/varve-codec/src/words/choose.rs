//! The choice of a cascade for a block of words, by encoding a sample of its vectors in each
//! candidate.

use std::collections::HashMap;
use std::sync::Arc;

use super::alp::Parts;
use super::alp_pair::choose_for_block;
use super::binning;
use super::bins::BinsWriter;
use super::steps::steps;
use super::{SharedWords, WordKind, WordPlan};
use crate::shared::SHARED_VALUES_MAX;
use crate::{Codec, CodecError, SharedWriter};

/// A cascade, the shared part that it needs, and what it costs.
#[derive(Clone, Debug)]
pub(crate) struct ChosenWords {
    pub(crate) plan: WordPlan,
    pub(crate) shared: SharedWriter,
    /// Estimated bytes of the block, shared part included, raised by the cost of decoding.
    pub(crate) cost: u64,
}

/// Rows of a sample, and of the block that it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) sample_rows: u64,
    pub(crate) block_rows: u64,
}

impl Scale {
    /// What bytes of the sample make of the block.
    pub(crate) fn up(self, bytes: u64) -> u64 {
        bytes * self.block_rows / self.sample_rows.max(1)
    }
}

/// The cheapest cascade of at most `depth` levels over the basic codecs. `sample` are vectors of
/// the block; `shared` is what the shared part holds already. With `block`, all vectors of the
/// block, it may take a shared dictionary.
pub(crate) fn choose_words(
    kind: WordKind,
    sample: &[Vec<i64>],
    block: Option<&[&[i64]]>,
    scale: Scale,
    depth: u8,
    shared: &SharedWriter,
) -> ChosenWords {
    // `None` as soon as it costs too much.
    let weigh = |plan: WordPlan, grown: SharedWriter, below: u64| {
        let added = grown.bytes().saturating_sub(shared.bytes()) as u64;
        let decode_cost = plan.decode_cost();
        let cost = |out: &[u8]| {
            let bytes = scale.up(out.len() as u64) + added;
            bytes + bytes * decode_cost / 16
        };
        let mut out = Vec::new();
        for vector in sample {
            plan.encode(kind, vector, &mut out);
            if cost(&out) >= below {
                return None;
            }
        }
        Some(ChosenWords {
            cost: cost(&out),
            plan,
            shared: grown,
        })
    };
    let basic = weigh(WordPlan::Basic, shared.clone(), u64::MAX);
    let mut best = basic.unwrap_or_else(|| ChosenWords {
        plan: WordPlan::Basic,
        shared: shared.clone(),
        cost: u64::MAX,
    });
    if kind == WordKind::Float64 {
        // Each vector would look for its scale among all: a plan that knows the block's is quicker.
        best.cost += best.cost / 64;
    }
    let mut consider = |candidate: Option<(WordPlan, SharedWriter)>| {
        if let Some((plan, shared)) = candidate
            && let Some(candidate) = weigh(plan, shared, best.cost)
        {
            best = candidate;
        }
    };
    let candidates = Candidates {
        sample,
        block,
        scale,
        depth,
        shared,
    };
    consider(candidates.bins());
    if depth == 0 {
        return best;
    }
    if kind == WordKind::Float64 {
        consider(candidates.alp());
        if block.is_some() {
            consider(candidates.alone(WordPlan::AlpRd));
            consider(candidates.alone(WordPlan::Gorilla));
            consider(candidates.alone(WordPlan::Chimp));
        }
    } else {
        consider(candidates.steps());
        if block.is_some() {
            consider(candidates.alone(WordPlan::DeltaOfDelta));
        }
    }
    if let Some(block) = block {
        consider(shared_dictionary(kind, sample, block, scale, depth, shared));
    }
    best
}

/// A cascade of the form of `plan` for values that its shared part does not suit; `None` where the
/// form itself is to be chosen.
pub(crate) fn words_of_form(
    plan: &WordPlan,
    kind: WordKind,
    sample: &[Vec<i64>],
    block: &[&[i64]],
    scale: Scale,
    depth: u8,
) -> Option<(WordPlan, SharedWriter)> {
    let shared = SharedWriter::default();
    match plan {
        WordPlan::SharedDictionary(_) => {
            shared_dictionary(kind, sample, block, scale, depth, &shared)
        }
        _ => None,
    }
}

/// The codec that the user named, for words that it suits.
pub(crate) fn choose_named_words(
    codec: Codec,
    kind: WordKind,
    sample: &[Vec<i64>],
    block: &[&[i64]],
    scale: Scale,
    depth: u8,
) -> Result<ChosenWords, CodecError> {
    let shared = &SharedWriter::default();
    let candidates = Candidates {
        sample,
        block: Some(block),
        scale,
        depth: depth.max(1),
        shared,
    };
    let doubles = kind == WordKind::Float64;
    let alone = |plan| candidates.alone(plan);
    let named = match codec {
        Codec::Auto => {
            return Ok(choose_words(
                kind,
                sample,
                Some(block),
                scale,
                depth,
                shared,
            ));
        }
        Codec::Plain | Codec::Lz4 | Codec::Zstd => alone(WordPlan::Plain),
        Codec::Alp if doubles => candidates.alp().or_else(|| alone(WordPlan::AlpRd)),
        Codec::Gorilla if doubles => alone(WordPlan::Gorilla),
        Codec::Chimp if doubles => alone(WordPlan::Chimp),
        Codec::Delta if !doubles => alone(WordPlan::Delta),
        Codec::DeltaOfDelta if !doubles => alone(WordPlan::DeltaOfDelta),
        Codec::Dictionary => shared_dictionary(kind, sample, block, scale, depth.max(1), shared)
            .or_else(|| alone(WordPlan::Dictionary)),
        Codec::RunEnds => alone(WordPlan::RunEnds),
        _ => None,
    };
    let (plan, shared) = named.ok_or(CodecError::UnsuitedCodec(codec))?;
    Ok(ChosenWords {
        plan: WordPlan::Named(Box::new(plan)),
        shared,
        cost: 0,
    })
}

/// What the candidates for some words are made from.
#[derive(Clone, Copy)]
struct Candidates<'a> {
    sample: &'a [Vec<i64>],
    block: Option<&'a [&'a [i64]]>,
    scale: Scale,
    depth: u8,
    shared: &'a SharedWriter,
}

impl Candidates<'_> {
    /// A plan that needs no shared part.
    fn alone(self, plan: WordPlan) -> Option<(WordPlan, SharedWriter)> {
        Some((plan, self.shared.clone()))
    }

    fn nested(self, values: &[Vec<i64>]) -> ChosenWords {
        let kind = WordKind::Int64;
        choose_words(kind, values, None, self.scale, self.depth - 1, self.shared)
    }

    fn steps(self) -> Option<(WordPlan, SharedWriter)> {
        let steps: Vec<Vec<i64>> = self.sample.iter().map(|vector| steps(vector)).collect();
        let chosen = self.nested(&steps);
        Some((WordPlan::Steps(Box::new(chosen.plan)), chosen.shared))
    }

    fn bins(self) -> Option<(WordPlan, SharedWriter)> {
        let (bins, frequencies) = binning::bins(self.sample, self.scale)?;
        let mut grown = self.shared.clone();
        let resource = grown.add_bins(&bins, &frequencies)?;
        let writer = BinsWriter::new(resource, bins, &frequencies);
        Some((WordPlan::Bins(Arc::new(writer)), grown))
    }

    fn alp(self) -> Option<(WordPlan, SharedWriter)> {
        let vectors: Vec<&[i64]> = self.sample.iter().map(Vec::as_slice).collect();
        let pairs = choose_for_block(self.block.unwrap_or(&vectors));
        let parts = vectors.iter().map(|vector| Parts::of(&pairs, vector));
        let integers: Option<Vec<Vec<i64>>> = parts
            .map(|parts| parts.map(|parts| parts.integers))
            .collect();
        let chosen = self.nested(&integers?);
        let plan = WordPlan::Alp(pairs, Box::new(chosen.plan));
        Some((plan, chosen.shared))
    }
}

/// A shared dictionary of the block, unless the sample already shows too many values.
fn shared_dictionary(
    kind: WordKind,
    sample: &[Vec<i64>],
    block: &[&[i64]],
    scale: Scale,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(WordPlan, SharedWriter)> {
    let half = usize::try_from(scale.sample_rows / 2).unwrap_or(usize::MAX);
    distinct(sample.iter().map(Vec::as_slice), half)?;
    let limit = usize::try_from(scale.block_rows / 4).unwrap_or(usize::MAX);
    let values = distinct(block.iter().copied(), limit.min(SHARED_VALUES_MAX))?;
    let mut grown = shared.clone();
    let resource = grown.add_words(kind, &values)?;
    let codes: HashMap<i64, u32, _> = values.iter().copied().zip(0_u32..).collect();
    let code = |value| codes.get(value).map_or(0, |code| i64::from(*code));
    let sample: Vec<Vec<i64>> = sample
        .iter()
        .map(|vector| vector.iter().map(code).collect())
        .collect();
    let chosen = choose_words(WordKind::Int32, &sample, None, scale, depth - 1, &grown);
    let shared_words = SharedWords {
        resource,
        codes,
        nested: chosen.plan,
    };
    let plan = WordPlan::SharedDictionary(Arc::new(shared_words));
    Some((plan, chosen.shared))
}

/// The distinct values, ascending; `None` when there are more than `limit`.
fn distinct<'a>(vectors: impl Iterator<Item = &'a [i64]>, limit: usize) -> Option<Vec<i64>> {
    let mut seen: HashMap<i64, (), super::plan::WordHashing> = HashMap::default();
    for value in vectors.flatten() {
        seen.insert(*value, ());
        if seen.len() > limit {
            return None;
        }
    }
    let mut values: Vec<i64> = seen.into_keys().collect();
    values.sort_unstable();
    Some(values)
}
