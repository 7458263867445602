//! SELECT.

use varve_ast::{Distinct, Expr as Ast, OrderItem, Select};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::bind::expr::ExprScope;
use crate::bind::gapfill::Gapfill;
use crate::bind::grouped::grouped;
use crate::bind::limit::RowLimit;
use crate::bind::lock::{Claim, locked_rows};
use crate::bind::order::{OrderKey, Output, SortTarget, check_comparable};
use crate::bind::query::{column, limited, limited_sort, sorted};
use crate::bind::routine_call::calls_late;
use crate::bind::sets::expanded;
use crate::bind::stage::{Above, Distinctness, Grouping, Groups, Stage, computed, windowed};
use crate::bind::subquery::{Subquery, attach, attach_conditions};
use crate::bind::window::WindowUse;
use crate::bind::{Binder, located};
use crate::plan::{AggregateCall, Field, LockTarget, Plan, Query, SetCall, SortKeyExpr};
use crate::scope::Scope;
use crate::walk::{same_meaning, split_conjunction};

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

impl Binder<'_> {
    pub(crate) fn select(
        &mut self,
        select: &Select,
        order_by: &[OrderItem],
        limit: RowLimit,
        hints: Option<&[LogicalType]>,
        claims: &[Claim],
    ) -> Result<Query> {
        self.check_into(select)?;
        let carries = self.carries.take();
        let around = core::mem::replace(&mut self.claims, claims.to_vec());
        let bound = self.from(&select.from);
        self.claims = around;
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
        let locked = self.claimed_rows(claims, &names, &clauses, &calls)?;
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

    /// The tables whose rows a SELECT claims.
    fn claimed_rows(
        &self,
        claims: &[Claim],
        names: &Scope,
        clauses: &Clauses,
        calls: &Calls,
    ) -> Result<Vec<(LockTarget, Vec<Expr>)>> {
        if claims.is_empty() {
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
        self.claimed_tables(claims, names, &refused)
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

/// What is left to compute of a SELECT above its stages.
struct Selected {
    outputs: Vec<Output>,
    keys: Vec<OrderKey>,
    distinct: Distinctness,
}

/// Order, limit and projection. Rows are ordered before they are projected, so that they can be
/// ordered by what is not in the result and only the rows that are left are computed.
fn finish(
    stage: Stage,
    selected: Selected,
    mut limit: RowLimit,
    targets: Vec<(LockTarget, Vec<Expr>)>,
) -> Result<Query> {
    let Selected {
        mut outputs,
        keys,
        distinct,
    } = selected;
    let fields: Vec<Field> = outputs
        .iter()
        .map(|output| Field {
            name: output.name.clone(),
            ty: output.expr.logical_type(),
        })
        .collect();
    let is_distinct = matches!(distinct, Distinctness::Rows);
    let (mut on, on_positions) = on_targets(distinct, &outputs)?;
    let mut sort_keys = Vec::with_capacity(keys.len());
    for (at, key) in keys.into_iter().enumerate() {
        let key = sort_key(key, &outputs, &fields, is_distinct)?;
        if at < on.len() && !on.iter().any(|on| same_meaning(on, &key.expr)) {
            return Err(other_order(on_positions.get(at).copied()));
        }
        sort_keys.push(key);
    }
    let untyped = outputs.iter().map(|output| output.untyped).collect();
    let Stage {
        mut plan,
        subqueries,
    } = stage;
    // Functions are called for those rows only that are left.
    if !is_distinct && on.is_empty() && calls_late(&subqueries, &outputs, &sort_keys) {
        let mut keys: Vec<&mut Expr> = sort_keys.iter_mut().map(|key| &mut key.expr).collect();
        plan = attach(plan, &subqueries, &mut keys)?;
        plan = limited_sort(plan, core::mem::take(&mut sort_keys), limit);
        limit = RowLimit::default();
    }
    let mut exprs: Vec<&mut Expr> = outputs.iter_mut().map(|output| &mut output.expr).collect();
    if !is_distinct {
        exprs.extend(sort_keys.iter_mut().map(|key| &mut key.expr));
    }
    exprs.extend(&mut on);
    let plan = attach(plan, &subqueries, &mut exprs)?;
    let exprs: Vec<Expr> = outputs.into_iter().map(|output| output.expr).collect();
    let project = |input| Plan::Project {
        input: Box::new(input),
        exprs,
    };
    let plan = if is_distinct {
        limited_sort(unique(project(plan), &fields), sort_keys, limit)
    } else if !on.is_empty() {
        let ties = sort_keys.iter().map(|key| key.expr.clone()).collect();
        let first = Plan::First {
            input: Box::new(sorted(plan, sort_keys)),
            keys: on,
        };
        project(limited(first, limit, ties))
    } else {
        project(locked_rows(plan, sort_keys, limit, targets)?)
    };
    Ok(Query {
        plan,
        fields,
        untyped,
    })
}

/// What DISTINCT ON names, each once, and where every one of its items stands.
fn on_targets(distinct: Distinctness, outputs: &[Output]) -> Result<(Vec<Expr>, Vec<u32>)> {
    let mut on: Vec<Expr> = Vec::new();
    let mut positions = Vec::new();
    if let Distinctness::On(targets) = distinct {
        for (target, position) in targets {
            positions.push(position);
            let target = target.into_expr(outputs)?;
            if !on.iter().any(|known| same_meaning(known, &target)) {
                on.push(target);
            }
        }
    }
    Ok((on, positions))
}

/// The error about ORDER BY that does not begin with what DISTINCT ON names.
fn other_order(position: Option<u32>) -> Error {
    let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
    let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
    located(error, position.unwrap_or_default())
}

/// An item of ORDER BY; of DISTINCT rows it is a column of the result.
fn sort_key(
    key: OrderKey,
    outputs: &[Output],
    fields: &[Field],
    is_distinct: bool,
) -> Result<SortKeyExpr> {
    let expr = match key.target {
        SortTarget::Output(index) if is_distinct => column(index, fields),
        SortTarget::Expr { expr, .. } if is_distinct => {
            let index = outputs
                .iter()
                .position(|output| same_meaning(&output.expr, &expr));
            let Some(index) = index else {
                let message =
                    "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
                let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
                return Err(located(error, key.position));
            };
            column(index, fields)
        }
        target => target.into_expr(outputs)?,
    };
    Ok(SortKeyExpr {
        expr,
        descending: key.descending,
        nulls_first: key.nulls_first,
    })
}

/// Each different row of a result once.
fn unique(input: Plan, fields: &[Field]) -> Plan {
    let groups = (0..fields.len()).map(|index| column(index, fields));
    Plan::Aggregate {
        input: Box::new(input),
        groups: groups.collect(),
        aggregates: Vec::new(),
    }
}

/// A condition that no row meets.
fn is_false(condition: &Expr) -> bool {
    matches!(
        condition,
        Expr::Literal {
            value: Value::Boolean(false),
            ..
        }
    )
}
