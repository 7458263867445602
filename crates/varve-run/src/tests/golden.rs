use super::Stored;
use crate::fixtures::{GOLDEN_ROWS, golden_run, golden_value, to_hex};
use varve_types::{LogicalType, Value};

const GOLDEN: &str = include_str!("../../../../tests/format/v1/run-small.hex");

#[test]
fn bytes_are_those_of_version_1() {
    let hex = to_hex(&golden_run().unwrap());
    if hex != GOLDEN {
        let path = std::env::temp_dir().join("run-small.hex");
        std::fs::write(&path, &hex).unwrap();
        panic!("the golden run has other bytes; see {}", path.display());
    }
}

#[test]
fn golden_rows_come_back() {
    let stored = Stored::of(&golden_run().unwrap());
    assert_eq!(stored.head.rows(), GOLDEN_ROWS as u64);
    let all: Vec<usize> = (0..8).collect();
    for row in 0..GOLDEN_ROWS {
        let place = stored.head.locate(row as u64).unwrap();
        let reader = stored.group(place.group, &all);
        for (i, ty) in LogicalType::ALL
            .into_iter()
            .enumerate()
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
