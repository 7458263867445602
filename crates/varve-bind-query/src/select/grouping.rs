//! GROUP BY: its groups, with GROUPING SETS, CUBE and ROLLUP as lists of sets of them.

use varve_ast::{Expr as Ast, ExprKind, GroupItem};
use varve_expr::walk::same_meaning;
use varve_expr::{Expr, Placeholder};
use varve_plan::build::output::{Output, check_comparable};
use varve_plan::build::sets::for_each_computed;
use varve_plan::build::stage::Groups;
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;
use crate::select::order::{ordinal, output_named};

/// Most grouping sets of a query, as in PostgreSQL.
const SETS_MAX: usize = 4096;
/// Most elements of CUBE, as in PostgreSQL.
const CUBE_MAX: usize = 12;

/// Sets of items of GROUP BY, as they are written.
type Sets<'a> = Vec<Vec<&'a Ast>>;

impl QueryBinder<'_> {
    /// The groups; `None` without GROUP BY.
    pub fn group_by(
        &mut self,
        items: &[GroupItem],
        outputs: &[Output],
        scope: &mut ExprScope<'_>,
    ) -> Result<Option<Groups>> {
        if items.is_empty() {
            return Ok(None);
        }
        let mut groups = Groups::default();
        let mut known: Vec<&Ast> = Vec::new();
        let mut places: Vec<usize> = Vec::new();
        for set in self.written_sets(items)? {
            let mut columns = Vec::with_capacity(set.len());
            for item in set {
                let place = match known.iter().position(|known| core::ptr::eq(*known, item)) {
                    Some(at) => places.get(at).copied().unwrap_or(0),
                    None => {
                        let group = self.group(item, outputs, scope)?;
                        let same = |known: &Expr| same_meaning(known, &group);
                        let place = groups.groups.iter().position(same).unwrap_or_else(|| {
                            groups.groups.push(group.clone());
                            groups.groups.len() - 1
                        });
                        known.push(item);
                        places.push(place);
                        place
                    }
                };
                if !columns.contains(&place) {
                    columns.push(place);
                }
            }
            groups.sets.push(columns);
        }
        Ok(Some(groups))
    }

    /// One item of GROUP BY.
    fn group(&mut self, item: &Ast, outputs: &[Output], scope: &mut ExprScope<'_>) -> Result<Expr> {
        let position = self.at(item.span);
        let group = match self.group_output(item, outputs, scope.names, position)? {
            Some(index) => outputs.get(index).map(|output| output.expr.clone()),
            None => None,
        };
        let group = match group {
            Some(group) => group,
            None => {
                let mut inner = ExprScope::plain(scope.names, "GROUP BY");
                inner.subqueries = scope.subqueries.take();
                inner.sets = scope.sets.take();
                let operand = self.expr(item, &mut inner);
                scope.subqueries = inner.subqueries.take();
                scope.sets = inner.sets.take();
                varve_expr::fold(self.settle(operand?)?)
            }
        };
        let mut refused = None;
        let calls = scope.sets.as_deref().unwrap_or_default();
        let args = |number: usize| calls.get(number).map(|call| call.args.as_slice());
        let subqueries = scope.subqueries.as_deref().unwrap_or_default();
        for_each_computed(&group, &args, subqueries, &mut |part| {
            refused = match part {
                Placeholder::Aggregate(_) => {
                    Some((SqlState::GROUPING_ERROR, "aggregate functions"))
                }
                Placeholder::Window(_) => Some((SqlState::WINDOWING_ERROR, "window functions")),
                _ => refused,
            };
        });
        match refused {
            None => check_comparable(group.logical_type(), false, position).map(|()| group),
            Some((state, what)) => {
                let message = format!("{what} are not allowed in GROUP BY");
                Err(located(Error::new(state, message), position))
            }
        }
    }

    /// The result column that an item of GROUP BY means. A column of FROM comes before a result
    /// column of the same name.
    fn group_output(
        &self,
        item: &Ast,
        outputs: &[Output],
        names: &Scope,
        position: u32,
    ) -> Result<Option<usize>> {
        if let ExprKind::Column(column) = &item.kind
            && column.qualifiers.is_empty()
            && names
                .find_unqualified(&column.name.text, position)?
                .is_some()
        {
            return Ok(None);
        }
        match output_named(item, outputs, "GROUP BY", position)? {
            Some(index) => Ok(Some(index)),
            None => ordinal(item, outputs.len(), "GROUP BY", position),
        }
    }

    /// The grouping sets of a GROUP BY clause: every combination of one set of each item.
    fn written_sets<'a>(&self, items: &'a [GroupItem]) -> Result<Sets<'a>> {
        let mut sets: Sets<'a> = vec![Vec::new()];
        for item in items {
            let own = self.sets_of(item)?;
            self.check_count(sets.len().saturating_mul(own.len()))?;
            let mut combined = Vec::with_capacity(sets.len() * own.len());
            for set in &sets {
                for more in &own {
                    combined.push(set.iter().chain(more).copied().collect());
                }
            }
            sets = combined;
        }
        Ok(sets)
    }

    /// The grouping sets of one item.
    fn sets_of<'a>(&self, item: &'a GroupItem) -> Result<Sets<'a>> {
        match item {
            GroupItem::Expr(_) | GroupItem::Set(_) => Ok(vec![set_of(item)?]),
            GroupItem::Sets(items) => {
                let mut sets = Vec::with_capacity(items.len());
                for item in items {
                    sets.append(&mut self.sets_of(item)?);
                    self.check_count(sets.len())?;
                }
                Ok(sets)
            }
            GroupItem::Rollup(items) => {
                let elements = items.iter().map(set_of).collect::<Result<Sets<'a>>>()?;
                let sets = (0..=elements.len()).rev();
                let sets = sets.map(|count| elements.iter().take(count).flatten().copied());
                Ok(sets.map(Iterator::collect).collect())
            }
            GroupItem::Cube(items) if items.len() > CUBE_MAX => {
                let message = format!("CUBE is limited to {CUBE_MAX} elements");
                let error = Error::new(SqlState::STATEMENT_TOO_COMPLEX, message);
                Err(located(error, self.first()))
            }
            GroupItem::Cube(items) => {
                let elements = items.iter().map(set_of).collect::<Result<Sets<'a>>>()?;
                let count = elements.len();
                let sets = (0..1_usize << count).rev().map(|mask| {
                    let kept = elements.iter().enumerate();
                    let kept = kept.filter(|(at, _)| mask & (1 << (count - 1 - at)) != 0);
                    kept.flat_map(|(_, set)| set).copied().collect()
                });
                Ok(sets.collect())
            }
        }
    }

    fn check_count(&self, sets: usize) -> Result<()> {
        if sets <= SETS_MAX {
            return Ok(());
        }
        let message = format!("too many grouping sets present (maximum {SETS_MAX})");
        let error = Error::new(SqlState::STATEMENT_TOO_COMPLEX, message);
        Err(located(error, self.first()))
    }
}

/// The expressions of one set.
fn set_of(item: &GroupItem) -> Result<Vec<&Ast>> {
    let mut set = Vec::new();
    match item {
        GroupItem::Expr(expr) => add_fields(expr, &mut set),
        GroupItem::Set(fields) => fields.iter().for_each(|field| add_fields(field, &mut set)),
        GroupItem::Sets(_) | GroupItem::Rollup(_) | GroupItem::Cube(_) => {
            return Err(Error::unsupported("GROUPING SETS, CUBE or ROLLUP"));
        }
    }
    Ok(set)
}

/// Adds an expression; a row in parentheses stands for its fields.
fn add_fields<'a>(expr: &'a Ast, set: &mut Vec<&'a Ast>) {
    match &expr.kind {
        ExprKind::Row {
            fields,
            is_explicit: false,
        } => fields.iter().for_each(|field| add_fields(field, set)),
        _ => set.push(expr),
    }
}
