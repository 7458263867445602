//! SELECT.

pub mod grouping;
pub mod limit;
pub mod order;
pub mod query;
pub mod select_list;
pub mod set_operation;

use varve_ast::{Distinct, Expr as Ast, OrderItem, Select};
use varve_expr::Expr;
use varve_expr::walk::split_conjunction;
use varve_plan::build::finish::{Selected, finish, is_false};
use varve_plan::build::gapfill::Gapfill;
use varve_plan::build::grouped::grouped;
use varve_plan::build::limit::RowLimit;
use varve_plan::build::output::{OrderKey, Output, check_comparable};
use varve_plan::build::sets::expanded;
use varve_plan::build::stage::{Above, Distinctness, Grouping, Groups, Stage, computed, windowed};
use varve_plan::build::subquery::{Subquery, attach_conditions};
use varve_plan::build::window::WindowUse;
use varve_plan::plan::{AggregateCall, LockTarget, Query, SetCall};
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::lock_clause::LockClause;
use crate::context::scope::ExprScope;

/// What a SELECT says of its result.
struct Clauses {
    outputs: Vec<Output>,
    groups: Option<Groups>,
    having: Option<Expr>,
    /// The columns that HAVING uses outside aggregates, with their positions.
    having_uses: Vec<(usize, u32)>,
    keys: Vec<OrderKey>,
    distinct: Distinctness,
}

/// What the clauses of a SELECT compute beside the columns of FROM.
struct Calls {
    aggregates: Vec<AggregateCall>,
    windows: Vec<WindowUse>,
    sets: Vec<Option<SetCall>>,
    groupings: Vec<(Vec<Expr>, u32)>,
    gapfill: Option<Gapfill>,
}

impl Calls {
    /// Those that a scope has met.
    fn take(scope: &mut ExprScope<'_>) -> Calls {
        let sets = scope.sets.take().unwrap_or_default();
        Calls {
            aggregates: scope.aggregates.take().unwrap_or_default(),
            windows: scope.windows.take().unwrap_or_default(),
            sets: sets.into_iter().map(Some).collect(),
            groupings: core::mem::take(&mut scope.groupings),
            gapfill: None,
        }
    }
}

impl QueryBinder<'_> {
    pub(crate) fn select(
        &mut self,
        select: &Select,
        order_by: &[OrderItem],
        limit: RowLimit,
        hints: Option<&[LogicalType]>,
        lock_clauses: &[LockClause],
    ) -> Result<Query> {
        self.check_into(select)?;
        let carries = self.context.carries.take();
        let around = core::mem::replace(&mut self.context.lock_clauses, lock_clauses.to_vec());
        let bound = self.from(&select.from);
        self.context.lock_clauses = around;
        let (plan, names) = bound?;
        let (mut conditions, condition_subqueries) =
            self.where_conditions(select.filter.as_ref(), &names)?;
        self.check_window_names(&select.windows)?;
        let mut scope = ExprScope {
            aggregates: Some(Vec::new()),
            windows: Some(Vec::new()),
            window_definitions: &select.windows,
            sets: Some(Vec::new()),
            ..ExprScope::with_subqueries(&names, "SELECT")
        };
        let clauses = self.clauses(select, order_by, (hints, carries), &mut scope)?;
        let mut calls = Calls::take(&mut scope);
        if let Some(call) = calls.aggregates.first() {
            self.refuse_in_recursion(&plan, call.position)?;
        }
        let subqueries = scope.take_subqueries();
        let locked = self.rows_to_lock(lock_clauses, &names, &clauses, &calls)?;
        if let Some(groups) = &clauses.groups {
            calls.gapfill = Gapfill::find(&groups.groups, &conditions)?;
        }
        // No row has to be read for groups of which none is kept.
        if let (Some(having), Some(groups)) = (&clauses.having, &clauses.groups)
            && is_false(having)
            && !groups.sets.iter().any(Vec::is_empty)
            && condition_subqueries.is_empty()
        {
            conditions = vec![having.clone()];
        }
        let plan = attach_conditions(plan, conditions, &condition_subqueries)?;
        let (stage, result) = self.stages(Stage { plan, subqueries }, &names, clauses, calls)?;
        finish(stage, result, limit, locked)
    }

    /// The conditions of WHERE, and the subqueries that they use.
    fn where_conditions(
        &mut self,
        filter: Option<&Ast>,
        names: &Scope,
    ) -> Result<(Vec<Expr>, Vec<Subquery>)> {
        let mut conditions = Vec::new();
        let Some(filter) = filter else {
            return Ok((conditions, Vec::new()));
        };
        let mut scope = ExprScope::with_subqueries(names, "WHERE");
        split_conjunction(self.filter(filter, &mut scope)?, &mut conditions);
        Ok((conditions, scope.take_subqueries()))
    }

    /// Everything behind WHERE and before LIMIT. `hints` are as those of a query, `carries` is the
    /// recursive query whose hidden columns become columns of the result.
    fn clauses(
        &mut self,
        select: &Select,
        order_by: &[OrderItem],
        (hints, carries): (Option<&[LogicalType]>, Option<String>),
        scope: &mut ExprScope<'_>,
    ) -> Result<Clauses> {
        let mut outputs = self.outputs(&select.items, scope, hints)?;
        if let Some(name) = carries {
            self.carry(&name, scope.names, &mut outputs)?;
        }
        let groups = self.group_by(&select.group_by, &outputs, scope)?;
        let mut having = None;
        let mut having_uses = Vec::new();
        if let Some(condition) = &select.having {
            scope.uses.clear();
            scope.clause = "HAVING";
            let (windows, sets) = (scope.windows.take(), scope.sets.take());
            having = Some(self.filter(condition, scope)?);
            (scope.windows, scope.sets) = (windows, sets);
            having_uses = core::mem::take(&mut scope.uses);
        }
        scope.clause = "ORDER BY";
        let keys = self.order_keys(order_by, &outputs, scope)?;
        let distinct = self.distinctness(select, &outputs, scope)?;
        Ok(Clauses {
            outputs,
            groups,
            having,
            having_uses,
            keys,
            distinct,
        })
    }

    fn distinctness(
        &mut self,
        select: &Select,
        outputs: &[Output],
        scope: &mut ExprScope<'_>,
    ) -> Result<Distinctness> {
        match &select.distinct {
            None => Ok(Distinctness::None),
            Some(Distinct::Rows) => {
                for (at, output) in outputs.iter().enumerate() {
                    let position = self.item_position(&select.items, at);
                    check_comparable(output.expr.logical_type(), false, position)?;
                }
                Ok(Distinctness::Rows)
            }
            Some(Distinct::On(items)) => {
                scope.clause = "DISTINCT ON";
                let mut on = Vec::with_capacity(items.len());
                for item in items {
                    let target = self.sort_target(item, outputs, "DISTINCT ON", scope)?;
                    let position = self.at(item.span);
                    check_comparable(target.ty(outputs), false, position)?;
                    on.push((target, position));
                }
                Ok(Distinctness::On(on))
            }
        }
    }

    /// The tables whose rows a SELECT locks.
    fn rows_to_lock(
        &self,
        lock_clauses: &[LockClause],
        names: &Scope,
        clauses: &Clauses,
        calls: &Calls,
    ) -> Result<Vec<(LockTarget, Vec<Expr>)>> {
        if lock_clauses.is_empty() {
            return Ok(Vec::new());
        }
        let is_distinct = !matches!(clauses.distinct, Distinctness::None);
        let refused = [
            (is_distinct, "DISTINCT clause"),
            (clauses.groups.is_some(), "GROUP BY clause"),
            (clauses.having.is_some(), "HAVING clause"),
            (!calls.aggregates.is_empty(), "aggregate functions"),
            (!calls.windows.is_empty(), "window functions"),
            (
                !calls.sets.is_empty(),
                "set-returning functions in the target list",
            ),
        ];
        self.tables_to_lock(lock_clauses, names, &refused)
    }

    /// The stages above the rows of FROM: groups, window functions, functions that give rows.
    fn stages(
        &mut self,
        mut stage: Stage,
        names: &Scope,
        clauses: Clauses,
        calls: Calls,
    ) -> Result<(Stage, Selected)> {
        let Clauses {
            mut outputs,
            groups,
            mut having,
            having_uses,
            mut keys,
            mut distinct,
        } = clauses;
        let Calls {
            aggregates,
            mut windows,
            mut sets,
            groupings,
            gapfill,
        } = calls;
        let mut above = Above {
            outputs: &mut outputs,
            keys: &mut keys,
            distinct: &mut distinct,
            windows: &mut windows,
            sets: &mut sets,
        };
        let is_grouped = groups.is_some() || having.is_some();
        if is_grouped || !aggregates.is_empty() || !groupings.is_empty() {
            let Groups {
                mut groups,
                sets: group_sets,
            } = groups.unwrap_or_default();
            stage = above.expand_groups(stage, &mut groups, &mut having)?;
            let grouping = Grouping {
                groups,
                sets: group_sets,
                aggregates,
                groupings,
                having: having.map(|having| (having, having_uses)),
                cte_id: self.new_cte_id(),
                gapfill,
            };
            stage = grouped(stage, grouping, names, &mut above)?;
        }
        stage = above.expand_windows(stage)?;
        let mut exprs = computed(&mut outputs, &mut keys, &mut distinct);
        let args = sets.iter_mut().flatten().flat_map(|call| &mut call.args);
        exprs.extend(args);
        stage = windowed(stage, windows, &mut exprs)?;
        let mut exprs = computed(&mut outputs, &mut keys, &mut distinct);
        let all = (0..sets.len()).collect();
        stage = expanded(stage, &mut sets, all, &mut exprs)?;
        let selected = Selected {
            outputs,
            keys,
            distinct,
        };
        Ok((stage, selected))
    }
}

impl QueryBinder<'_> {
    /// INTO may stand in the first SELECT of a statement only.
    pub fn check_into(&self, select: &Select) -> Result<()> {
        if let Some(into) = &select.into
            && self.context.into != Some(select.span)
        {
            let message = "SELECT ... INTO is not allowed here";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, self.at(into.name.span())));
        }
        Ok(())
    }
}
