//! WITH: named queries, recursive ones included.

use sqlparser::ast::{Cte, CteAsMaterialized, Query as AstQuery, SetExpr, SetOperator, With};
use varve_expr::{Expr, common_type};
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::change_cte::is_change;
use crate::bind::set_operation::{is_all, retyped};
use crate::bind::{Binder, located, unsupported_at};
use crate::optimize::taken;
use crate::plan::{CteScanNode, Plan, Query, RecursiveNode, WithNode};

/// A named query in reach.
#[derive(Clone)]
pub(crate) struct CteBinding {
    id: usize,
    name: String,
    columns: Vec<(String, LogicalType)>,
    /// `None` while its own recursive part is bound, and where it changes rows.
    plan: Option<Plan>,
    materialized: Option<bool>,
}

impl CteBinding {
    /// What a statement that changes rows returns.
    pub(crate) fn of_change(
        id: usize,
        name: String,
        columns: Vec<(String, LogicalType)>,
    ) -> CteBinding {
        CteBinding {
            id,
            name,
            columns,
            plan: None,
            materialized: None,
        }
    }
}

impl Binder<'_> {
    /// The rows of a named query, with its columns.
    pub(crate) fn cte_scan(&self, name: &str) -> Option<(Plan, Vec<(String, LogicalType)>)> {
        let cte = self.ctes.iter().rev().find(|cte| cte.name == name)?;
        let scan = CteScanNode {
            id: cte.id,
            name: cte.name.clone(),
            column_names: cte.columns.iter().map(|(name, _)| name.clone()).collect(),
            types: cte.columns.iter().map(|(_, ty)| *ty).collect(),
        };
        Some((Plan::CteScan(scan), cte.columns.clone()))
    }

    /// A number for a named query.
    pub(crate) fn new_cte_id(&mut self) -> usize {
        self.cte_ids += 1;
        self.cte_ids - 1
    }

    /// Binds a query with the named queries before it in reach.
    pub(crate) fn with_ctes(
        &mut self,
        with: &With,
        bind: impl FnOnce(&mut Self) -> Result<Query>,
    ) -> Result<Query> {
        let With {
            with_token: _,
            recursive,
            cte_tables,
        } = with;
        let base = self.ctes.len();
        let is_first = core::mem::take(&mut self.is_first_with);
        let bound = self.bind_ctes(cte_tables, *recursive, (base, is_first));
        let bound = bound.and_then(|()| bind(self));
        let ctes = self.ctes.split_off(base);
        let mut query = bound?;
        // Later ones may read earlier ones.
        for cte in ctes.into_iter().rev() {
            query.plan = with_definition(query.plan, cte);
        }
        Ok(query)
    }

    /// Binds named queries; `base` is how many are in reach already, `is_first` whether they are
    /// those of the whole statement.
    fn bind_ctes(
        &mut self,
        ctes: &[Cte],
        recursive: bool,
        (base, is_first): (usize, bool),
    ) -> Result<()> {
        for cte in ctes {
            let Cte {
                alias,
                query,
                from,
                materialized,
                closing_paren_token: _,
            } = cte;
            let position = self.source.ident(&alias.name);
            if from.is_some() {
                return Err(unsupported_at("FROM in WITH", position));
            }
            let name = super::names::fold_name(&alias.name);
            if self.ctes.iter().skip(base).any(|known| known.name == name) {
                let message = format!("WITH query name \"{name}\" specified more than once");
                let error = Error::new(SqlState::DUPLICATE_ALIAS, message);
                return Err(located(error, position));
            }
            if is_change(query) {
                self.change_cte(cte, base, is_first)?;
                continue;
            }
            let id = self.new_cte_id();
            let bound = match recursive_parts(query).filter(|_| recursive) {
                Some(parts) => self.recursive(id, &name, cte, parts)?,
                None => self.query(query, None)?,
            };
            let mut columns: Vec<(String, LogicalType)> = bound
                .fields
                .into_iter()
                .map(|field| (field.name, field.ty))
                .collect();
            self.apply_alias(alias, &mut columns)?;
            let materialized = materialized.as_ref();
            self.ctes.push(CteBinding {
                id,
                name,
                columns,
                plan: Some(bound.plan),
                materialized: materialized
                    .map(|how| matches!(how, CteAsMaterialized::Materialized)),
            });
        }
        Ok(())
    }

    /// `base UNION [ALL] step`, where `step` may read the query itself.
    fn recursive(
        &mut self,
        id: usize,
        name: &str,
        cte: &Cte,
        (base, step, distinct): (&SetExpr, &SetExpr, bool),
    ) -> Result<Query> {
        let position = self.source.ident(&cte.alias.name);
        let query = self.set_expression(base)?;
        let mut columns: Vec<(String, LogicalType)> = query
            .fields
            .iter()
            .map(|field| (field.name.clone(), field.ty))
            .collect();
        self.apply_alias(&cte.alias, &mut columns)?;
        self.ctes.push(CteBinding {
            id,
            name: name.to_owned(),
            columns,
            plan: None,
            materialized: None,
        });
        let bound = self.set_expression(step);
        self.ctes.pop();
        let bound = bound?;
        if uses(&bound.plan, id) == 0 {
            // It does not read itself after all.
            return self.query(&cte.query, None);
        }
        let is_plain = cte.query.with.is_none()
            && cte.query.order_by.is_none()
            && cte.query.limit_clause.is_none()
            && cte.query.fetch.is_none();
        if !is_plain {
            let what = "WITH, ORDER BY or LIMIT of a recursive query";
            return Err(unsupported_at(what, position));
        }
        if bound.fields.len() != query.fields.len() {
            let message = "each UNION query must have the same number of columns";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        }
        let types: Vec<LogicalType> = query.fields.iter().map(|field| field.ty).collect();
        for ((number, ty), field) in (1..).zip(&types).zip(&bound.fields) {
            let common = common_type(&[Some(*ty), Some(field.ty)]);
            if common != Some(*ty) {
                let overall = common.unwrap_or(field.ty);
                let message = format!(
                    "recursive query \"{name}\" column {number} has type {ty} in non-recursive \
                     term but type {overall} overall"
                );
                let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
                let hint = "Cast the output of the non-recursive term to the correct type.";
                return Err(located(error, position).with_hint(hint));
            }
        }
        if uses(&bound.plan, id) > 1 {
            let message =
                format!("recursive reference to query \"{name}\" must not appear more than once");
            let error = Error::new(SqlState::INVALID_RECURSION, message);
            return Err(located(error, position));
        }
        let step = retyped(bound.plan, &types);
        Ok(Query {
            plan: Plan::Recursive(RecursiveNode {
                id,
                base: Box::new(query.plan),
                step: Box::new(step),
                distinct,
                types,
            }),
            ..query
        })
    }
}

/// The two parts of a UNION, and whether rows are given once.
fn recursive_parts(query: &AstQuery) -> Option<(&SetExpr, &SetExpr, bool)> {
    match query.body.as_ref() {
        SetExpr::SetOperation {
            op: SetOperator::Union,
            set_quantifier,
            left,
            right,
        } => Some((left, right, !is_all(*set_quantifier)?)),
        _ => None,
    }
}

/// How often a plan scans a named query.
fn uses(plan: &Plan, id: usize) -> usize {
    let mut count = match plan {
        Plan::CteScan(scan) => usize::from(scan.id == id),
        _ => 0,
    };
    plan.for_each_input(&mut |input| count += uses(input, id));
    count
}

/// The plan with a named query that it may read: put in its place where it is read once, else run
/// once for all readers.
pub(crate) fn with_definition(mut body: Plan, cte: CteBinding) -> Plan {
    let Some(definition) = cte.plan else {
        return body;
    };
    let inlined = match (uses(&body, cte.id), cte.materialized) {
        (0, _) => return body,
        (1, Some(true)) => false,
        (1, _) => true,
        (_, materialized) => materialized == Some(false),
    };
    if inlined {
        put_in(&mut body, cte.id, &definition);
        return body;
    }
    Plan::With(WithNode {
        id: cte.id,
        name: cte.name,
        definition: Box::new(definition),
        body: Box::new(body),
    })
}

fn put_in(plan: &mut Plan, id: usize, definition: &Plan) {
    if matches!(plan, Plan::CteScan(scan) if scan.id == id) {
        let _scan = taken(plan);
        *plan = definition.clone();
        return;
    }
    plan.for_each_input_mut(&mut |input| put_in(input, id, definition));
}

/// Column `index` of a plan.
pub(crate) fn plan_column(index: usize, ty: LogicalType) -> Expr {
    Expr::Column { index, ty }
}
