//! Every form of a column behaves as the plain list of its values.

use std::sync::Arc;

use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};

use crate::testing::{sample_types, sample_value};
use crate::{
    Batch, Bitmap, Column, ColumnData, ColumnPredicate, CommonRuns, CompareOp, LogicalType,
    PredicateTest, Selection, Value,
};

fn ints(values: &[Option<i64>]) -> Vec<Value> {
    values
        .iter()
        .map(|value| value.map_or(Value::Null, Value::Int8))
        .collect()
}

fn dictionary_of(values: &[Option<i64>]) -> Column {
    let mut distinct: Vec<i64> = values.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let code = |value: &Option<i64>| {
        value.map_or(0, |value| distinct.binary_search(&value).unwrap() as u32)
    };
    let codes = values.iter().map(code).collect();
    let validity: Bitmap = values.iter().map(Option::is_some).collect();
    let present: Vec<Option<i64>> = distinct.iter().copied().map(Some).collect();
    let inner = Column::from_values(LogicalType::Int8, &ints(&present));
    Column::dictionary(codes, Arc::new(inner), Some(validity)).unwrap()
}

fn run_ends_of(values: &[Option<i64>]) -> Column {
    let mut ends: Vec<u32> = Vec::new();
    let mut heads: Vec<Option<i64>> = Vec::new();
    for (row, value) in values.iter().enumerate() {
        if heads.last() == Some(value) {
            *ends.last_mut().unwrap() = row as u32 + 1;
        } else {
            heads.push(*value);
            ends.push(row as u32 + 1);
        }
    }
    let inner = Column::from_values(LogicalType::Int8, &ints(&heads));
    Column::run_ends(ends, Arc::new(inner)).unwrap()
}

fn cells() -> impl Strategy<Value = Vec<Option<i64>>> {
    proptest::collection::vec(proptest::option::of(-3..3i64), 0..40)
}

proptest! {
    #[test]
    fn forms_agree(values in cells(), rows: Vec<u8>, op in 0..6usize, constant in -3..3i64) {
        let expected = ints(&values);
        let plain = Column::from_values(LogicalType::Int8, &expected);
        let taken: Vec<u32> = rows.iter().map(|row| u32::from(*row)).collect();
        let ops = [CompareOp::Eq, CompareOp::NotEq, CompareOp::Lt, CompareOp::LtEq,
            CompareOp::Gt, CompareOp::GtEq];
        let tests = [
            PredicateTest::Compare(ops[op], Value::Int8(constant)),
            PredicateTest::In(vec![Value::Int8(constant), Value::Int8(0)]),
            PredicateTest::IsNull,
            PredicateTest::IsNotNull,
        ];
        for column in [plain.clone(), dictionary_of(&values), run_ends_of(&values)] {
            let column = Arc::new(column);
            prop_assert_eq!(&*column, &plain);
            prop_assert_eq!(&*column.flatten(), &plain);
            prop_assert_eq!(column.null_count(), values.iter().filter(|v| v.is_none()).count());
            let slow: Vec<Value> = taken
                .iter()
                .map(|row| expected.get(*row as usize).cloned().unwrap_or(Value::Null))
                .collect();
            prop_assert_eq!(column.take(&taken), Column::from_values(LogicalType::Int8, &slow));
            for row in 0..=values.len() {
                let single = column.single(row);
                prop_assert!(matches!(single.data(), ColumnData::Int64(_)));
                prop_assert_eq!(single.len(), 1);
                prop_assert_eq!(single.value(0), column.value(row));
            }
            for test in &tests {
                let slow: Vec<u32> = (0..values.len() as u32)
                    .filter(|row| test.accepts(&expected[*row as usize]))
                    .collect();
                let fast = ColumnPredicate { column: 0, test: test.clone() }.test.select(&column);
                prop_assert_eq!(fast.rows(), slow);
            }
        }
    }

    #[test]
    fn selecting_twice_is_selecting_the_chosen(
        values in cells(),
        a in any::<u64>(),
        b in any::<u64>(),
    ) {
        let column = Arc::new(Column::from_values(LogicalType::Int8, &ints(&values)));
        let batch = Batch::new(vec![column], values.len());
        let choose = |bits: u64, rows: usize| {
            Selection::new((0..rows as u32).filter(|row| bits >> (row % 64) & 1 == 1).collect())
        };
        let once = batch.select(&choose(a, batch.rows()));
        let twice = once.select(&choose(b, once.rows()));
        let slow = once.compact().select(&choose(b, once.rows())).compact();
        prop_assert_eq!(twice.rows(), slow.rows());
        prop_assert_eq!(twice.column(0).unwrap(), slow.column(0).unwrap());
    }
}

proptest! {
    #[test]
    fn common_runs_are_those_of_the_rows(
        lengths in proptest::collection::vec((1..20usize, proptest::option::of(-2..2i64)), 1..12),
        others in proptest::collection::vec((1..20usize, proptest::option::of(-2..2i64)), 1..12),
        keep in any::<u64>(),
    ) {
        let rows_of = |runs: &[(usize, Option<i64>)]| -> Vec<Option<i64>> {
            runs.iter().flat_map(|(length, value)| vec![*value; *length]).collect()
        };
        let (mut first, mut second) = (rows_of(&lengths), rows_of(&others));
        let rows = first.len().min(second.len());
        first.truncate(rows);
        second.truncate(rows);
        let columns = [Arc::new(run_ends_of(&first)), Arc::new(run_ends_of(&second))];
        let pairs: Vec<_> = first.iter().zip(&second).collect();
        let changes = pairs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let runs = CommonRuns::new(&columns);
        prop_assert_eq!(runs.is_some(), changes < rows / 2);
        if let Some(runs) = runs {
            let mut start = 0;
            for (run, end) in runs.ends.iter().enumerate() {
                for row in start..*end as usize {
                    for (column, head) in columns.iter().zip(&runs.heads) {
                        prop_assert_eq!(column.value(row), head.value(run));
                    }
                }
                start = *end as usize;
            }
            prop_assert_eq!((start, runs.ends.len()), (rows, changes + 1));
        }

        let kept: Vec<u32> = (0..rows as u32).filter(|row| keep >> (row % 64) & 1 == 1).collect();
        let taken = columns[0].take(&kept);
        let slow: Vec<Option<i64>> = kept.iter().map(|row| first[*row as usize]).collect();
        prop_assert_eq!(&taken, &Column::from_values(LogicalType::Int8, &ints(&slow)));
        let few = run_ends_of(&slow).runs().is_some_and(|runs| runs.ends.len() <= kept.len() / 2);
        prop_assert_eq!(taken.runs().is_some(), few);
    }
}

#[test]
fn unsound_parts_are_refused() {
    let values = Arc::new(Column::from_values(
        LogicalType::Int8,
        &ints(&[Some(1), Some(2)]),
    ));
    assert!(Column::dictionary(vec![0, 2], Arc::clone(&values), None).is_none());
    assert!(Column::run_ends(vec![0, 1], Arc::clone(&values)).is_none());
    assert!(Column::run_ends(vec![2, 2], Arc::clone(&values)).is_none());
    assert!(Column::run_ends(vec![2], values).is_none());
    let text = crate::ColumnData::Int32(vec![1]);
    assert!(Column::plain(LogicalType::Text, text, None).is_none());
}

proptest! {
    #[test]
    fn ranges_are_appended_as_their_rows(
        cells in proptest::collection::vec((any::<bool>(), any::<i16>()), 0..40),
        before in 0..12usize,
        start in 0..40usize,
        rows in 0..40usize,
    ) {
        let start = start.min(cells.len());
        let rows = rows.min(cells.len() + 2 - start);
        for ty in sample_types() {
            let value = |(present, number): &(bool, i16)| {
                let text = "x\u{e9}".repeat(number.rem_euclid(3) as usize);
                let bits = i64::from(*number).cast_unsigned();
                if *present { sample_value(ty, bits, &text) } else { Value::Null }
            };
            let values: Vec<Value> = cells.iter().map(value).collect();
            let column = Column::from_values(ty, &values);
            let mut fast = crate::ColumnBuilder::new(ty);
            let mut slow = crate::ColumnBuilder::new(ty);
            for value in values.iter().take(before) {
                fast.push(value);
                slow.push(value);
            }
            fast.append_range(&column, start, start + rows);
            for row in start..start + rows {
                slow.push_row(&column, row);
            }
            let (fast, slow) = (fast.finish(), slow.finish());
            prop_assert_eq!(fast.null_count(), slow.null_count());
            prop_assert_eq!(&fast, &slow);
            prop_assert_eq!(column.slice(start, rows).len(), rows.min(cells.len() - start));
        }
    }
}
