//! Functions that give rows: in FROM, and as values.

use std::sync::Arc;

use varve_ast::ArgumentMode;
use varve_catalog::model::function_def::{ArgumentDef, FunctionDef, Returns};
use varve_catalog::model::schema::RelationName;
use varve_plan::build::operand::CastContext;
use varve_plan::build::routine::{first_row, is_run_first};
use varve_plan::build::row_value::{called_fields, check_row, is_whole_row, unfolded};
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::{JoinKind, JoinNode, Plan, Query};
use varve_plan::scope::tables::Scope;
use varve_types::Result;

use crate::call::set_function::{Columns, Definition, check_definitions};
use crate::context::arguments::{Arguments, Candidates};
use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

impl QueryBinder<'_> {
    /// The rows of a call in FROM with the names and types of their columns, and whether the only
    /// one has no name of its own.
    pub fn user_rows(
        &mut self,
        (name, candidates): (&RelationName, &Candidates),
        args: &Arguments<'_>,
        definitions: &[Definition<'_>],
        base: usize,
        position: u32,
    ) -> Result<(Plan, Columns, bool)> {
        let names = Scope::default();
        let (def, values) = self.lateral(base, |binder| {
            let mut scope = ExprScope::plain(&names, "a function in FROM");
            let operands = binder.operands(args, &mut scope)?;
            binder.resolve_user((name, candidates), args, operands, position)
        })?;
        let def = self.defined_rows(def, definitions, position)?;
        let is_run_first = is_run_first(&def, &def.code()?.pieces);
        let (values, outer) = match is_run_first {
            true => (values, Vec::new()),
            false => self.as_slots(values),
        };
        let query = match self.is_defined(&def) {
            true => self.unknown_rows(&def),
            false if is_run_first => self.routine_rows(&def, values, position)?,
            false => self.body_query(&def, &values)?,
        };
        let columns = def.columns(self.statement.catalog);
        let mut plan = self.spread_body(query, &def, position)?;
        if !def.returns_set && !is_run_first {
            // One row, of NULLs where the query gives none.
            plan = Plan::Join(JoinNode::new(JoinKind::Single, one_row(), first_row(plan)));
        }
        if !outer.is_empty() {
            let mut join = JoinNode::new(JoinKind::Inner, one_row(), plan);
            join.outer = outer;
            plan = Plan::Join(join);
        }
        Ok((plan, columns, def.has_unnamed_column()))
    }

    /// A function that returns records as one that gives the columns which its call defines.
    fn defined_rows(
        &self,
        def: Arc<FunctionDef>,
        definitions: &[Definition<'_>],
        position: u32,
    ) -> Result<Arc<FunctionDef>> {
        let is_record = def.returns == Returns::Record;
        check_definitions(
            is_record,
            match def.returns {
                Returns::Columns => " is redundant for a function with OUT parameters",
                Returns::Relation(_) => {
                    " is redundant for a function returning a named composite type"
                }
                _ => " is only allowed for functions returning \"record\"",
            },
            definitions.first().map(|(name, _)| self.at(name.span)),
            position,
        )?;
        if !is_record {
            return Ok(def);
        }
        let mut defined = FunctionDef::clone(&def);
        defined.returns = Returns::Columns;
        for (name, type_name) in definitions {
            let (ty, modifier) = self.data_type(type_name)?;
            defined.arguments.push(ArgumentDef {
                mode: ArgumentMode::Table,
                name: name.text.clone(),
                ty,
                modifier,
                domain: self.domain_of(type_name).map(|(domain, _)| domain.object),
                default: None,
            });
        }
        Ok(Arc::new(defined))
    }

    /// A row that is written as the only column of a body, in the type that the function declares.
    pub fn as_whole_row(&mut self, mut query: Query, def: &FunctionDef) -> Result<Query> {
        if let (Some(row), Plan::Project { exprs, .. }, [field]) =
            (def.row_type(), &mut query.plan, query.fields.as_mut_slice())
            && let [value] = exprs.as_mut_slice()
            && let Some(converted) =
                self.row_as(&unfolded(value)?, row, CastContext::Assignment, 0)?
        {
            *value = converted;
            field.ty = row;
        }
        Ok(query)
    }

    /// The columns of rows that a body gives, as FROM reads them.
    fn spread_body(&self, query: Query, def: &FunctionDef, position: u32) -> Result<Plan> {
        if !is_whole_row(def, &query.fields) {
            return Ok(query.plan);
        }
        let columns = def.columns(self.statement.catalog);
        if let Plan::Project { exprs, .. } = &query.plan
            && let Some(row) = exprs.first()
            && let Some(fields) = called_fields(&unfolded(row)?)
            && def.returns == Returns::Columns
        {
            check_row(fields, &columns)?;
        }
        self.spread_rows(query.plan, columns.len(), &columns, position)
    }
}
