use core::cmp::Ordering;

use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use varve_expr::Expr;
use varve_plan::{Plan, SortKeyExpr};
use varve_types::{CompareOp, LogicalType, SqlState, Value};

use crate::testing::{
    Setting, batches_of, by, column, compare, limit, literal, show, show_batches, table,
};

const INT4: LogicalType = LogicalType::Int4;

fn sort(input: Plan, keys: Vec<SortKeyExpr>) -> Plan {
    Plan::Sort {
        input: Box::new(input),
        keys,
    }
}

#[test]
fn orders_and_ties() {
    let number = || column(0, INT4);
    let text = || column(1, LogicalType::Text);
    let nulls_first = SortKeyExpr {
        nulls_first: true,
        ..by(number(), false)
    };
    let is_three = || compare(number(), CompareOp::Eq, literal(Value::Int4(3)));
    let cases = [
        (vec![by(number(), false)], "1 d; 2 b; 3 a; 3 e; - c"),
        (vec![by(number(), true)], "- c; 3 a; 3 e; 2 b; 1 d"),
        (vec![nulls_first], "- c; 1 d; 2 b; 3 a; 3 e"),
        (
            vec![by(number(), false), by(text(), true)],
            "1 d; 2 b; 3 e; 3 a; - c",
        ),
        (
            vec![by(is_three(), true), by(text(), false)],
            "- c; 3 a; 3 e; 2 b; 1 d",
        ),
        (vec![], "3 a; 2 b; - c; 1 d; 3 e"),
    ];
    for (keys, expected) in cases {
        let setting = Setting::with(table("it", "3 a; 2 b | - c | 1 d; 3 e"));
        let plan = sort(setting.scan(0, "it"), keys.clone());
        assert_eq!(
            show_batches(&setting.run(&plan).unwrap()),
            expected,
            "{keys:?}"
        );
        let plan = limit(plan, Some(2), Some(1));
        let middle: Vec<&str> = expected.split("; ").skip(1).take(2).collect();
        let answer = setting.run(&plan).unwrap();
        assert_eq!(show(&answer), middle.join("; "), "{keys:?}");
    }
}

#[test]
fn no_rows() {
    let setting = Setting::with(Vec::new());
    let plan = sort(setting.scan(0, "i"), vec![by(column(0, INT4), false)]);
    assert_eq!(setting.run(&plan).unwrap().len(), 0);
    assert_eq!(setting.run(&limit(plan, Some(3), None)).unwrap().len(), 0);
}

/// Numbers that stand in no order, with their places.
fn shuffled(rows: i64) -> Vec<Vec<Value>> {
    let number = |i: i64| (i * 7919) % 10_007;
    (0..rows)
        .map(|i| vec![Value::Int8(number(i)), Value::Int8(i)])
        .collect()
}

fn order(setting: &Setting) -> Plan {
    sort(
        setting.scan(0, "ll"),
        vec![by(column(0, LogicalType::Int8), false)],
    )
}

#[test]
fn what_does_not_fit_is_spilled_and_merged() {
    let rows = shuffled(60_000);
    let setting = Setting::with(batches_of("ll", &rows, 1024));
    let plan = order(&setting);
    let expected = show(&setting.run(&plan).unwrap());
    assert_eq!(setting.scratch.written.get(), 0);
    let mut sorted = rows.clone();
    sorted.sort_by(|a, b| a[0].compare(&b[0]).unwrap());
    assert_eq!(expected, show(&batches_of("ll", &sorted, 1024)));
    for limit_bytes in [1_200_000, 2_000_000, 3_000_000] {
        setting.memory.set_limit_bytes(limit_bytes);
        setting.scratch.written.set(0);
        assert_eq!(
            show(&setting.run(&plan).unwrap()),
            expected,
            "{limit_bytes}"
        );
        assert!(setting.scratch.written.get() >= 58, "{limit_bytes}");
    }
}

#[test]
fn many_runs_are_merged_by_level() {
    let setting = Setting::with(batches_of("ll", &shuffled(120_000), 1024));
    let plan = order(&setting);
    let expected = show(&setting.run(&plan).unwrap());
    setting.memory.set_limit_bytes(700_000);
    assert_eq!(show(&setting.run(&plan).unwrap()), expected);
    // Of the 118 batches most were written twice.
    assert!(
        setting.scratch.written.get() > 180,
        "{}",
        setting.scratch.written.get()
    );
}

#[test]
fn without_scratch_space_the_answer_is_53200() {
    let setting = Setting::with(batches_of("ll", &shuffled(20_000), 1024));
    for refused_after in [0, 5] {
        setting.memory.set_limit_bytes(300_000);
        setting.scratch.written.set(0);
        setting.scratch.refuses_after.set(Some(refused_after));
        let error = setting.run(&order(&setting)).unwrap_err();
        assert_eq!(error.state(), SqlState::OUT_OF_MEMORY);
    }
}

#[test]
fn the_first_rows_of_many_are_kept_without_the_others() {
    let setting = Setting::with(batches_of("ll", &shuffled(100_000), 1024));
    setting.memory.set_limit_bytes(400_000);
    let plan = limit(order(&setting), Some(3), None);
    assert_eq!(show(&setting.run(&plan).unwrap()), "0 0; 0 10007; 0 20014");
    assert_eq!(setting.scratch.written.get(), 0);
}

fn rows() -> impl Strategy<Value = Vec<(Option<i32>, String)>> {
    let number = prop_oneof![
        1 => (0..1u8).prop_map(|_| None),
        4 => (-3..3i32).prop_map(Some),
        1 => any::<i32>().prop_map(Some)
    ];
    proptest::collection::vec((number, "[a-c]{1,3}"), 0..400)
}

proptest! {
    #[test]
    fn sorts_as_a_stable_sort_does(
        rows in rows(),
        batch_rows in 1..60usize,
        descending: bool,
        nulls_first: bool,
        text_descending: bool,
        first in 0..50i64,
        offset in 0..10i64,
        limit_bytes in prop_oneof![Just(200_000_u64), Just(1 << 30)],
    ) {
        let place = |i: usize| Value::Int8(i as i64);
        let values: Vec<Vec<Value>> = rows
            .iter()
            .enumerate()
            .map(|(i, (number, text))| {
                let number = number.map_or(Value::Null, Value::Int4);
                vec![number, Value::text(text.as_str()), place(i)]
            })
            .collect();
        let setting = Setting::with(batches_of("itl", &values, batch_rows));
        setting.memory.set_limit_bytes(limit_bytes);
        let negated = Expr::Not(Box::new(Expr::IsNull {
            input: Box::new(column(0, INT4)),
            negated: false,
        }));
        let keys = vec![
            // An evaluated key before the columns: NULLs last is false first when it is negated.
            by(negated, !nulls_first),
            by(column(0, INT4), descending),
            by(column(1, LogicalType::Text), text_descending),
        ];
        let plan = sort(setting.scan(0, "itl"), keys);

        let mut twin = rows.iter().enumerate().collect::<Vec<_>>();
        let turned = |order: Ordering, turn: bool| if turn { order.reverse() } else { order };
        twin.sort_by(|(_, (a, text_a)), (_, (b, text_b))| {
            turned(a.is_some().cmp(&b.is_some()), !nulls_first)
                .then(turned(a.cmp(b), descending))
                .then(turned(text_a.cmp(text_b), text_descending))
        });
        let sorted: Vec<Vec<Value>> = twin.iter().map(|(i, _)| values[*i].clone()).collect();
        let expected = show(&batches_of("itl", &sorted, 1024));
        prop_assert_eq!(show(&setting.run(&plan).unwrap()), expected);

        let cut: Vec<Vec<Value>> = sorted
            .into_iter()
            .skip(offset as usize)
            .take(first as usize)
            .collect();
        let plan = limit(plan, Some(first), Some(offset));
        let expected = show(&batches_of("itl", &cut, 1024));
        prop_assert_eq!(show(&setting.run(&plan).unwrap()), expected);
    }
}
