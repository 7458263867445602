use super::filter::check_filters;
use super::{Stored, batch};
use crate::{
    ColumnSpec, FinishedRun, KeyFilter, RunError, RunSpec, RunWriter, encode_row_key, key_hash,
};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use varve_types::testing::{sample_types, sample_value};
use varve_types::{
    Column, ColumnData, ColumnId, CompareOp, LogicalType, PredicateTest, RunId, Value,
};

const TYPES: [LogicalType; 8] = [
    LogicalType::Int8,
    LogicalType::Boolean,
    LogicalType::Int4,
    LogicalType::Float8,
    LogicalType::Text,
    LogicalType::Date,
    LogicalType::Timestamp,
    LogicalType::TimestampTz,
];

fn spec(key_columns: Vec<usize>) -> RunSpec {
    let columns = (0..)
        .zip(TYPES)
        .map(|(id, ty)| ColumnSpec::values(ColumnId(id), ty));
    RunSpec {
        run: RunId(42),
        schema_version: 1,
        columns: columns.collect(),
        key_columns,
        key_orders: Vec::new(),
        filter: true,
        filter_key_columns: None,
        encodings: Vec::new(),
    }
}

fn write(rows: &[Vec<Value>], batch_rows: usize) -> FinishedRun {
    let mut writer = RunWriter::new(spec(vec![0])).unwrap();
    let mut taken = Vec::new();
    for rows in rows.chunks(batch_rows) {
        writer.append(&batch(&TYPES, rows)).unwrap();
        taken.extend(writer.take_values());
    }
    let mut run = writer.finish().unwrap();
    taken.append(&mut run.values);
    assert!(
        taken
            .iter()
            .map(|value| value.number)
            .eq(0..taken.len() as u32)
    );
    let bytes: usize = taken.iter().map(|value| value.bytes.len()).sum();
    assert_eq!(run.bytes, (bytes + run.head_bytes.len()) as u64);
    run.values = taken;
    run
}

/// Equal to the bit, NaN payloads and the sign of zero included.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float8(a), Value::Float8(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}

fn check(rows: &[Vec<Value>], batch_rows: usize) {
    let run = write(rows, batch_rows);
    assert_eq!(run.rows, rows.len() as u64);
    let stored = Stored::of(&run);
    let all: Vec<usize> = (0..TYPES.len()).collect();
    let mut row = 0;
    for (group, info) in stored.head.groups().iter().enumerate() {
        let index = stored.index(group);
        let reader = stored.group(group, &all);
        let filter = stored
            .head
            .filter_value_for(group)
            .map(|number| KeyFilter::of_group(&stored.head, group, stored.value(number)).unwrap());
        assert_eq!(info.first_row, row as u64);
        assert_eq!(index.vectors().len(), info.vectors());
        for vector in 0..info.vectors() {
            let count = info.vector_rows(vector);
            let expected = &rows[row..row + count];
            let positions: Vec<u16> = (0..count as u16).rev().step_by(7).collect();
            for i in 0..TYPES.len() {
                let column = reader.column(i, vector).unwrap();
                assert_eq!((column.len(), column.logical_type()), (count, TYPES[i]));
                for (at, expected) in expected.iter().enumerate() {
                    let value = column.value(at);
                    assert!(same(&value, &expected[i]), "{value:?} {:?}", expected[i]);
                }
                let gathered = reader.gather(i, vector, &positions).unwrap();
                for (at, position) in positions.iter().enumerate() {
                    assert!(same(
                        &gathered.value(at),
                        &expected[usize::from(*position)][i]
                    ));
                }
                let values: Vec<Value> = expected.iter().map(|row| row[i].clone()).collect();
                check_filters(&reader, i, vector, &values);
                let zone = index.zone(vector, i).unwrap();
                let nulls = expected.iter().filter(|row| row[i].is_null()).count();
                assert_eq!((zone.rows, zone.null_count), (count as u64, nulls as u64));
            }
            for at in [0, count / 2, count - 1] {
                let mut key = Vec::new();
                encode_row_key(
                    [&Column::from_values(TYPES[0], [&expected[at][0]])],
                    0,
                    &mut key,
                );
                let hash = key_hash(&key);
                assert!(filter.is_none_or(|filter| filter.may_contain(hash)));
                assert_eq!(stored.head.group_of_key(&key), Some(group));
                assert_eq!(index.vector_of_key(&key), Some(vector));
                assert_eq!(reader.search(vector, &key).unwrap(), Ok(at as u16));
                key.push(0);
                assert_eq!(reader.search(vector, &key).unwrap(), Err(at as u16 + 1));
                let place = stored.head.locate((row + at) as u64).unwrap();
                assert_eq!(
                    (place.group, place.vector, place.position),
                    (group, vector, at as u16)
                );
                assert_eq!(stored.head.ordinal(place), Some((row + at) as u64));
            }
            row += count;
        }
    }
    assert_eq!(row, rows.len());
    assert_eq!(stored.head.locate(row as u64), None);
}

fn value(ty: LogicalType) -> impl Strategy<Value = Value> {
    let extremes = prop_oneof![
        any::<i64>(),
        -3..3_i64,
        proptest::sample::select(vec![i64::MIN, i64::MAX])
    ];
    let doubles = prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        (-99..99_i32).prop_map(|i| f64::from(i) / 10.0)
    ];
    let present =
        (extremes, doubles, "[a-c\u{e9}\\x00]{0,20}").prop_map(move |(n, f, text)| match ty {
            LogicalType::Boolean => Value::Boolean(n & 1 == 1),
            LogicalType::Int4 => Value::Int4(n as i32),
            LogicalType::Date => Value::Date(n as i32),
            LogicalType::Float8 => Value::Float8(f),
            LogicalType::Text => Value::text(text),
            LogicalType::Timestamp => Value::Timestamp(n),
            LogicalType::TimestampTz => Value::TimestampTz(n),
            _ => Value::Int8(n),
        });
    prop_oneof![6 => present, 1 => proptest::strategy::Just(Value::Null)]
}

/// Rows with ascending keys, each value held for a number of rows so that every form occurs.
fn rows() -> impl Strategy<Value = Vec<Vec<Value>>> {
    let row = TYPES.map(|ty| value(ty).boxed()).to_vec();
    let stretch = (row, 1..200_usize, any::<bool>());
    (any::<i32>(), proptest::collection::vec(stretch, 0..60)).prop_map(|(start, stretches)| {
        let mut key = i64::from(start);
        let mut rows = Vec::new();
        for (row, count, alternate) in stretches {
            for i in 0..count {
                let mut row = row.clone();
                row[0] = Value::Int8(key);
                if alternate && i % 3 == 1 {
                    row[1..].fill(Value::Null);
                }
                key += 1 + i64::from(alternate) * (i as i64 % 5);
                rows.push(row);
            }
        }
        rows
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn rows_come_back(rows in rows(), batch_rows in 1..1025_usize) {
        check(&rows, batch_rows);
        let bytes = |run: FinishedRun| (run.values, run.head_bytes);
        prop_assert_eq!(bytes(write(&rows, batch_rows)), bytes(write(&rows, 1024)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Columns of every type, plain and read row by row, some rows held for longer.
    #[test]
    fn all_types_come_back(
        cells in proptest::collection::vec((any::<u64>(), "[a-c\u{e9}\\x00 ]{0,20}", 1..9_usize), 1..200),
        few_bits: bool,
    ) {
        let types = sample_types();
        let columns = (1..).zip(&types).map(|(id, ty)| ColumnSpec::values(ColumnId(id), *ty));
        let key = ColumnSpec::values(ColumnId(0), LogicalType::Int8);
        let spec = RunSpec {
            columns: [key].into_iter().chain(columns).collect(),
            ..spec(vec![0])
        };
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for (bits, text, count) in &cells {
            let bits = if few_bits { bits % 64 } else { *bits };
            let value = |(at, ty): (usize, &LogicalType)| match bits >> (at % 60) & 3 {
                0 => Value::Null,
                _ => sample_value(*ty, bits, text),
            };
            let row: Vec<Value> = types.iter().enumerate().map(value).collect();
            for _ in 0..*count {
                let key = Value::Int8(rows.len() as i64);
                rows.push([key].into_iter().chain(row.clone()).collect());
            }
        }
        let types: Vec<LogicalType> = spec.columns.iter().map(|column| column.ty).collect();
        let mut writer = RunWriter::new(spec).unwrap();
        for rows in rows.chunks(1000) {
            writer.append(&batch(&types, rows)).unwrap();
        }
        let stored = Stored::of(&writer.finish().unwrap());
        for (at, ty) in types.iter().enumerate() {
            for (row, expected) in (0..).zip(rows.iter().map(|row| &row[at])).step_by(13) {
                let place = stored.head.locate(row).unwrap();
                let reader = stored.group(place.group, &[at]);
                let column = reader.column(at, place.vector).unwrap();
                let read = column.value(usize::from(place.position));
                let gathered = reader.gather(at, place.vector, &[place.position]).unwrap();
                for read in [read, gathered.value(0)] {
                    let is_nan = expected.double().is_some_and(f64::is_nan);
                    assert!(is_nan || format!("{read:?}") == format!("{expected:?}"), "{ty} {read:?}");
                }
                let index = stored.index(place.group);
                let zone = &index.vectors()[place.vector].zones[at];
                let equal = PredicateTest::Compare(CompareOp::Eq, expected.clone());
                assert!(expected.is_null() || zone.may_match(&equal), "{ty} {expected:?} {zone:?}");
            }
        }
    }
}

/// Distinct text of some length for every row, the other columns NULL.
fn text_rows(count: usize, text: impl Fn(usize) -> String) -> Vec<Vec<Value>> {
    let row = |i: usize| {
        let mut row = vec![Value::Null; TYPES.len()];
        row[0] = Value::Int8(i as i64);
        row[4] = Value::text(text(i));
        row
    };
    (0..count).map(row).collect()
}

fn noise(i: usize, bytes: usize) -> String {
    let mut state = i as u64 + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + (state >> 40) as u8 % 90)
    };
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn pages_and_groups_are_cut_by_size() {
    let rows = text_rows(12_000, |i| noise(i, 120));
    let run = write(&rows, 1024);
    let groups = run.head.groups();
    assert_eq!(groups.len(), 2);
    assert_eq!(groups[0].rows % 1024, 0);
    let text = &groups[0].columns[4];
    assert!(text.segments.len() > 2, "the text column has several pages");
    assert!(
        text.segments
            .iter()
            .all(|segment| segment.place.bytes < 400_000)
    );
    let small: Vec<u32> = [1, 2, 3]
        .iter()
        .map(|column| groups[0].columns[*column].segments[0].place.value)
        .collect();
    assert!(
        small.iter().all(|value| *value == small[0]),
        "small pages share a value"
    );
    assert!(run.head.values_for(0, &[1, 2]).len() == 1);
    assert_ne!(groups[0].index.value, small[0]);
    check(&rows, 777);

    let small = write(&text_rows(900, |i| noise(i, 100)), 1024);
    assert_eq!(small.values.len(), 1, "a small group is one value");
}

#[test]
fn groups_are_encoded_a_column_a_step_to_the_same_bytes() {
    let rows = text_rows(12_000, |i| noise(i, 120));
    let at_once = write(&rows, 12_000);
    let mut writer = RunWriter::new(spec(vec![0])).unwrap();
    let mut values = Vec::new();
    let mut steps = Vec::new();
    let mut take_steps = |writer: &mut RunWriter| {
        let before = writer.value_bytes();
        let count = std::iter::from_fn(|| writer.step().unwrap().then_some(())).count();
        steps.extend((count > 0).then_some(count));
        assert_eq!(writer.value_bytes() > before, count > 0);
        values.extend(writer.take_values());
    };
    for rows in rows.chunks(1024) {
        writer.append(&batch(&TYPES, rows)).unwrap();
        take_steps(&mut writer);
    }
    writer.end_rows().unwrap();
    take_steps(&mut writer);
    let mut run = writer.finish().unwrap();
    assert!(run.values.is_empty(), "nothing was left to encode");
    run.values = values;
    assert_eq!(run.head_bytes, at_once.head_bytes);
    assert_eq!(run.values, at_once.values);
    assert_eq!(
        steps,
        [TYPES.len(); 2],
        "a column a step, in each of two groups"
    );
}

#[test]
fn long_rows_end_vectors_early() {
    let rows = text_rows(9, |i| noise(i, 400_000));
    check(&rows, 9);
    assert!(write(&rows, 9).head.groups().len() > 2);
    let too_long = text_rows(1, |_| "x".repeat(crate::ROW_BYTES_MAX));
    let mut writer = RunWriter::new(spec(vec![0])).unwrap();
    let error = writer.append(&batch(&TYPES, &too_long)).unwrap_err();
    assert!(matches!(error, RunError::RowTooLarge { .. }));
}

#[test]
fn repeated_text_takes_the_general_stage() {
    let rows = text_rows(3000, |i| {
        // The same four hundred texts again and again, too long for codes of integers to find.
        noise(i % 400, 90)
    });
    let run = write(&rows, 1024);
    let stats = &run.head.stats()[4];
    assert!(stats.stored_bytes * 2 < 3000 * 90, "{stats:?}");
    check(&rows, 1000);
}

#[test]
fn encoded_forms_are_kept() {
    let mut rows = text_rows(1024, |i| format!("state {}", i * i % 7));
    for (i, row) in rows.iter_mut().enumerate() {
        row[2] = Value::Int4(i as i32 / 300);
        row[3] = Value::Float8(0.5);
        row[5] = if i < 500 {
            Value::Null
        } else {
            Value::Date(i as i32 / 250)
        };
    }
    let stored = Stored::of(&write(&rows, 1024));
    let reader = stored.group(0, &[0, 1, 2, 3, 4, 5]);
    let form = |column| match reader.column(column, 0).unwrap().data() {
        ColumnData::Dictionary { .. } => "dictionary",
        ColumnData::Constant(_) => "constant",
        ColumnData::RunEnds { .. } => "run ends",
        _ => "plain",
    };
    let forms: Vec<&str> = (0..6).map(form).collect();
    assert_eq!(
        forms,
        [
            "plain",
            "constant",
            "run ends",
            "constant",
            "dictionary",
            "run ends"
        ]
    );
    check(&rows, 1024);
}

#[test]
fn a_column_like_another_is_stored_as_its_differences() {
    let spec = RunSpec {
        columns: (1..)
            .zip([
                LogicalType::Int8,
                LogicalType::Text,
                LogicalType::Text,
                LogicalType::Int8,
            ])
            .map(|(id, ty)| ColumnSpec::values(ColumnId(id), ty))
            .collect(),
        ..spec(vec![0])
    };
    let types: Vec<LogicalType> = spec.columns.iter().map(|column| column.ty).collect();
    let rows: Vec<Vec<Value>> = (0..3000)
        .map(|i| {
            let title = || Value::text(noise(i, 20));
            let (original, kept) = match i {
                _ if i % 50 == 0 => (Value::Null, Value::Null),
                _ if i % 20 == 3 => (title(), Value::text(noise(i + 9000, 10))),
                _ => (title(), title()),
            };
            let id = i as i64 * 3;
            vec![
                Value::Int8(id),
                original,
                kept,
                Value::Int8(id + i64::from(i % 100 == 7)),
            ]
        })
        .collect();
    let mut writer = RunWriter::new(spec).unwrap();
    writer.append(&batch(&types, &rows)).unwrap();
    let run = writer.finish().unwrap();
    let places = &run.head.groups()[0].columns;
    let same_as: Vec<Option<usize>> = places.iter().map(|places| places.same_as).collect();
    assert_eq!(same_as, [None, None, Some(1), Some(0)]);
    let stored = Stored::of(&run);
    let reader = stored.group(0, &[2, 3]);
    for (row, expected) in rows.iter().enumerate() {
        for column in [2, 3] {
            let back = reader.column(column, row / 1024).unwrap().value(row % 1024);
            assert_eq!(back, expected[column], "row {row}");
        }
    }
    let back = reader.gather(2, 1, &[0, 1000, 5]).unwrap();
    assert_eq!(back.value(1), rows[2024][2]);
}

#[test]
fn wrong_input_is_refused() {
    let rows = text_rows(3, |i| i.to_string());
    let mut writer = RunWriter::new(spec(vec![0])).unwrap();
    writer.append(&batch(&TYPES, &rows)).unwrap();
    let error = writer.append(&batch(&TYPES, &rows[2..])).unwrap_err();
    assert_eq!(
        error,
        RunError::KeysOutOfOrder {
            run: RunId(42),
            row: 3
        }
    );
    let mut writer = RunWriter::new(spec(vec![0])).unwrap();
    assert!(writer.append(&batch(&TYPES[..7], &rows)).is_err());
    assert!(RunWriter::new(spec(vec![8])).is_err());
    assert!(RunWriter::new(spec(vec![])).is_err());

    let stored = Stored::of(&write(&rows, 3));
    let reader = stored.group(0, &[0]);
    assert!(matches!(reader.column(9, 0), Err(RunError::Mismatch(_))));
    assert!(matches!(reader.column(0, 1), Err(RunError::Mismatch(_))));
    let without = crate::GroupReader::new(stored.head.clone(), 0, Vec::new()).unwrap();
    let missing = RunError::MissingValue {
        run: RunId(42),
        value_number: 0,
    };
    assert_eq!(without.column(0, 0).unwrap_err(), missing);
    let empty = write(&[], 1);
    assert_eq!((empty.values.len(), empty.head.key_range()), (0, None));
}
