use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use varve_expr::{Expr, Function};
use varve_types::{ColumnId, CompareOp, LogicalType, Value};

use super::{DEPTH_MAX, depth, put_expr, take_expr};
use crate::model::bytes::Input;
use crate::model::table::ColumnDef;

fn columns() -> Vec<ColumnDef> {
    let column = |(id, ty)| ColumnDef::new(ColumnId(id), format!("c{id}"), ty, true);
    let types = [LogicalType::Int4, LogicalType::Text, LogicalType::Boolean];
    (0..).zip(types).map(column).collect()
}

fn call(name: &str, types: &[LogicalType], args: Vec<Expr>) -> Expr {
    Expr::Call {
        function: Function::find(name, types, args.len()).unwrap(),
        args,
        position: 0,
    }
}

fn column(index: usize) -> Expr {
    let ty = columns()[index].ty;
    Expr::Column { index, ty }
}

/// Expressions of type integer.
fn integers() -> impl Strategy<Value = Expr> {
    let ty = LogicalType::Int4;
    let null = Just(Value::Null);
    let leaf = prop_oneof![
        Just(column(0)),
        prop_oneof![any::<i32>().prop_map(Value::Int4), null]
            .prop_map(move |value| Expr::Literal { value, ty }),
        "[a-z']{0,3}".prop_map(|text| {
            let text = Expr::Literal {
                value: Value::text(text),
                ty: LogicalType::Text,
            };
            let two = call("||", &[LogicalType::Text; 2], vec![column(1), text]);
            call("length", &[LogicalType::Text], vec![two])
        }),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let condition = (inner.clone(), inner.clone(), any::<bool>(), 0..6_usize);
        let condition = condition.prop_map(|(left, right, negated, kind)| {
            let sides = (Box::new(left.clone()), Box::new(right.clone()));
            let (one, other) = sides;
            match kind {
                0 => Expr::Distinct {
                    left: one,
                    right: other,
                    negated,
                },
                1 => Expr::And(vec![column(2), Expr::Not(Box::new(column(2)))]),
                2 => Expr::IsNull {
                    input: one,
                    negated,
                },
                3 => Expr::InList {
                    input: one,
                    list: vec![right],
                    negated,
                },
                4 => Expr::Or(vec![column(2), column(2), column(2)]),
                _ => Expr::Compare {
                    op: CompareOp::GtEq,
                    left: one,
                    right: other,
                },
            }
        });
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(move |(a, b)| call("+", &[ty, ty], vec![a, b])),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(move |args| Expr::Coalesce { args, ty }),
            prop::collection::vec(inner.clone(), 1..4).prop_map(move |args| call(
                "greatest",
                &[ty],
                args
            )),
            inner.clone().prop_map(move |input| Expr::Cast {
                modifier: varve_types::TypeMod::NONE,
                explicit: true,
                input: Box::new(input),
                to: ty,
                position: 0,
            }),
            (condition, inner.clone(), prop::option::of(inner)).prop_map(
                move |(condition, result, otherwise)| Expr::Case {
                    branches: vec![(condition, result)],
                    otherwise: otherwise.map(Box::new),
                    ty,
                }
            ),
        ]
    })
}

proptest! {
    #[test]
    fn expressions_come_back(expr in integers()) {
        let mut bytes = Vec::new();
        put_expr(&mut bytes, &expr).unwrap();
        let mut input = Input(&bytes);
        prop_assert_eq!(take_expr(&mut input, &columns()).unwrap(), expr);
        proptest::prop_assert!(input.0.is_empty());
    }

    #[test]
    fn damaged_bytes_are_read_without_a_panic(
        expr in integers(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = Vec::new();
        put_expr(&mut bytes, &expr).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = take_expr(&mut Input(&bytes), &columns());
    }
}

#[test]
fn golden_bytes_and_what_does_not_decode() {
    let lowered = call("lower", &[LogicalType::Text], vec![column(1)]);
    let mut bytes = Vec::new();
    put_expr(&mut bytes, &lowered).unwrap();
    let text = LogicalType::Text.code();
    let golden = [&[9, 5, 0][..], b"lower", &[1, 0, text, 1, 0, 0, 1, 0]].concat();
    assert_eq!(bytes, golden);
    let refused: [&[u8]; 6] = [
        &[],
        &[99],
        &[0, 3, 0],
        &[9, 3, 0, b'n', b'o', b'w', 0, 0, 0, 0],
        &[2, 0, 0, 0, 0, 0, 1, 0],
        &[6; 100],
    ];
    for bytes in refused {
        assert!(
            take_expr(&mut Input(bytes), &columns()).is_err(),
            "{bytes:?}"
        );
    }
    let mut deep = column(2);
    for _ in 0..DEPTH_MAX {
        deep = Expr::Not(Box::new(deep));
    }
    assert_eq!(depth(&deep), DEPTH_MAX + 1);
    let mut bytes = Vec::new();
    put_expr(&mut bytes, &deep).unwrap();
    assert!(take_expr(&mut Input(&bytes), &columns()).is_err());
    assert!(take_expr(&mut Input(&bytes[1..]), &columns()).is_ok());
}
