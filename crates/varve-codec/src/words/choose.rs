//! The choice of a cascade for a block of words, by encoding a sample of its vectors in each
//! candidate.

use std::collections::HashMap;
use std::sync::Arc;

use super::alp::Parts;
use super::alp_pair::choose_for_block;
use super::steps::steps;
use super::{SharedWords, WordKind, WordPlan};
use crate::SharedWriter;
use crate::shared::SHARED_VALUES_MAX;

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
    let weigh = |plan: WordPlan, grown: SharedWriter| {
        let bytes: usize = sample
            .iter()
            .map(|vector| {
                let mut out = Vec::new();
                plan.encode(kind, vector, &mut out);
                out.len()
            })
            .sum();
        let added = grown.bytes().saturating_sub(shared.bytes());
        let bytes = scale.up(bytes as u64) + added as u64;
        ChosenWords {
            cost: bytes + bytes * plan.decode_cost() / 16,
            plan,
            shared: grown,
        }
    };
    let mut best = weigh(WordPlan::Basic, shared.clone());
    if depth == 0 {
        return best;
    }
    let mut consider = |candidate: Option<(WordPlan, SharedWriter)>| {
        if let Some((plan, shared)) = candidate {
            let candidate = weigh(plan, shared);
            if candidate.cost < best.cost {
                best = candidate;
            }
        }
    };
    let nested =
        |values: &[Vec<i64>]| choose_words(WordKind::Int64, values, None, scale, depth - 1, shared);
    if kind != WordKind::Float64 {
        let steps: Vec<Vec<i64>> = sample.iter().map(|vector| steps(vector)).collect();
        let chosen = nested(&steps);
        consider(Some((
            WordPlan::Steps(Box::new(chosen.plan)),
            chosen.shared,
        )));
    }
    if kind == WordKind::Float64 {
        let vectors: Vec<&[i64]> = sample.iter().map(Vec::as_slice).collect();
        let pairs = choose_for_block(block.unwrap_or(&vectors));
        let parts = vectors.iter().map(|vector| Parts::of(&pairs, vector));
        let integers: Option<Vec<Vec<i64>>> = parts
            .map(|parts| parts.map(|parts| parts.integers))
            .collect();
        if let Some(integers) = integers {
            let chosen = nested(&integers);
            let plan = WordPlan::Alp(pairs, Box::new(chosen.plan));
            consider(Some((plan, chosen.shared)));
        }
    }
    if let Some(block) = block {
        consider(shared_dictionary(kind, sample, block, scale, depth, shared));
    }
    best
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
    let distinct_in_sample = distinct(sample.iter().map(Vec::as_slice), usize::MAX)?.len() as u64;
    if distinct_in_sample * 2 > scale.sample_rows {
        return None;
    }
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
