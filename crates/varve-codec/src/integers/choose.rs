//! The choice of a cascade for a block of integers, by encoding a sample of its vectors in each
//! candidate.

use std::collections::HashMap;
use std::sync::Arc;

use crate::integers::leaves::{BLOCK_LEAVES, alp_rd, chimp, delta_of_delta, gorilla};
use crate::integers::{CODECS, IntegerKind, IntegerPlan, SharedIntegers, alp};
use crate::shared::SHARED_VALUES_MAX;
use crate::{Codec, CodecError, SharedWriter};

/// A cascade, the shared part that it needs, and what it costs.
#[derive(Clone, Debug)]
pub(crate) struct ChosenIntegers {
    pub(crate) plan: IntegerPlan,
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
pub(crate) fn choose_integers(
    kind: IntegerKind,
    sample: &[Vec<i64>],
    block: Option<&[&[i64]]>,
    scale: Scale,
    depth: u8,
    shared: &SharedWriter,
) -> ChosenIntegers {
    let candidates = Candidates {
        kind,
        sample,
        block,
        scale,
        depth,
        shared,
    };
    let basic = candidates.weigh(IntegerPlan::Basic, shared.clone(), u64::MAX);
    let mut best = basic.unwrap_or_else(|| ChosenIntegers {
        plan: IntegerPlan::Basic,
        shared: shared.clone(),
        cost: u64::MAX,
    });
    if kind == IntegerKind::Float64 {
        // Each vector would look for its scale among all: a plan that knows the block's is quicker.
        best.cost += best.cost / 64;
    }
    let mut consider = |candidate: Option<(IntegerPlan, SharedWriter)>| {
        if let Some((plan, shared)) = candidate
            && let Some(candidate) = candidates.weigh(plan, shared, best.cost)
        {
            best = candidate;
        }
    };
    for candidate in CODECS {
        consider(candidate(candidates));
    }
    if let Some(block) = block
        && depth > 0
    {
        let leaves = BLOCK_LEAVES.into_iter();
        for leaf in leaves.filter(|leaf| leaf.for_doubles == (kind == IntegerKind::Float64)) {
            consider(candidates.alone(IntegerPlan::Leaf(leaf)));
        }
        consider(shared_dictionary(kind, sample, block, scale, depth, shared));
    }
    best
}

/// A cascade of the form of `plan` for values that its shared part does not suit; `None` where the
/// form itself is to be chosen.
pub(crate) fn integers_of_form(
    plan: &IntegerPlan,
    kind: IntegerKind,
    sample: &[Vec<i64>],
    block: &[&[i64]],
    scale: Scale,
    depth: u8,
) -> Option<(IntegerPlan, SharedWriter)> {
    let shared = SharedWriter::default();
    match plan {
        IntegerPlan::SharedDictionary(_) => {
            shared_dictionary(kind, sample, block, scale, depth, &shared)
        }
        _ => None,
    }
}

/// The codec that the user named, for integers that it suits.
pub(crate) fn choose_named_integers(
    codec: Codec,
    kind: IntegerKind,
    sample: &[Vec<i64>],
    block: &[&[i64]],
    scale: Scale,
    depth: u8,
) -> Result<ChosenIntegers, CodecError> {
    let shared = &SharedWriter::default();
    let candidates = Candidates {
        kind,
        sample,
        block: Some(block),
        scale,
        depth: depth.max(1),
        shared,
    };
    let doubles = kind == IntegerKind::Float64;
    let alone = |plan| candidates.alone(plan);
    let leaf = |leaf| candidates.alone(IntegerPlan::Leaf(leaf));
    let named = match codec {
        Codec::Auto => {
            return Ok(choose_integers(
                kind,
                sample,
                Some(block),
                scale,
                depth,
                shared,
            ));
        }
        Codec::Plain | Codec::Lz4 | Codec::Zstd => alone(IntegerPlan::Plain),
        Codec::Alp if doubles => alp::candidate(candidates).or_else(|| leaf(&alp_rd::LEAF)),
        Codec::Gorilla if doubles => leaf(&gorilla::LEAF),
        Codec::Chimp if doubles => leaf(&chimp::LEAF),
        Codec::Delta if !doubles => alone(IntegerPlan::Delta),
        Codec::DeltaOfDelta if !doubles => leaf(&delta_of_delta::LEAF),
        Codec::SharedDictionary => {
            shared_dictionary(kind, sample, block, scale, depth.max(1), shared)
        }
        Codec::Dictionary => shared_dictionary(kind, sample, block, scale, depth.max(1), shared)
            .or_else(|| alone(IntegerPlan::Dictionary)),
        Codec::RunEnds => alone(IntegerPlan::RunEnds),
        _ => None,
    };
    let (plan, shared) = named.ok_or(CodecError::UnsuitedCodec(codec))?;
    Ok(ChosenIntegers {
        plan: IntegerPlan::Named(Box::new(plan)),
        shared,
        cost: 0,
    })
}

/// What the candidates for some integers are made from.
#[derive(Clone, Copy)]
pub(crate) struct Candidates<'a> {
    pub(crate) kind: IntegerKind,
    /// Vectors of the block.
    pub(crate) sample: &'a [Vec<i64>],
    /// All vectors of the block; none for nested integers.
    pub(crate) block: Option<&'a [&'a [i64]]>,
    pub(crate) scale: Scale,
    /// How many levels a candidate may have over the basic codecs.
    pub(crate) depth: u8,
    /// What the shared part holds already.
    pub(crate) shared: &'a SharedWriter,
}

impl Candidates<'_> {
    /// A plan and what it costs; `None` as soon as that is `below` or more.
    fn weigh(self, plan: IntegerPlan, grown: SharedWriter, below: u64) -> Option<ChosenIntegers> {
        let added = grown.bytes().saturating_sub(self.shared.bytes()) as u64;
        let decode_cost = plan.decode_cost();
        let cost = |out: &[u8]| {
            let bytes = self.scale.up(out.len() as u64) + added;
            bytes + bytes * decode_cost / 16
        };
        let mut out = Vec::new();
        for vector in self.sample {
            plan.encode(self.kind, vector, &mut out);
            if cost(&out) >= below {
                return None;
            }
        }
        Some(ChosenIntegers {
            cost: cost(&out),
            plan,
            shared: grown,
        })
    }

    /// A plan that needs no shared part.
    fn alone(self, plan: IntegerPlan) -> Option<(IntegerPlan, SharedWriter)> {
        Some((plan, self.shared.clone()))
    }

    /// The cheapest cascade for 64-bit integers that a candidate of at least one level nests.
    pub(crate) fn nested(self, values: &[Vec<i64>]) -> ChosenIntegers {
        let depth = self.depth.saturating_sub(1);
        choose_integers(
            IntegerKind::Int64,
            values,
            None,
            self.scale,
            depth,
            self.shared,
        )
    }
}

/// A shared dictionary of the block, unless the sample already shows too many values.
fn shared_dictionary(
    kind: IntegerKind,
    sample: &[Vec<i64>],
    block: &[&[i64]],
    scale: Scale,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(IntegerPlan, SharedWriter)> {
    let half = usize::try_from(scale.sample_rows / 2).unwrap_or(usize::MAX);
    distinct(sample.iter().map(Vec::as_slice), half)?;
    let limit = usize::try_from(scale.block_rows / 4).unwrap_or(usize::MAX);
    let values = distinct(block.iter().copied(), limit.min(SHARED_VALUES_MAX))?;
    let mut grown = shared.clone();
    let resource = grown.add_integers(kind, &values)?;
    let codes: HashMap<i64, u32, _> = values.iter().copied().zip(0_u32..).collect();
    let code = |value| codes.get(value).map_or(0, |code| i64::from(*code));
    let sample: Vec<Vec<i64>> = sample
        .iter()
        .map(|vector| vector.iter().map(code).collect())
        .collect();
    let chosen = choose_integers(IntegerKind::Int32, &sample, None, scale, depth - 1, &grown);
    let shared_integers = SharedIntegers {
        resource,
        codes,
        nested: chosen.plan,
    };
    let plan = IntegerPlan::SharedDictionary(Arc::new(shared_integers));
    Some((plan, chosen.shared))
}

/// The distinct values, ascending; `None` when there are more than `limit`.
fn distinct<'a>(vectors: impl Iterator<Item = &'a [i64]>, limit: usize) -> Option<Vec<i64>> {
    let mut seen: HashMap<i64, (), crate::hashing::IntegerHashing> = HashMap::default();
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
