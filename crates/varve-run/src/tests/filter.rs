use super::Stored;
use crate::fixtures::golden_run;
use crate::{GroupReader, VectorFilter};
use varve_types::{CompareOp, LogicalType, PredicateTest, Value};

const OPS: [CompareOp; 6] = [
    CompareOp::Eq,
    CompareOp::NotEq,
    CompareOp::Lt,
    CompareOp::LtEq,
    CompareOp::Gt,
    CompareOp::GtEq,
];

/// Checks filters around some of the values of a column against testing every value. Returns how
/// many were answered without decoding.
pub(super) fn check_filters(
    reader: &GroupReader,
    column: usize,
    vector: usize,
    values: &[Value],
) -> usize {
    let ty = reader.head().column_type(column).unwrap();
    let present = values.iter().filter(|value| !value.is_null());
    let constants: Vec<Value> = present.step_by(values.len() / 3 + 1).cloned().collect();
    let mut tests = vec![
        PredicateTest::IsNull,
        PredicateTest::IsNotNull,
        PredicateTest::In(constants.clone()),
    ];
    for constant in constants {
        tests.extend(OPS.map(|op| PredicateTest::Compare(op, constant.clone())));
    }
    let mut answered = 0;
    for test in tests {
        let filter = VectorFilter::new(ty, &test).unwrap();
        if let Some(passing) = reader.filter(column, vector, &filter).unwrap() {
            let rows = (0..).zip(values);
            let rows = rows.filter_map(|(row, value)| test.accepts(value).then_some(row));
            assert_eq!(
                passing.rows(),
                rows.collect::<Vec<u32>>(),
                "{ty:?} {test:?}"
            );
            answered += 1;
        }
    }
    answered
}

/// Of each column of a run the filters that were answered without decoding.
fn check_run(stored: &Stored) -> Vec<usize> {
    let all: Vec<usize> = (0..stored.head.columns().len()).collect();
    let mut answered = vec![0; all.len()];
    for (group, info) in stored.head.groups().iter().enumerate() {
        let reader = stored.group(group, &all);
        for vector in 0..info.vectors() {
            for (column, answered) in answered.iter_mut().enumerate() {
                let decoded = reader.column(column, vector).unwrap();
                let values: Vec<Value> = (0..decoded.len()).map(|row| decoded.value(row)).collect();
                *answered += check_filters(&reader, column, vector, &values);
            }
        }
    }
    answered
}

#[test]
fn encoded_vectors_answer_as_decoded_ones() {
    let answered = check_run(&Stored::of(&golden_run().unwrap()));
    // Three tests of each of three vectors need no codec; all columns but the evenly rising ones
    // are answered beyond that.
    let beyond = answered.iter().filter(|count| **count > 9).count();
    assert!(beyond >= 6, "{answered:?}");
}

#[test]
fn constants_of_other_types_have_no_filter() {
    let equal = |value| PredicateTest::Compare(CompareOp::Eq, value);
    let cases = [
        (LogicalType::Int4, equal(Value::Int8(1))),
        (LogicalType::Date, equal(Value::Int4(1))),
        (LogicalType::Text, equal(Value::Null)),
        (
            LogicalType::Float8,
            PredicateTest::In(vec![Value::Float8(1.0), Value::Int4(1)]),
        ),
    ];
    for (ty, test) in cases {
        assert!(VectorFilter::new(ty, &test).is_none(), "{ty:?} {test:?}");
    }
    let filter = VectorFilter::new(LogicalType::Int8, &equal(Value::Int8(1))).unwrap();
    let stored = Stored::of(&golden_run().unwrap());
    let dates = LogicalType::ALL
        .iter()
        .position(|ty| *ty == LogicalType::Date);
    let column = dates.unwrap();
    let reader = stored.group(0, &[column]);
    assert_eq!(reader.filter(column, 0, &filter).unwrap(), None);
}
