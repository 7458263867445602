//! What another engine may answer otherwise although nothing is wrong, told from the parts of a
//! query and by asking both engines for them: each allowance holds for what it names only.

use super::Case;
use crate::answer::{Answer, Failure, FailureKind, Outcome, Row};
use crate::ast::{Distinct, Expr, Part, Query, Select};
use crate::compare::{Difference, NUMERIC_DIGITS_MAX, compare};

/// Whose answers ours are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Our engine, with other plans.
    Ours,
    /// PostgreSQL, by its `server_version_num`.
    Postgres(u32),
}

impl Peer {
    /// Whether it is a PostgreSQL before this version.
    pub fn is_before(self, major: u32) -> bool {
        matches!(self, Peer::Postgres(version) if version < major * 10_000)
    }
}

/// Asks both engines: ours comes first.
pub type Ask<'a> = dyn FnMut(&str) -> [Outcome; 2] + 'a;

/// What computes some of its parts only where others ask for them.
pub(super) const CHOICES: [&str; 13] = [
    "CASE",
    "coalesce(",
    " AND ",
    " OR ",
    ") = (",
    ") <> (",
    ") < (",
    ") > (",
    ") <= (",
    ") >= (",
    ") IN ((",
    "DISTINCT FROM (",
    ")[",
];
/// Those of which ours computes all parts: fields of rows behind what decides, subscripts of no
/// array.
pub(super) const EAGER: &[&str] = CHOICES.split_at(4).1;
/// Its parts that are expressions; queries are not looked into.
fn inner(expr: &Expr) -> impl Iterator<Item = &Expr> {
    expr.parts.iter().filter_map(|part| match part {
        Part::Expr(inner) => Some(inner),
        Part::Text(_) | Part::Query(_) => None,
    })
}

/// What it says itself, without its parts.
fn own_texts(expr: &Expr) -> impl Iterator<Item = &str> {
    expr.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Expr(_) | Part::Query(_) => None,
    })
}

/// Whether it is itself a call of one of these.
fn calls(expr: &Expr, names: &[&str]) -> bool {
    let first = own_texts(expr).next().unwrap_or_default();
    let called = first.split_once('(').map_or("", |(name, _)| name);
    names.contains(&called)
}

fn holds_anywhere(expr: &Expr, test: &dyn Fn(&Expr) -> bool) -> bool {
    test(expr) || inner(expr).any(|part| holds_anywhere(part, test))
}

/// The expressions of the select list.
fn items(case: &Case) -> impl Iterator<Item = &Expr> {
    let items = case
        .query
        .as_select()
        .map_or(&[][..], |select| &select.items);
    items.iter().map(|(item, _)| item)
}

/// Whether there are queries in the expressions of the select list.
pub(super) fn has_query(case: &Case) -> bool {
    let is_of_query = |expr: &Expr| {
        let mut parts = expr.parts.iter();
        parts.any(|part| matches!(part, Part::Query(_)))
    };
    items(case).any(|item| holds_anywhere(item, &is_of_query))
}

/// Whether something in the select list is written with this.
pub(super) fn says(case: &Case, word: &str) -> bool {
    let says = |expr: &Expr| own_texts(expr).any(|text| text.contains(word));
    items(case).any(|item| holds_anywhere(item, &says))
}

/// Whether a part of the select list fails alone, in both engines, as the whole does in one.
pub(super) struct FailingPart<'a> {
    pub case: &'a Case,
    pub failure: &'a Failure,
    /// Only parts within what is written with one of these; any where there are none.
    pub within: &'a [&'a str],
    /// Over the rows; otherwise only what is constant.
    pub of_rows: bool,
}

impl FailingPart<'_> {
    pub(super) fn is_found(&self, ask: &mut Ask<'_>) -> bool {
        items(self.case).any(|item| self.is_in(item, self.within.is_empty(), ask))
    }

    fn is_in(&self, expr: &Expr, counts: bool, ask: &mut Ask<'_>) -> bool {
        if counts && !expr.is_leaf() {
            let same = |outcome: &Outcome| {
                let other = outcome.as_ref().err();
                other.is_some_and(|other| is_same_error(other, self.failure))
            };
            if ask(&self.alone(expr).to_string()).iter().all(same) {
                return true;
            }
        }
        let is_within =
            own_texts(expr).any(|text| self.within.iter().any(|word| text.contains(word)));
        inner(expr).any(|part| self.is_in(part, counts || is_within, ask))
    }

    fn alone(&self, expr: &Expr) -> Query {
        let select = self.case.query.as_select().filter(|_| self.of_rows);
        Query::select(Select {
            items: vec![(expr.clone(), String::new())],
            from: select.map_or_else(Vec::new, |select| select.from.clone()),
            ..Select::default()
        })
    }
}

/// Whether two errors say the same, though one could be taken for what is not supported.
pub(super) fn is_same_error(a: &Failure, b: &Failure) -> bool {
    let are_errors = a.kind == FailureKind::Error && b.kind == FailureKind::Error;
    are_errors && a.class() != "XX" && a.state == b.state && a.message == b.message
}

/// How a part of the select list or of HAVING differs in its last digits, if one does: a step, an
/// angle of many turns or the length of a text make more of that.
pub(super) fn differing_digits(case: &Case, ask: &mut Ask<'_>) -> Option<Difference> {
    let select = case.query.as_select()?;
    let mut difference = |part: &Expr| {
        let select = Select {
            distinct: Distinct::All,
            items: vec![(part.clone(), String::new())],
            having: None,
            ..select.clone()
        };
        let query = Query {
            with: case.query.with.clone(),
            recursive: case.query.recursive,
            ..Query::select(select)
        };
        let [Ok(ours), Ok(theirs)] = ask(&query.to_string()) else {
            return None;
        };
        let difference = compare(&ours, &theirs, false, case.tolerance).ok()?;
        let of_digits = [Difference::Digits, Difference::LongNumeric];
        difference.filter(|difference| of_digits.contains(difference))
    };
    let mut exprs = items(case).chain(&select.having);
    exprs.find_map(|expr| differing_part(expr, &mut difference))
}

fn differing_part(
    expr: &Expr,
    difference: &mut dyn FnMut(&Expr) -> Option<Difference>,
) -> Option<Difference> {
    inner(expr).find_map(|part| difference(part).or_else(|| differing_part(part, difference)))
}

/// Whether there is a power: before version 16 PostgreSQL computes no more than 16 digits of those
/// of numerics behind the point, and shows as many of large ones too.
pub(super) fn has_power(case: &Case) -> bool {
    let sql = case.query.to_string();
    ["power(", "pow(", " ^ "]
        .iter()
        .any(|call| sql.contains(call))
}

/// Whether answers of PostgreSQL 15 with powers differ behind the 14th digit after the point only.
pub(super) fn is_small_power(case: &Case, ours: &Answer, theirs: &Answer) -> bool {
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

/// Whether a bucket of doubles is asked for: before version 16 it is one too many if the share is
/// rounded up to one.
pub(super) fn has_bucket(case: &Case) -> bool {
    items(case).any(|item| holds_anywhere(item, &|expr| calls(expr, &["width_bucket"])))
}
