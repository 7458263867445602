//! SELECT.

use sqlparser::ast::{
    Distinct, Expr as Ast, GroupByExpr, LockClause, ObjectNamePart, OrderBy, Select, SelectFlavor,
    SelectItem, SelectItemQualifiedWildcardKind, WildcardAdditionalOptions,
};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::aggregate::over_groups;
use crate::bind::expr::{AGGREGATE_COLUMNS, ExprScope};
use crate::bind::limit::RowLimit;
use crate::bind::literal::CastContext;
use crate::bind::names::{fold_name, result_name};
use crate::bind::order::{OrderKey, Output, SortTarget, ordinal};
use crate::bind::query::{column, limited, sorted};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::plan::{AggregateCall, Field, Plan, Query, SortKeyExpr};
use crate::push_down::{filtered, join_sources};
use crate::scope::Scope;
use crate::walk::{for_each_column, same_meaning, split_conjunction};

/// The groups of a SELECT with GROUP BY, HAVING or aggregates.
struct Grouping {
    groups: Vec<Expr>,
    aggregates: Vec<AggregateCall>,
    having: Vec<Expr>,
}

impl Binder<'_> {
    pub(crate) fn select(
        &mut self,
        select: &Select,
        order_by: Option<&OrderBy>,
        limit: RowLimit,
        hints: Option<&[LogicalType]>,
        lock: Option<&LockClause>,
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
            into,
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
        refuse(into.is_some(), "SELECT INTO", position)?;
        refuse(!lateral_views.is_empty(), "LATERAL VIEW", position)?;
        refuse(prewhere.is_some(), "PREWHERE", position)?;
        refuse(!connect_by.is_empty(), "CONNECT BY", position)?;
        refuse(!cluster_by.is_empty(), "CLUSTER BY", position)?;
        refuse(!distribute_by.is_empty(), "DISTRIBUTE BY", position)?;
        refuse(!sort_by.is_empty(), "SORT BY", position)?;
        refuse(!named_window.is_empty(), "WINDOW", position)?;
        refuse(qualify.is_some(), "QUALIFY", position)?;
        refuse(value_table_mode.is_some(), "SELECT AS", position)?;
        let standard = matches!(flavor, SelectFlavor::Standard);
        refuse(!standard, "FROM before SELECT", position)?;
        let distinct = match distinct {
            None | Some(Distinct::All) => false,
            Some(Distinct::Distinct) => true,
            Some(Distinct::On(_)) => return Err(unsupported_at("DISTINCT ON", position)),
        };

        self.refuse_lock(lock, distinct, "DISTINCT clause")?;
        let (mut from, names) = self.from(from)?;
        let mut conditions = core::mem::take(&mut from.conditions);
        if let Some(selection) = selection {
            let mut scope = ExprScope::plain(&names, "WHERE");
            split_conjunction(self.filter(selection, &mut scope)?, &mut conditions);
        }
        let mut scope = ExprScope {
            names: &names,
            clause: "SELECT",
            aggregates: Some(Vec::new()),
            uses: Vec::new(),
        };
        let mut outputs = self.outputs(projection, &mut scope, hints)?;
        let groups = self.group_by(group_by, &outputs, &names)?;
        let has_having = having.is_some();
        let (having, having_uses) = match having {
            None => (None, Vec::new()),
            Some(having) => {
                scope.uses.clear();
                scope.clause = "HAVING";
                let having = self.filter(having, &mut scope)?;
                (Some(having), core::mem::take(&mut scope.uses))
            }
        };
        scope.clause = "ORDER BY";
        let mut keys = match order_by {
            Some(order_by) => self.order_keys(order_by, &outputs, &mut scope)?,
            None => Vec::new(),
        };
        let aggregates = scope.aggregates.take().unwrap_or_default();

        self.refuse_lock(lock, groups.is_some(), "GROUP BY clause")?;
        self.refuse_lock(lock, has_having, "HAVING clause")?;
        self.refuse_lock(lock, !aggregates.is_empty(), "aggregate functions")?;
        let lock = match lock {
            Some(lock) => Some(self.lock_rows(lock, &mut from, &names, &mut outputs)?),
            None => None,
        };
        let mut plan = join_sources(from.sources, conditions);
        if groups.is_some() || has_having || !aggregates.is_empty() {
            let mut grouping = Grouping {
                groups: groups.unwrap_or_default(),
                aggregates,
                having: Vec::new(),
            };
            for output in &mut outputs {
                over_groups(&mut output.expr, &grouping.groups, &names, &output.uses)?;
            }
            for key in &mut keys {
                if let SortTarget::Expr { expr, uses } = &mut key.target {
                    over_groups(expr, &grouping.groups, &names, uses)?;
                }
            }
            if let Some(mut having) = having {
                over_groups(&mut having, &grouping.groups, &names, &having_uses)?;
                split_conjunction(having, &mut grouping.having);
            }
            plan = grouped(plan, grouping);
        }
        let mut query = finish(plan, outputs, keys, limit, distinct)?;
        if lock.is_some() {
            query.fields.pop();
        }
        query.lock = lock;
        Ok(query)
    }

    /// The select list.
    fn outputs(
        &mut self,
        items: &[SelectItem],
        scope: &mut ExprScope<'_>,
        hints: Option<&[LogicalType]>,
    ) -> Result<Vec<Output>> {
        let mut outputs = Vec::with_capacity(items.len());
        for item in items {
            let (ast, name) = match item {
                SelectItem::UnnamedExpr(ast) => (ast, result_name(ast)),
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
                    outputs.extend(star.filter_map(|index| all_of(scope.names, index, position)));
                    continue;
                }
                SelectItem::QualifiedWildcard(kind, options) => {
                    self.wildcard(options)?;
                    let SelectItemQualifiedWildcardKind::ObjectName(name) = kind else {
                        return Err(unsupported_at("* of an expression", self.source.first()));
                    };
                    let position = self.source.name(name);
                    let table = match name.0.as_slice() {
                        [ObjectNamePart::Identifier(table)] => fold_name(table),
                        [
                            ObjectNamePart::Identifier(schema),
                            ObjectNamePart::Identifier(table),
                        ] if fold_name(schema) == "public" => fold_name(table),
                        _ => return Err(unsupported_at("a name of this many parts", position)),
                    };
                    let table = scope.names.find_table(&table, position)?;
                    let indexes = table.first..table.first + table.columns.len();
                    outputs
                        .extend(indexes.filter_map(|index| all_of(scope.names, index, position)));
                    continue;
                }
            };
            scope.uses.clear();
            let operand = self.expr(ast, scope)?;
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
            });
        }
        Ok(outputs)
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
        names: &Scope,
    ) -> Result<Option<Vec<Expr>>> {
        let position = self.source.first();
        let items = match group_by {
            GroupByExpr::All(_) => return Err(unsupported_at("GROUP BY ALL", position)),
            GroupByExpr::Expressions(items, modifiers) => {
                refuse(!modifiers.is_empty(), "a modifier of GROUP BY", position)?;
                items
            }
        };
        let mut groups: Vec<Expr> = Vec::with_capacity(items.len());
        for item in items {
            let position = self.source.expr(item);
            let group = match self.group_output(item, outputs, names, position)? {
                Some(index) => outputs.get(index).map(|output| output.expr.clone()),
                None => None,
            };
            let group = match group {
                Some(group) => group,
                None => {
                    let mut scope = ExprScope::plain(names, "GROUP BY");
                    let operand = self.expr(item, &mut scope)?;
                    varve_expr::fold(self.settle(operand)?)
                }
            };
            let mut aggregated = false;
            for_each_column(&group, &mut |column| {
                aggregated |= column >= AGGREGATE_COLUMNS
            });
            if aggregated {
                let message = "aggregate functions are not allowed in GROUP BY";
                let error = Error::new(SqlState::GROUPING_ERROR, message);
                return Err(located(error, position));
            }
            if !groups.iter().any(|known| same_meaning(known, &group)) {
                groups.push(group);
            }
        }
        Ok((!items.is_empty()).then_some(groups))
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
        match super::order::output_named(item, outputs, position)? {
            Some(index) => Ok(Some(index)),
            None => ordinal(item, outputs.len(), "GROUP BY", position),
        }
    }
}

/// A column that `*` stands for.
fn all_of(names: &Scope, index: usize, position: u32) -> Option<Output> {
    let (_, name, ty) = names.column(index)?;
    Some(Output {
        expr: Expr::Column { index, ty },
        name: name.to_owned(),
        uses: vec![(index, position)],
    })
}

fn grouped(input: Plan, grouping: Grouping) -> Plan {
    let plan = Plan::Aggregate {
        input: Box::new(input),
        groups: grouping.groups,
        aggregates: grouping.aggregates,
    };
    filtered(plan, grouping.having)
}

/// Order, limit and projection. Rows are ordered before they are projected, so that they can be
/// ordered by what is not in the result and only the rows that are left are computed.
fn finish(
    plan: Plan,
    outputs: Vec<Output>,
    keys: Vec<OrderKey>,
    limit: RowLimit,
    distinct: bool,
) -> Result<Query> {
    let fields: Vec<Field> = outputs
        .iter()
        .map(|output| Field {
            name: output.name.clone(),
            ty: output.expr.logical_type(),
        })
        .collect();
    let mut sort_keys = Vec::with_capacity(keys.len());
    for key in keys {
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
            SortTarget::Output(index) => match outputs.get(index) {
                Some(output) => output.expr.clone(),
                None => return Err(Error::internal("ORDER BY names no result column")),
            },
            SortTarget::Expr { expr, .. } => expr,
        };
        sort_keys.push(SortKeyExpr {
            expr,
            descending: key.descending,
            nulls_first: key.nulls_first,
        });
    }
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
        limited(sorted(unique, sort_keys), limit)
    } else {
        project(limited(sorted(plan, sort_keys), limit))
    };
    Ok(Query {
        plan,
        fields,
        lock: None,
    })
}
