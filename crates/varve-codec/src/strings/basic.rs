//! The choice of a codec for one vector of strings by itself. All estimates are exact, so the
//! smallest is written at once.

use crate::string_data::StringsRef;
use crate::strings::{dictionary, leaf, run_ends};
use crate::tags::{TAG_DICTIONARY, TAG_RUN_ENDS};

/// Appends the strings in the smallest form that needs no shared part. Returns the tag written.
pub(super) fn encode(strings: StringsRef<'_>, out: &mut Vec<u8>) -> u8 {
    let rows = strings.len();
    let start = out.len();
    let all = (0..rows).map(|row| strings.get(row));
    let lasts = run_ends::lasts(strings);
    let equal = lasts.len() == 1;
    let leaf_bytes = leaf::estimate(all.clone(), equal);
    let mut bytes = leaf_bytes;
    let mut tag = None;
    if lasts.len() > 1 {
        let distinct = dictionary::distinct(strings);
        let runs_bytes = 1 + run_ends::estimate(strings, &lasts);
        if runs_bytes < bytes {
            bytes = runs_bytes;
            tag = Some(TAG_RUN_ENDS);
        }
        if let Some(distinct) = distinct {
            let codes_bytes = 1 + dictionary::estimate(strings, &distinct);
            if codes_bytes < bytes {
                out.push(TAG_DICTIONARY);
                dictionary::encode(strings, &distinct, out);
                debug_assert_eq!(out.len() - start, codes_bytes);
                return TAG_DICTIONARY;
            }
        }
    }
    let tag = match tag {
        Some(tag) => {
            out.push(tag);
            run_ends::encode(strings, &lasts, out);
            tag
        }
        None => leaf::encode(all, equal, out),
    };
    debug_assert_eq!(out.len() - start, bytes);
    tag
}
