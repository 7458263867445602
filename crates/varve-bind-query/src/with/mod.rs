//! WITH: named queries, recursive ones included.

pub mod changes;
pub mod search;

use varve_ast::{Cte, Expr as Ast, Limit, Query as AstQuery, QueryBody, SetOperator, With};
use varve_expr::common_type;
use varve_plan::build::set_operation::retyped;
use varve_plan::optimize::optimize;
use varve_plan::plan::{CteScanNode, Plan, Query, RecursiveNode, Statement};
use varve_plan::scope::error::located;
use varve_plan::scope::syntax::is_change;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::binder::{BindChange, QueryBinder};
use crate::context::ctes::{
    Columns, CteBinding, IN_SUBQUERY, Misuse, State, recursion_error, uses, with_definition,
};
use crate::from::relation::rename_columns;
use crate::with::search::{Walk, has_walk};

impl QueryBinder<'_> {
    /// The rows of a named query, with its columns; `position` is where it is named.
    pub fn cte_scan(
        &mut self,
        name: &str,
        position: u32,
    ) -> Result<Option<(Plan, Columns, usize)>> {
        let unreached = |cte: &CteBinding| {
            let state = cte.state;
            matches!(state, State::Later { recursive, .. } if !recursive)
        };
        let mut ctes = self.context.ctes.iter_mut().rev();
        let found = ctes.find(|cte| cte.name == name && !unreached(cte));
        let Some(cte) = found else {
            return Ok(None);
        };
        let place = match &mut cte.state {
            State::Bound => "",
            State::Later { number, .. } => {
                self.context.later = Some(*number);
                return Err(Error::internal("a query that is bound later"));
            }
            State::Within(Misuse::Form) => {
                let message = format!(
                    "recursive query \"{name}\" does not have the form non-recursive-term UNION \
                     [ALL] recursive-term"
                );
                return Err(recursion_error(message, self.context.cte_position));
            }
            State::Within(Misuse::Change) => {
                let message = format!(
                    "recursive query \"{name}\" must not contain data-modifying statements"
                );
                return Err(recursion_error(message, self.context.cte_position));
            }
            State::Within(Misuse::NonRecursiveTerm) if self.context.recursion_place.is_empty() => {
                "its non-recursive term"
            }
            State::Within(Misuse::NonRecursiveTerm) => self.context.recursion_place,
            State::Step { is_read } => match (self.context.recursion_place, *is_read) {
                ("", true) => {
                    let message = format!(
                        "recursive reference to query \"{name}\" must not appear more than once"
                    );
                    return Err(recursion_error(message, position));
                }
                (place, _) => {
                    *is_read = true;
                    place
                }
            },
        };
        if !place.is_empty() {
            let message =
                format!("recursive reference to query \"{name}\" must not appear within {place}");
            return Err(recursion_error(message, position));
        }
        let scan = CteScanNode {
            id: cte.id,
            name: cte.name.clone(),
            column_names: cte.columns.iter().map(|(name, _)| name.clone()).collect(),
            types: cte.columns.iter().map(|(_, ty)| *ty).collect(),
        };
        Ok(Some((Plan::CteScan(scan), cte.columns.clone(), cte.hidden)))
    }

    /// The error about a table that is not there, with what WITH has of its name.
    pub fn beside_ctes(&self, name: &str, error: Error) -> Error {
        match self.context.ctes.iter().any(|cte| cte.name == name) {
            false => error,
            true => error
                .with_detail(format!(
                    "There is a WITH item named \"{name}\", but it cannot be referenced from this \
                     part of the query."
                ))
                .with_hint(
                    "Use WITH RECURSIVE, or re-order the WITH items to remove forward references.",
                ),
        }
    }

    /// Binds with a place where recursive queries may not be read, unless it is empty.
    pub fn placed<T>(
        &mut self,
        place: &'static str,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let around = self.context.recursion_place;
        if !place.is_empty() {
            self.context.recursion_place = place;
        }
        let bound = bind(self);
        self.context.recursion_place = around;
        bound
    }

    /// Refuses aggregates beside the query that a recursive term reads.
    pub fn refuse_in_recursion(&self, plan: &Plan, position: u32) -> Result<()> {
        let mut steps = self.context.ctes.iter();
        match steps.any(|cte| matches!(cte.state, State::Step { .. }) && is_joined(plan, cte.id)) {
            false => Ok(()),
            true => {
                let message =
                    "aggregate functions are not allowed in a recursive query's recursive term";
                Err(recursion_error(message, position))
            }
        }
    }

    /// A number for a named query.
    pub fn new_cte_id(&mut self) -> usize {
        self.cte_ids += 1;
        self.cte_ids - 1
    }

    /// Binds a query with the named queries before it in reach.
    pub fn with_ctes(
        &mut self,
        with: &With,
        change: Option<BindChange>,
        bind: impl FnOnce(&mut Self) -> Result<Query>,
    ) -> Result<Query> {
        let With {
            is_recursive,
            ctes: items,
            span: _,
        } = with;
        let base = self.context.ctes.len();
        let bound = self.bind_ctes(items, *is_recursive, (base, change));
        let bound = bound.and_then(|()| bind(self));
        let ctes = self.context.ctes.split_off(base);
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
        (base, change): (usize, Option<BindChange>),
    ) -> Result<()> {
        // What is locked beside changes is locked once for all of them.
        let locks_once = change.is_some() && ctes.iter().any(|cte| is_change(&cte.query));
        self.announce_ctes(ctes, recursive, base)?;
        // Those that are under way, each read by the one before it.
        let mut under_way = Vec::new();
        for number in 0..ctes.len() {
            under_way.push(number);
            while let Some(current) = under_way.last().copied() {
                let Some(cte) = ctes.get(current) else {
                    return Err(Error::internal("a WITH item that is not there"));
                };
                let own = |cte: &CteBinding| {
                    let state = cte.state;
                    matches!(state, State::Later { number, .. } if number == current)
                };
                let place = self.context.ctes.iter().skip(base).position(own);
                let Some(place) = place.map(|place| base + place) else {
                    under_way.pop();
                    continue;
                };
                // What it names of itself is found elsewhere, if it may name itself.
                let waiting = recursive.then(|| self.context.ctes.remove(place));
                let position = self.at(cte.name.span);
                let around = core::mem::replace(&mut self.context.cte_position, position);
                let bound = self.bind_cte(cte, recursive, (base, change, locks_once));
                self.context.cte_position = around;
                match (bound, self.context.later.take()) {
                    (Ok(()), _) => {
                        under_way.pop();
                        if !recursive {
                            self.context.ctes.remove(place);
                        }
                    }
                    (Err(_), Some(later)) if !under_way.contains(&later) => {
                        self.context.ctes.splice(place..place, waiting);
                        under_way.push(later);
                    }
                    (Err(_), Some(_)) => {
                        let message = "mutual recursion between WITH items is not implemented";
                        let first = ctes.get(number).unwrap_or(cte);
                        let position = self.at(first.name.span);
                        let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                        return Err(located(error, position));
                    }
                    (Err(error), None) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Has the names of WITH mean queries that are bound later.
    fn announce_ctes(&mut self, ctes: &[Cte], recursive: bool, base: usize) -> Result<()> {
        for (number, cte) in ctes.iter().enumerate() {
            let name = &cte.name.text;
            if self
                .context
                .ctes
                .iter()
                .skip(base)
                .any(|known| known.name == *name)
            {
                let message = format!("WITH query name \"{name}\" specified more than once");
                let error = Error::new(SqlState::DUPLICATE_ALIAS, message);
                return Err(located(error, self.at(cte.name.span)));
            }
            let state = State::Later { number, recursive };
            self.context
                .ctes
                .push(CteBinding::unbound(name.clone(), state));
        }
        Ok(())
    }

    fn bind_cte(
        &mut self,
        cte: &Cte,
        recursive: bool,
        (base, change, locks_once): (usize, Option<BindChange>, bool),
    ) -> Result<()> {
        let query = &cte.query;
        let name = cte.name.text.clone();
        if is_change(query) {
            return self.within_own(&name, Misuse::Change, recursive, |binder| {
                binder.change_cte(cte, base, change)
            });
        }
        if has_walk(cte) && !(recursive && recursive_parts(query).is_some()) {
            return Err(self.not_recursive());
        }
        let id = self.new_cte_id();
        let bound = match recursive_parts(query).filter(|_| recursive) {
            Some(parts) => match &query.with {
                None => self.recursive(id, &name, cte, parts)?,
                Some(with) => self.within_own(&name, Misuse::NonRecursiveTerm, true, |binder| {
                    binder.placed(IN_SUBQUERY, |binder| {
                        binder
                            .with_ctes(with, None, |binder| binder.recursive(id, &name, cte, parts))
                    })
                })?,
            },
            None => self.within_own(&name, Misuse::Form, recursive, |binder| {
                binder.query(query, None)
            })?,
        };
        let fields = bound.fields.iter();
        let mut columns: Vec<(String, LogicalType)> =
            fields.map(|field| (field.name.clone(), field.ty)).collect();
        self.name_columns(cte, &mut columns)?;
        if locks_once && bound.plan.row_lock().is_some() {
            let plan = optimize(bound.plan);
            let query = Query { plan, ..bound };
            self.statement_cte((id, name, columns), Statement::Query(query), base);
            return Ok(());
        }
        self.context.ctes.push(CteBinding {
            id,
            columns,
            plan: Some(bound.plan),
            materialized: cte.is_materialized,
            ..CteBinding::unbound(name, State::Bound)
        });
        Ok(())
    }

    /// Gives the columns of a named query the names that WITH lists.
    fn name_columns(&self, cte: &Cte, columns: &mut [(String, LogicalType)]) -> Result<()> {
        let (given, own) = (cte.columns.len(), columns.len());
        let name = &cte.name.text;
        if given > own {
            let message = format!(
                "WITH query \"{name}\" has {own} columns available but {given} columns specified"
            );
            let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
            return Err(located(error, self.at(cte.name.span)));
        }
        rename_columns(name, cte.columns.iter(), columns)
    }

    /// Binds what may not read itself by its own name.
    fn within_own<T>(
        &mut self,
        name: &str,
        misuse: Misuse,
        recursive: bool,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if !recursive {
            return bind(self);
        }
        let place = self.context.ctes.len();
        let own = CteBinding::unbound(name.to_owned(), State::Within(misuse));
        self.context.ctes.push(own);
        let around = core::mem::take(&mut self.context.recursion_place);
        let bound = bind(self);
        self.context.recursion_place = around;
        self.context.ctes.remove(place);
        bound
    }

    /// `base UNION [ALL] step`, where `step` may read the query itself.
    fn recursive(
        &mut self,
        id: usize,
        name: &str,
        cte: &Cte,
        (base, step, distinct): (&QueryBody, &QueryBody, bool),
    ) -> Result<Query> {
        let mut query = self.within_own(name, Misuse::NonRecursiveTerm, true, |binder| {
            binder.set_expression(base)
        })?;
        let mut columns: Vec<(String, LogicalType)> = query
            .fields
            .iter()
            .map(|field| (field.name.clone(), field.ty))
            .collect();
        self.name_columns(cte, &mut columns)?;
        let walk = self.walk(cte, (base, step), &columns)?;
        let added = walk.as_ref().map_or_else(Vec::new, Walk::added);
        if let Some(walk) = &walk {
            query = self.walk_begin(walk, query)?;
            columns.extend_from_slice(&added);
        }
        self.context.ctes.push(CteBinding {
            id,
            columns,
            hidden: added.len(),
            ..CteBinding::unbound(name.to_owned(), State::Step { is_read: false })
        });
        let around = core::mem::take(&mut self.context.recursion_place);
        self.context.carries = walk.is_some().then(|| name.to_owned());
        let bound = self.set_expression(step);
        self.context.carries = None;
        self.context.recursion_place = around;
        self.context.ctes.pop();
        let bound = bound?;
        if uses(&bound.plan, id) == 0 {
            if walk.is_some() {
                return Err(self.not_recursive());
            }
            // It does not read itself after all.
            return self.query(&cte.query, None);
        }
        self.check_undecorated(&cte.query)?;
        if bound.fields.len() != query.fields.len() {
            let message = "each UNION query must have the same number of columns";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, self.column_position(step, 0)));
        }
        let types: Vec<LogicalType> = query.fields.iter().map(|field| field.ty).collect();
        self.check_step_types(name, &bound, &types, base)?;
        let mut bound = retyped(bound.plan, &types, &|at| self.column_position(step, at));
        if let Some(walk) = &walk {
            bound = self.walk_on(walk, bound)?;
        }
        Ok(Query {
            plan: Plan::Recursive(RecursiveNode {
                id,
                base: Box::new(query.plan),
                step: Box::new(bound),
                distinct,
                types,
            }),
            ..query
        })
    }

    /// Refuses a recursive part whose columns need wider types than those of the first part.
    fn check_step_types(
        &self,
        name: &str,
        step: &Query,
        types: &[LogicalType],
        base: &QueryBody,
    ) -> Result<()> {
        for ((place, ty), field) in types.iter().enumerate().zip(&step.fields) {
            let common = common_type(&[Some(*ty), Some(field.ty)]);
            if common != Some(*ty) {
                let overall = common.unwrap_or(field.ty);
                let number = place + 1;
                let message = format!(
                    "recursive query \"{name}\" column {number} has type {ty} in non-recursive \
                     term but type {overall} overall"
                );
                let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
                let hint = "Cast the output of the non-recursive term to the correct type.";
                return Err(located(error, self.column_position(base, place)).with_hint(hint));
            }
        }
        Ok(())
    }

    /// Whether the recursive part of a query has read it by now.
    pub fn is_step_read(&self, name: &str) -> bool {
        let mut ctes = self.context.ctes.iter().rev();
        let cte = ctes.find(|cte| cte.name == name);
        cte.is_some_and(|cte| matches!(cte.state, State::Step { is_read: true }))
    }

    /// The error about SEARCH or CYCLE of a query that does not read itself.
    pub fn not_recursive(&self) -> Error {
        let error = Error::new(SqlState::SYNTAX_ERROR, "WITH query is not recursive");
        located(error, self.context.cte_position)
    }

    /// Refuses ORDER BY and the like of a recursive query as a whole.
    fn check_undecorated(&self, query: &AstQuery) -> Result<()> {
        let place = |expr: Option<&Ast>| expr.map_or(0, |expr| self.at(expr.span));
        let (what, position) = if let Some(first) = query.order_by.first() {
            ("ORDER BY", place(Some(&first.expr)))
        } else if let Some(count) = &query.offset {
            ("OFFSET", place(Some(count)))
        } else if let Some(Limit::Rows(count)) = &query.limit {
            ("LIMIT", place(Some(count)))
        } else if let Some(Limit::Fetch { rows, .. }) = &query.limit {
            ("LIMIT", place(rows.as_ref()))
        } else if !query.locks.is_empty() {
            ("FOR UPDATE/SHARE", 0)
        } else {
            return Ok(());
        };
        let message = format!("{what} in a recursive query is not implemented");
        let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
        Err(located(error, position))
    }
}

/// The two parts of a UNION, and whether rows are given once.
fn recursive_parts(query: &AstQuery) -> Option<(&QueryBody, &QueryBody, bool)> {
    match query.body.as_ref() {
        QueryBody::Set(union) if union.operator == SetOperator::Union => {
            Some((&union.left, &union.right, !union.all))
        }
        _ => None,
    }
}

/// Whether a named query is one of the relations that FROM joins.
fn is_joined(plan: &Plan, id: usize) -> bool {
    match plan {
        Plan::CteScan(scan) => scan.id == id,
        Plan::Join(join) => is_joined(&join.left, id) || is_joined(&join.right, id),
        _ => false,
    }
}
