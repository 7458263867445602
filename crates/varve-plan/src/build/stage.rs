//! The stages of a SELECT above its rows: groups and window functions.

use varve_expr::walk::{fill_placeholders, same_meaning};
use varve_expr::{Expr, Placeholder};
use varve_types::Result;

use crate::build::gapfill::Gapfill;
use crate::build::limit::sorted;
use crate::build::output::{OrderKey, Output, SortTarget};
use crate::build::sets::{Sets, expanded, sets_read, unify};
use crate::build::subquery::{Subquery, attach};
use crate::build::window::WindowUse;
use crate::plan::window::WindowNode;
use crate::plan::{AggregateCall, Plan, SortKeyExpr};

/// The groups of a SELECT with GROUP BY, HAVING or aggregates.
pub struct Grouping {
    /// The keys of the groups.
    pub groups: Vec<Expr>,
    /// The grouping sets, by position in `groups`; one with all of them without GROUPING SETS.
    pub sets: Vec<Vec<usize>>,
    /// The aggregates over each group.
    pub aggregates: Vec<AggregateCall>,
    /// The arguments of each `grouping()`.
    pub groupings: Vec<(Vec<Expr>, u32)>,
    /// The condition of HAVING, with the columns that it reads and where they stand.
    pub having: Option<(Expr, Vec<(usize, u32)>)>,
    /// Number of a named query for the rows that several sets group.
    pub cte_id: usize,
    /// The group of `time_bucket_gapfill`.
    pub gapfill: Option<Gapfill>,
}

/// What GROUP BY says.
#[derive(Default)]
pub struct Groups {
    /// The keys of the groups.
    pub groups: Vec<Expr>,
    /// The grouping sets, as numbers of keys.
    pub sets: Vec<Vec<usize>>,
}

impl Above<'_> {
    /// The stage with the rows of set-returning functions that groups read. What is computed over
    /// the groups reads them there.
    pub fn expand_groups(
        &mut self,
        stage: Stage,
        groups: &mut [Expr],
        having: &mut Option<Expr>,
    ) -> Result<Stage> {
        let known = groups.to_vec();
        let wanted = sets_read(&known, &stage.subqueries);
        let (mut exprs, sets) = self.parts();
        exprs.extend(having.as_mut());
        unify(&known, sets, &stage.subqueries, &mut exprs);
        exprs.extend(groups);
        expanded(stage, sets, wanted, &mut exprs)
    }

    /// The stage with the rows of set-returning functions that define windows.
    pub fn expand_windows(&mut self, stage: Stage) -> Result<Stage> {
        let known = self.windows.iter().flat_map(WindowUse::definition);
        let known: Vec<Expr> = known.cloned().collect();
        let wanted = sets_read(&known, &stage.subqueries);
        if wanted.is_empty() {
            return Ok(stage);
        }
        let (mut exprs, sets) = self.parts();
        unify(&known, sets, &stage.subqueries, &mut exprs);
        expanded(stage, sets, wanted, &mut exprs)
    }

    /// What is computed, but for the arguments of set-returning functions, and the calls of these.
    fn parts(&mut self) -> (Vec<&mut Expr>, &mut Sets) {
        let windows = self.windows.iter_mut().flat_map(WindowUse::exprs_mut);
        let mut exprs: Vec<&mut Expr> = windows.collect();
        exprs.extend(computed(self.outputs, self.keys, self.distinct));
        (exprs, self.sets)
    }
}

/// What is computed for the rows of the result and their order.
pub fn computed<'e>(
    outputs: &'e mut [Output],
    keys: &'e mut [OrderKey],
    distinct: &'e mut Distinctness,
) -> Vec<&'e mut Expr> {
    let outputs = outputs.iter_mut().map(|output| &mut output.expr);
    let keys = keys.iter_mut();
    let mut exprs: Vec<&mut Expr> = outputs
        .chain(keys.filter_map(|key| key.target.expr_mut()))
        .collect();
    exprs.extend(distinct.exprs_mut());
    exprs
}

/// Whether rows are given once.
pub enum Distinctness {
    /// All rows stay.
    None,
    /// Equal rows are left out.
    Rows,
    /// Once for each of these, which have positions.
    On(Vec<(SortTarget, u32)>),
}

impl Distinctness {
    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Distinctness::On(on) => {
                let targets = on.iter_mut();
                targets
                    .filter_map(|(target, _)| target.expr_mut())
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What is computed over the groups.
pub struct Above<'s> {
    /// The columns of the result.
    pub outputs: &'s mut [Output],
    /// What its rows are sorted by.
    pub keys: &'s mut [OrderKey],
    /// Whether equal rows are left out.
    pub distinct: &'s mut Distinctness,
    /// The window functions.
    pub windows: &'s mut [WindowUse],
    /// The functions that give rows.
    pub sets: &'s mut Sets,
}

/// What expressions are computed over, and the subqueries that they may use.
pub struct Stage {
    /// The plan so far.
    pub plan: Plan,
    /// Subqueries that are still to be attached.
    pub subqueries: Vec<Subquery>,
}

/// Whether a window is over these rows in this order.
fn is_over(window: &WindowUse, partition: &[Expr], order: &[SortKeyExpr]) -> bool {
    let same_key = |(a, b): (&SortKeyExpr, &SortKeyExpr)| {
        same_meaning(&a.expr, &b.expr)
            && a.descending == b.descending
            && a.nulls_first == b.nulls_first
    };
    let mut parts = window.partition.iter().zip(partition);
    window.partition.len() == partition.len()
        && window.order.len() == order.len()
        && parts.all(|(a, b)| same_meaning(a, b))
        && window.order.iter().zip(order).all(same_key)
}

/// The stage with the results of window functions behind its columns, which `exprs` then read.
pub fn windowed(
    stage: Stage,
    mut windows: Vec<WindowUse>,
    exprs: &mut [&mut Expr],
) -> Result<Stage> {
    if windows.is_empty() {
        return Ok(stage);
    }
    let Stage {
        mut plan,
        subqueries,
    } = stage;
    let mut inner = Vec::new();
    for window in &mut windows {
        inner.extend(&mut window.partition);
        inner.extend(window.order.iter_mut().map(|key| &mut key.expr));
        inner.extend(window.call.args.iter_mut().chain(&mut window.call.filter));
    }
    plan = attach(plan, &subqueries, &mut inner)?;
    let mut columns: Vec<usize> = vec![0; windows.len()];
    let mut left: Vec<(usize, WindowUse)> = windows.into_iter().enumerate().collect();
    while let Some((_, first)) = left.first() {
        let (partition, order) = (first.partition.clone(), first.order.clone());
        let (now, later): (Vec<_>, Vec<_>) = left
            .iter()
            .cloned()
            .partition(|(_, window)| is_over(window, &partition, &order));
        left = later;
        let by_partition = partition.iter().map(|expr| SortKeyExpr {
            expr: expr.clone(),
            descending: false,
            nulls_first: false,
        });
        let keys = by_partition.chain(order.iter().cloned()).collect();
        let width = plan.width();
        let mut calls = Vec::with_capacity(now.len());
        for (at, (number, window)) in now.into_iter().enumerate() {
            if let Some(column) = columns.get_mut(number) {
                *column = width + at;
            }
            calls.push(window.call);
        }
        plan = Plan::Window(WindowNode {
            input: Box::new(sorted(plan, keys)),
            partition,
            order,
            calls,
        });
    }
    let placed = |part: Placeholder| match part {
        Placeholder::Window(number) => columns.get(number).copied(),
        _ => None,
    };
    for expr in exprs {
        fill_placeholders(expr, &placed);
    }
    let mut subqueries = subqueries;
    for subquery in &mut subqueries {
        subquery.for_each_expr_mut(&mut |expr| {
            fill_placeholders(expr, &placed);
            Ok(())
        })?;
    }
    Ok(Stage { plan, subqueries })
}
