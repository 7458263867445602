//! Accumulators against sums and extremes taken value by value.

use core::cmp::Ordering;
use std::sync::Arc;

use proptest::prelude::{prop_assert_eq, proptest};
use varve_types::{Column, ColumnSummary, Decimal, LogicalType, Value};

use super::{Accumulator, AggregateFunction, RowGroups};
use crate::evaluate::forms::{column_in_form, domain};
use crate::evaluate::twin_tests::CONTEXT;

use AggregateFunction as F;

/// The groups one by one, or in runs.
fn in_form(groups: &[u32], form: usize) -> RowGroups {
    if form == 0 {
        return RowGroups::Rows(groups.to_vec());
    }
    let (mut ends, mut heads) = (Vec::new(), Vec::new());
    for (end, group) in (1..).zip(groups) {
        if heads.last() != Some(group) {
            heads.push(*group);
            ends.push(end);
        } else if let Some(last) = ends.last_mut() {
            *last = end;
        }
    }
    RowGroups::Runs {
        ends,
        groups: heads,
    }
}

fn run(
    function: F,
    (groups, form): (&[u32], usize),
    group_count: usize,
    column: &Column,
) -> Column {
    let mut accumulator = Accumulator::new(function);
    let half = u32::try_from(groups.len() / 2).unwrap();
    let rows: Vec<u32> = (0..u32::try_from(groups.len()).unwrap()).collect();
    let (first, second) = rows.split_at(half as usize);
    for part in [first, second] {
        let part_groups: Vec<u32> = part.iter().map(|row| groups[*row as usize]).collect();
        let whole = part.len() == groups.len();
        let part = if whole {
            column.clone()
        } else {
            column.take(part)
        };
        let args = match function {
            F::CountStar => vec![],
            _ => vec![Arc::new(part)],
        };
        accumulator
            .update(&in_form(&part_groups, form), group_count, &args, &CONTEXT)
            .unwrap();
    }
    assert!(accumulator.memory_bytes() > 0);
    accumulator.finish(group_count).unwrap()
}

fn slow(function: F, values: &[&Value]) -> Value {
    let present: Vec<&&Value> = values.iter().filter(|value| !value.is_null()).collect();
    let double = |value: &Value| value.double().unwrap_or(0.0);
    let decimal = |value: &Value| match value {
        Value::Numeric(number) => *number,
        value => Decimal::from(value.integer().unwrap_or(0)),
    };
    let extreme = |wanted: Ordering| {
        present.iter().fold(Value::Null, |best, value| {
            if best.is_null() || value.compare(&best) == Some(wanted) {
                (**value).clone()
            } else {
                best
            }
        })
    };
    let doubles = present.iter().fold(0.0, |sum, value| sum + double(value));
    let exact = present.iter().fold(Decimal::ZERO, |sum, value| {
        sum.plus(decimal(value)).unwrap()
    });
    let count = Decimal::from(present.len() as i64);
    match function {
        F::CountStar => Value::Int8(values.len() as i64),
        F::Count => Value::Int8(present.len() as i64),
        F::Min(_) => extreme(Ordering::Less),
        F::Max(_) => extreme(Ordering::Greater),
        _ if present.is_empty() => Value::Null,
        F::Sum(LogicalType::Float8) => Value::Float8(doubles),
        F::Avg(LogicalType::Float8) => Value::Float8(doubles / present.len() as f64),
        F::Sum(LogicalType::Float4) => Value::Float4(doubles as f32),
        F::Avg(LogicalType::Float4) => Value::Float8(doubles / present.len() as f64),
        F::Sum(LogicalType::Int2 | LogicalType::Int4) => Value::Int8(exact.to_i64().unwrap()),
        F::Sum(_) => Value::Numeric(exact),
        F::Listed(_) => unreachable!(),
        F::Avg(_) => Value::Numeric(exact.divided_by(count).unwrap()),
    }
}

proptest! {
    #[test]
    fn as_value_by_value(
        picks in proptest::collection::vec((0..20_usize, 0..4_u32), 0..50),
        form in 0..4_usize,
        groups_form in 0..2_usize,
        is_sorted: bool,
        group_count in 1..4_usize,
    ) {
        let mut picks = picks;
        if is_sorted {
            picks.sort_unstable_by_key(|(pick, group)| (*group, *pick));
        }
        let groups: Vec<u32> =
            picks.iter().map(|(_, group)| group % u32::try_from(group_count).unwrap()).collect();
        for ty in LogicalType::ALL {
            let domain: Vec<Value> = domain(ty)
                .into_iter()
                .filter(|value| !matches!(value, Value::Int8(i64::MIN | i64::MAX)))
                .filter(|value| !matches!(value, Value::Float8(n) if n.abs() > 1e300))
                .collect();
            let values: Vec<Value> = picks
                .iter()
                .map(|(pick, _)| domain[pick % domain.len()].clone())
                .collect();
            let column = Arc::unwrap_or_clone(column_in_form(ty, &values, form));
            let values: Vec<Value> = (0..values.len()).map(|row| column.value(row)).collect();
            let mut functions = vec![F::CountStar, F::Count, F::Min(ty), F::Max(ty)];
            if ty.is_numeric() {
                functions.extend([F::Sum(ty), F::Avg(ty)]);
            }
            for function in functions {
                let fast = run(function, (&groups, groups_form), group_count, &column);
                let expected: Vec<Value> = (0..group_count)
                    .map(|group| {
                        let rows = values.iter().zip(&groups);
                        let of_group = rows.filter(|(_, of)| **of as usize == group);
                        slow(function, &of_group.map(|(value, _)| value).collect::<Vec<_>>())
                    })
                    .collect();
                let expected = Column::from_values(function.result_type(), &expected);
                for group in 0..group_count {
                    let shown = |column: &Column| format!("{:?}", column.value(group));
                    prop_assert_eq!(shown(&fast), shown(&expected), "{:?}", function);
                }
            }
        }
    }
}

#[test]
fn sums_out_of_range_are_errors() {
    let max = Column::constant(LogicalType::Int8, &Value::Int8(i64::MAX), 2);
    let mut sum = Accumulator::new(F::Sum(LogicalType::Int8));
    sum.update(&RowGroups::one(2), 1, &[Arc::new(max)], &CONTEXT)
        .unwrap();
    let twice = Value::Numeric(Decimal::parse("18446744073709551614").unwrap());
    assert_eq!(sum.finish(1).unwrap().value(0), twice);

    let huge = Column::constant(LogicalType::Float8, &Value::Float8(1e308), 2);
    let mut sum = Accumulator::new(F::Sum(LogicalType::Float8));
    let error = sum
        .update(&RowGroups::one(2), 1, &[Arc::new(huge)], &CONTEXT)
        .unwrap_err();
    assert_eq!(error.message(), "value out of range: overflow");
}

#[test]
fn nothing_is_null_but_for_counts() {
    for (function, expected) in [
        (F::CountStar, Value::Int8(0)),
        (F::Count, Value::Int8(0)),
        (F::Sum(LogicalType::Int4), Value::Null),
        (F::Avg(LogicalType::Int4), Value::Null),
        (F::Max(LogicalType::Text), Value::Null),
        (F::Min(LogicalType::Date), Value::Null),
    ] {
        let result = Accumulator::new(function).finish(1).unwrap();
        assert_eq!(result.value(0), expected, "{function:?}");
    }
}

#[test]
fn known_rows_count_as_rows_do() {
    let rows = [Some(3), None, Some(-1), Some(7), Some(2), None];
    let values = rows.map(|number| number.map_or(Value::Null, Value::Int4));
    let known = ColumnSummary {
        present: 2,
        sum: 2,
        extremes: Some((Value::Int4(-1), Value::Int4(3))),
    };
    let read = Arc::new(Column::from_values(LogicalType::Int4, &values[3..]));
    let functions = [F::CountStar, F::Count];
    let of_numbers = [F::Sum, F::Avg, F::Min, F::Max].map(|of| of(LogicalType::Int4));
    for function in functions.into_iter().chain(of_numbers) {
        let expected = slow(function, &values.each_ref());
        let args = match function {
            F::CountStar => vec![],
            _ => vec![Arc::clone(&read)],
        };
        let column = Some(&known).filter(|_| function != F::CountStar);
        for is_known_first in [true, false] {
            let mut state = Accumulator::new(function);
            if is_known_first {
                state.add_known(3, column).unwrap();
            }
            state
                .update(&RowGroups::one(3), 1, &args, &CONTEXT)
                .unwrap();
            if !is_known_first {
                state.add_known(3, column).unwrap();
            }
            assert_eq!(state.finish(1).unwrap().value(0), expected, "{function:?}");
        }
    }
    let mut state = Accumulator::new(F::Min(LogicalType::Int4));
    state.add_known(3, Some(&ColumnSummary::default())).unwrap();
    assert_eq!(state.finish(1).unwrap().value(0), Value::Null);
}
