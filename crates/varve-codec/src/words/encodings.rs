//! For tests: one vector in every codec that can hold it.

use std::sync::Arc;

use super::run_ends;
use super::stats::Stats;
use super::{SharedWords, WordKind, WordPlan, constant, decimal, delta, dictionary, frame, plain};
use crate::{
    SharedWriter, TAG_CONSTANT, TAG_DECIMAL, TAG_DELTA, TAG_DICTIONARY, TAG_FRAME, TAG_PLAIN,
    TAG_RUN_ENDS,
};

/// Each with the shared part that it needs.
pub(crate) fn word_encodings(kind: WordKind, words: &[i64]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let stats = Stats::of(words);
    let mut all: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut add = |tag: u8, encode: &dyn Fn(&mut Vec<u8>)| {
        let mut out = vec![tag];
        encode(&mut out);
        all.push((Vec::new(), out));
    };
    add(TAG_PLAIN, &|out| plain::encode(kind, words, out));
    add(TAG_FRAME, &|out| frame::encode(words, &stats, out));
    if constant::estimate(&stats).is_some() {
        add(TAG_CONSTANT, &|out| constant::encode(&stats, out));
    }
    if words.len() > 1 {
        add(TAG_DELTA, &|out| delta::encode(words, &stats, out));
        add(TAG_RUN_ENDS, &|out| run_ends::encode(kind, words, out));
    }
    if let (WordKind::Float64, Some(parts)) = (kind, decimal::Parts::of(words)) {
        add(TAG_DECIMAL, &|out| parts.encode(out));
    }
    if let (Some(distinct), false) = (dictionary::distinct(words), words.is_empty()) {
        add(TAG_DICTIONARY, &|out| {
            dictionary::encode(kind, words, &distinct, out)
        });
    }

    let mut values = words.to_vec();
    values.sort_unstable();
    values.dedup();
    let mut writer = SharedWriter::default();
    let resource = writer.add_words(kind, &values).unwrap();
    let shared_dictionary = |nested| {
        let codes = values.iter().copied().zip(0..).collect();
        WordPlan::SharedDictionary(Arc::new(SharedWords {
            resource,
            codes,
            nested,
        }))
    };
    let basic_steps = || WordPlan::Steps(Box::new(WordPlan::Basic));
    let plans = [
        WordPlan::Basic,
        basic_steps(),
        WordPlan::Steps(Box::new(basic_steps())),
        shared_dictionary(WordPlan::Basic),
        shared_dictionary(basic_steps()),
    ];
    for plan in plans {
        let mut out = Vec::new();
        // The codec itself, not the smaller one that a plan may fall back to.
        if plan.try_encode(words, &mut out).is_none() {
            out.clear();
            plan.encode(kind, words, &mut out);
        }
        all.push((writer.finish(), out));
    }
    all
}
