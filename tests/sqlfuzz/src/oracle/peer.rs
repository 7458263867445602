//! Two engines, one answer.

use super::allowance::{
    Ask, CHOICES, EAGER, FailingPart, Peer, differing_digits, has_bucket, has_power, has_query,
    is_same_error, is_small_power, says,
};
use super::{Case, Form, Oracle, Verdict, hopeless};
use crate::answer::{Failure, FailureKind, Outcome};
use crate::ast::{Expr, From, Query, Select};
use crate::compare::{Difference, compare};
use crate::generate::{Generator, Rel, Scope};
use crate::world::World;

/// Rows over which an expression is computed.
const ROWS_MAX: usize = 30;

/// One expression over the rows of a table, or over none.
pub(super) fn expression(mut generator: Generator<'_>, world: &World) -> Case {
    generator.is_risky = generator.chance.percent(50);
    let small = world
        .tables
        .iter()
        .filter(|table| table.rows.len() <= ROWS_MAX);
    let small: Vec<_> = small.collect();
    let mut scope = Scope::default();
    let mut from = Vec::new();
    if !small.is_empty() && generator.chance.percent(75) {
        let table = generator.chance.pick(&small);
        let columns = table.columns.iter();
        let columns: Vec<Expr> = columns
            .map(|column| Expr::leaf(column.ty, format!("r.{}", column.name)))
            .collect();
        scope.rels.push(Rel {
            key: None,
            has_twins: false,
            columns,
            rows: 1.0,
            is_visible_inside: true,
        });
        from.push(From::Table {
            name: table.name.clone(),
            alias: "r".to_owned(),
        });
    }
    let item = generator.lone_expression(&scope);
    let query = Query::select(Select {
        items: vec![(item, String::new())],
        from,
        ..Select::default()
    });
    Case::of(
        Oracle::Expression,
        generator,
        query,
        Vec::new(),
        Form::Rows,
        false,
    )
}

/// Our answer against that of an engine that is right.
pub(super) fn judge(
    case: &Case,
    ours: &Outcome,
    theirs: &Outcome,
    peer: Peer,
    ask: &mut Ask<'_>,
) -> Verdict {
    if let (Err(a), Err(b)) = (ours, theirs)
        && is_same_error(a, b)
    {
        return Verdict::Passed;
    }
    if let Some(verdict) = hopeless(ours) {
        return verdict;
    }
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            if ours.types != theirs.types {
                let (ours, theirs) = (&ours.types, &theirs.types);
                return Verdict::Failed(format!("types {ours:?} against {theirs:?}"));
            }
            let is_of_old = || is_small_power(case, ours, theirs) || has_bucket(case);
            match compare(ours, theirs, case.ordered, case.tolerance) {
                Ok(None) => Verdict::Passed,
                Ok(Some(difference)) => Verdict::Differs(difference),
                Err(_) if peer.is_before(16) && is_of_old() => Verdict::Skipped(Difference::Theirs),
                Err(text) => differing_digits(case, ask)
                    .map_or_else(|| Verdict::Failed(text), Verdict::Skipped),
            }
        }
        (Err(ours), Err(theirs)) => both_failed(ours, theirs),
        (Err(failure), Ok(_)) => ours_failed(case, failure, peer, ask),
        // PostgreSQL computes constants even if no row asks for them.
        (Ok(ours), Err(failure)) if ours.rows.is_empty() && failure.is_of_data() => {
            Verdict::Skipped(Difference::Failing)
        }
        (Ok(_), Err(failure)) => theirs_failed(case, failure, ask),
    }
}

fn both_failed(ours: &Failure, theirs: &Failure) -> Verdict {
    if ours.class() == theirs.class() {
        Verdict::Passed
    } else if is_limit(ours) || is_limit(theirs) {
        Verdict::Skipped(Difference::Limit)
    } else if is_no_full_join(theirs) {
        Verdict::Skipped(Difference::Theirs)
    } else if ours.is_of_data() && theirs.is_of_data() {
        Verdict::Differs(Difference::Failing)
    } else {
        Verdict::Failed(format!("{ours} against {theirs}"))
    }
}

fn ours_failed(case: &Case, failure: &Failure, peer: Peer, ask: &mut Ask<'_>) -> Verdict {
    let text = failure.message.as_str();
    let calls = |name: &str| case.query.to_string().contains(name);
    // Before version 17 `make_interval` overflows without a word, and so do zones of more seconds
    // than 32 bits hold; before 16 a small power is 0.
    let overflows = text == "interval out of range"
        && peer.is_before(17)
        && (calls("make_interval(") || calls("timezone("));
    let is_of_zero = matches!(text, "cannot take logarithm of zero" | "division by zero");
    if is_limit(failure) {
        Verdict::Skipped(Difference::Limit)
    } else if overflows || (is_of_zero && peer.is_before(16) && has_power(case)) {
        Verdict::Skipped(Difference::Theirs)
    } else if text == "value overflows numeric format" {
        Verdict::Skipped(Difference::LongNumeric)
    } else if failure.is_of_data()
        && (has_plan(case) || of_rows(case, failure, EAGER).is_found(ask))
    {
        Verdict::Skipped(Difference::Failing)
    } else {
        Verdict::Failed(format!("only ours fails: {failure}"))
    }
}

fn theirs_failed(case: &Case, failure: &Failure, ask: &mut Ask<'_>) -> Verdict {
    // PostgreSQL computes constants whether or not a row asks for them.
    let constant = FailingPart {
        case,
        failure,
        within: &CHOICES,
        of_rows: false,
    };
    // What NULL decides ours does not compute: a field of a row, a subscript, what is made of one,
    // what comes after it in an AND that CASE asks for, what NULLIF compares it with.
    let passed_over: [(&str, &[&str]); 4] = [
        ("", EAGER),
        (")[", &[]),
        ("CASE WHEN", &[" AND "]),
        ("nullif(", &["nullif("]),
    ];
    let mut is_passed_over = |(word, within): (&str, &[&str])| {
        says(case, word) && of_rows(case, failure, within).is_found(ask)
    };
    if is_limit(failure) || failure.kind == FailureKind::Panic {
        Verdict::Skipped(Difference::Limit)
    } else if is_no_full_join(failure) {
        Verdict::Skipped(Difference::Theirs)
    } else if failure.is_of_data()
        && (has_plan(case)
            || passed_over.into_iter().any(&mut is_passed_over)
            || constant.is_found(ask))
    {
        Verdict::Skipped(Difference::Failing)
    } else {
        Verdict::Failed(format!("only theirs fails: {failure}"))
    }
}

/// A part that fails for some row.
fn of_rows<'a>(case: &'a Case, failure: &'a Failure, within: &'a [&'a str]) -> FailingPart<'a> {
    FailingPart {
        case,
        failure,
        within,
        of_rows: true,
    }
}

/// Whether it depends on a plan for which rows an expression is computed.
fn has_plan(case: &Case) -> bool {
    case.oracle != Oracle::Expression || has_query(case)
}

/// PostgreSQL's FULL JOIN needs an equality.
fn is_no_full_join(failure: &Failure) -> bool {
    let text = "FULL JOIN is only supported";
    failure.message.starts_with(text)
}

/// Time, memory and size.
fn is_limit(failure: &Failure) -> bool {
    failure.kind == FailureKind::Timeout
        || matches!(
            failure.state.as_str(),
            "57014" | "53200" | "53400" | "54000" | "54001"
        )
}

#[cfg(test)]
#[path = "peer_tests.rs"]
mod tests;
