use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};
use varve_expr::{AggregateFunction as F, Expr};
use varve_plan::{AggregateCall, Plan};
use varve_types::{Batch, Column, ColumnRef, CompareOp, LogicalType, SqlState, Value};

use crate::testing::{
    Setting, batches_of, call, column, compare, literal, show, show_batches, table,
};

const INT4: LogicalType = LogicalType::Int4;

fn aggregate(input: Plan, groups: Vec<Expr>, aggregates: Vec<AggregateCall>) -> Plan {
    Plan::Aggregate {
        input: Box::new(input),
        groups,
        aggregates,
    }
}

/// Columns: group (text), number (int).
fn calls() -> Vec<AggregateCall> {
    let number = || Some(column(1, INT4));
    let distinct = AggregateCall {
        distinct: true,
        ..call(F::Sum(INT4), number())
    };
    let filtered = AggregateCall {
        filter: Some(compare(
            column(1, INT4),
            CompareOp::Gt,
            literal(Value::Int4(2)),
        )),
        ..call(F::CountStar, None)
    };
    vec![
        call(F::CountStar, None),
        call(F::Count, number()),
        call(F::Sum(INT4), number()),
        distinct,
        filtered,
        call(F::Max(INT4), number()),
    ]
}

#[test]
fn groups_in_order_of_appearance() {
    let cases = [
        (
            "b 1; a 2; b 1 | - 5; b -; - 4",
            "b 3 2 2 1 0 1; a 1 1 2 2 0 2; - 2 2 9 9 2 5",
        ),
        ("a -", "a 1 0 - - 0 -"),
        ("", ""),
    ];
    for (input, expected) in cases {
        let setting = Setting::with(table("ti", input));
        let groups = vec![column(0, LogicalType::Text)];
        let plan = aggregate(setting.scan(0, "ti"), groups, calls());
        assert_eq!(show(&setting.run(&plan).unwrap()), expected);
    }
}

#[test]
fn one_row_without_groups() {
    let cases = [("b 1; a 3 | - -; - 3", "4 3 7 4 2 3"), ("", "0 0 - - 0 -")];
    for (input, expected) in cases {
        let setting = Setting::with(table("ti", input));
        let plan = aggregate(setting.scan(0, "ti"), Vec::new(), calls());
        assert_eq!(show_batches(&setting.run(&plan).unwrap()), expected);
    }
}

#[test]
fn count_is_answered_by_the_source() {
    let count = || call(F::CountStar, None);
    let filtered = AggregateCall {
        filter: Some(literal(Value::Boolean(true))),
        ..count()
    };
    let cases = [
        (vec![count(), count()], true, "3 3", 0),
        (vec![count()], false, "3", 1),
        (vec![filtered], true, "3", 1),
        (vec![call(F::Count, Some(column(0, INT4)))], true, "2", 1),
    ];
    for (aggregates, knows_counts, expected, requests) in cases {
        let mut setting = Setting::with(table("i", "1; - | 2"));
        setting.source.knows_counts = knows_counts;
        let plan = aggregate(setting.scan(0, "i"), Vec::new(), aggregates);
        assert_eq!(show_batches(&setting.run(&plan).unwrap()), expected);
        assert_eq!(setting.source.requests.borrow().len(), requests);
    }
}

#[test]
fn an_error_of_an_aggregate_has_no_place() {
    let huge = vec![vec![Value::Float8(1e308)], vec![Value::Float8(1e308)]];
    let setting = Setting::with(batches_of("f", &huge, 1024));
    let sum = AggregateCall {
        position: 8,
        ..call(
            F::Sum(LogicalType::Float8),
            Some(column(0, LogicalType::Float8)),
        )
    };
    let plan = aggregate(setting.scan(0, "f"), Vec::new(), vec![sum]);
    let error = setting.run(&plan).unwrap_err();
    assert_eq!(error.state(), SqlState::NUMERIC_VALUE_OUT_OF_RANGE);
    assert_eq!(error.position(), None);
}

#[test]
fn many_groups_are_refused_without_memory_for_them() {
    let rows: Vec<Vec<Value>> = (0..50_000).map(|i| vec![Value::Int4(i)]).collect();
    let setting = Setting::with(batches_of("i", &rows, 1024));
    let plan = aggregate(
        setting.scan(0, "i"),
        vec![column(0, INT4)],
        vec![call(F::CountStar, None)],
    );
    let answer = setting.run(&plan).unwrap();
    assert_eq!(answer.iter().map(Batch::rows).sum::<usize>(), 50_000);
    setting.memory.set_limit_bytes(100_000);
    let error = setting.run(&plan).unwrap_err();
    assert_eq!(error.state(), SqlState::OUT_OF_MEMORY);
}

/// Rows of two key columns and a number.
fn rows() -> impl Strategy<Value = Vec<(Option<u8>, Option<i64>, i32)>> {
    let text = prop_oneof![1 => (0..1u8).prop_map(|_| None), 5 => (0..6u8).prop_map(Some)];
    let number = prop_oneof![
        1 => (0..1u8).prop_map(|_| None),
        4 => (0..4i64).prop_map(Some),
        1 => any::<i64>().prop_map(Some)
    ];
    proptest::collection::vec((text, number, -100..100i32), 0..300)
}

fn text_key(key: &Option<u8>) -> Value {
    key.map_or(Value::Null, |key| Value::text("x".repeat(key.into())))
}

/// The same rows with the text column as a dictionary, whose values stand in another order.
fn with_dictionary(batch: &Batch) -> Batch {
    let words: Vec<Value> = (0..6u8).rev().map(|key| text_key(&Some(key))).collect();
    let values = Arc::new(Column::from_values(LogicalType::Text, &words));
    let text = batch.column(0).unwrap();
    let code = |row| text.str_at(row).map_or(0, |text| 5 - text.len() as u32);
    let codes = (0..batch.rows()).map(code).collect();
    let validity = (0..batch.rows()).map(|row| !text.is_null(row)).collect();
    let dictionary = Column::dictionary(codes, values, Some(validity)).unwrap();
    let mut columns = batch.physical_columns().to_vec();
    columns[0] = Arc::new(dictionary);
    Batch::new(columns, batch.rows())
}

/// The same rows with every column in runs.
fn with_runs(batch: &Batch) -> Batch {
    let in_runs = |column: &ColumnRef| {
        let is_end = |end: &u32| column.value(*end as usize - 1) != column.value(*end as usize);
        let rows = column.len() as u32;
        let ends: Vec<u32> = (1..rows).filter(is_end).chain([rows]).collect();
        let lasts: Vec<u32> = ends.iter().map(|end| end - 1).collect();
        Arc::new(Column::run_ends(ends, Arc::new(column.take(&lasts))).unwrap())
    };
    let columns = batch.physical_columns().iter().map(in_runs);
    Batch::new(columns.collect(), batch.rows())
}

proptest! {
    #[test]
    fn answers_as_an_ordered_map_does(
        rows in rows(),
        copies in 1..9usize,
        batch_rows in 1..50usize,
        keys in 0..4usize,
        form in 0..3u8,
    ) {
        // Without groups there is a row for no rows.
        let keys = if rows.is_empty() { 1 } else { keys };
        let rows: Vec<_> = rows.into_iter().flat_map(|row| vec![row; copies]).collect();
        let values: Vec<Vec<Value>> = rows
            .iter()
            .map(|(text, number, amount)| {
                let number = number.map_or(Value::Null, Value::Int8);
                vec![text_key(text), number, Value::Int4(*amount)]
            })
            .collect();
        let mut batches = batches_of("tli", &values, batch_rows);
        match form {
            0 => {}
            1 => batches = batches.iter().map(with_dictionary).collect(),
            _ => batches = batches.iter().map(with_runs).collect(),
        }
        let setting = Setting::with(batches);
        let mut groups = Vec::new();
        if keys & 1 != 0 {
            groups.push(column(0, LogicalType::Text));
        }
        if keys & 2 != 0 {
            groups.push(column(1, LogicalType::Int8));
        }
        let sum = || call(F::Sum(INT4), Some(column(2, INT4)));
        let distinct = AggregateCall { distinct: true, ..sum() };
        let aggregates = vec![call(F::CountStar, None), sum(), distinct];
        let plan = aggregate(setting.scan(0, "tli"), groups, aggregates);

        let mut twin: BTreeMap<_, (usize, Vec<i64>)> = BTreeMap::new();
        for (i, (text, number, amount)) in rows.iter().enumerate() {
            let key = (text.filter(|_| keys & 1 != 0), number.filter(|_| keys & 2 != 0));
            // NULL and an absent key column read alike, which is what grouping by fewer columns is.
            twin.entry(key).or_insert((i, Vec::new())).1.push(i64::from(*amount));
        }
        let mut expected: Vec<_> = twin.into_iter().collect();
        expected.sort_by_key(|(_, (first, _))| *first);
        let lines: Vec<String> = expected
            .into_iter()
            .map(|((text, number), (_, amounts))| {
                let mut fields = Vec::new();
                if keys & 1 != 0 {
                    let word = text.map(|key| "x".repeat(key.into()));
                    fields.push(word.unwrap_or("-".to_owned()));
                }
                if keys & 2 != 0 {
                    fields.push(number.map_or("-".to_owned(), |number| number.to_string()));
                }
                fields.push(amounts.len().to_string());
                fields.push(amounts.iter().sum::<i64>().to_string());
                let different: std::collections::BTreeSet<i64> = amounts.into_iter().collect();
                fields.push(different.into_iter().sum::<i64>().to_string());
                fields.join(" ")
            })
            .collect();
        prop_assert_eq!(show(&setting.run(&plan).unwrap()), lines.join("; "));
    }
}
