//! D12: values that no codec likes.

use super::column::{boolean, float64, id, int32, int64, text};
use super::timestamps::FIRST_MS;
use crate::random::Random;
use crate::set::{Column, Set, Texts, Values};

const LONG_BYTES: usize = 1 << 20;
const LONG_EVERY: usize = 64;
const LENGTHS_ROWS: usize = 1024;

pub(super) fn doubles(name: &str, rows: usize) -> Set {
    let mut random = random();
    let bits = (0..rows).map(|_| f64::from_bits(random.bits()));
    Set::new(name, vec![float64("d", bits)])
}

pub(super) fn extremes(name: &str, rows: usize) -> Set {
    let extreme = |row| if row % 2 == 0 { i64::MIN } else { i64::MAX };
    Set::new(name, vec![int64("i", (0..rows).map(extreme))])
}

/// Texts of one byte, and among them sixteen of 1 MB.
pub(super) fn lengths(name: &str, _: usize) -> Set {
    let mut random = random();
    let mut letters =
        |count| -> Vec<u8> { (0..count).map(|_| b'a' + random.below(26) as u8).collect() };
    let length = |row| if row % LONG_EVERY == 0 { LONG_BYTES } else { 1 };
    let texts: Texts = (0..LENGTHS_ROWS).map(|row| letters(length(row))).collect();
    Set::new(name, vec![Column::new("t", Values::Text(texts))])
}

/// Up to 40 bytes of any value, with those that no UTF-8 text holds.
pub(super) fn bytes(name: &str, rows: usize) -> Set {
    let mut random = random();
    let mut value = |_| -> Vec<u8> { (0..random.below(41)).map(|_| random.bits() as u8).collect() };
    let values: Texts = (0..rows / 10).map(&mut value).collect();
    Set::new(name, vec![Column::new("b", Values::Bytes(values))])
}

pub(super) fn nulls(name: &str, rows: usize) -> Set {
    let mut set = every_type(name, rows / 10);
    for column in &mut set.columns {
        let validity = vec![false; column.rows()];
        column.clear_invalid(&validity);
        column.validity = Some(validity);
    }
    set
}

pub(super) fn single(name: &str, _: usize) -> Set {
    every_type(name, 1)
}

/// One row more than a vector holds.
pub(super) fn rows_1025(name: &str, _: usize) -> Set {
    every_type(name, 1025)
}

pub(super) fn unsorted_time(name: &str, rows: usize) -> Set {
    let mut random = random();
    let span_ms = 50 * rows as u64;
    let times = (0..rows).map(|_| FIRST_MS + random.below(span_ms) as i64);
    Set::new(name, vec![id(1, rows), int64("ts", times)])
}

fn every_type(name: &str, rows: usize) -> Set {
    let mut random = random();
    let integers: Vec<i64> = (0..rows).map(|_| random.bits() as i64).collect();
    let texts = integers
        .iter()
        .map(|integer| format!("row {}", integer % 1000));
    let bytes = integers.iter().map(|integer| integer.to_le_bytes());
    let columns = vec![
        int32(
            "i4",
            integers.iter().map(|integer| integer.unsigned_abs() >> 33),
        ),
        int64("i8", integers.iter().copied()),
        float64(
            "d",
            integers
                .iter()
                .map(|integer| (integer >> 20) as f64 / 1000.0),
        ),
        boolean("b", integers.iter().map(|integer| integer % 3 == 0)),
        text("t", texts),
        Column::new("x", Values::Bytes(bytes.collect())),
    ];
    Set::new(name, columns)
}

fn random() -> Random {
    Random::of_set(12)
}
