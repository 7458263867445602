//! For tests: one vector in every codec that can hold it.

use std::sync::Arc;

use super::linear::Line;
use super::patched::Window;
use super::stats::Stats;
use super::{SharedWords, WordKind, WordPlan, constant, decimal, delta, dictionary, frame, plain};
use super::{leaf, run_ends};
use crate::writer::put_varint;
use crate::{
    SharedWriter, TAG_CONSTANT, TAG_DECIMAL, TAG_DELTA, TAG_DICTIONARY, TAG_FRAME, TAG_LINEAR,
    TAG_PATCHED, TAG_PLAIN, TAG_RUN_ENDS, f64_from_word,
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
    if kind == WordKind::Float64 {
        add(TAG_DECIMAL, &|out| put_decimal(words, out));
    }
    if let Some(window) = Window::of(words, &stats) {
        add(TAG_PATCHED, &|out| window.encode(words, out));
    }
    if let Some(line) = Line::of(words, &stats) {
        add(TAG_LINEAR, &|out| line.encode(words, out));
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
    let alp =
        [WordPlan::Basic, basic_steps()].map(|nested| WordPlan::Alp(vec![], Box::new(nested)));
    let doubles = [WordPlan::AlpRd, WordPlan::Gorilla, WordPlan::Chimp];
    let doubles = alp.into_iter().chain(doubles);
    let doubles = doubles.filter(|_| kind == WordKind::Float64);
    let plans = plans.into_iter().chain([WordPlan::DeltaOfDelta]);
    for plan in plans.chain(doubles) {
        let mut out = Vec::new();
        // The codec itself, not the smaller one that a plan may fall back to.
        if plan.try_encode(kind, words, &mut out).is_none() {
            out.clear();
            plan.encode(kind, words, &mut out);
        }
        all.push((writer.finish(), out));
    }
    all
}

/// Decimals of two digits behind the point; all else are exceptions.
fn put_decimal(words: &[i64], out: &mut Vec<u8>) {
    let integer = |word: &i64| (f64_from_word(*word) * 100.0).round() as i64;
    let exceptions: Vec<(u16, i64)> = (0..)
        .zip(words.iter().copied())
        .filter(|(_, word)| decimal::unscaled(integer(word), 100.0) != *word)
        .collect();
    out.push(2);
    put_varint(exceptions.len() as u64, out);
    for (row, _) in &exceptions {
        out.extend_from_slice(&row.to_le_bytes());
    }
    for (_, word) in &exceptions {
        out.extend_from_slice(&word.to_le_bytes());
    }
    let integers: Vec<i64> = words.iter().map(integer).collect();
    leaf::encode(WordKind::Int64, &integers, out);
}
