//! The cascade that the strings of a block are written in.

use std::collections::HashMap;
use std::sync::Arc;

use crate::hashing::StringHashing;
use crate::integers::{self, IntegerPlan};
use crate::string_data::StringsRef;
use crate::strings::fsst::{self, FsstPlan};
use crate::strings::split_codec::{self, Split};
use crate::strings::{basic, dictionary, leaf, run_ends};
use crate::tags::{TAG_DICTIONARY, TAG_FSST, TAG_RUN_ENDS, TAG_SHARED_DICTIONARY, TAG_SPLIT};
use crate::{CodecError, ROWS_MAX};

/// How to write a vector of strings. Every plan writes every vector: one that is unlike the sample
/// that the plan was made from takes its basic form where that is smaller.
#[derive(Clone, Debug)]
pub(crate) enum StringPlan {
    /// By vector the smallest codec that needs no shared part.
    Basic,
    /// All strings as they are: for a general stage that does better on them.
    Plain,
    /// Codes of a dictionary in the block's shared part.
    SharedDictionary(Arc<SharedStrings>),
    /// A codec with what it found out of the block.
    Codec(Arc<dyn StringCodec>),
    /// Codes of a symbol table in the block's shared part.
    Fsst(Arc<FsstPlan>),
    /// The columns of a template in the block's shared part.
    Split(Arc<Split>),
    /// A dictionary by vector.
    Dictionary,
    /// Runs of equal strings.
    RunEnds,
    /// The plan that the user named: never something smaller in its place, and plain where it
    /// cannot hold a vector.
    Named(Box<StringPlan>),
}

/// A codec while a block's vectors are written in it: it knows what it found out of the block, and
/// how what it nests is written.
pub(crate) trait StringCodec: core::fmt::Debug + Send + Sync {
    /// The tag of its vectors.
    fn tag(&self) -> u8;

    /// Appends the strings behind the tag; `None` where it cannot hold them.
    fn put(&self, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<()>;

    /// What decoding costs beside the basic codecs, in sixteenths of the bytes.
    fn decode_cost(&self) -> u64;
}

/// A shared dictionary while it is written.
#[derive(Debug)]
pub(crate) struct SharedStrings {
    pub(crate) resource: u8,
    pub(crate) codes: HashMap<Vec<u8>, u32, StringHashing>,
    /// How the codes are written.
    pub(crate) nested: IntegerPlan,
}

impl StringPlan {
    /// Appends the strings, at most a vector of them. Returns the tag written.
    pub(crate) fn encode(&self, strings: StringsRef<'_>, out: &mut Vec<u8>) -> u8 {
        let start = out.len();
        if let StringPlan::Named(plan) = self {
            return plan.try_encode(strings, out).unwrap_or_else(|| {
                out.truncate(start);
                let all = (0..strings.len()).map(|row| strings.get(row));
                leaf::encode(all, false, out)
            });
        }
        let Some(tag) = self.try_encode(strings, out) else {
            out.truncate(start);
            return basic::encode(strings, out);
        };
        let all = (0..strings.len()).map(|row| strings.get(row));
        let equal = all.clone().skip(1).all(|string| string == strings.get(0));
        if leaf::estimate(all.clone(), equal) < out.len() - start {
            out.truncate(start);
            return leaf::encode(all, equal, out);
        }
        tag
    }

    /// Appends the strings as planned; `None` where the plan does not fit them or is the basic one.
    pub(super) fn try_encode(&self, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<u8> {
        let rows = strings.len();
        match self {
            StringPlan::Basic => None,
            StringPlan::Named(plan) => plan.try_encode(strings, out),
            StringPlan::Dictionary => {
                let distinct = dictionary::distinct(strings)?;
                if rows == 0 {
                    return None;
                }
                out.push(TAG_DICTIONARY);
                dictionary::encode(strings, &distinct, out);
                Some(TAG_DICTIONARY)
            }
            StringPlan::RunEnds => {
                if rows == 0 {
                    return None;
                }
                out.push(TAG_RUN_ENDS);
                run_ends::encode(strings, &run_ends::lasts(strings), out);
                Some(TAG_RUN_ENDS)
            }
            StringPlan::Plain => {
                let all = (0..rows).map(|row| strings.get(row));
                Some(leaf::encode(all, rows == 1, out))
            }
            StringPlan::Codec(codec) => {
                out.push(codec.tag());
                codec.put(strings, out)?;
                Some(codec.tag())
            }
            StringPlan::Fsst(plan) => {
                out.push(TAG_FSST);
                fsst::encode(plan, strings, out)?;
                Some(TAG_FSST)
            }
            StringPlan::SharedDictionary(shared) => {
                let mut before: (&[u8], i64) = (&[], -1);
                let code = |row| {
                    let string = strings.get(row);
                    if before.1 < 0 || before.0 != string {
                        before = (string, i64::from(*shared.codes.get(string)?));
                    }
                    Some(before.1)
                };
                let codes: Option<Vec<i64>> = (0..rows).map(code).collect();
                out.push(TAG_SHARED_DICTIONARY);
                integers::shared_dictionary::encode(shared.resource, &codes?, &shared.nested, out);
                Some(TAG_SHARED_DICTIONARY)
            }
            StringPlan::Split(split) => {
                out.push(TAG_SPLIT);
                split_codec::encode(split, strings, out)?;
                Some(TAG_SPLIT)
            }
        }
    }

    /// Whether an executor gets codes, runs or constants to work on where the data has them.
    pub(crate) fn keeps_codes(&self) -> bool {
        matches!(
            self,
            StringPlan::Basic
                | StringPlan::Dictionary
                | StringPlan::RunEnds
                | StringPlan::SharedDictionary(_)
        )
    }

    /// What decoding costs beside the basic codecs, in sixteenths of the bytes: a plan wins when it
    /// saves more than that.
    pub(crate) fn decode_cost(&self) -> u64 {
        match self {
            StringPlan::Basic | StringPlan::Plain => 0,
            StringPlan::Codec(codec) => codec.decode_cost(),
            StringPlan::Fsst(_) | StringPlan::Dictionary | StringPlan::RunEnds => 0,
            StringPlan::Named(plan) => plan.decode_cost(),
            StringPlan::SharedDictionary(shared) => shared.nested.decode_cost(),
            StringPlan::Split(split) => split.decode_cost(),
        }
    }
}

/// Appends the strings of one vector in the smallest form that needs no shared part. Returns the
/// tag written.
pub fn encode_strings(strings: StringsRef<'_>, out: &mut Vec<u8>) -> Result<u8, CodecError> {
    if strings.len() > ROWS_MAX {
        return Err(CodecError::TooManyRows(strings.len()));
    }
    Ok(StringPlan::Basic.encode(strings, out))
}
