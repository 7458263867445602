use super::Stored;
use crate::fixtures::{
    GOLDEN_ROWS, golden_ordered_run, golden_run, golden_types, golden_types_run,
    golden_types_value, golden_value, to_hex,
};
use crate::{CheckedValue, FinishedRun, KeyFilter, RunHead, key_hash};
use std::sync::Arc;
use varve_types::{LogicalType, RunId, Value, encode_ordered_key_value};

const GOLDEN: &str = include_str!("../../../../tests/format/v1/run-small.hex");

const GOLDEN_ORDERED: &str = include_str!("../../../../tests/format/v1/run-ordered.hex");

const GOLDEN_TYPES: &str = include_str!("../../../../tests/format/v1/run-types.hex");

/// Compares a run with a golden file; other bytes are left in a file, to be looked at.
fn compare(name: &str, run: &FinishedRun, golden: &str) {
    let hex = to_hex(run);
    if hex != golden {
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, &hex).unwrap();
        panic!(
            "the bytes are not those of version 1; see {}",
            path.display()
        );
    }
}

#[test]
fn bytes_are_those_of_version_1() {
    compare("run-small.hex", &golden_run().unwrap(), GOLDEN);
}

#[test]
fn bytes_of_an_ordered_run_are_those_of_version_1() {
    compare(
        "run-ordered.hex",
        &golden_ordered_run().unwrap(),
        GOLDEN_ORDERED,
    );
}

#[test]
fn bytes_of_a_run_of_all_types_are_those_of_version_1() {
    compare("run-types.hex", &golden_types_run().unwrap(), GOLDEN_TYPES);
}

#[test]
fn rows_of_all_types_come_back() {
    let stored = from_hex(GOLDEN_TYPES);
    let types = golden_types();
    assert_eq!(stored.head.rows(), 1100);
    for (at, ty) in types.into_iter().enumerate() {
        for row in (0..1100).step_by(11) {
            let place = stored.head.locate(row).unwrap();
            let reader = stored.group(place.group, &[at]);
            let expected = golden_types_value(at, ty, row as u32);
            let column = reader.column(at, place.vector).unwrap();
            assert_eq!(
                column.value(usize::from(place.position)),
                expected,
                "{ty} {row}"
            );
            let gathered = reader.gather(at, place.vector, &[place.position]).unwrap();
            assert_eq!(gathered.value(0), expected, "{ty} {row}");
        }
    }
}

#[test]
fn an_ordered_run_is_searched_by_its_keys() {
    let stored = from_hex(GOLDEN_ORDERED);
    let orders = [0, 1].map(|at| stored.head.key_order(at));
    assert_eq!(orders.map(|order| order.code()), [3, 1]);
    for row in [0_i64, 499, 500, 1500, 1999] {
        let part = row / 500;
        let text = match part {
            0 => Value::Null,
            part => Value::text(format!("part {}", 9 - part)),
        };
        let mut key = Vec::new();
        encode_ordered_key_value(&text, orders[0], &mut key);
        let prefix = key.len();
        encode_ordered_key_value(&Value::Int8(-row), orders[1], &mut key);
        let place = stored.head.locate(row.cast_unsigned()).unwrap();
        let reader = stored.group(place.group, &[0, 1]);
        let found = reader.search(place.vector, &key).unwrap();
        assert_eq!(found, Ok(place.position));
        assert_eq!(stored.head.group_of_key(&key), Some(place.group));
        let value = stored.value(stored.head.filter_value_for(place.group).unwrap());
        let filter = KeyFilter::of_group(&stored.head, place.group, value).unwrap();
        assert!(filter.may_contain(key_hash(&key[..prefix])));
    }
}

/// A stored run from the text form of [`crate::fixtures::to_hex`].
fn from_hex(text: &str) -> Stored {
    let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
    for line in text.lines() {
        if line == "head" || line.starts_with("value") {
            parts.push((line.to_owned(), Vec::new()));
            continue;
        }
        let digits = line.as_bytes().chunks(2);
        let digits = digits.map(|pair| std::str::from_utf8(pair).unwrap());
        let bytes = digits.map(|pair| u8::from_str_radix(pair, 16).unwrap());
        parts.last_mut().unwrap().1.extend(bytes);
    }
    let (_, head) = parts.pop().unwrap();
    let run = RunId(7);
    let check = |(number, (_, bytes)): (u32, (String, Vec<u8>))| {
        CheckedValue::check(run, number, bytes.into()).unwrap()
    };
    Stored {
        head: Arc::new(RunHead::decode(run, &head).unwrap()),
        values: (0..).zip(parts).map(check).collect(),
    }
}

#[test]
fn golden_rows_come_back() {
    let stored = from_hex(GOLDEN);
    assert_eq!(stored.head.rows(), GOLDEN_ROWS as u64);
    let all: Vec<usize> = (0..8).collect();
    for row in 0..GOLDEN_ROWS {
        let place = stored.head.locate(row as u64).unwrap();
        let reader = stored.group(place.group, &all);
        for (i, ty) in LogicalType::ALL
            .into_iter()
            .enumerate()
            .take(8)
            .filter(|_| row % 97 == 0)
        {
            let column = reader.column(i, place.vector).unwrap();
            let bits = |value: &Value| match value {
                Value::Float8(number) => number.to_bits(),
                _ => 0,
            };
            let (back, expected) = (
                column.value(usize::from(place.position)),
                golden_value(ty, row),
            );
            assert_eq!(bits(&back), bits(&expected));
            assert!(
                back.is_null() && expected.is_null() || back.compare(&expected).unwrap().is_eq()
            );
        }
    }
}
