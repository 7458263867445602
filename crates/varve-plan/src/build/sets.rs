//! Set-returning functions of a SELECT: where their rows come in.
//!
//! Those that groups read are expanded below the groups, those that define windows below the
//! windows, all others above both. One in an argument of another is expanded below that one.

use varve_expr::walk::{
    fill_placeholders, for_each_child_mut, for_each_placeholder, map_placeholders, same_meaning,
};
use varve_expr::{Expr, Placeholder};
use varve_types::{Error, Result};

use crate::build::same_plan::canonical_call;
use crate::build::stage::Stage;
use crate::build::subquery::{Subquery, attach};
use crate::plan::{Plan, ProjectSetNode, SetCall};

/// The calls by number; `None` where the rows are in the stage.
pub type Sets = [Option<SetCall>];

/// The calls that expressions read, also through subqueries.
pub fn sets_read<'e>(
    exprs: impl IntoIterator<Item = &'e Expr>,
    subqueries: &[Subquery],
) -> Vec<usize> {
    let mut read = Vec::new();
    for expr in exprs {
        for_each_placeholder(expr, &mut |part| match part {
            Placeholder::Set(number) => read.push(number),
            Placeholder::Subquery { number, .. } => {
                let exprs = subqueries.get(number).map(Subquery::exprs);
                read.extend(sets_read(exprs.unwrap_or_default(), subqueries));
            }
            _ => {}
        });
    }
    read
}

/// The stage with the rows of the wanted calls, and of those that these need, behind its columns;
/// `exprs` and the arguments of other calls then read them.
pub fn expanded(
    mut stage: Stage,
    sets: &mut Sets,
    wanted: Vec<usize>,
    exprs: &mut [&mut Expr],
) -> Result<Stage> {
    let mut left = wanted;
    let mut next = 0;
    while let Some(number) = left.get(next).copied() {
        next += 1;
        left.extend(needed(sets, number, &stage.subqueries));
    }
    varve_sort::sort(&mut left);
    left.dedup();
    left.retain(|number| matches!(sets.get(*number), Some(Some(_))));
    while !left.is_empty() {
        let is_ready = |number: &usize| needed(sets, *number, &stage.subqueries).is_empty();
        let (ready, later): (Vec<usize>, Vec<usize>) = left.into_iter().partition(is_ready);
        if ready.is_empty() {
            return Err(Error::internal("functions that give rows need each other"));
        }
        left = later;
        stage = with_rows(stage, sets, &ready, exprs)?;
    }
    Ok(stage)
}

/// The calls in the arguments of one.
fn needed(sets: &Sets, number: usize, subqueries: &[Subquery]) -> Vec<usize> {
    let call = sets.get(number).and_then(Option::as_ref);
    sets_read(call.iter().flat_map(|call| &call.args), subqueries)
}

fn with_rows(
    stage: Stage,
    sets: &mut Sets,
    ready: &[usize],
    exprs: &mut [&mut Expr],
) -> Result<Stage> {
    let Stage {
        plan,
        mut subqueries,
    } = stage;
    let take = |number: &usize| sets.get_mut(*number).and_then(Option::take);
    let mut calls: Vec<SetCall> = ready.iter().filter_map(take).collect();
    let mut args: Vec<&mut Expr> = calls.iter_mut().flat_map(|call| &mut call.args).collect();
    let input = attach(plan, &subqueries, &mut args)?;
    let width = input.width();
    let now = |part: Placeholder| match part {
        Placeholder::Set(number) => {
            let at = ready.iter().position(|ready| *ready == number)?;
            Some(width + at)
        }
        _ => None,
    };
    for expr in exprs {
        fill_placeholders(expr, &now);
    }
    for arg in sets.iter_mut().flatten().flat_map(|call| &mut call.args) {
        fill_placeholders(arg, &now);
    }
    for subquery in &mut subqueries {
        subquery.for_each_expr_mut(&mut |expr| {
            fill_placeholders(expr, &now);
            Ok(())
        })?;
    }
    let plan = Plan::ProjectSet(ProjectSetNode {
        input: Box::new(input),
        calls,
        ordinality: false,
    });
    Ok(Stage { plan, subqueries })
}

/// Calls `visit` for each placeholder of an expression, in calls, whose arguments `args` tells, and
/// before subqueries too.
pub fn for_each_computed<'s>(
    expr: &Expr,
    args: &dyn Fn(usize) -> Option<&'s [Expr]>,
    subqueries: &[Subquery],
    visit: &mut dyn FnMut(Placeholder),
) {
    let mut read = Vec::new();
    for_each_placeholder(expr, &mut |part| read.push(part));
    for part in read {
        visit(part);
        let inner: Vec<&Expr> = match part {
            Placeholder::Set(number) => args(number).unwrap_or_default().iter().collect(),
            Placeholder::Subquery { number, .. } => subqueries
                .get(number)
                .map_or_else(Vec::new, Subquery::exprs),
            _ => Vec::new(),
        };
        for expr in inner {
            for_each_computed(expr, args, subqueries, visit);
        }
    }
}

/// Forgets the calls that nothing reads.
fn drop_unread(sets: &mut Sets, mut read: Vec<usize>, subqueries: &[Subquery]) {
    let mut next = 0;
    while let Some(number) = read.get(next).copied() {
        next += 1;
        read.extend(needed(sets, number, subqueries));
    }
    for (number, call) in sets.iter_mut().enumerate() {
        if !read.contains(&number) {
            *call = None;
        }
    }
}

/// Has expressions that compute what one of `known` computes read the same subqueries and calls,
/// where these are written twice.
pub fn unify(known: &[Expr], sets: &mut Sets, subqueries: &[Subquery], exprs: &mut [&mut Expr]) {
    let mut same = Same::default();
    let (mut calls, mut queries) = (Vec::new(), Vec::new());
    let args = |number: usize| Some(sets.get(number)?.as_ref()?.args.as_slice());
    for expr in known {
        for_each_computed(expr, &args, subqueries, &mut |part| match part {
            Placeholder::Set(number) => calls.push(number),
            Placeholder::Subquery { number, .. } => queries.push(number),
            _ => {}
        });
    }
    // Two are the same only once those are that they read.
    while same.add_sets(&calls, sets) | same.add_subqueries(&queries, subqueries) {}
    if !same.sets.is_empty() || !same.subqueries.is_empty() {
        for expr in exprs.iter_mut() {
            same.unify(expr, known);
        }
        let all = known.iter().chain(exprs.iter().map(|expr| &**expr));
        let read = sets_read(all, subqueries);
        drop_unread(sets, read, subqueries);
    }
}

/// Numbers that stand for the same as others: pairs of one and the number to be read instead.
#[derive(Default)]
struct Same {
    sets: Vec<(usize, usize)>,
    subqueries: Vec<(usize, usize)>,
}

impl Same {
    /// Adds calls that are the same as one of these; whether there are any.
    fn add_sets(&mut self, known: &[usize], sets: &Sets) -> bool {
        let mut found = Vec::new();
        let call = |at: usize| {
            let mut call = sets.get(at)?.clone().map(canonical_call)?;
            for arg in &mut call.args {
                map_placeholders(arg, &|part| self.instead(part));
            }
            Some(call)
        };
        for other in 0..sets.len() {
            if known.contains(&other) || self.sets.iter().any(|(is, _)| *is == other) {
                continue;
            }
            let own = call(other);
            let same = known
                .iter()
                .find(|known| own.is_some() && call(**known) == own);
            found.extend(same.map(|same| (other, *same)));
        }
        self.sets.extend(&found);
        !found.is_empty()
    }

    /// Adds subqueries that are the same as one of these; whether there are any.
    fn add_subqueries(&mut self, known: &[usize], subqueries: &[Subquery]) -> bool {
        let mut found = Vec::new();
        let mapped = |at: usize| {
            let mut subquery = subqueries.get(at)?.clone();
            // It only maps.
            let _ = subquery.for_each_expr_mut(&mut |expr| {
                map_placeholders(expr, &|part| self.instead(part));
                Ok(())
            });
            Some(subquery)
        };
        for other in 0..subqueries.len() {
            if known.contains(&other) || self.subqueries.iter().any(|(is, _)| *is == other) {
                continue;
            }
            let own = mapped(other);
            let is_same = |known: &&usize| {
                let pair = own.as_ref().zip(mapped(**known));
                pair.is_some_and(|(own, known)| own.is_same(&known))
            };
            found.extend(known.iter().find(is_same).map(|same| (other, *same)));
        }
        self.subqueries.extend(&found);
        !found.is_empty()
    }

    fn instead(&self, part: Placeholder) -> Placeholder {
        let instead = |pairs: &[(usize, usize)], number: usize| {
            let found = pairs.iter().find(|(other, _)| *other == number);
            found.map(|(_, instead)| *instead)
        };
        let found = match part {
            Placeholder::Set(number) => instead(&self.sets, number).map(Placeholder::Set),
            Placeholder::Subquery { number, column } => instead(&self.subqueries, number)
                .map(|number| Placeholder::Subquery { number, column }),
            _ => None,
        };
        found.unwrap_or(part)
    }

    fn unify(&self, expr: &mut Expr, known: &[Expr]) {
        let mut mapped = expr.clone();
        map_placeholders(&mut mapped, &|part| self.instead(part));
        match known.iter().any(|known| same_meaning(known, &mapped)) {
            true => *expr = mapped,
            false => for_each_child_mut(expr, &mut |child| self.unify(child, known)),
        }
    }
}
