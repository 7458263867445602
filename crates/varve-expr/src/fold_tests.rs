//! What folding leaves.

use varve_types::{CompareOp, LogicalType, Value};

use super::{fold, fold_condition};
use crate::tree::Expr;
use crate::{resolve_function, resolve_operator};

fn int(number: i32) -> Expr {
    Expr::Literal {
        value: Value::Int4(number),
        ty: LogicalType::Int4,
    }
}

fn column() -> Expr {
    Expr::Column {
        index: 0,
        ty: LogicalType::Int4,
    }
}

fn boolean(value: Option<bool>) -> Expr {
    Expr::Literal {
        value: value.map_or(Value::Null, Value::Boolean),
        ty: LogicalType::Boolean,
    }
}

fn operator(op: &str, left: Expr, right: Expr) -> Expr {
    let types = [Some(left.logical_type()), Some(right.logical_type())];
    Expr::Call {
        function: resolve_operator(op, &types, 0).unwrap(),
        args: vec![left, right],
        position: 0,
    }
}

fn equal(left: Expr, right: Expr) -> Expr {
    Expr::Compare {
        op: CompareOp::Eq,
        left: Box::new(left),
        right: Box::new(right),
    }
}

#[test]
fn constants_are_computed_and_faults_are_left() {
    let fault = operator("/", int(1), int(0));
    let test = equal(column(), int(1));
    let now = Expr::Call {
        function: resolve_function("now", &[], 0).unwrap(),
        args: Vec::new(),
        position: 0,
    };
    let case = |condition: Expr| Expr::Case {
        branches: vec![(condition, int(1)), (test.clone(), int(2))],
        otherwise: None,
        ty: LogicalType::Int4,
    };
    let coalesce = |args: Vec<Expr>| Expr::Coalesce {
        args,
        ty: LogicalType::Int4,
    };
    let null = Expr::Literal {
        value: Value::Null,
        ty: LogicalType::Int4,
    };
    let cases = [
        (operator("+", int(1), operator("*", int(2), int(3))), int(7)),
        (fault.clone(), fault.clone()),
        (now.clone(), now),
        (
            equal(int(1), operator("+", int(0), int(1))),
            boolean(Some(true)),
        ),
        (
            Expr::And(vec![test.clone(), boolean(Some(true))]),
            test.clone(),
        ),
        (
            Expr::And(vec![test.clone(), boolean(Some(false))]),
            boolean(Some(false)),
        ),
        (
            Expr::Or(vec![equal(int(1), int(2)), boolean(None)]),
            boolean(None),
        ),
        (
            Expr::And(vec![
                test.clone(),
                Expr::And(vec![test.clone(), boolean(None)]),
            ]),
            Expr::And(vec![test.clone(), test.clone(), boolean(None)]),
        ),
        (case(boolean(Some(true))), int(1)),
        (
            case(equal(fault.clone(), int(1))),
            case(equal(fault.clone(), int(1))),
        ),
        (coalesce(vec![null.clone(), int(5), fault]), int(5)),
        (coalesce(vec![null.clone(), column()]), column()),
        (coalesce(vec![null.clone()]), null),
    ];
    for (expr, expected) in cases {
        assert_eq!(fold(expr.clone()), expected, "{expr:?}");
    }
}

#[test]
fn a_null_decides_before_other_operands_fail() {
    let null = |ty| Expr::Literal {
        value: Value::Null,
        ty,
    };
    let by_row = || operator("/", int(1), column());
    let compared = equal(null(LogicalType::Int4), operator("+", column(), by_row()));
    assert_eq!(fold(compared), boolean(None));
    let added = operator("+", by_row(), null(LogicalType::Int4));
    assert_eq!(fold(added), null(LogicalType::Int4));
    // What fails for every row does so.
    let fault = || operator("/", int(1), int(0));
    for failing in [
        equal(null(LogicalType::Int4), operator("+", column(), fault())),
        operator("+", fault(), null(LogicalType::Int4)),
    ] {
        assert_eq!(fold(failing.clone()), failing);
    }
}

#[test]
fn a_null_looked_for_in_a_list_decides_unless_a_constant_fails() {
    let null = Expr::Literal {
        value: Value::Null,
        ty: LogicalType::Int4,
    };
    let in_list = |item: Expr| Expr::InList {
        input: Box::new(null.clone()),
        list: vec![item, column()],
        negated: true,
    };
    let by_column = operator("/", int(1), column());
    assert_eq!(fold(in_list(by_column)), boolean(None));
    let failing = in_list(operator("/", int(1), int(0)));
    assert_eq!(fold(failing.clone()), failing);
}

#[test]
fn a_condition_that_cannot_become_true_is_false() {
    let fault = || equal(operator("/", int(1), int(0)), int(1));
    let not = |expr: Expr| Expr::Not(Box::new(expr));
    let null = || boolean(None);
    let never = [
        null(),
        Expr::And(vec![fault(), null()]),
        not(Expr::Or(vec![fault(), null()])),
        not(not(Expr::And(vec![fault(), null()]))),
        Expr::Or(vec![Expr::And(vec![fault(), null()]), null()]),
    ];
    for condition in never {
        assert_eq!(
            fold_condition(condition.clone()),
            boolean(Some(false)),
            "{condition:?}"
        );
    }
    for condition in [
        fault(),
        Expr::Or(vec![fault(), null()]),
        not(Expr::And(vec![fault(), null()])),
    ] {
        assert_eq!(fold_condition(condition.clone()), condition);
    }
}
