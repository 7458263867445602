//! What is allowed is allowed where its reason holds, and hides nothing else.

use super::super::allowance::Peer;
use super::super::{Case, Form, Oracle, Verdict};
use super::judge;
use crate::answer::{Answer, Failure, FailureKind, Outcome};
use crate::ast::{Expr, From, Part, Query, Select};
use crate::compare::Difference;
use crate::generate::Tolerance;
use crate::types::Ty;

const OLD: Peer = Peer::Postgres(150_008);
const NEW: Peer = Peer::Postgres(160_011);

fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::call(Ty::Float8, name, args)
}

fn column() -> Expr {
    Expr::leaf(Ty::Float8, "r.x")
}

fn form(template: &str, parts: Vec<Expr>) -> Expr {
    let holes = parts.into_iter().map(Part::Expr).collect();
    Expr::form(Ty::Float8, template, holes)
}

fn zero_division() -> Expr {
    call(
        "/",
        vec![Expr::leaf(Ty::Int4, "1"), Expr::leaf(Ty::Int4, "0")],
    )
}

fn case_of(item: Expr) -> Case {
    let query = Query::select(Select {
        items: vec![(item, String::new())],
        from: vec![From::Table {
            name: "t".to_owned(),
            alias: "r".to_owned(),
        }],
        ..Select::default()
    });
    Case {
        oracle: Oracle::Expression,
        query,
        conditions: Vec::new(),
        form: Form::Rows,
        ordered: false,
        tolerance: Tolerance {
            digits: true,
            ..Tolerance::default()
        },
        shapes: Default::default(),
    }
}

fn value(text: &str) -> Outcome {
    Ok(Answer {
        types: vec![701],
        rows: vec![vec![Some(text.to_owned())]],
    })
}

fn error(state: &str, message: &str) -> Outcome {
    Err(Failure {
        state: state.to_owned(),
        ..Failure::new(FailureKind::Error, message)
    })
}

fn division() -> Outcome {
    error("22012", "division by zero")
}

/// The verdict on an expression where these are the answers, and those to any part of it.
fn verdict(item: Expr, answers: [Outcome; 2], of_parts: [Outcome; 2], peer: Peer) -> Verdict {
    let mut ask = |_: &str| of_parts.clone();
    let [ours, theirs] = answers;
    judge(&case_of(item), &ours, &theirs, peer, &mut ask)
}

fn is_failed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Failed(_))
}

#[test]
fn what_an_older_version_does_is_allowed_to_that_version_only() {
    let equal = [value("1"), value("1")];
    let bucket = || call("width_bucket", vec![column()]);
    let other = || [value("4"), value("5")];
    let power = || call("scale", vec![call("power", vec![column()])]);
    for item in [bucket, power] {
        let skipped = Verdict::Skipped(Difference::Theirs);
        assert_eq!(verdict(item(), other(), equal.clone(), OLD), skipped);
        for peer in [NEW, Peer::Ours] {
            assert!(is_failed(&verdict(item(), other(), equal.clone(), peer)));
        }
    }
    let interval = || [error("22008", "interval out of range"), value("00:00:00")];
    let made = |peer| {
        verdict(
            call("make_interval", vec![]),
            interval(),
            equal.clone(),
            peer,
        )
    };
    assert_eq!(made(NEW), Verdict::Skipped(Difference::Theirs));
    assert!(is_failed(&made(Peer::Postgres(170_000))));
}

#[test]
fn a_step_may_differ_where_its_argument_does_so_in_a_last_digit() {
    let item = || call("ceil", vec![call("stddev", vec![column()])]);
    let other = || [value("0"), value("1")];
    let near = [value("0"), value("0.0000000000000001")];
    let skipped = Verdict::Skipped(Difference::Digits);
    assert_eq!(verdict(item(), other(), near, NEW), skipped);
    let equal = [value("0"), value("0")];
    assert!(is_failed(&verdict(item(), other(), equal, NEW)));
    let far = [value("0"), value("0.5")];
    assert!(is_failed(&verdict(item(), other(), far, NEW)));
}

#[test]
fn a_constant_may_fail_alone_where_it_need_not_be_computed() {
    let chosen = || form("CASE WHEN {} THEN {} END", vec![column(), zero_division()]);
    let theirs = || [value("1"), division()];
    let both = || [division(), division()];
    let skipped = Verdict::Skipped(Difference::Failing);
    assert_eq!(verdict(chosen(), theirs(), both(), NEW), skipped);
    let ours_does_not = || [value("1"), division()];
    assert!(is_failed(&verdict(
        chosen(),
        theirs(),
        ours_does_not(),
        NEW
    )));
    let needed = || call("+", vec![column(), zero_division()]);
    assert!(is_failed(&verdict(needed(), theirs(), both(), NEW)));
    assert!(is_failed(&verdict(
        chosen(),
        [division(), value("1")],
        both(),
        NEW
    )));
}

#[test]
fn a_later_field_of_a_row_may_fail() {
    let fields = || vec![column(), zero_division(), column(), column()];
    let rows = || form("(({}, {}) < ({}, {}))", fields());
    let ours = || [division(), value("f")];
    let both = || [division(), division()];
    let skipped = Verdict::Skipped(Difference::Failing);
    assert_eq!(verdict(rows(), ours(), both(), NEW), skipped);
    assert!(is_failed(&verdict(rows(), ours(), ours(), NEW)));
    let plain = call("<", vec![column(), zero_division()]);
    assert!(is_failed(&verdict(plain, ours(), both(), NEW)));
}

#[test]
fn what_null_decides_may_fail_for_a_row_and_nothing_else_may() {
    let fails = || call("/", vec![column(), column()]);
    let and = || form("({} AND {})", vec![column(), fails()]);
    let allowed = [
        form("CASE WHEN {} THEN 1 END", vec![and()]),
        form(
            "(({}, {}) >= ({}, {}))",
            vec![fails(), column(), column(), column()],
        ),
        form("({} + ({})[{}])", vec![fails(), column(), column()]),
        call("nullif", vec![column(), fails()]),
    ];
    let refused = [
        form("({} IS TRUE)", vec![and()]),
        call("+", vec![column(), fails()]),
    ];
    // Parts fail over rows, and not without.
    let theirs = || [value("1"), division()];
    let judged = |item: Expr| {
        let mut ask = |sql: &str| match sql.contains("FROM") {
            true => [division(), division()],
            false => theirs(),
        };
        let [ours, theirs] = theirs();
        judge(&case_of(item), &ours, &theirs, NEW, &mut ask)
    };
    for item in allowed {
        assert_eq!(judged(item), Verdict::Skipped(Difference::Failing));
    }
    for item in refused {
        assert!(is_failed(&judged(item)));
    }
}
