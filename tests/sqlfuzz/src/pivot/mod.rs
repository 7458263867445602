//! PQS: conditions whose truth for one row of each table is known from an interpreter of their own,
//! so that it is known whether these rows, the pivot, are in the answer.

mod make;
mod value;

use std::collections::BTreeSet;

use crate::ast::{Expr, From, On, Part, Query, Select};
use crate::chance::Chance;
use crate::generate::Tolerance;
use crate::oracle::{Case, Form, Oracle, Verdict, unanswered};
use crate::stage::Stage;
use crate::types::Ty;
use crate::world::{Table, World};

use make::Maker;

/// Pairs that joins may give.
const PAIRS_MAX: usize = 20_000;

/// Rows of tables, with the names of their relations.
pub(crate) fn case(mut chance: Chance, world: &World) -> Option<Case> {
    let mut shapes = BTreeSet::new();
    let mut tables: Vec<(&Table, usize, String)> = Vec::new();
    let mut pairs = 1;
    for number in 0..1 + chance.index(3) {
        let fits = |table: &&Table| !table.rows.is_empty() && pairs * table.rows.len() <= PAIRS_MAX;
        let fits: Vec<&Table> = world.tables.iter().filter(fits).collect();
        if fits.is_empty() {
            break;
        }
        let table = chance.pick(&fits);
        pairs *= table.rows.len();
        tables.push((table, chance.index(table.rows.len()), format!("p{number}")));
    }
    if tables.is_empty() {
        return None;
    }
    let mut from: Option<From> = None;
    for end in 1..=tables.len() {
        let (table, _, alias) = &tables[end - 1];
        let right = From::Table {
            name: table.name.clone(),
            alias: alias.clone(),
        };
        from = Some(match from {
            None => right,
            Some(left) => {
                let mut maker = Maker::new(&mut chance, &tables[..end]);
                let on = maker.condition(2, Some(true));
                let kind = chance.pick(&["JOIN", "LEFT JOIN", "RIGHT JOIN", "CROSS JOIN"]);
                shapes.insert(kind);
                From::Join {
                    kind,
                    on: if kind == "CROSS JOIN" {
                        On::None
                    } else {
                        On::Condition(on)
                    },
                    left: Box::new(left),
                    right: Box::new(right),
                }
            }
        });
    }
    let is_there = chance.percent(80);
    let mut conditions = Vec::new();
    for number in 0..1 + chance.index(3) {
        let mut maker = Maker::new(&mut chance, &tables);
        conditions.push(maker.condition(3, Some(is_there || number > 0)));
        shapes.extend(maker.shapes);
    }
    let ids = tables.iter().map(|(_, _, alias)| {
        let id = Expr::leaf(Ty::Int8, format!("{alias}.id"));
        (id, String::new())
    });
    let row = tables
        .iter()
        .map(|(table, row, _)| table.rows[*row][0].clone());
    let row: Vec<String> = row.flatten().collect();
    let select = Select {
        items: ids.collect(),
        from: from.into_iter().collect(),
        distinct: if chance.one_in(6) {
            crate::ast::Distinct::Rows
        } else {
            crate::ast::Distinct::All
        },
        ..Select::default()
    };
    shapes.insert(if is_there {
        "pivot is there"
    } else {
        "pivot is not there"
    });
    Some(Case {
        oracle: Oracle::Pqs,
        query: Query::select(select),
        conditions,
        form: Form::Pivot { row, is_there },
        ordered: false,
        tolerance: Tolerance::default(),
        shapes,
    })
}

/// The query with its conditions.
pub(crate) fn statement(case: &Case) -> String {
    let mut query = case.query.clone();
    if let Some(select) = query.as_select_mut() {
        let holes: Vec<Part> = case.conditions.iter().cloned().map(Part::Expr).collect();
        let template = vec!["{}"; holes.len()].join(" AND ");
        if !holes.is_empty() {
            select.filter = Some(Expr::form(Ty::Bool, &template, holes));
        }
    }
    query.to_string()
}

pub(crate) fn check(case: &Case, stage: &mut Stage<'_>) -> Verdict {
    let Form::Pivot { row, is_there } = &case.form else {
        return Verdict::Passed;
    };
    let answer = match stage.full(&statement(case)) {
        Ok(answer) => answer,
        Err(failure) => return unanswered(&failure),
    };
    let is_pivot = |found: &Vec<Option<String>>| {
        found
            .iter()
            .map(|cell| cell.as_deref())
            .eq(row.iter().map(|id| Some(id.as_str())))
    };
    let found = answer.rows.iter().any(is_pivot);
    if found == *is_there {
        return Verdict::Passed;
    }
    let row = row.join(", ");
    Verdict::Failed(if found {
        format!("the row ({row}) should not be there")
    } else {
        format!("the row ({row}) is missing")
    })
}
