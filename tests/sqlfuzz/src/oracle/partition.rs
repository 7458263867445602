//! TLP and NoREC: a condition cuts rows into those for which it is true, false and unknown.

use std::collections::BTreeSet;

use super::{Case, Form, Oracle, Verdict, unanswered};
use crate::answer::{Answer, Failure};
use crate::ast::{Distinct, Expr, From, On, Part, Query, Select};
use crate::compare::compare;
use crate::generate::{Generator, Scope, Tolerance};
use crate::stage::Stage;
use crate::types::Ty;

/// Aggregates that can be made of those of parts: name, what makes one of them, types.
const AGGREGATES: [(&str, &str, &[Ty]); 7] = [
    (
        "min",
        "min",
        &[Ty::Int4, Ty::Int8, Ty::Text, Ty::Date, Ty::Timestamp],
    ),
    (
        "max",
        "max",
        &[Ty::Int2, Ty::Int4, Ty::Text, Ty::Time, Ty::Timestamptz],
    ),
    (
        "count",
        "sum",
        &[Ty::Int4, Ty::Text, Ty::Jsonb, Ty::Numeric],
    ),
    ("sum", "sum", &[Ty::Int2, Ty::Int4, Ty::Int8, Ty::Numeric]),
    ("bool_and", "bool_and", &[Ty::Bool]),
    ("bool_or", "bool_or", &[Ty::Bool]),
    ("bit_or", "bit_or", &[Ty::Int4]),
];

pub(super) fn tlp(generator: &mut Generator<'_>) -> Option<Case> {
    let nothing = Scope::default();
    let (mut select, scope) = generator.source(&nothing);
    let form = generator.chance.below(10);
    let columns = 1 + generator.chance.index(3);
    let mut types = Vec::new();
    while types.len() < columns {
        let ty = generator.some_type();
        if form != 1 || (ty.is_comparable() && ty.is_exact()) {
            types.push(ty);
        }
    }
    let mut condition_scope = scope.clone();
    let form = match form {
        1 => {
            select.distinct = Distinct::Rows;
            Form::Distinct
        }
        2 | 3 => {
            let known = generator.known_aggregates();
            let all = AGGREGATES
                .iter()
                .filter(|(name, _, _)| known.contains(name));
            let all: Vec<_> = all.collect();
            let (name, of_parts, of) = generator.chance.pick(&all);
            types = vec![generator.chance.pick(of)];
            Form::Aggregate(name, of_parts)
        }
        4 | 5 => {
            condition_scope = generator.simple_groups(&mut select, &scope)?;
            Form::Having
        }
        6 => {
            let is_join = |from: &From| matches!(from, From::Join { kind: "JOIN", .. });
            // ON sees only its join: nothing may stand beside it.
            if matches!(select.from.as_slice(), [from] if is_join(from)) {
                Form::On
            } else {
                Form::Rows
            }
        }
        7 => Form::Union,
        _ => Form::Rows,
    };
    if form != Form::Having {
        select.items = generator.items(&types, 2, &scope);
    }
    let condition = generator.condition(3, &condition_scope);
    Some(case(Oracle::Tlp, generator, select, condition, form))
}

pub(super) fn norec(generator: &mut Generator<'_>) -> Option<Case> {
    let (mut select, scope) = generator.source(&Scope::default());
    select.filter = None;
    let condition = generator.condition(4, &scope);
    Some(case(
        Oracle::Norec,
        generator,
        select,
        condition,
        Form::Rows,
    ))
}

fn case(
    oracle: Oracle,
    generator: &mut Generator<'_>,
    select: Select,
    condition: Expr,
    form: Form,
) -> Case {
    Case {
        oracle,
        query: Query::select(select),
        conditions: vec![condition],
        form,
        ordered: false,
        // One engine, one look and one sum; but which of equal values stands for a group differs.
        tolerance: Tolerance {
            digits: generator.tolerance.digits,
            singles: generator.tolerance.singles,
            looks: true,
        },
        shapes: std::mem::take(&mut generator.shapes),
    }
}

fn and(filter: Option<&Expr>, condition: Expr) -> Expr {
    match filter {
        None => condition,
        Some(filter) => {
            let holes = vec![Part::Expr(filter.clone()), Part::Expr(condition)];
            Expr::form(Ty::Bool, "({} AND {})", holes)
        }
    }
}

fn wrapped(template: &str, condition: &Expr) -> Expr {
    Expr::form(Ty::Bool, template, vec![Part::Expr(condition.clone())])
}

/// The query of all rows, and those of the parts.
fn parts(case: &Case) -> Option<(String, Vec<String>)> {
    let select = case.query.as_select()?;
    let condition = case.conditions.first()?;
    let mut all = select.clone();
    if let Form::Aggregate(name, _) = case.form {
        aggregate_items(&mut all, name);
    }
    if case.form == Form::On {
        set_on(&mut all, None);
    }
    let each = ["{}", "(NOT {})", "({} IS NULL)"].map(|template| {
        let condition = wrapped(template, condition);
        let mut part = all.clone();
        match case.form {
            Form::Having => part.having = Some(condition),
            Form::On => set_on(&mut part, Some(condition)),
            _ => part.filter = Some(and(part.filter.as_ref(), condition)),
        }
        part.to_string()
    });
    let [a, b, c] = each.clone();
    let each = match case.form {
        Form::Union => vec![format!("{a} UNION ALL {b} UNION ALL {c}")],
        Form::Aggregate(_, of_parts) => vec![format!(
            "SELECT {of_parts}(part) FROM ({a} UNION ALL {b} UNION ALL {c}) AS parts"
        )],
        _ => each.to_vec(),
    };
    Some((all.to_string(), each))
}

fn aggregate_items(select: &mut Select, name: &str) {
    if let Some((item, alias)) = select.items.first_mut() {
        *item = Expr::form(
            item.ty,
            &format!("{name}({{}})"),
            vec![Part::Expr(item.clone())],
        );
        *alias = "part".to_owned();
    }
}

/// Gives the first join another condition.
fn set_on(select: &mut Select, condition: Option<Expr>) {
    if let Some(From::Join { kind, on, .. }) = select.from.first_mut() {
        (*kind, *on) = match condition {
            Some(condition) => ("JOIN", On::Condition(condition)),
            None => ("CROSS JOIN", On::None),
        };
    }
}

pub(super) fn tlp_statements(case: &Case) -> Vec<String> {
    let Some((all, parts)) = parts(case) else {
        return Vec::new();
    };
    let mut statements = vec![all];
    statements.extend(parts);
    statements
}

pub(super) fn check_tlp(case: &Case, stage: &mut Stage<'_>) -> Verdict {
    match tlp_verdict(case, stage) {
        Ok(verdict) => verdict,
        Err(failure) => unanswered(&failure),
    }
}

fn tlp_verdict(case: &Case, stage: &mut Stage<'_>) -> Result<Verdict, Failure> {
    let Some((all, parts)) = parts(case) else {
        return Ok(Verdict::Passed);
    };
    let mut whole = stage.full(&all)?;
    let mut joined = Answer {
        types: whole.types.clone(),
        rows: Vec::new(),
    };
    for part in &parts {
        joined.rows.extend(stage.full(part)?.rows);
    }
    if let Form::Aggregate(..) = case.form {
        // Of counts, the sum has another type.
        joined.types.clone_from(&whole.types);
    }
    if case.form == Form::Distinct {
        let rows: BTreeSet<_> = joined.rows.drain(..).collect();
        joined.rows = rows.into_iter().collect();
        whole.rows.sort();
    }
    Ok(match compare(&whole, &joined, false, case.tolerance) {
        Ok(None) => Verdict::Passed,
        Ok(Some(difference)) => Verdict::Differs(difference),
        Err(difference) => Verdict::Failed(format!("all against the parts: {difference}")),
    })
}

/// The count by WHERE, and the truth of the condition for each row.
pub(super) fn norec_statements(case: &Case) -> Vec<String> {
    let (Some(select), Some(condition)) = (case.query.as_select(), case.conditions.first()) else {
        return Vec::new();
    };
    let mut counting = select.clone();
    counting.items = vec![(Expr::leaf(Ty::Int8, "count(*)"), String::new())];
    counting.filter = Some(condition.clone());
    let mut telling = select.clone();
    telling.items = vec![(condition.clone(), String::new())];
    vec![counting.to_string(), telling.to_string()]
}

pub(super) fn check_norec(case: &Case, stage: &mut Stage<'_>) -> Verdict {
    match norec_verdict(case, stage) {
        Ok(verdict) => verdict,
        Err(failure) => unanswered(&failure),
    }
}

fn norec_verdict(case: &Case, stage: &mut Stage<'_>) -> Result<Verdict, Failure> {
    let statements = norec_statements(case);
    let [counting, telling] = statements.as_slice() else {
        return Ok(Verdict::Passed);
    };
    let counted = stage.full(counting)?;
    let told = stage.full(telling)?;
    let truths = told
        .rows
        .iter()
        .filter(|row| row.first().is_some_and(is_true));
    let truths = truths.count().to_string();
    let count = counted
        .rows
        .first()
        .and_then(|row| row.first().cloned().flatten());
    Ok(if count.as_deref() == Some(truths.as_str()) {
        Verdict::Passed
    } else {
        let count = count.unwrap_or_default();
        Verdict::Failed(format!(
            "WHERE counts {count}, the condition is true {truths} times"
        ))
    })
}

fn is_true(cell: &Option<String>) -> bool {
    cell.as_deref() == Some("t")
}
