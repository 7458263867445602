//! ON CONFLICT.

use varve_ast::{
    Assignment, ConflictAction, ConflictTarget, Expr as Ast, OnConflict as AstOnConflict,
};
use varve_bind_query::context::ctes::with_definition;
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::index::{Deferral, IndexDef};
use varve_catalog::model::table::TableDef;
use varve_expr::Expr;
use varve_expr::walk::split_conjunction;
use varve_plan::build::subquery::{Subquery, attach};
use varve_plan::build::table::{column_exprs, named_types, target_scope};
use varve_plan::optimize::optimize;
use varve_plan::optimize::push_down::pushed_predicate;
use varve_plan::plan::{
    Arbiter, ConflictUpdate, CteScanNode, OnConflict, Plan, PushedPredicate, Wider,
};
use varve_plan::scope::error::{located, refuse, unsupported_at};
use varve_plan::scope::tables::Scope;
use varve_types::{Error, KeyPart, LogicalType, PartPredicate, Result, SqlState};

use crate::binder::DmlBinder;
use crate::target::{Target, Verb};

impl DmlBinder<'_, '_> {
    pub(crate) fn on_conflict(
        &mut self,
        target: &Target,
        name: &str,
        on: &AstOnConflict,
    ) -> Result<OnConflict> {
        let arbiters = self.arbiters(target, on)?;
        let update = match &on.action {
            ConflictAction::Nothing => None,
            ConflictAction::Update {
                assignments,
                filter,
            } => Some(self.conflict_update(target, name, assignments, filter.as_ref())?),
        };
        Ok(OnConflict { arbiters, update })
    }

    /// The keys that decide whether a row is there already.
    fn arbiters(&mut self, target: &Target, on: &AstOnConflict) -> Result<Vec<Arbiter>> {
        match &on.target {
            Some(ConflictTarget::Constraint(constraint)) => {
                if !constraint.qualifiers.is_empty() {
                    let position = self.query.at(constraint.span());
                    return Err(unsupported_at("a qualified constraint name", position));
                }
                Ok(vec![named_arbiter(&target.table, &constraint.name.text)?])
            }
            Some(ConflictTarget::Index { elements, filter }) => {
                self.inferred_arbiters(target, elements, filter.as_ref())
            }
            None if matches!(on.action, ConflictAction::Nothing) => every_arbiter(&target.table),
            None => {
                let message =
                    "ON CONFLICT DO UPDATE requires inference specification or constraint name";
                let error = Error::new(SqlState::SYNTAX_ERROR, message)
                    .with_hint("For example, ON CONFLICT (column_name).");
                Err(located(error, self.query.first()))
            }
        }
    }

    fn conflict_update(
        &mut self,
        target: &Target,
        name: &str,
        assignments: &[Assignment],
        filter: Option<&Ast>,
    ) -> Result<ConflictUpdate> {
        let shape = &target.shape;
        let named = shape.columns.len();
        let mut names = Scope::table(name.to_owned(), 0, named_types(shape));
        let excluded = Scope::table("excluded".to_owned(), named, named_types(shape));
        names.append(excluded)?;
        let mut values = column_exprs(shape);
        let mut scope = ExprScope::with_subqueries(&names, "UPDATE");
        let given = self.assignments(shape, assignments, &mut scope, &mut values)?;
        scope.clause = "WHERE";
        let mut filter = match filter {
            None => None,
            Some(filter) => Some(self.query.filter(filter, &mut scope)?),
        };
        let subqueries = scope.take_subqueries();
        let mut wider = None;
        if !subqueries.is_empty() {
            let what = "a subquery in ON CONFLICT DO UPDATE through a view";
            refuse(target.view.is_some(), what, self.query.first())?;
            let exprs = values.iter_mut().chain(&mut filter).collect::<Vec<_>>();
            wider = Some(Box::new(self.wider(&names, &subqueries, exprs)?));
        }
        if target.view.is_none() {
            return Ok(ConflictUpdate {
                exprs: values,
                filter,
                assigned: given,
                wider,
            });
        }
        // The row that is there, then the one that was to be inserted, as rows of the table.
        let places = [(0, 0), (named, target.table.columns.len())];
        let on_table = |expr: Expr| target.on_table(expr, &places);
        let assigned = target.assigned(&given, Verb::Update)?;
        let mut exprs = column_exprs(&target.table);
        for (at, place) in given.iter().zip(&assigned) {
            if let (Some(slot), Some(value)) = (exprs.get_mut(*place), values.get(*at)) {
                *slot = on_table(value.clone())?;
            }
        }
        let filter = filter.map(on_table).transpose()?;
        Ok(ConflictUpdate {
            exprs,
            filter,
            assigned,
            wider,
        })
    }

    /// What adds the subqueries of expressions over rows to these.
    fn wider(
        &mut self,
        names: &Scope,
        subqueries: &[Subquery],
        mut exprs: Vec<&mut Expr>,
    ) -> Result<Wider> {
        let id = self.query.new_cte_id();
        let columns = names.tables.iter().flat_map(|table| &table.columns);
        let number = (String::new(), LogicalType::Int8);
        let (column_names, types) = columns.cloned().chain([number]).unzip();
        let rows = Plan::CteScan(CteScanNode {
            id,
            name: String::new(),
            column_names,
            types,
        });
        let mut plan = attach(rows, subqueries, &mut exprs)?;
        for known in self.query.context.ctes.iter().rev() {
            plan = with_definition(plan, known.clone());
        }
        Ok(Wider {
            id,
            plan: optimize(plan),
        })
    }

    /// The unique indexes over exactly these columns and expressions.
    fn inferred_arbiters(
        &mut self,
        target: &Target,
        columns: &[Ast],
        filter: Option<&Ast>,
    ) -> Result<Vec<Arbiter>> {
        let table = &target.table;
        let names = target_scope(&target.shape, None);
        let mut wanted = Vec::with_capacity(columns.len());
        for ast in columns {
            let mut scope = ExprScope::plain(&names, "index expressions");
            let operand = self.query.expr(ast, &mut scope)?;
            let expr = varve_expr::fold(self.query.settle(operand)?);
            let expr = target.on_table(expr, &[(0, 0)])?;
            let part = match expr {
                Expr::Column { index, .. } => Some(KeyPart::Column(index)),
                expr => table.known_expression(&expr),
            };
            wanted.push(part.ok_or_else(no_arbiter)?);
        }
        let mut known = Vec::new();
        if let Some(filter) = filter {
            let mut scope = ExprScope::plain(&names, "WHERE");
            let mut conditions = Vec::new();
            let filter = self.query.filter(filter, &mut scope)?;
            split_conjunction(target.on_table(filter, &[(0, 0)])?, &mut conditions);
            known.extend(conditions.iter().filter_map(|condition| {
                match pushed_predicate(condition, Some(table)) {
                    Some(PushedPredicate::Fixed(test)) => Some(test),
                    _ => None,
                }
            }));
        }
        let is_wanted = |keys: &mut dyn Iterator<Item = KeyPart>| {
            let keys: Vec<KeyPart> = keys.collect();
            keys.iter().all(|key| wanted.contains(key))
                && wanted.iter().all(|part| keys.contains(part))
        };
        let implied = |test: &PartPredicate| known.contains(test);
        let mut arbiters = Vec::new();
        if !table.primary_key.is_empty() && is_wanted(&mut table.key_parts()) {
            arbiters.push(Arbiter::PrimaryKey);
        }
        for index in unique_indexes(table) {
            let fits = is_wanted(&mut index.key_parts());
            if fits && index.predicate.iter().all(implied) {
                arbiters.push(index_arbiter(index)?);
            }
        }
        if arbiters.is_empty() {
            return Err(no_arbiter());
        }
        Ok(arbiters)
    }
}

fn unique_indexes(table: &TableDef) -> impl Iterator<Item = &IndexDef> {
    let indexes = table.indexes.iter();
    indexes.filter(|index| index.options.is_unique && !index.is_building)
}

fn every_arbiter(table: &TableDef) -> Result<Vec<Arbiter>> {
    let key = (!table.primary_key.is_empty()).then_some(Ok(Arbiter::PrimaryKey));
    let indexes = unique_indexes(table).map(index_arbiter);
    key.into_iter().chain(indexes).collect()
}

fn index_arbiter(index: &IndexDef) -> Result<Arbiter> {
    if index.deferral != Deferral::Never {
        let message = "ON CONFLICT does not support deferrable unique constraints/exclusion \
                       constraints as arbiters";
        let error = Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message);
        return Err(error.with_constraint(index.name.clone()));
    }
    Ok(Arbiter::Index(index.tree))
}

fn named_arbiter(table: &TableDef, name: &str) -> Result<Arbiter> {
    if !table.primary_key.is_empty() && table.key_name() == name {
        return Ok(Arbiter::PrimaryKey);
    }
    let mut constraints = table.indexes.iter().filter(|index| index.is_constraint);
    if let Some(index) = constraints.find(|index| index.name == name) {
        return index_arbiter(index);
    }
    if table.has_constraint(name) {
        let message = "constraint in ON CONFLICT clause has no associated index";
        return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
    }
    let table = &table.name;
    let message = format!("constraint \"{name}\" for table \"{table}\" does not exist");
    Err(Error::new(SqlState::UNDEFINED_OBJECT, message))
}

fn no_arbiter() -> Error {
    let message =
        "there is no unique or exclusion constraint matching the ON CONFLICT specification";
    Error::new(SqlState::INVALID_COLUMN_REFERENCE, message)
}
