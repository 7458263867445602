//! For tests: one vector in every codec that can hold it.

use std::sync::Arc;

use crate::integers::leaves::linear::Line;
use crate::integers::leaves::patched::Window;
use crate::integers::leaves::stats::Stats;
use crate::integers::leaves::{BLOCK_LEAVES, constant, delta, frame, plain};
use crate::integers::{
    IntegerKind, IntegerPlan, SharedIntegers, alp, decimal, dictionary, leaf, run_ends, steps,
};
use crate::tags::{
    TAG_CONSTANT, TAG_DECIMAL, TAG_DELTA, TAG_DICTIONARY, TAG_FRAME, TAG_LINEAR, TAG_PATCHED,
    TAG_PLAIN, TAG_RUN_ENDS,
};
use crate::writer::put_varint;
use crate::{SharedWriter, f64_from_integer};

/// Each with the shared part that it needs.
pub(crate) fn integer_encodings(kind: IntegerKind, integers: &[i64]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let stats = Stats::of(integers);
    let mut all: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut add = |tag: u8, encode: &dyn Fn(&mut Vec<u8>)| {
        let mut out = vec![tag];
        encode(&mut out);
        all.push((Vec::new(), out));
    };
    add(TAG_PLAIN, &|out| plain::encode(kind, integers, out));
    add(TAG_FRAME, &|out| frame::encode(integers, &stats, out));
    if constant::estimate(&stats).is_some() {
        add(TAG_CONSTANT, &|out| constant::encode(&stats, out));
    }
    if integers.len() > 1 {
        add(TAG_DELTA, &|out| delta::encode(integers, &stats, out));
        add(TAG_RUN_ENDS, &|out| run_ends::encode(kind, integers, out));
    }
    if kind == IntegerKind::Float64 {
        add(TAG_DECIMAL, &|out| put_decimal(integers, out));
    }
    if let Some(window) = Window::of(integers, &stats) {
        add(TAG_PATCHED, &|out| window.encode(integers, out));
    }
    if let Some(line) = Line::of(integers, &stats) {
        add(TAG_LINEAR, &|out| line.encode(integers, out));
    }
    if let (Some(distinct), false) = (dictionary::distinct(integers), integers.is_empty()) {
        add(TAG_DICTIONARY, &|out| {
            dictionary::encode(kind, integers, &distinct, out)
        });
    }

    let mut values = integers.to_vec();
    values.sort_unstable();
    values.dedup();
    let mut writer = SharedWriter::default();
    let resource = writer.add_integers(kind, &values).unwrap();
    let shared_dictionary = |nested| {
        let codes = values.iter().copied().zip(0..).collect();
        IntegerPlan::SharedDictionary(Arc::new(SharedIntegers {
            resource,
            codes,
            nested,
        }))
    };
    let basic_steps = || steps::plan(IntegerPlan::Basic);
    let plans = [
        IntegerPlan::Basic,
        basic_steps(),
        steps::plan(basic_steps()),
        shared_dictionary(IntegerPlan::Basic),
        shared_dictionary(basic_steps()),
    ];
    let alp = [IntegerPlan::Basic, basic_steps()].map(|nested| alp::plan(vec![], nested));
    let alp = alp.into_iter().filter(|_| kind == IntegerKind::Float64);
    let leaves = BLOCK_LEAVES.into_iter().map(IntegerPlan::Leaf);
    for plan in plans.into_iter().chain(alp).chain(leaves) {
        let mut out = Vec::new();
        // The codec itself, not the smaller one that a plan may fall back to.
        if plan.try_encode(kind, integers, &mut out).is_none() {
            out.clear();
            plan.encode(kind, integers, &mut out);
        }
        all.push((writer.finish(), out));
    }
    all
}

/// Decimals of two digits behind the point; all else are exceptions.
fn put_decimal(integers: &[i64], out: &mut Vec<u8>) {
    let scaled_integer = |integer: &i64| (f64_from_integer(*integer) * 100.0).round() as i64;
    let exceptions: Vec<(u16, i64)> = (0..)
        .zip(integers.iter().copied())
        .filter(|(_, integer)| decimal::unscaled(scaled_integer(integer), 100.0) != *integer)
        .collect();
    out.push(2);
    put_varint(exceptions.len() as u64, out);
    for (row, _) in &exceptions {
        out.extend_from_slice(&row.to_le_bytes());
    }
    for (_, integer) in &exceptions {
        out.extend_from_slice(&integer.to_le_bytes());
    }
    let scaled_integers: Vec<i64> = integers.iter().map(scaled_integer).collect();
    leaf::encode(IntegerKind::Int64, &scaled_integers, out);
}
