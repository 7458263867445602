use proptest::prelude::{Strategy, prop_assert_eq, prop_oneof, proptest};
use varve_expr::Expr;
use varve_plan::{JoinKind, JoinNode, Mark, Plan};
use varve_types::{Batch, CompareOp, LogicalType, SqlState, Value};

use crate::testing::{Setting, batches_of, column, compare, show, show_batches, table};

const INT4: LogicalType = LogicalType::Int4;
const TEXT: LogicalType = LogicalType::Text;

/// Two tables of a number and a text each.
fn setting(left: Vec<Batch>, right: Vec<Batch>) -> Setting {
    let mut setting = Setting::with(left);
    setting.add_table(right);
    setting
}

fn join(setting: &Setting, keys: &[(usize, LogicalType)], residual: Option<Expr>) -> Plan {
    let pair = |(index, ty): &(usize, LogicalType)| (column(*index, *ty), column(*index, *ty));
    Plan::Join(JoinNode {
        kind: JoinKind::Inner,
        mark: Mark::Exists,
        outer: Vec::new(),
        left: Box::new(setting.scan(0, "it")),
        right: Box::new(setting.scan(1, "it")),
        equal: keys.iter().map(pair).collect(),
        residual,
    })
}

#[test]
fn matches_in_order_of_left_then_right() {
    let texts_differ = || compare(column(1, TEXT), CompareOp::NotEq, column(3, TEXT));
    let cases = [
        (
            vec![(0, INT4)],
            None,
            "1 a 1 a; 1 a 1 d; 3 b 3 c | 1 d 1 a; 1 d 1 d",
        ),
        (vec![(1, TEXT)], None, "1 a 1 a; - c 3 c | 1 d 1 d"),
        (vec![(0, INT4), (1, TEXT)], None, "1 a 1 a | 1 d 1 d"),
        (
            vec![(0, INT4)],
            Some(texts_differ()),
            "1 a 1 d; 3 b 3 c | 1 d 1 a",
        ),
        (
            vec![],
            Some(compare(column(0, INT4), CompareOp::Gt, column(2, INT4))),
            "3 b 1 a; 3 b 1 d | 5 q 1 a; 5 q 3 c; 5 q 1 d",
        ),
    ];
    for (keys, residual, expected) in cases {
        let left = table("it", "1 a; 3 b; - c | 5 q; 1 d");
        let right = table("it", "1 a; - x | 3 c; 1 d");
        let setting = setting(left, right);
        let plan = join(&setting, &keys, residual);
        assert_eq!(
            show_batches(&setting.run(&plan).unwrap()),
            expected,
            "{keys:?}"
        );
    }
}

#[test]
fn an_empty_side_gives_nothing() {
    for (left, right, left_read) in [("", "1 a", 0), ("1 a | 2 b", "", 0), ("", "", 0)] {
        let setting = setting(table("it", left), table("it", right));
        let plan = join(&setting, &[], None);
        assert_eq!(setting.run(&plan).unwrap().len(), 0);
        let right_read = u64::from(!right.is_empty());
        assert_eq!(setting.source.batches_given.get(), left_read + right_read);
    }
}

#[test]
fn a_large_product_comes_in_batches() {
    let rows: Vec<Vec<Value>> = (0..100)
        .map(|i| vec![Value::Int4(i), Value::text("a")])
        .collect();
    let setting = setting(batches_of("it", &rows, 7), batches_of("it", &rows, 9));
    let answer = setting.run(&join(&setting, &[(1, TEXT)], None)).unwrap();
    assert_eq!(answer.iter().map(Batch::rows).sum::<usize>(), 10_000);
    let product = setting.run(&join(&setting, &[], None)).unwrap();
    assert_eq!(show(&answer), show(&product));
}

#[test]
fn the_build_side_is_booked() {
    let rows: Vec<Vec<Value>> = (0..5000)
        .map(|i| vec![Value::Int4(i), Value::text("word")])
        .collect();
    let setting = setting(table("it", "1 a"), batches_of("it", &rows, 1024));
    let plan = join(&setting, &[(0, INT4)], None);
    assert_eq!(show(&setting.run(&plan).unwrap()), "1 a 1 word");
    setting.memory.set_limit_bytes(50_000);
    assert_eq!(
        setting.run(&plan).unwrap_err().state(),
        SqlState::OUT_OF_MEMORY
    );
}

fn rows() -> impl Strategy<Value = Vec<(Option<i32>, Option<u8>)>> {
    let number = prop_oneof![1 => (0..1u8).prop_map(|_| None), 5 => (0..8i32).prop_map(Some)];
    let letter = prop_oneof![1 => (0..1u8).prop_map(|_| None), 5 => (0..4u8).prop_map(Some)];
    proptest::collection::vec((number, letter), 0..120)
}

fn values(rows: &[(Option<i32>, Option<u8>)]) -> Vec<Vec<Value>> {
    let text = |letter: u8| Value::text(["", "a", "ab", "b"][usize::from(letter)]);
    let row = |(number, letter): &(Option<i32>, Option<u8>)| {
        let number = number.map_or(Value::Null, Value::Int4);
        vec![number, letter.map_or(Value::Null, text)]
    };
    rows.iter().map(row).collect()
}

proptest! {
    #[test]
    fn joins_as_nested_loops_do(
        left in rows(),
        right in rows(),
        left_batch in 1..40usize,
        right_batch in 1..40usize,
        keys in 0..4usize,
        with_residual: bool,
    ) {
        let (left, right) = (values(&left), values(&right));
        let setting = setting(
            batches_of("it", &left, left_batch),
            batches_of("it", &right, right_batch),
        );
        let all = [(0, INT4), (1, TEXT)];
        let chosen: Vec<_> = all.into_iter().filter(|(i, _)| keys >> i & 1 == 1).collect();
        let residual = compare(column(0, INT4), CompareOp::LtEq, column(2, INT4));
        let plan = join(&setting, &chosen, with_residual.then_some(residual));

        let mut expected = Vec::new();
        for l in &left {
            for r in &right {
                let equal = |i: usize| l[i].compare(&r[i]).is_some_and(|order| order.is_eq());
                let residual = l[0].compare(&r[0]).is_some_and(|order| order.is_le());
                if chosen.iter().all(|(i, _)| equal(*i)) && (residual || !with_residual) {
                    expected.push([l.as_slice(), r.as_slice()].concat());
                }
            }
        }
        let expected = show(&batches_of("itit", &expected, 1024));
        prop_assert_eq!(show(&setting.run(&plan).unwrap()), expected);
    }
}
