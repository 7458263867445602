use crate::ZoneMap;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use varve_codec::ByteReader;
use varve_types::{Column, CompareOp, LogicalType, PredicateTest, Value};

const OPS: [CompareOp; 6] = [
    CompareOp::Eq,
    CompareOp::NotEq,
    CompareOp::Lt,
    CompareOp::LtEq,
    CompareOp::Gt,
    CompareOp::GtEq,
];

fn zone(ty: LogicalType, values: &[Value]) -> ZoneMap {
    ZoneMap::of(&Column::from_values(ty, values))
}

#[test]
fn text_bounds_are_cut_and_flagged() {
    let text = |text: &str| Value::text(text);
    let long = "abcdefghijklmnopqrst";
    let cases = [
        ("short", "shorter", "short", Some("shorter"), true),
        (long, "z", "abcdefghijklmnop", Some("z"), false),
        ("a", long, "a", Some("abcdefghijklmnoq"), false),
        (
            "a",
            "\u{10ffff}\u{10ffff}\u{10ffff}\u{10ffff}x",
            "a",
            None,
            false,
        ),
        (
            "a",
            "abcdefghijkl\u{d7ff}\u{d7ff}",
            "a",
            Some("abcdefghijkl\u{e000}"),
            false,
        ),
        (
            "abcdefghijklmno\u{e9}",
            "z",
            "abcdefghijklmno",
            Some("z"),
            false,
        ),
    ];
    for (low, high, min, max, exact) in cases {
        let zone = zone(LogicalType::Text, &[text(high), Value::Null, text(low)]);
        assert_eq!(zone.min, Some(text(min)), "{low}");
        assert_eq!(zone.max, max.map(text), "{high}");
        assert_eq!(zone.bounds_exact, exact, "{low} {high}");
        assert_eq!((zone.rows, zone.null_count, zone.sum), (3, 1, None));
    }
}

#[test]
fn sums_are_exact_beyond_64_bits() {
    let one = zone(
        LogicalType::Int8,
        &[Value::Int8(i64::MAX), Value::Int8(i64::MAX)],
    );
    let mut both = one.clone();
    both.merge(&zone(
        LogicalType::Int8,
        &[Value::Int8(i64::MIN), Value::Null],
    ));
    assert_eq!(one.sum, Some(2 * i128::from(i64::MAX)));
    assert_eq!(both.sum, Some(i128::from(i64::MAX) - 1));
    assert_eq!((both.rows, both.null_count), (4, 1));
    assert_eq!(zone(LogicalType::Int4, &[Value::Null]).sum, Some(0));
    assert_eq!(zone(LogicalType::Date, &[Value::Date(1)]).sum, None);
}

fn typed() -> impl Strategy<Value = (LogicalType, Vec<Value>)> {
    let null = |value: Value| prop_oneof![5 => Just(value), 1 => Just(Value::Null)];
    let text = prop_oneof!["[a-c]{0,2}", "[a-b\u{e9}\u{d7ff}\u{10ffff}]{5,9}"];
    let vec = |strategy| proptest::collection::vec(strategy, 0..8);
    prop_oneof![
        vec(any::<bool>()
            .prop_map(Value::Boolean)
            .prop_flat_map(null)
            .boxed())
        .prop_map(|v| (LogicalType::Boolean, v)),
        vec(prop_oneof![-3..3, any::<i32>()]
            .prop_map(Value::Int4)
            .prop_flat_map(null)
            .boxed())
        .prop_map(|v| (LogicalType::Int4, v)),
        vec(prop_oneof![-3..3_i64, any::<i64>()]
            .prop_map(Value::Timestamp)
            .prop_flat_map(null)
            .boxed())
        .prop_map(|v| (LogicalType::Timestamp, v)),
        vec(prop_oneof![
            any::<f64>(),
            (-2..2).prop_map(f64::from),
            any::<u64>().prop_map(f64::from_bits)
        ]
        .prop_map(Value::Float8)
        .prop_flat_map(null)
        .boxed())
        .prop_map(|v| (LogicalType::Float8, v)),
        vec(text.prop_map(Value::text).prop_flat_map(null).boxed())
            .prop_map(|v| (LogicalType::Text, v)),
    ]
}

proptest! {
    #[test]
    fn zones_never_hide_a_row((ty, values) in typed(), split in 0..8_usize) {
        let mut merged = ZoneMap::empty(ty);
        let (front, back) = values.split_at(split.min(values.len()));
        merged.merge(&zone(ty, front));
        merged.merge(&zone(ty, back));
        let whole = zone(ty, &values);
        prop_assert_eq!(merged.null_count, whole.null_count);
        prop_assert_eq!(merged.sum, whole.sum);
        let mut bytes = Vec::new();
        merged.encode(&mut bytes);
        let mut reader = ByteReader::new(&bytes);
        let back = ZoneMap::decode(&mut reader, ty, merged.rows).unwrap();
        prop_assert!(reader.end().is_ok());

        for constant in values.iter().filter(|value| !value.is_null()) {
            let mut tests = vec![
                PredicateTest::IsNull,
                PredicateTest::IsNotNull,
                PredicateTest::In(vec![constant.clone()]),
            ];
            tests.extend(OPS.map(|op| PredicateTest::Compare(op, constant.clone())));
            for test in tests {
                let any = values.iter().any(|value| test.accepts(value));
                for zone in [&merged, &whole, &back] {
                    prop_assert!(zone.may_match(&test) || !any, "{test:?} {zone:?}");
                }
                // With exact bounds these are answered exactly.
                let exact = whole.bounds_exact && matches!(
                    test,
                    PredicateTest::Compare(CompareOp::Lt | CompareOp::Gt, _)
                        | PredicateTest::IsNull
                );
                prop_assert!(!exact || whole.may_match(&test) == any, "{test:?} {whole:?}");
            }
        }
    }
}
