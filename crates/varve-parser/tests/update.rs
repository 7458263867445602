//! What the parser makes of values in UPDATE.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops when what it needs fails"
)]

use varve_ast::{Dml, ExprKind, StatementBody};

use varve_parser::parse;

fn sets_row(value: &str) -> bool {
    let parsed = parse(&format!("UPDATE t SET (a) = {value}")).unwrap();
    let StatementBody::Dml { dml, .. } = &parsed[0].statement.body else {
        panic!("no change of rows");
    };
    let Dml::Update(update) = dml else {
        panic!("no UPDATE");
    };
    matches!(update.assignments[0].value.kind, ExprKind::Row { .. })
}

#[test]
fn a_value_in_parentheses_is_a_row_of_one_field() {
    for row in ["(1)", "((1))", "(DEFAULT)", "(1 + (2))", "ROW(1)", "(1, 2)"] {
        assert!(sets_row(row), "{row}");
    }
    for value in [
        "1",
        "DEFAULT",
        "(1) + (2)",
        "f(1)",
        "-(1)",
        "(SELECT 1)",
        "((SELECT 1))",
    ] {
        assert!(!sets_row(value), "{value}");
    }
}
