//! The cascade that the vectors of a block are written in.

use std::collections::HashMap;
use std::sync::Arc;

use crate::hashing::IntegerHashing;
use crate::integers::leaves::block_leaf::BlockLeaf;
use crate::integers::leaves::stats::Stats;
use crate::integers::leaves::{delta, plain};
use crate::integers::{IntegerKind, basic, dictionary, leaf, run_ends, shared_dictionary};
use crate::tags::{
    TAG_CONSTANT, TAG_DELTA, TAG_DICTIONARY, TAG_PLAIN, TAG_RUN_ENDS, TAG_SHARED_DICTIONARY,
};
use crate::writer::put_zigzag;
use crate::{CodecError, ROWS_MAX};

/// How to write a vector of integers. Every plan writes every vector: one that is unlike the sample
/// that the plan was made from takes its basic form where that is smaller.
#[derive(Clone, Debug)]
pub(crate) enum IntegerPlan {
    /// By vector the smallest codec that needs no shared part.
    Basic,
    /// All integers as they are: for a general stage that does better on them.
    Plain,
    /// A codec with what it found out of the block.
    Codec(Arc<dyn IntegerCodec>),
    /// A codec that needs nothing of the block.
    Leaf(&'static BlockLeaf),
    /// Codes of a dictionary in the block's shared part.
    SharedDictionary(Arc<SharedIntegers>),
    /// Distances from value to value.
    Delta,
    /// A dictionary by vector.
    Dictionary,
    /// Runs of equal values.
    RunEnds,
    /// The plan that the user named: never something smaller in its place, and plain where it
    /// cannot hold a vector.
    Named(Box<IntegerPlan>),
}

/// A codec while a block's vectors are written in it: it knows what it found out of the block, and
/// how what it nests is written.
pub(crate) trait IntegerCodec: core::fmt::Debug + Send + Sync {
    /// The tag of its vectors.
    fn tag(&self) -> u8;

    /// Appends the integers behind the tag; `None` where it cannot hold them.
    fn put(&self, kind: IntegerKind, values: &[i64], out: &mut Vec<u8>) -> Option<()>;

    /// What decoding costs beside the basic codecs, in sixteenths of the bytes.
    fn decode_cost(&self) -> u64;

    /// Whether it looks at what doubles are.
    fn for_doubles(&self) -> bool {
        false
    }
}

/// A shared dictionary while it is written.
#[derive(Debug)]
pub(crate) struct SharedIntegers {
    pub(crate) resource: u8,
    pub(crate) codes: HashMap<i64, u32, IntegerHashing>,
    /// How the codes are written.
    pub(crate) nested: IntegerPlan,
}

impl SharedIntegers {
    /// Appends the codes of the integers; `None` where the dictionary lacks one.
    fn encode(&self, values: &[i64], out: &mut Vec<u8>) -> Option<u8> {
        let code = |value| self.codes.get(value).map(|code| i64::from(*code));
        let codes: Option<Vec<i64>> = values.iter().map(code).collect();
        out.push(TAG_SHARED_DICTIONARY);
        shared_dictionary::encode(self.resource, &codes?, &self.nested, out);
        Some(TAG_SHARED_DICTIONARY)
    }
}

impl IntegerPlan {
    /// Appends the integers, at most a vector of them. Returns the tag written.
    pub(crate) fn encode(&self, kind: IntegerKind, values: &[i64], out: &mut Vec<u8>) -> u8 {
        let start = out.len();
        if let [first, rest @ ..] = values
            && rest.iter().all(|value| value == first)
        {
            // Whatever a plan makes of it in fewer bytes, readers do more with a constant.
            out.push(TAG_CONSTANT);
            put_zigzag(*first, out);
            return TAG_CONSTANT;
        }
        let named = match self {
            IntegerPlan::Plain => Some(self),
            IntegerPlan::Named(plan) => Some(plan.as_ref()),
            _ => None,
        };
        if let Some(plan) = named {
            return plan.try_encode(kind, values, out).unwrap_or_else(|| {
                out.truncate(start);
                out.push(TAG_PLAIN);
                plain::encode(kind, values, out);
                TAG_PLAIN
            });
        }
        let Some(tag) = self.try_encode(kind, values, out) else {
            out.truncate(start);
            return basic::encode(kind, values, out);
        };
        let stats = Stats::of(values);
        if out.len() - start <= leaf::quick_estimate(kind, &stats) {
            return tag;
        }
        let for_doubles = match self {
            IntegerPlan::Codec(codec) => codec.for_doubles(),
            IntegerPlan::Leaf(leaf) => leaf.for_doubles,
            _ => false,
        };
        let best_leaf = match for_doubles {
            true => leaf::choose_integer(kind, values, &stats),
            false => leaf::choose(kind, values, &stats),
        };
        if best_leaf.bytes < out.len() - start {
            out.truncate(start);
            leaf::encode_as(&best_leaf, kind, values, &stats, out);
            return best_leaf.tag;
        }
        tag
    }

    /// Appends the integers as planned; `None` where the plan does not fit them or is the basic
    /// one.
    pub(super) fn try_encode(
        &self,
        kind: IntegerKind,
        values: &[i64],
        out: &mut Vec<u8>,
    ) -> Option<u8> {
        match self {
            IntegerPlan::Basic | IntegerPlan::Plain => None,
            IntegerPlan::Named(plan) => plan.try_encode(kind, values, out),
            IntegerPlan::Codec(codec) => {
                out.push(codec.tag());
                codec.put(kind, values, out)?;
                Some(codec.tag())
            }
            IntegerPlan::Leaf(leaf) => leaf.put(kind, values, out),
            IntegerPlan::Delta if values.len() < 2 => None,
            IntegerPlan::Delta => {
                out.push(TAG_DELTA);
                delta::encode(values, &Stats::of(values), out);
                Some(TAG_DELTA)
            }
            IntegerPlan::Dictionary | IntegerPlan::RunEnds if values.is_empty() => None,
            IntegerPlan::Dictionary => {
                let distinct = dictionary::distinct(values)?;
                out.push(TAG_DICTIONARY);
                dictionary::encode(kind, values, &distinct, out);
                Some(TAG_DICTIONARY)
            }
            IntegerPlan::RunEnds => {
                out.push(TAG_RUN_ENDS);
                run_ends::encode(kind, values, out);
                Some(TAG_RUN_ENDS)
            }
            IntegerPlan::SharedDictionary(shared) => shared.encode(values, out),
        }
    }

    /// What decoding costs beside the basic codecs, in sixteenths of the bytes: a plan wins when it
    /// saves more than that.
    pub(crate) fn decode_cost(&self) -> u64 {
        match self {
            IntegerPlan::Basic | IntegerPlan::Plain => 0,
            IntegerPlan::Codec(codec) => codec.decode_cost(),
            IntegerPlan::Leaf(leaf) => leaf.decode_cost,
            IntegerPlan::SharedDictionary(shared) => shared.nested.decode_cost(),
            IntegerPlan::Delta | IntegerPlan::Dictionary | IntegerPlan::RunEnds => 0,
            IntegerPlan::Named(plan) => plan.decode_cost(),
        }
    }
}

/// Appends the integers of one vector in the smallest form that needs no shared part. Integers of
/// kind [`IntegerKind::Int32`] must fit 32 bits. Returns the tag written.
pub fn encode_integers(
    kind: IntegerKind,
    integers: &[i64],
    out: &mut Vec<u8>,
) -> Result<u8, CodecError> {
    if integers.len() > ROWS_MAX {
        return Err(CodecError::TooManyRows(integers.len()));
    }
    Ok(IntegerPlan::Basic.encode(kind, integers, out))
}
