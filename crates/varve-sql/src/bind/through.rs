//! Views that can be written through: those of one table or view, whose rows are rows of it.

use std::sync::Arc;

use sqlparser::ast::{
    GroupByExpr, Query as AstQuery, Select, SetExpr, TableFactor, TableWithJoins,
};
use varve_expr::{DEFAULT_LOCALE, Expr};
use varve_types::{LogicalType, Result};

use crate::bind::Binder;
use crate::bind::conflict::column_exprs;
use crate::bind::expr::ExprScope;
use crate::bind::members::MemberRows;
use crate::bind::names::undefined_table;
use crate::bind::relation::is_only;
use crate::bind::subquery::{attach, attach_conditions};
use crate::bind::target::{Through, ThroughColumn, Verb, head, head_exprs, over_table};
use crate::catalog::TableDef;
use crate::plan::Plan;
use crate::schema::{Catalog, Named};
use crate::scope::Scope;
use crate::view::{ViewCheck, ViewDef, ViewKind, ViewRead};
use crate::walk::split_conjunction;

const NOT_SINGLE: &str =
    "Views that do not select from a single table or view are not automatically updatable.";

impl Binder<'_> {
    /// The way from a view to its table; `is_checked` where a view above it checks all conditions.
    pub(crate) fn through(
        &mut self,
        view: &Arc<ViewDef>,
        verb: Verb,
        is_checked: bool,
    ) -> Result<(Arc<TableDef>, Through)> {
        const LEVEL_KIB: u32 = 18;
        self.take_stack(LEVEL_KIB, 0)?;
        let bound = self.in_view(view, |binder, query| {
            let (select, relation) = simple(query).map_err(|detail| verb.refused(view, detail))?;
            binder.through_select(view, verb, is_checked, select, relation)
        });
        self.stack_kib -= LEVEL_KIB;
        bound
    }

    fn through_select(
        &mut self,
        view: &Arc<ViewDef>,
        verb: Verb,
        is_checked: bool,
        select: &Select,
        relation: &TableFactor,
    ) -> Result<(Arc<TableDef>, Through)> {
        let TableFactor::Table {
            name,
            alias,
            partitions,
            ..
        } = relation
        else {
            return Err(verb.refused(view, NOT_SINGLE));
        };
        let written = self.relation_name(name)?;
        let check = match view.kind {
            ViewKind::Plain { check } => check,
            ViewKind::Materialized { .. } => ViewCheck::None,
        };
        let all_checked = is_checked || check == ViewCheck::Cascaded;
        // The columns of the relation, under the names by which the view knows them.
        let (table, mut inner, picked, first) = match self.read_name(&written) {
            Some((Named::View(object), Some(read))) => {
                let under = self.catalog.views.get(&object).cloned();
                let under = under.ok_or_else(|| undefined_table(&written, 0))?;
                if under.is_materialized() {
                    return Err(verb.refused(view, NOT_SINGLE));
                }
                let (table, inner) = self.through(&under, verb, all_checked)?;
                let first = head(&table, &inner.members);
                // A view only gets more columns, at its end.
                let names = read.columns.into_iter().map(|(_, name)| name);
                (table, inner, names.enumerate().collect(), first)
            }
            Some((Named::Table(object), Some(read))) if self.catalog.view_of(object).is_none() => {
                let table = self.catalog.tables.get(&object).cloned();
                let table = table.ok_or_else(|| undefined_table(&written, 0))?;
                self.found.borrow_mut().add_table(&table);
                let rows = self.member_rows(&table, is_only(partitions), true);
                let inner = of_table(&table, rows);
                let picked = known_columns(&read, &table);
                (table, inner, picked, 0)
            }
            _ => return Err(verb.refused(view, NOT_SINGLE)),
        };
        let columns: Vec<ThroughColumn> = picked
            .iter()
            .filter_map(|(at, name)| {
                let column = inner.columns.get(*at)?.clone();
                let name = name.clone();
                Some(ThroughColumn { name, ..column })
            })
            .collect();
        let mut named: Vec<(String, LogicalType)> = columns
            .iter()
            .map(|column| (column.name.clone(), column.ty))
            .collect();
        let name = match alias {
            Some(alias) => self.apply_alias(alias, &mut named)?,
            None => written.name.clone(),
        };
        // Where the view leaves columns out or has them in another order they are put in place.
        let is_straight = picked
            .iter()
            .enumerate()
            .all(|(at, (place, _))| at == *place);
        let mut plan = inner.plan;
        let mut names = Scope::table(name, first, named);
        if !is_straight {
            let mut exprs = head_exprs(&table, &inner.members);
            let own = exprs.len();
            let places = picked.iter().zip(&columns);
            exprs.extend(places.map(|((at, _), column)| Expr::Column {
                index: first + at,
                ty: column.ty,
            }));
            plan = Plan::Project {
                input: Box::new(plan),
                exprs,
            };
            names = names.shifted(own - first);
        }
        let first = names.tables.first().map_or(0, |table| table.first);
        let mut condition = None;
        if let Some(selection) = &select.selection {
            let mut scope = ExprScope::with_subqueries(&names, "WHERE");
            let filter = self.filter(selection, &mut scope)?;
            let subqueries = scope.take_subqueries();
            condition = Some(over_table(&columns, &filter, &[(first, 0)]));
            let mut conditions = Vec::new();
            split_conjunction(filter, &mut conditions);
            plan = attach_conditions(plan, conditions, &subqueries)?;
        }
        let mut scope = ExprScope {
            aggregates: Some(Vec::new()),
            windows: Some(Vec::new()),
            window_definitions: &select.named_window,
            sets: Some(Vec::new()),
            ..ExprScope::with_subqueries(&names, "SELECT")
        };
        let outputs = self.outputs(&select.projection, &mut scope, None)?;
        let details = [
            (
                scope
                    .aggregates
                    .as_ref()
                    .is_some_and(|calls| !calls.is_empty()),
                "aggregate",
            ),
            (
                scope
                    .windows
                    .as_ref()
                    .is_some_and(|calls| !calls.is_empty()),
                "window",
            ),
            (
                scope.sets.as_ref().is_some_and(|calls| !calls.is_empty()),
                "set-returning",
            ),
        ];
        if let Some((_, what)) = details.iter().find(|(is_there, _)| *is_there) {
            let detail =
                format!("Views that return {what} functions are not automatically updatable.");
            return Err(verb.refused(view, &detail));
        }
        let subqueries = scope.take_subqueries();
        let mut exprs = head_exprs(&table, &inner.members);
        let own = exprs.len();
        let mut known = Vec::with_capacity(outputs.len());
        for (output, column) in outputs.into_iter().zip(&view.columns) {
            known.push(ThroughColumn {
                name: column.name.clone(),
                ty: output.expr.logical_type(),
                expr: over_table(&columns, &output.expr, &[(first, 0)]),
            });
            exprs.push(output.expr);
        }
        let mut values: Vec<&mut Expr> = exprs.iter_mut().skip(own).collect();
        plan = attach(plan, &subqueries, &mut values)?;
        inner.plan = Plan::Project {
            input: Box::new(plan),
            exprs,
        };
        inner.columns = known;
        if let Some(condition) = condition {
            inner.conditions.push((view.name.clone(), condition));
            inner.checked.push(all_checked || check == ViewCheck::Local);
        }
        Ok((table, inner))
    }
}

/// The way to a table itself.
fn of_table(table: &Arc<TableDef>, rows: MemberRows) -> Through {
    let columns = table.columns.iter().zip(column_exprs(table));
    let columns = columns.map(|(column, expr)| ThroughColumn {
        name: column.name.clone(),
        ty: column.ty,
        expr: Some(expr),
    });
    Through {
        plan: rows.plan,
        members: rows.members,
        columns: columns.collect(),
        conditions: Vec::new(),
        checked: Vec::new(),
    }
}

/// The columns of a table that a view knows: their places, and the names that it knows them by.
fn known_columns(read: &ViewRead, table: &TableDef) -> Vec<(usize, String)> {
    let columns = read.columns.iter().filter_map(|(id, name)| {
        let at = table.columns.iter().position(|column| column.id == *id)?;
        Some((at, name.clone()))
    });
    columns.collect()
}

/// The SELECT of a query and its one relation; else why rows cannot be written through it.
fn simple(query: &AstQuery) -> Result<(&Select, &TableFactor), &'static str> {
    let SetExpr::Select(select) = query.body.as_ref() else {
        return Err(match query.body.as_ref() {
            SetExpr::SetOperation { .. } => {
                "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable."
            }
            _ => NOT_SINGLE,
        });
    };
    let is_grouped = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(items, _) => !items.is_empty(),
    };
    let has_limit = query.limit_clause.is_some() || query.fetch.is_some();
    let excluded = [
        (
            select.distinct.is_some(),
            "Views containing DISTINCT are not automatically updatable.",
        ),
        (
            is_grouped,
            "Views containing GROUP BY are not automatically updatable.",
        ),
        (
            select.having.is_some(),
            "Views containing HAVING are not automatically updatable.",
        ),
        (
            query.with.is_some(),
            "Views containing WITH are not automatically updatable.",
        ),
        (
            has_limit,
            "Views containing LIMIT or OFFSET are not automatically updatable.",
        ),
    ];
    if let Some((_, detail)) = excluded.iter().find(|(is_there, _)| *is_there) {
        return Err(detail);
    }
    let [TableWithJoins { relation, joins }] = select.from.as_slice() else {
        return Err(NOT_SINGLE);
    };
    match relation {
        TableFactor::Table {
            args: None,
            sample: None,
            ..
        } if joins.is_empty() => Ok((select, relation)),
        TableFactor::Table {
            sample: Some(_), ..
        } if joins.is_empty() => {
            Err("Views containing TABLESAMPLE are not automatically updatable.")
        }
        _ => Err(NOT_SINGLE),
    }
}

/// Which columns of a view can be written through it; `None` where none can, not even by DELETE.
pub(crate) fn updatable_columns(catalog: &Catalog, view: &Arc<ViewDef>) -> Option<Vec<bool>> {
    let parsed = view.parsed().ok()?;
    let mut binder = Binder::new(&parsed, catalog, &[], &DEFAULT_LOCALE);
    let (_, through) = binder.through(view, Verb::Delete, false).ok()?;
    let columns = through.columns.iter();
    Some(columns.map(|column| column.base().is_some()).collect())
}
