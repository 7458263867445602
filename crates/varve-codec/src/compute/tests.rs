use core::cmp::Ordering;
use std::collections::BTreeSet;

use super::{Comparison, IntegerPredicate, StringPredicate, filter_integers, filter_strings};
use crate::integers::IntegerKind;
use crate::integers::encodings::integer_encodings;
use crate::strings::encodings::string_encodings;
use crate::tags::{
    TAG_ALP, TAG_ALP_RD, TAG_CHIMP, TAG_CONSTANT, TAG_DECIMAL, TAG_DELTA, TAG_DELTA_OF_DELTA,
    TAG_DICTIONARY, TAG_FRAME, TAG_FSST, TAG_GORILLA, TAG_LINEAR, TAG_PATCHED, TAG_PLAIN,
    TAG_RUN_ENDS, TAG_SHARED_DICTIONARY, TAG_STEPS,
};
use crate::testing::mutations;
use crate::{Shared, Strings, f64_from_integer, integer_from_f64};
use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};

const BYTES_MAX: usize = 1 << 20;

const COMPARISONS: [Comparison; 6] = [
    Comparison::Eq,
    Comparison::NotEq,
    Comparison::Lt,
    Comparison::LtEq,
    Comparison::Gt,
    Comparison::GtEq,
];

fn holds(comparison: Comparison, ordering: Ordering) -> bool {
    match comparison {
        Comparison::Eq => ordering.is_eq(),
        Comparison::NotEq => ordering.is_ne(),
        Comparison::Lt => ordering.is_lt(),
        Comparison::LtEq => ordering.is_le(),
        Comparison::Gt => ordering.is_gt(),
        Comparison::GtEq => ordering.is_ge(),
    }
}

/// SQL's order of two integers.
fn order(kind: IntegerKind, a: i64, b: i64) -> Ordering {
    if kind != IntegerKind::Float64 {
        return a.cmp(&b);
    }
    let (a, b) = (f64_from_integer(a), f64_from_integer(b));
    match (a.is_nan(), b.is_nan()) {
        (false, false) => a.partial_cmp(&b).unwrap(),
        (a, b) => a.cmp(&b),
    }
}

fn compare(kind: IntegerKind, comparison: Comparison, constant: i64) -> IntegerPredicate {
    match kind {
        IntegerKind::Float64 => IntegerPredicate::double(comparison, f64_from_integer(constant)),
        _ => IntegerPredicate::integer(comparison, constant),
    }
}

fn one_of(kind: IntegerKind, constants: &[i64]) -> IntegerPredicate {
    let constants = constants.iter().copied();
    match kind {
        IntegerKind::Float64 => IntegerPredicate::double_in(constants.map(f64_from_integer)),
        _ => IntegerPredicate::integer_in(constants),
    }
}

type RowTest = Box<dyn Fn(i64) -> bool>;

/// Predicates around these constants, each with what it asks of one row.
fn integer_tests(kind: IntegerKind, constants: &[i64]) -> Vec<(IntegerPredicate, RowTest)> {
    let mut tests: Vec<(IntegerPredicate, RowTest)> = Vec::new();
    for constant in constants.iter().copied().take(3) {
        for comparison in COMPARISONS {
            tests.push((
                compare(kind, comparison, constant),
                Box::new(move |integer| holds(comparison, order(kind, integer, constant))),
            ));
        }
    }
    if let [low, high, ..] = *constants {
        tests.push((
            compare(kind, Comparison::GtEq, low).and(&compare(kind, Comparison::Lt, high)),
            Box::new(move |integer| {
                order(kind, integer, low).is_ge() && order(kind, integer, high).is_lt()
            }),
        ));
    }
    let list = constants.to_vec();
    tests.push((
        one_of(kind, constants),
        Box::new(move |integer| {
            list.iter()
                .any(|constant| order(kind, integer, *constant).is_eq())
        }),
    ));
    tests
}

/// The slow twin of filters on all encodings of the integers.
fn check_integers(kind: IntegerKind, integers: &[i64], constants: &[i64]) -> BTreeSet<u8> {
    let rows = integers.len();
    let mut tags = BTreeSet::new();
    for (shared, bytes) in integer_encodings(kind, integers) {
        let shared = Shared::decode(&shared, BYTES_MAX).unwrap();
        let tag = bytes[0];
        tags.insert(tag);
        for (predicate, passes) in integer_tests(kind, constants) {
            let bits = filter_integers(kind, &shared, &bytes, rows, &predicate).unwrap();
            for (row, integer) in integers.iter().enumerate() {
                assert_eq!(
                    bits.get(row),
                    passes(*integer),
                    "tag {tag}, row {row}, {integer}, {predicate:?}"
                );
            }
            let ones = integers.iter().filter(|integer| passes(**integer)).count();
            assert_eq!(bits.count_ones(rows), ones, "tag {tag}, past the end");
        }
    }
    tags
}

#[test]
fn every_codec_of_integers_is_filtered() {
    let cents: Vec<i64> = (0..1024).map(|i| i * 7919 % 1009 * 100).collect();
    let mut prices: Vec<i64> = cents
        .iter()
        .map(|c| integer_from_f64(*c as f64 / 100.0))
        .collect();
    prices[3] = integer_from_f64(f64::NAN);
    prices[4] = integer_from_f64(-f64::NAN);
    prices[900] = integer_from_f64(-0.0);
    prices[1023] = integer_from_f64(1.0 / 3.0);
    let runs: Vec<i64> = (0..1001).map(|i| i / 100 * 7919 % 31).collect();
    let mut tags = check_integers(IntegerKind::Float64, &prices, &prices[..8]);
    tags.append(&mut check_integers(
        IntegerKind::Int32,
        &cents,
        &cents[5..30],
    ));
    tags.append(&mut check_integers(
        IntegerKind::Int64,
        &runs,
        &[0, 7919, -1, 30],
    ));
    tags.append(&mut check_integers(IntegerKind::Int64, &[-5; 77], &[-5, 0]));
    let all = [
        TAG_PLAIN,
        TAG_CONSTANT,
        TAG_DICTIONARY,
        TAG_RUN_ENDS,
        TAG_FRAME,
        TAG_DELTA,
        TAG_DECIMAL,
        TAG_STEPS,
        TAG_SHARED_DICTIONARY,
        TAG_ALP,
        TAG_ALP_RD,
        TAG_GORILLA,
        TAG_CHIMP,
        TAG_DELTA_OF_DELTA,
        TAG_PATCHED,
        TAG_LINEAR,
    ];
    assert_eq!(tags, all.into());
}

#[test]
fn damaged_integers_are_an_answer() {
    let integers: Vec<i64> = (0..500)
        .map(|i| integer_from_f64((i % 37) as f64 / 4.0))
        .collect();
    let predicate = IntegerPredicate::double(Comparison::GtEq, 4.5);
    for (shared, bytes) in integer_encodings(IntegerKind::Float64, &integers) {
        let shared = Shared::decode(&shared, BYTES_MAX).unwrap();
        mutations(&bytes, 1500, |bytes| {
            for kind in [IntegerKind::Float64, IntegerKind::Int32] {
                let _ = filter_integers(kind, &shared, bytes, 500, &predicate);
            }
        });
    }
}

fn strings(texts: &[Vec<u8>]) -> Strings {
    let mut strings = Strings::with_capacity(texts.len());
    for text in texts {
        strings.push(text, usize::MAX).unwrap();
    }
    strings
}

type StringTest = Box<dyn Fn(&[u8]) -> bool>;

fn string_tests(constants: &[Vec<u8>]) -> Vec<(StringPredicate, StringTest)> {
    let mut tests: Vec<(StringPredicate, StringTest)> = Vec::new();
    for constant in constants.iter().take(2).cloned() {
        for comparison in COMPARISONS {
            let constant = constant.clone();
            tests.push((
                StringPredicate::compare(comparison, &constant),
                Box::new(move |string| holds(comparison, string.cmp(&constant))),
            ));
        }
        let prefix = constant[..constant.len().min(2)].to_vec();
        tests.push((
            StringPredicate::prefix(&prefix),
            Box::new(move |string| string.starts_with(&prefix)),
        ));
    }
    let list = constants.to_vec();
    tests.push((
        StringPredicate::any_of(constants.iter().map(Vec::as_slice)),
        Box::new(move |string| list.iter().any(|constant| constant == string)),
    ));
    tests
}

fn check_strings(texts: &[Vec<u8>], constants: &[Vec<u8>]) -> BTreeSet<u8> {
    let rows = texts.len();
    let mut tags = BTreeSet::new();
    for (shared, bytes) in string_encodings(strings(texts).as_ref()) {
        let shared = Shared::decode(&shared, BYTES_MAX).unwrap();
        let tag = bytes[0];
        tags.insert(tag);
        for (predicate, passes) in string_tests(constants) {
            let bits = filter_strings(&shared, &bytes, rows, BYTES_MAX, &predicate).unwrap();
            for (row, text) in texts.iter().enumerate() {
                assert_eq!(
                    bits.get(row),
                    passes(text),
                    "tag {tag}, row {row}, {predicate:?}"
                );
            }
            let ones = texts.iter().filter(|text| passes(text)).count();
            assert_eq!(bits.count_ones(rows), ones, "tag {tag}, past the end");
        }
    }
    tags
}

#[test]
fn every_codec_of_strings_is_filtered() {
    let texts = |text: &dyn Fn(usize) -> String| -> Vec<Vec<u8>> {
        (0..1001).map(|i| text(i).into_bytes()).collect()
    };
    let constants = ["state 3", "state 10", "region", "", "zzz"].map(|c| c.as_bytes().to_vec());
    let mut tags = check_strings(&texts(&|i| format!("state {}", i * i % 11)), &constants);
    tags.append(&mut check_strings(
        &texts(&|i| format!("region {}", i / 100)),
        &constants,
    ));
    tags.append(&mut check_strings(
        &texts(&|_| "region".to_owned()),
        &constants[2..],
    ));
    let all = [
        TAG_PLAIN,
        TAG_CONSTANT,
        TAG_DICTIONARY,
        TAG_FSST,
        TAG_RUN_ENDS,
        TAG_SHARED_DICTIONARY,
    ];
    assert_eq!(tags, all.into());
}

#[test]
fn damaged_strings_are_an_answer() {
    let texts: Vec<Vec<u8>> = (0..300)
        .map(|i| format!("item {}", i / 9).into_bytes())
        .collect();
    let predicate = StringPredicate::prefix(b"item 1");
    for (shared, bytes) in string_encodings(strings(&texts).as_ref()) {
        let shared = Shared::decode(&shared, BYTES_MAX).unwrap();
        mutations(&bytes, 1500, |bytes| {
            let _ = filter_strings(&shared, bytes, 300, BYTES_MAX, &predicate);
        });
    }
}

fn integers() -> impl Strategy<Value = (IntegerKind, Vec<i64>)> {
    let double = prop_oneof![
        any::<i16>().prop_map(|n| f64::from(n) / 100.0),
        any::<i16>().prop_map(|n| f64::from(n) / 100.0),
        any::<i16>().prop_map(|n| f64::from(n) / 100.0),
        proptest::sample::select(vec![0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, 1e-320]),
    ];
    let scaled_integer = prop_oneof![-20..20_i64, any::<i32>().prop_map(i64::from)];
    let wide = prop_oneof![any::<i64>(), -3..3_i64];
    prop_oneof![
        proptest::collection::vec(double.prop_map(integer_from_f64), 0..120)
            .prop_map(|integers| (IntegerKind::Float64, integers)),
        proptest::collection::vec((scaled_integer, 1..9_usize), 0..30).prop_map(|runs| {
            let integers = runs
                .into_iter()
                .flat_map(|(integer, count)| vec![integer; count]);
            (IntegerKind::Int32, integers.collect())
        }),
        proptest::collection::vec(wide, 0..120).prop_map(|integers| (IntegerKind::Int64, integers)),
    ]
}

proptest! {
    #[test]
    fn filters_of_integers_are_those_of_decoding(
        (kind, integers) in integers(),
        picks in proptest::collection::vec(any::<(u8, i8)>(), 1..9),
    ) {
        let near = |(at, step): &(u8, i8)| {
            let integer = integers.get(usize::from(*at) % integers.len().max(1)).copied()
                .unwrap_or(0);
            if *step < 0 { integer } else { integer.saturating_add(i64::from(*step % 3)) }
        };
        let constants: Vec<i64> = picks.iter().map(near).collect();
        check_integers(kind, &integers, &constants);
    }

    #[test]
    fn filters_of_strings_are_those_of_decoding(
        runs in proptest::collection::vec(("[ab]{0,3}", 1..9_usize), 0..40),
        constants in proptest::collection::vec("[ab]{0,3}", 1..5),
    ) {
        let rows = runs.into_iter().flat_map(|(text, count)| vec![text.into_bytes(); count]);
        let constants: Vec<Vec<u8>> = constants.into_iter().map(String::into_bytes).collect();
        let tags = check_strings(&rows.collect::<Vec<_>>(), &constants);
        prop_assert_eq!(tags.is_empty(), false);
    }
}
