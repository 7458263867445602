//! Two engines, one answer.

use super::{Case, Form, Oracle, Verdict, hopeless};
use crate::answer::{Answer, Failure, FailureKind, Outcome, Row};
use crate::ast::{Expr, From, Query, Select};
use crate::compare::{Difference, NUMERIC_DIGITS_MAX, compare};
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
pub(super) fn judge(case: &Case, ours: &Outcome, theirs: &Outcome) -> Verdict {
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
            match compare(ours, theirs, case.ordered, case.tolerance) {
                Ok(None) => Verdict::Passed,
                Ok(Some(difference)) => Verdict::Differs(difference),
                Err(_) if is_small_power(case, ours, theirs) || is_other_call(case) => {
                    Verdict::Skipped(Difference::Theirs)
                }
                Err(_) if is_step(case) => Verdict::Skipped(Difference::Digits),
                Err(text) => Verdict::Failed(text),
            }
        }
        (Err(ours), Err(theirs)) => both_failed(ours, theirs),
        (Err(failure), Ok(_)) => one_failed(case, failure, "only ours fails"),
        // PostgreSQL computes constants even if no row asks for them.
        (Ok(ours), Err(failure)) if ours.rows.is_empty() && failure.is_of_data() => {
            Verdict::Skipped(Difference::Failing)
        }
        (Ok(_), Err(failure)) => one_failed(case, failure, "only theirs fails"),
    }
}

/// Whether two errors say the same, though one could be taken for what is not supported.
fn is_same_error(a: &Failure, b: &Failure) -> bool {
    let are_errors = a.kind == FailureKind::Error && b.kind == FailureKind::Error;
    are_errors && a.class() != "XX" && a.state == b.state && a.message == b.message
}

fn both_failed(ours: &Failure, theirs: &Failure) -> Verdict {
    let data = ours.is_of_data() && theirs.is_of_data();
    if ours.class() == theirs.class() {
        Verdict::Passed
    } else if is_limit(ours) || is_limit(theirs) {
        Verdict::Skipped(Difference::Limit)
    } else if is_no_full_join(theirs) {
        Verdict::Skipped(Difference::Theirs)
    } else if data {
        Verdict::Differs(Difference::Failing)
    } else {
        Verdict::Failed(format!("{ours} against {theirs}"))
    }
}

fn one_failed(case: &Case, failure: &Failure, who: &str) -> Verdict {
    if is_limit(failure) || failure.kind == FailureKind::Panic {
        return Verdict::Skipped(Difference::Limit);
    }
    let text = failure.message.as_str();
    if is_no_full_join(failure) {
        return Verdict::Skipped(Difference::Theirs);
    }
    let calls = |name: &str| case.query.to_string().contains(name);
    // Before version 17 `make_interval` overflows without a word, and so do zones of more seconds
    // than 32 bits hold; before 16 a small power is 0.
    let overflows = calls("make_interval(") || calls("timezone(");
    let is_of_zero = matches!(text, "cannot take logarithm of zero" | "division by zero");
    if (text == "interval out of range" && overflows) || (is_of_zero && has_power(case)) {
        return Verdict::Skipped(Difference::Theirs);
    }
    if text == "value overflows numeric format" {
        return Verdict::Skipped(Difference::LongNumeric);
    }
    if failure.is_of_data() && (case.oracle != Oracle::Expression || has_choice(case)) {
        return Verdict::Skipped(Difference::Failing);
    }
    Verdict::Failed(format!("{who}: {failure}"))
}

/// Whether some parts of an expression are computed only where others ask for them (the second
/// columns of rows where the first are equal, subscripts of no array): constants among them may be
/// computed all the same.
fn has_choice(case: &Case) -> bool {
    let text = case.query.to_string();
    let words = [
        "CASE",
        "coalesce",
        " AND ",
        " OR ",
        "SELECT (SELECT",
        " IN (",
        "BETWEEN",
        "NULL",
        ") = (",
        ") <> (",
        "DISTINCT FROM (",
        ") < (",
        ") > (",
        ") <= (",
        ") >= (",
        ")[",
    ];
    words.iter().any(|word| text.contains(word)) || text.matches("SELECT").count() > 1
}

/// PostgreSQL's FULL JOIN needs an equality.
fn is_no_full_join(failure: &Failure) -> bool {
    let text = "FULL JOIN is only supported";
    failure.message.starts_with(text)
}

/// Whether answers with a power of numerics differ behind the 14th digit after the point only:
/// before version 16 PostgreSQL computes no more than 16, and shows as many of large powers too.
fn is_small_power(case: &Case, ours: &Answer, theirs: &Answer) -> bool {
    if !has_power(case) {
        return false;
    }
    // The scale, and what is left by a small divisor, tell of the digits.
    let sql = case.query.to_string();
    if ["scale(", "mod(", " % "]
        .iter()
        .any(|call| sql.contains(call))
    {
        return true;
    }
    let cut = |answer: &Answer| {
        let rows = answer.rows.iter().map(|row| {
            let cells = row.iter().map(|cell| cell.as_deref().map(short));
            cells.collect()
        });
        let mut rows: Vec<Row> = rows.collect();
        rows.sort();
        rows
    };
    cut(ours) == cut(theirs)
}

fn has_power(case: &Case) -> bool {
    let sql = case.query.to_string();
    ["power(", "pow(", " ^ "]
        .iter()
        .any(|call| sql.contains(call))
}

/// Whether there is a call that PostgreSQL answers otherwise: `right` gives all of a text from
/// which more characters are to be taken than an integer counts, `width_bucket` of doubles a bucket
/// too many where the share is rounded up to one (before 16).
fn is_other_call(case: &Case) -> bool {
    let sql = case.query.to_string();
    (sql.contains("right(") && sql.contains("-2147483648")) || sql.contains("width_bucket(")
}

/// Whether a last digit can turn into a whole number: that of the deviation of equal floats, which
/// is nothing or nearly so by the order of the sum, and that of an angle of many turns.
fn is_step(case: &Case) -> bool {
    let sql = case.query.to_string();
    let calls = |names: &[&str]| names.iter().any(|name| sql.contains(name));
    let of_sum = calls(&["ceil", "floor(", "round(", "trunc(", "sign("])
        && calls(&["stddev", "variance", "var_", "regr_", "corr(", "covar_"]);
    let of_angle = calls(&[
        "sin(", "cos(", "tan(", "cot(", "sind(", "cosd(", "tand(", "cotd(",
    ]) && calls(&["exp(", "sinh(", "cosh(", "power(", "pow(", " ^ "]);
    case.tolerance.digits && (of_sum || of_angle)
}

/// A number cut behind the 14th digit after its point, and behind those that all engines have.
fn short(text: &str) -> String {
    let Some(point) = text.find('.') else {
        return text.to_owned();
    };
    let len = (point + 15).min(NUMERIC_DIGITS_MAX);
    let text = text.get(..len).unwrap_or(text);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

/// Time, memory and size.
fn is_limit(failure: &Failure) -> bool {
    failure.kind == FailureKind::Timeout
        || matches!(
            failure.state.as_str(),
            "57014" | "53200" | "53400" | "54000" | "54001"
        )
}
