use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use varve_types::{Column, ColumnRef, LogicalType, Value};

use super::{ABSENT, KeyIndex};

/// The forms in which a column may come.
fn forms(column: &ColumnRef) -> Vec<ColumnRef> {
    let mut values: Vec<Value> = Vec::new();
    let mut codes = Vec::new();
    for row in 0..column.len() {
        let value = column.value(row);
        let known = values.iter().position(|known| *known == value);
        let code = known.unwrap_or(values.len()) as u32;
        if value.is_null() {
            codes.push(0);
            continue;
        }
        if known.is_none() {
            values.push(value);
        }
        codes.push(code);
    }
    let validity = (0..column.len()).map(|row| !column.is_null(row)).collect();
    let values = Arc::new(Column::from_values(column.logical_type(), &values));
    let dictionary = Column::dictionary(codes, values, Some(validity)).unwrap();
    let ends = (1..).take(column.len()).collect();
    let run_ends = Column::run_ends(ends, Arc::clone(column)).unwrap();
    vec![Arc::clone(column), Arc::new(dictionary), Arc::new(run_ends)]
}

fn check(ty: LogicalType, batches: &[Vec<Value>]) {
    let mut index = KeyIndex::new(&[ty]);
    let mut twin: BTreeMap<String, u32> = BTreeMap::new();
    let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
    for (i, batch) in batches.iter().enumerate() {
        let plain = Arc::new(Column::from_values(ty, batch));
        let forms = forms(&plain);
        let keys: Vec<String> = batch.iter().map(|value| format!("{value:?}")).collect();
        let known = keys
            .iter()
            .map(|key| twin.get(key).copied().unwrap_or(ABSENT));
        index.find(&forms[i % 3..=i % 3], batch.len(), &mut ids);
        assert_eq!(ids, known.collect::<Vec<u32>>());

        let mut expected_new = Vec::new();
        for (row, key) in keys.iter().enumerate() {
            if !twin.contains_key(key) {
                twin.insert(key.clone(), twin.len() as u32);
                expected_new.push(row as u32);
            }
        }
        index.insert(&forms[i % 3..=i % 3], batch.len(), &mut ids, &mut new_rows);
        let expected: Vec<u32> = keys.iter().map(|key| twin[key]).collect();
        assert_eq!((&ids, &new_rows), (&expected, &expected_new));
        assert_eq!(index.len() as usize, twin.len());
        for form in forms {
            index.find(&[form], batch.len(), &mut ids);
            assert_eq!(ids, expected);
        }
    }
    assert!(index.memory_bytes() >= twin.len() * 8);
}

fn batches<T: core::fmt::Debug + Clone>(
    value: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<Vec<Option<T>>>> {
    let value = (0..8u8, value).prop_map(|(null, value)| (null > 0).then_some(value));
    proptest::collection::vec(proptest::collection::vec(value, 1..60), 0..8)
}

fn values<T>(batches: Vec<Vec<Option<T>>>, value: impl Fn(T) -> Value) -> Vec<Vec<Value>> {
    let value = |cell: Option<T>| cell.map_or(Value::Null, &value);
    batches
        .into_iter()
        .map(|batch| batch.into_iter().map(value).collect())
        .collect()
}

proptest! {
    #[test]
    fn numbers_integers_as_a_map_does(
        batches in batches(prop_oneof![-9..9i64, any::<i64>()])
    ) {
        check(LogicalType::Int8, &values(batches, Value::Int8));
    }

    #[test]
    fn numbers_strings_as_a_map_does(batches in batches("[a\\x00]{0,9}")) {
        check(LogicalType::Text, &values(batches, |text: String| Value::text(text)));
    }
}

#[test]
fn equal_doubles_share_a_number() {
    let doubles = [0.0, -0.0, f64::NAN, 1.5, -f64::NAN].map(Value::Float8);
    let column = Arc::new(Column::from_values(LogicalType::Float8, &doubles));
    let mut index = KeyIndex::new(&[LogicalType::Float8]);
    let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
    index.insert(&[column], 5, &mut ids, &mut new_rows);
    assert_eq!(ids, [0, 0, 1, 2, 1]);
}

#[test]
fn without_columns_all_rows_are_one() {
    let mut index = KeyIndex::new(&[]);
    let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
    index.insert(&[], 3, &mut ids, &mut new_rows);
    assert_eq!(
        (ids.as_slice(), new_rows.as_slice()),
        (&[0, 0, 0][..], &[0][..])
    );
}

#[test]
fn many_keys_pass_the_borders_of_blocks() {
    let values: Vec<Value> = (0..20_000).map(|i| Value::text(i.to_string())).collect();
    let mut index = KeyIndex::new(&[LogicalType::Text]);
    let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
    for (i, chunk) in values.chunks(1000).enumerate() {
        let column = Arc::new(Column::from_values(LogicalType::Text, chunk));
        index.insert(&[Arc::clone(&column)], 1000, &mut ids, &mut new_rows);
        assert_eq!((ids[0], new_rows.len()), (i as u32 * 1000, 1000));
    }
    let column = Arc::new(Column::from_values(LogicalType::Text, &values[4090..4100]));
    index.find(&[column], 10, &mut ids);
    assert_eq!(ids, (4090..4100).collect::<Vec<u32>>());
}
