//! For tests: one vector in every codec that can hold it.

use std::sync::Arc;

use crate::SharedWriter;
use crate::fsst::{Encoder, train};
use crate::integers::IntegerPlan;
use crate::string_data::{Strings, StringsRef};
use crate::strings::fsst::FsstPlan;
use crate::strings::plan::SharedStrings;
use crate::strings::{StringPlan, constant, dictionary, plain, run_ends};
use crate::tags::{TAG_CONSTANT, TAG_DICTIONARY, TAG_PLAIN, TAG_RUN_ENDS};

/// Each with the shared part that it needs.
pub(crate) fn string_encodings(strings: StringsRef<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let rows = strings.len();
    let list = || (0..rows).map(|row| strings.get(row));
    let mut all: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut add = |tag: u8, encode: &dyn Fn(&mut Vec<u8>)| {
        let mut out = vec![tag];
        encode(&mut out);
        all.push((Vec::new(), out));
    };
    add(TAG_PLAIN, &|out| plain::encode(list(), out));
    if rows > 0 && list().all(|string| string == strings.get(0)) {
        add(TAG_CONSTANT, &|out| constant::encode(strings.get(0), out));
    }
    if let (Some(distinct), true) = (dictionary::distinct(strings), rows > 0) {
        add(TAG_DICTIONARY, &|out| {
            dictionary::encode(strings, &distinct, out)
        });
        let lasts = run_ends::lasts(strings);
        add(TAG_RUN_ENDS, &|out| run_ends::encode(strings, &lasts, out));
    }

    let mut values: Vec<Vec<u8>> = list().map(<[u8]>::to_vec).collect();
    values.sort_unstable();
    values.dedup();
    let mut dictionary = Strings::with_capacity(values.len());
    for value in &values {
        dictionary.push(value, usize::MAX).unwrap();
    }
    let mut writer = SharedWriter::default();
    let resource = writer.add_strings(&dictionary).unwrap();
    let shared_dictionary = StringPlan::SharedDictionary(Arc::new(SharedStrings {
        resource,
        codes: values.into_iter().zip(0..).collect(),
        nested: IntegerPlan::Basic,
    }));
    let table = train(list());
    let fsst = StringPlan::Fsst(Arc::new(FsstPlan {
        resource: writer.add_symbols(&table).unwrap(),
        encoder: Encoder::new(&table),
        lengths: IntegerPlan::Basic,
    }));
    for plan in [
        StringPlan::Basic,
        StringPlan::Plain,
        shared_dictionary,
        fsst,
    ] {
        let mut out = Vec::new();
        // The codec itself, not the smaller one that a plan may fall back to.
        if plan.try_encode(strings, &mut out).is_none() {
            out.clear();
            plan.encode(strings, &mut out);
        }
        all.push((writer.finish(), out));
    }
    all
}
