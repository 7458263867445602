//! Views that can be written through: those of one table or view, whose rows are rows of it.

use std::sync::Arc;

use varve_ast::{FromItem, QueryBody, Relation, Select, TableRelation};
use varve_bind_query::context::binder::QueryBinder;
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::catalog::{Catalog, Named};
use varve_catalog::model::table::TableDef;
use varve_catalog::model::view::{ViewCheck, ViewDef, ViewKind, ViewRead};
use varve_catalog::text::name::undefined_table;
use varve_expr::walk::split_conjunction;
use varve_expr::{DEFAULT_LOCALE, Expr};
use varve_plan::build::subquery::{attach, attach_conditions};
use varve_plan::build::table::{ChildRows, column_exprs};
use varve_plan::optimize::taken;
use varve_plan::plan::Plan;
use varve_plan::scope::tables::Scope;
use varve_types::{LogicalType, Result};

use crate::binder::DmlBinder;
use crate::target::{Through, ThroughColumn, Verb, head, head_exprs, over_table};

const NOT_SINGLE: &str =
    "Views that do not select from a single table or view are not automatically updatable.";

impl DmlBinder<'_, '_> {
    /// The way from a view to its table; `is_checked` where a view above it checks all conditions.
    pub fn through(
        &mut self,
        view: &Arc<ViewDef>,
        verb: Verb,
        is_checked: bool,
    ) -> Result<(Arc<TableDef>, Through)> {
        const LEVEL_KIB: u32 = 18;
        self.query.take_stack(LEVEL_KIB, 0)?;
        let bound = self.query.in_view(view, |binder, query| {
            let (select, relation) = simple(query).map_err(|detail| verb.refused(view, detail))?;
            let checked = view_check(view);
            let all_checked = is_checked || checked == ViewCheck::Cascaded;
            let under = DmlBinder::new(binder).under(view, (verb, all_checked), relation)?;
            let is_checked = all_checked || checked == ViewCheck::Local;
            DmlBinder::new(binder).through_select((view, verb), is_checked, select, under)
        });
        self.query.stack_kib -= LEVEL_KIB;
        bound
    }

    /// The one relation of a view.
    fn under(
        &mut self,
        view: &Arc<ViewDef>,
        (verb, all_checked): (Verb, bool),
        relation: &TableRelation,
    ) -> Result<Under> {
        let written = self.query.relation_name(&relation.name)?;
        // The columns of the relation, under the names by which the view knows them.
        let (table, inner, picked, first) = match self.query.read_name(&written) {
            Some((Named::View(object), Some(read))) => {
                let under = self.catalog.views.get(&object).cloned();
                let under = under.ok_or_else(|| undefined_table(&written, 0))?;
                if under.is_materialized() {
                    return Err(verb.refused(view, NOT_SINGLE));
                }
                let (table, inner) = self.through(&under, verb, all_checked)?;
                let first = head(&table, &inner.children);
                // A view only gets more columns, at its end.
                let names = read.columns.into_iter().map(|(_, name)| name);
                (table, inner, names.enumerate().collect(), first)
            }
            Some((Named::Table(object), Some(read))) if self.catalog.view_of(object).is_none() => {
                let table = self.catalog.tables.get(&object).cloned();
                let table = table.ok_or_else(|| undefined_table(&written, 0))?;
                self.query.outputs.found.borrow_mut().add_table(&table);
                let rows = self.query.child_rows(&table, relation.only.is_some(), true);
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
        let name = match &relation.alias {
            Some(alias) => self.query.apply_alias(alias, &mut named)?,
            None => written.name,
        };
        Ok(Under {
            table,
            inner,
            columns,
            picked,
            names: Scope::table(name, first, named),
        })
    }

    /// The select list and the condition of a view, over its relation.
    fn through_select(
        &mut self,
        (view, verb): (&Arc<ViewDef>, Verb),
        is_checked: bool,
        select: &Select,
        under: Under,
    ) -> Result<(Arc<TableDef>, Through)> {
        let under = under.in_order();
        let Under {
            table,
            mut inner,
            columns,
            picked: _,
            names,
        } = under;
        let mut plan = taken(&mut inner.plan);
        let first = names.tables.first().map_or(0, |table| table.first);
        if let Some(filter) = &select.filter {
            let mut scope = ExprScope::with_subqueries(&names, "WHERE");
            let filter = self.query.filter(filter, &mut scope)?;
            let subqueries = scope.take_subqueries();
            let condition = over_table(&columns, &filter, &[(first, 0)]);
            let mut conditions = Vec::new();
            split_conjunction(filter, &mut conditions);
            plan = attach_conditions(plan, conditions, &subqueries)?;
            inner.conditions.push((view.name.clone(), condition));
            inner.checked.push(is_checked);
        }
        let mut scope = ExprScope {
            aggregates: Some(Vec::new()),
            windows: Some(Vec::new()),
            window_definitions: &select.windows,
            sets: Some(Vec::new()),
            ..ExprScope::with_subqueries(&names, "SELECT")
        };
        let outputs = self.query.outputs(&select.items, &mut scope, None)?;
        if let Some(what) = not_of_a_row(&scope) {
            let detail =
                format!("Views that return {what} functions are not automatically updatable.");
            return Err(verb.refused(view, &detail));
        }
        let subqueries = scope.take_subqueries();
        let mut exprs = head_exprs(&table, &inner.children);
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
        Ok((table, inner))
    }
}

/// The one relation of a view, on the way to the table under it.
struct Under {
    table: Arc<TableDef>,
    inner: Through,
    /// The columns that the view knows, by its names.
    columns: Vec<ThroughColumn>,
    /// Their places, and these names.
    picked: Vec<(usize, String)>,
    names: Scope,
}

impl Under {
    /// Puts columns in place that the view leaves out or has in another order.
    fn in_order(self) -> Under {
        let mut places = self.picked.iter().enumerate();
        if places.all(|(at, (place, _))| at == *place) {
            return self;
        }
        let Under {
            table,
            mut inner,
            columns,
            picked,
            names,
        } = self;
        let first = names.tables.first().map_or(0, |table| table.first);
        let mut exprs = head_exprs(&table, &inner.children);
        let own = exprs.len();
        let places = picked.iter().zip(&columns);
        exprs.extend(places.map(|((at, _), column)| Expr::Column {
            index: first + at,
            ty: column.ty,
        }));
        inner.plan = Plan::Project {
            input: Box::new(taken(&mut inner.plan)),
            exprs,
        };
        Under {
            table,
            inner,
            columns,
            picked,
            names: names.shifted(own - first),
        }
    }
}

/// What rows that are written through a view must pass, as it says.
fn view_check(view: &ViewDef) -> ViewCheck {
    match view.kind {
        ViewKind::Plain { check } => check,
        ViewKind::Materialized { .. } => ViewCheck::None,
    }
}

/// Which functions in a select list give other rows than those of the relation.
fn not_of_a_row(scope: &ExprScope<'_>) -> Option<&'static str> {
    let has = |calls: Option<usize>| calls.is_some_and(|calls| calls > 0);
    if has(scope.aggregates.as_ref().map(Vec::len)) {
        return Some("aggregate");
    }
    if has(scope.windows.as_ref().map(Vec::len)) {
        return Some("window");
    }
    has(scope.sets.as_ref().map(Vec::len)).then_some("set-returning")
}

/// The way to a table itself.
fn of_table(table: &Arc<TableDef>, rows: ChildRows) -> Through {
    let columns = table.columns.iter().zip(column_exprs(table));
    let columns = columns.map(|(column, expr)| ThroughColumn {
        name: column.name.clone(),
        ty: column.ty,
        expr: Some(expr),
    });
    Through {
        plan: rows.plan,
        children: rows.children,
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
fn simple(query: &varve_ast::Query) -> Result<(&Select, &TableRelation), &'static str> {
    let select = match query.body.as_ref() {
        QueryBody::Select(select) => select,
        QueryBody::Set(_) => {
            return Err(
                "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.",
            );
        }
        _ => return Err(NOT_SINGLE),
    };
    let excluded = [
        (
            select.distinct.is_some(),
            "Views containing DISTINCT are not automatically updatable.",
        ),
        (
            !select.group_by.is_empty(),
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
            query.limit.is_some() || query.offset.is_some(),
            "Views containing LIMIT or OFFSET are not automatically updatable.",
        ),
    ];
    if let Some((_, detail)) = excluded.iter().find(|(is_there, _)| *is_there) {
        return Err(detail);
    }
    let [FromItem { relation, joins }] = select.from.as_slice() else {
        return Err(NOT_SINGLE);
    };
    match relation {
        Relation::Table(table) if joins.is_empty() => match table.sample {
            None => Ok((select, table)),
            Some(_) => Err("Views containing TABLESAMPLE are not automatically updatable."),
        },
        _ => Err(NOT_SINGLE),
    }
}

/// Which columns of a view can be written through it; `None` where none can, not even by DELETE.
pub fn updatable_columns(catalog: &Catalog, view: &Arc<ViewDef>) -> Option<Vec<bool>> {
    let parsed = view.parsed().ok()?;
    let mut binder = QueryBinder::new(&parsed, catalog, &[], &DEFAULT_LOCALE);
    let (_, through) = DmlBinder::new(&mut binder)
        .through(view, Verb::Delete, false)
        .ok()?;
    let columns = through.columns.iter();
    Some(columns.map(|column| column.base().is_some()).collect())
}
