//! The choice of a codec for one vector by itself: by estimates in whole bytes, confirmed by the
//! bytes written.

use crate::integers::leaves::stats::Stats;
use crate::integers::{IntegerKind, dictionary, leaf, run_ends};
use crate::tags::{TAG_CONSTANT, TAG_DICTIONARY, TAG_RUN_ENDS};

/// Appends the integers in the smallest form that needs no shared part. Integers of kind
/// [`IntegerKind::Int32`] must fit 32 bits. Returns the tag written.
pub(super) fn encode(kind: IntegerKind, integers: &[i64], out: &mut Vec<u8>) -> u8 {
    let rows = integers.len();
    let stats = Stats::of(integers);
    let start = out.len();
    let best_leaf = leaf::choose(kind, integers, &stats);
    // The nested values of a form are guessed to take their share of the best leaf.
    let share = |values: usize| 4 + best_leaf.bytes * values / rows.max(1);

    // Values that rise throughout neither repeat nor come back.
    let rises = stats.delta_min > 0;
    if best_leaf.tag != TAG_CONSTANT && rows > 1 && !rises {
        let runs = run_ends::estimate(rows, stats.runs, share(stats.runs));
        let distinct = dictionary::distinct(integers);
        let codes = distinct.as_ref().map_or(usize::MAX, |distinct| {
            let values = distinct.firsts.len();
            dictionary::estimate(rows, values, share(values))
        });
        if runs.min(codes) + 1 < best_leaf.bytes {
            let tag = match &distinct {
                Some(distinct) if codes < runs => {
                    out.push(TAG_DICTIONARY);
                    dictionary::encode(kind, integers, distinct, out);
                    TAG_DICTIONARY
                }
                _ => {
                    out.push(TAG_RUN_ENDS);
                    run_ends::encode(kind, integers, out);
                    TAG_RUN_ENDS
                }
            };
            if out.len() - start < best_leaf.bytes {
                return tag;
            }
            out.truncate(start);
        }
    }
    leaf::encode_as(&best_leaf, kind, integers, &stats, out);
    debug_assert_eq!(out.len() - start, best_leaf.bytes);
    best_leaf.tag
}
