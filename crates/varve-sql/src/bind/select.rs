//! SELECT.

use sqlparser::ast::{
    Distinct, Expr as Ast, GroupByExpr, OrderBy, Select, SelectFlavor, SelectItem,
    SelectItemQualifiedWildcardKind, WildcardAdditionalOptions,
};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::bind::expr::ExprScope;
use crate::bind::gapfill::Gapfill;
use crate::bind::grouped::grouped;
use crate::bind::limit::RowLimit;
use crate::bind::literal::CastContext;
use crate::bind::lock::{Claim, locked_rows};
use crate::bind::names::{fold_name, result_name};
use crate::bind::order::{OrderKey, Output, SortTarget, check_comparable, ordinal};
use crate::bind::placeholder::{Place, place};
use crate::bind::query::{column, limited, limited_sort, sorted};
use crate::bind::routine_call::calls_late;
use crate::bind::sets::{expanded, for_each_read};
use crate::bind::stage::{Above, Distinctness, Grouping, Groups, Stage, computed, windowed};
use crate::bind::subquery::{attach, attach_conditions};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::kept_text::Meaning;
use crate::plan::{Field, LockTarget, Plan, Query, SetCall, SortKeyExpr};
use crate::scope::Scope;
use crate::walk::{same_meaning, split_conjunction};

impl Binder<'_> {
    pub(crate) fn select(
        &mut self,
        select: &Select,
        order_by: Option<&OrderBy>,
        limit: RowLimit,
        hints: Option<&[LogicalType]>,
        claims: &[Claim],
    ) -> Result<Query> {
        let Select {
            select_token: _,
            optimizer_hints: _,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into: _,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        let position = self.source.first();
        refuse(select_modifiers.is_some(), "a modifier of SELECT", position)?;
        refuse(top.is_some(), "TOP", position)?;
        refuse(exclude.is_some(), "EXCLUDE", position)?;
        self.check_into(select)?;
        refuse(!lateral_views.is_empty(), "LATERAL VIEW", position)?;
        refuse(prewhere.is_some(), "PREWHERE", position)?;
        refuse(!connect_by.is_empty(), "CONNECT BY", position)?;
        refuse(!cluster_by.is_empty(), "CLUSTER BY", position)?;
        refuse(!distribute_by.is_empty(), "DISTRIBUTE BY", position)?;
        refuse(!sort_by.is_empty(), "SORT BY", position)?;
        refuse(qualify.is_some(), "QUALIFY", position)?;
        refuse(value_table_mode.is_some(), "SELECT AS", position)?;
        let standard = matches!(flavor, SelectFlavor::Standard);
        refuse(!standard, "FROM before SELECT", position)?;
        let is_distinct = matches!(distinct, Some(Distinct::Distinct | Distinct::On(_)));
        let carries = self.carries.take();
        let around = core::mem::replace(&mut self.claims, claims.to_vec());
        let bound = self.from(from);
        self.claims = around;
        let (mut plan, names) = bound?;
        let mut conditions = Vec::new();
        let mut condition_subqueries = Vec::new();
        if let Some(selection) = selection {
            let mut scope = ExprScope::with_subqueries(&names, "WHERE");
            split_conjunction(self.filter(selection, &mut scope)?, &mut conditions);
            condition_subqueries = scope.take_subqueries();
        }
        self.check_window_names(named_window)?;
        let mut scope = ExprScope {
            aggregates: Some(Vec::new()),
            windows: Some(Vec::new()),
            window_definitions: named_window,
            sets: Some(Vec::new()),
            ..ExprScope::with_subqueries(&names, "SELECT")
        };
        let mut outputs = self.outputs(projection, &mut scope, hints)?;
        if let Some(name) = carries {
            self.carry(&name, &names, &mut outputs)?;
        }
        let groups = self.group_by(group_by, &outputs, &mut scope)?;
        let has_having = having.is_some();
        let (having, having_uses) = match having {
            None => (None, Vec::new()),
            Some(having) => {
                scope.uses.clear();
                scope.clause = "HAVING";
                let (windows, sets) = (scope.windows.take(), scope.sets.take());
                let having = self.filter(having, &mut scope)?;
                (scope.windows, scope.sets) = (windows, sets);
                (Some(having), core::mem::take(&mut scope.uses))
            }
        };
        scope.clause = "ORDER BY";
        let mut keys = match order_by {
            Some(order_by) => self.order_keys(order_by, &outputs, &mut scope)?,
            None => Vec::new(),
        };
        let distinct = match distinct {
            None | Some(Distinct::All) => Distinctness::None,
            Some(Distinct::Distinct) => {
                for (at, output) in outputs.iter().enumerate() {
                    let position = self.item_position(projection, at);
                    check_comparable(output.expr.logical_type(), false, position)?;
                }
                Distinctness::Rows
            }
            Some(Distinct::On(items)) => {
                scope.clause = "DISTINCT ON";
                let mut on = Vec::with_capacity(items.len());
                for item in items {
                    let target = self.sort_target(item, &outputs, "DISTINCT ON", &mut scope)?;
                    let position = self.source.expr(item);
                    check_comparable(target.ty(&outputs), false, position)?;
                    on.push((target, position));
                }
                Distinctness::On(on)
            }
        };
        let aggregates = scope.aggregates.take().unwrap_or_default();
        if let Some(call) = aggregates.first() {
            self.refuse_in_recursion(&plan, call.position)?;
        }
        let subqueries = scope.take_subqueries();
        let mut windows = scope.windows.take().unwrap_or_default();
        let sets = scope.sets.take().unwrap_or_default();
        let mut sets: Vec<Option<SetCall>> = sets.into_iter().map(Some).collect();
        let groupings = core::mem::take(&mut scope.groupings);

        let locked = match claims {
            [] => Vec::new(),
            _ => {
                let refused = [
                    (is_distinct, "DISTINCT clause"),
                    (groups.is_some(), "GROUP BY clause"),
                    (has_having, "HAVING clause"),
                    (!aggregates.is_empty(), "aggregate functions"),
                    (!windows.is_empty(), "window functions"),
                    (
                        !sets.is_empty(),
                        "set-returning functions in the target list",
                    ),
                ];
                self.claimed_tables(claims, &names, &refused)?
            }
        };
        let gapfill = match &groups {
            Some(groups) => Gapfill::find(&groups.groups, &conditions)?,
            None => None,
        };
        // No row has to be read for groups of which none is kept.
        if let (Some(having), Some(groups)) = (&having, &groups)
            && is_false(having)
            && !groups.sets.iter().any(Vec::is_empty)
            && condition_subqueries.is_empty()
        {
            conditions = vec![having.clone()];
        }
        plan = attach_conditions(plan, conditions, &condition_subqueries)?;
        let mut stage = Stage { plan, subqueries };
        let mut distinct = distinct;
        let mut above = Above {
            outputs: &mut outputs,
            keys: &mut keys,
            distinct: &mut distinct,
            windows: &mut windows,
            sets: &mut sets,
        };
        if groups.is_some() || has_having || !aggregates.is_empty() || !groupings.is_empty() {
            let Groups {
                mut groups,
                sets: group_sets,
            } = groups.unwrap_or_default();
            let mut having = having;
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
            stage = grouped(stage, grouping, &names, &mut above)?;
        }
        stage = above.expand_windows(stage)?;
        let mut exprs = computed(&mut outputs, &mut keys, &mut distinct);
        let args = sets.iter_mut().flatten().flat_map(|call| &mut call.args);
        exprs.extend(args);
        stage = windowed(stage, windows, &mut exprs)?;
        let mut exprs = computed(&mut outputs, &mut keys, &mut distinct);
        let all = (0..sets.len()).collect();
        stage = expanded(stage, &mut sets, all, &mut exprs)?;
        finish(stage, outputs, keys, limit, distinct, locked)
    }

    /// The select list.
    pub(crate) fn outputs(
        &mut self,
        items: &[SelectItem],
        scope: &mut ExprScope<'_>,
        hints: Option<&[LogicalType]>,
    ) -> Result<Vec<Output>> {
        let mut outputs = Vec::with_capacity(items.len());
        for item in items {
            let (ast, name) = match item {
                SelectItem::UnnamedExpr(row @ Ast::Tuple(fields))
                    if self
                        .spread_row
                        .is_some_and(|spread| core::ptr::eq(spread, row)) =>
                {
                    for field in fields {
                        let operand = self.expr(field, scope)?;
                        let expr = varve_expr::fold(self.settle(operand)?);
                        let uses = core::mem::take(&mut scope.uses);
                        outputs.push(Output::of(result_name(field), expr, uses));
                    }
                    continue;
                }
                SelectItem::UnnamedExpr(ast) => {
                    if let Ast::Function(call) = ast {
                        self.use_name(self.source.name(&call.name), || Meaning::Naming);
                    }
                    (ast, result_name(ast))
                }
                SelectItem::ExprWithAlias { expr, alias } => (expr, fold_name(alias)),
                SelectItem::ExprWithAliases { expr, .. } => {
                    return Err(unsupported_at("a list of aliases", self.source.expr(expr)));
                }
                SelectItem::Wildcard(options) => {
                    let position = self.wildcard(options)?;
                    if scope.names.tables.is_empty() {
                        let message = "SELECT * with no tables specified is not valid";
                        let error = Error::new(SqlState::SYNTAX_ERROR, message);
                        return Err(located(error, position));
                    }
                    let star = scope.names.star.iter().copied();
                    self.use_star(scope.names, star.clone(), position);
                    outputs.extend(star.filter_map(|index| all_of(scope.names, index, position)));
                    continue;
                }
                SelectItem::QualifiedWildcard(kind, options) => {
                    self.wildcard(options)?;
                    let name = match kind {
                        SelectItemQualifiedWildcardKind::ObjectName(name) => name,
                        SelectItemQualifiedWildcardKind::Expr(row) => {
                            self.spread_fields(row, scope, &mut outputs)?;
                            continue;
                        }
                    };
                    let position = self.source.name(name);
                    let of = self.relation_name(name)?;
                    let table = match scope.names.find_table(&of, position) {
                        Ok(table) => table,
                        Err(error) => {
                            let fields = self.record_fields(&of.name, position)?.ok_or(error)?;
                            let fields = fields.into_iter();
                            outputs.extend(
                                fields.map(|(name, expr)| Output::of(name, expr, Vec::new())),
                            );
                            continue;
                        }
                    };
                    let indexes = table.first..table.first + table.columns.len();
                    self.use_star(scope.names, indexes.clone(), position);
                    outputs
                        .extend(indexes.filter_map(|index| all_of(scope.names, index, position)));
                    continue;
                }
            };
            scope.uses.clear();
            let operand = self.expr(ast, scope)?;
            let untyped = operand.ty().is_none();
            let hint = hints.and_then(|hints| hints.get(outputs.len())).copied();
            let expr = match hint.filter(|_| operand.ty().is_none()) {
                Some(ty) => self
                    .convert(operand, ty, CastContext::Assignment, self.source.expr(ast))?
                    .ok_or_else(|| Error::internal("an unknown value does not take a type"))?,
                None => self.settle(operand)?,
            };
            outputs.push(Output {
                expr: varve_expr::fold(expr),
                name,
                uses: core::mem::take(&mut scope.uses),
                untyped,
            });
        }
        Ok(outputs)
    }

    /// `(row).*`: the fields of a row as columns.
    fn spread_fields(
        &mut self,
        ast: &Ast,
        scope: &mut ExprScope<'_>,
        outputs: &mut Vec<Output>,
    ) -> Result<()> {
        let position = self.source.expr(ast);
        scope.uses.clear();
        let operand = self.expr(ast, scope)?;
        let row = self.settle(operand)?;
        let Some(fields) = self.fields_of_row(&row) else {
            let message = format!("type {} is not composite", row.logical_type());
            let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
            return Err(located(error, position));
        };
        for (place, (name, ty, _)) in fields.into_iter().enumerate() {
            let expr = varve_expr::fold(self.field_at(&row, (place, ty), position)?);
            outputs.push(Output::of(name, expr, scope.uses.clone()));
        }
        scope.uses.clear();
        Ok(())
    }

    /// Where `*` stands; whatever modifies it is refused.
    fn wildcard(&self, options: &WildcardAdditionalOptions) -> Result<u32> {
        let WildcardAdditionalOptions {
            wildcard_token,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        let position = self.source.token(wildcard_token);
        let modified = opt_ilike.is_some()
            || opt_exclude.is_some()
            || opt_except.is_some()
            || opt_replace.is_some()
            || opt_rename.is_some()
            || opt_alias.is_some();
        refuse(modified, "a modifier of *", position)?;
        Ok(position)
    }

    /// The groups; `None` without GROUP BY.
    fn group_by(
        &mut self,
        group_by: &GroupByExpr,
        outputs: &[Output],
        scope: &mut ExprScope<'_>,
    ) -> Result<Option<Groups>> {
        let position = self.source.first();
        let items = match group_by {
            GroupByExpr::All(_) => return Err(unsupported_at("GROUP BY ALL", position)),
            GroupByExpr::Expressions(items, modifiers) => {
                refuse(!modifiers.is_empty(), "a modifier of GROUP BY", position)?;
                items
            }
        };
        if items.is_empty() {
            return Ok(None);
        }
        let mut groups = Groups::default();
        let mut known: Vec<&Ast> = Vec::new();
        let mut places: Vec<usize> = Vec::new();
        for set in self.written_sets(items)? {
            let mut members = Vec::with_capacity(set.len());
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
                if !members.contains(&place) {
                    members.push(place);
                }
            }
            groups.sets.push(members);
        }
        Ok(Some(groups))
    }

    /// One item of GROUP BY.
    fn group(&mut self, item: &Ast, outputs: &[Output], scope: &mut ExprScope<'_>) -> Result<Expr> {
        let position = self.source.expr(item);
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
        for_each_read(&group, &args, subqueries, &mut |column| {
            refused = match place(column) {
                Place::Aggregate(_) => Some((SqlState::GROUPING_ERROR, "aggregate functions")),
                Place::Window(_) => Some((SqlState::WINDOWING_ERROR, "window functions")),
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
        if let Ast::Identifier(ident) = item
            && names
                .find_unqualified(&fold_name(ident), position)?
                .is_some()
        {
            return Ok(None);
        }
        match super::order::output_named(item, outputs, "GROUP BY", position)? {
            Some(index) => Ok(Some(index)),
            None => ordinal(item, outputs.len(), "GROUP BY", position),
        }
    }
}

/// A column that `*` stands for.
fn all_of(names: &Scope, index: usize, position: u32) -> Option<Output> {
    let (_, name, ty) = names.column(index)?;
    let column = Expr::Column { index, ty };
    Some(Output::of(name.to_owned(), column, vec![(index, position)]))
}

/// Order, limit and projection. Rows are ordered before they are projected, so that they can be
/// ordered by what is not in the result and only the rows that are left are computed.
fn finish(
    stage: Stage,
    mut outputs: Vec<Output>,
    keys: Vec<OrderKey>,
    mut limit: RowLimit,
    distinct: Distinctness,
    targets: Vec<(LockTarget, Vec<Expr>)>,
) -> Result<Query> {
    let fields: Vec<Field> = outputs
        .iter()
        .map(|output| Field {
            name: output.name.clone(),
            ty: output.expr.logical_type(),
        })
        .collect();
    let mut on_positions = Vec::new();
    let (distinct, mut on) = match distinct {
        Distinctness::None => (false, Vec::new()),
        Distinctness::Rows => (true, Vec::new()),
        Distinctness::On(targets) => {
            let mut on: Vec<Expr> = Vec::with_capacity(targets.len());
            for (target, position) in targets {
                on_positions.push(position);
                let target = target.into_expr(&outputs)?;
                if !on.iter().any(|known| same_meaning(known, &target)) {
                    on.push(target);
                }
            }
            (false, on)
        }
    };
    let mut sort_keys = Vec::with_capacity(keys.len());
    for (at, key) in keys.into_iter().enumerate() {
        let expr = match key.target {
            SortTarget::Output(index) if distinct => column(index, &fields),
            SortTarget::Expr { expr, .. } if distinct => {
                let index = outputs
                    .iter()
                    .position(|output| same_meaning(&output.expr, &expr));
                let Some(index) = index else {
                    let message =
                        "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
                    let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
                    return Err(located(error, key.position));
                };
                column(index, &fields)
            }
            target => target.into_expr(&outputs)?,
        };
        if at < on.len() && !on.iter().any(|on| same_meaning(on, &expr)) {
            let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
            let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
            let position = on_positions.get(at).copied().unwrap_or_default();
            return Err(located(error, position));
        }
        sort_keys.push(SortKeyExpr {
            expr,
            descending: key.descending,
            nulls_first: key.nulls_first,
        });
    }
    let untyped = outputs.iter().map(|output| output.untyped).collect();
    let Stage {
        mut plan,
        subqueries,
    } = stage;
    // Functions are called for those rows only that are left.
    if !distinct && on.is_empty() && calls_late(&subqueries, &outputs, &sort_keys) {
        let mut keys: Vec<&mut Expr> = sort_keys.iter_mut().map(|key| &mut key.expr).collect();
        plan = attach(plan, &subqueries, &mut keys)?;
        plan = limited_sort(plan, core::mem::take(&mut sort_keys), limit);
        limit = RowLimit::default();
    }
    let mut exprs: Vec<&mut Expr> = outputs.iter_mut().map(|output| &mut output.expr).collect();
    if !distinct {
        exprs.extend(sort_keys.iter_mut().map(|key| &mut key.expr));
    }
    exprs.extend(&mut on);
    let plan = attach(plan, &subqueries, &mut exprs)?;
    let exprs: Vec<Expr> = outputs.into_iter().map(|output| output.expr).collect();
    let project = |input| Plan::Project {
        input: Box::new(input),
        exprs,
    };
    let plan = if distinct {
        let groups = (0..fields.len())
            .map(|index| column(index, &fields))
            .collect();
        let unique = Plan::Aggregate {
            input: Box::new(project(plan)),
            groups,
            aggregates: Vec::new(),
        };
        limited_sort(unique, sort_keys, limit)
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
