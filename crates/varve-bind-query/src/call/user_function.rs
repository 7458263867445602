//! Calls of functions of users: which one is meant, and how its body comes into the query.
//!
//! The one query of a body is bound where the call stands, with the arguments in place of their
//! names: a value without FROM takes the place of the call, any other becomes a subquery. So what
//! a function reads is planned together with what calls it.

use std::sync::Arc;

use varve_catalog::built_in::built_in_routines;
use varve_catalog::model::function_def::{FunctionDef, Returns};
use varve_catalog::model::schema::RelationName;
use varve_expr::walk::is_fixed;
use varve_expr::{Expr, Placeholder, Volatility, fold};
use varve_lexer::too_deep;
use varve_parser::plpgsql::Piece;
use varve_plan::build::array::RowsOf;
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::build::routine::{
    first_row, is_replaceable, is_run_first, mismatch, only_query, only_value, strict, void_query,
};
use varve_plan::build::row_value::{called_fields, is_whole_row, rows_of};
use varve_plan::optimize::bind_outer;
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::{Field, Plan, Query, SetCall};
use varve_plan::scope::error::{refuse, unsupported_at};
use varve_types::{Error, LogicalType, Result, Value, meter};

use crate::call::routine_call::depends_on_rows;
use crate::context::arguments::{Arguments, Candidates};
use crate::context::binder::{NESTING_MAX, NO_SOURCE, QueryBinder};
use crate::context::query_context::QueryContext;
use crate::context::scope::{ExprScope, no_sets};
use crate::context::variables::{Variable, Variables};

impl QueryBinder<'_> {
    /// The functions of users that a name may mean; those that every database has, where there
    /// are none.
    pub fn candidates(&self, name: &RelationName) -> Candidates {
        let found = self.statement.catalog.functions_named(name).into_iter();
        let mut found: Candidates = found.map(Arc::clone).collect();
        if let Some(own) = self
            .context
            .defined
            .as_ref()
            .filter(|own| own.name == name.name)
        {
            found.retain(|known| known.object != own.object);
            found.push(Arc::clone(own));
        }
        if found.is_empty() {
            found.extend(built_in_routines(name).map(Arc::clone));
        }
        found
    }

    /// A call in an expression.
    pub fn user_call(
        &mut self,
        (name, candidates): (&RelationName, &Candidates),
        args: &Arguments<'_>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let around = core::mem::take(&mut self.context.reads_rows);
        let operands = self.operands(args, scope);
        self.context.reads_rows = around;
        self.user_call_of((name, candidates), args, operands?, position, scope)
    }

    /// As [`QueryBinder::user_call`], of arguments that are bound.
    pub fn user_call_of(
        &mut self,
        (name, candidates): (&RelationName, &Candidates),
        args: &Arguments<'_>,
        operands: Vec<Operand>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let (def, values) = self.resolve_user((name, candidates), args, operands, position)?;
        let is_run_first = is_run_first(&def, &def.code()?.pieces);
        let has_rows = def.returns == Returns::Columns && !values.iter().any(depends_on_rows);
        if is_run_first && !has_rows {
            let is_record = def.returns == Returns::Record;
            let what = "a record of a function that is not one query, as a value";
            refuse(is_record, what, position)?;
            let result = self.run_first(&def, values, position, scope)?;
            return self.of_domain(result, def.domain).map(Operand::Known);
        }
        let (values, outer) = match is_run_first {
            true => (values, Vec::new()),
            false => self.as_slots(values),
        };
        let query = match self.is_defined(&def) {
            true => self.unknown_rows(&def),
            false if is_run_first => self.routine_rows(&def, values, position)?,
            false => self.body_query(&def, &values)?,
        };
        let ty = query.fields.first().map(|field| field.ty);
        let ty = ty.unwrap_or(LogicalType::Text);
        let (plan, ty) = match def.row_type() {
            Some(row) if !is_whole_row(&def, &query.fields) => rows_of(query.plan, row, position)?,
            _ => (query.plan, ty),
        };
        let fields = match def.returns {
            Returns::Columns | Returns::Relation(_) => def.columns(self.statement.catalog),
            _ => Vec::new(),
        };
        if def.returns_set {
            if scope.sets.is_none() {
                return Err(no_sets(scope.clause, position));
            }
            let rows = self.array_of_plan((plan, ty, outer), RowsOf::Array, position, scope)?;
            let row = self.unnested(rows, ty, position, scope)?;
            return self.row_of(row, fields, position);
        }
        // The fields of a record have names where it is a column.
        let is_named = def.returns == Returns::Columns && scope.subqueries.is_some();
        if !is_named
            && let Some(value) = only_value(&plan)
            && is_replaceable(value, &outer, scope.subqueries.is_some())
        {
            let mut value = value.clone();
            bind_outer(&mut value, &outer);
            return Ok(Operand::Known(fold(value)));
        }
        if scope.subqueries.is_none() {
            let what = format!("a function with a query in {}", scope.clause);
            return Err(unsupported_at(what, position));
        }
        let plan = first_row(plan);
        let row = self.row_of_subquery(plan, ty, outer, scope);
        self.row_of(row, fields, position)
    }

    /// Whether it is the function whose definition is checked.
    pub fn is_defined(&self, def: &Arc<FunctionDef>) -> bool {
        let own = self.context.defined.as_ref();
        own.is_some_and(|own| {
            (own.schema, &own.name) == (def.schema, &def.name)
                && own.input_types() == def.input_types()
        })
    }

    /// Stands for a call of a function in its own definition.
    pub fn unknown_rows(&self, def: &FunctionDef) -> Query {
        let columns = def.columns(self.statement.catalog);
        let nulls = columns.iter().map(|(_, ty)| literal(Value::Null, *ty));
        let plan = Plan::Project {
            input: Box::new(one_row()),
            exprs: nulls.collect(),
        };
        let fields = columns.into_iter();
        Query {
            plan,
            fields: fields.map(|(name, ty)| Field { name, ty }).collect(),
            untyped: Vec::new(),
        }
    }

    /// The elements of an array as rows of the select list.
    fn unnested(
        &mut self,
        rows: Operand,
        ty: LogicalType,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Expr> {
        let call = self.named("unnest", vec![rows], position)?;
        let (Some(calls), Expr::Call { function, args, .. }) = (&mut scope.sets, call) else {
            return Err(Error::internal("unnest is no call"));
        };
        let part = Placeholder::Set(calls.len());
        calls.push(SetCall {
            function,
            args,
            types: vec![ty],
            position,
            routine: None,
        });
        Ok(Expr::Placeholder { part, ty })
    }

    /// Arguments as the body reads them: what reads columns, or differs each time, is computed
    /// once, and set in a slot.
    pub fn as_slots(&mut self, values: Vec<Expr>) -> (Vec<Expr>, Vec<(usize, Expr)>) {
        let mut outer = Vec::new();
        let read = values.into_iter();
        let read = read.map(|value| self.as_slot(fold(value), &mut outer));
        (read.collect(), outer)
    }

    fn as_slot(&mut self, value: Expr, outer: &mut Vec<(usize, Expr)>) -> Expr {
        if is_fixed(&value) {
            return value;
        }
        // The fields of a row are read on their own.
        if called_fields(&value).is_some()
            && let Expr::Call {
                function,
                args,
                position,
            } = value
        {
            let args = args.into_iter().map(|field| self.as_slot(field, outer));
            return Expr::Call {
                function,
                args: args.collect(),
                position,
            };
        }
        let (slot, ty) = (self.new_slot(), value.logical_type());
        outer.push((slot, value));
        Expr::Outer { slot, ty }
    }

    /// The query of a body, with columns of the names and types that the function gives.
    pub fn body_query(&mut self, def: &FunctionDef, values: &[Expr]) -> Result<Query> {
        let code = def.code()?;
        meter::planned(def.body.len())?;
        let source = core::mem::replace(&mut self.context.source, &NO_SOURCE);
        let query = self.bound_body(def, &code.pieces, values);
        self.context.source = source;
        // Places in the body are none in the statement.
        query.map_err(|error| {
            let is_inlined = match def.returns_set {
                true => def.volatility != Volatility::Volatile && !def.is_strict,
                false => def.row_type().is_none(),
            };
            let when = if is_inlined { "inlining" } else { "startup" };
            let context = format!("SQL function \"{}\" during {when}", def.name);
            error.without_position().in_context(context)
        })
    }

    /// As [`QueryBinder::body_query`], of a body that was parsed.
    pub fn bound_body(
        &mut self,
        def: &FunctionDef,
        parsed: &[Piece],
        values: &[Expr],
    ) -> Result<Query> {
        let mut columns = def.columns(self.statement.catalog);
        let Some((ast, nesting)) = only_query(parsed) else {
            return match parsed {
                [] if def.returns == Returns::Void => Ok(void_query(one_row(), columns)),
                _ => Err(Error::unsupported("functions of more than one query")),
            };
        };
        let nesting = self.context.nesting + nesting + 2;
        if nesting > NESTING_MAX {
            return Err(too_deep());
        }
        let inputs = def.inputs().zip(values);
        let inputs = inputs.map(|(argument, value)| Variable {
            qualifier: def.name.clone(),
            name: argument.name.clone(),
            is_plain: true,
            value: value.clone(),
        });
        let variables = Variables::new(inputs.collect(), values.len());
        // Nothing around the call is in reach of the body.
        let context = QueryContext {
            variables: Some(Arc::new(variables)),
            reads_rows: false,
            ..self.context.of_text(nesting)
        };
        let query = self.in_text(context, |binder| binder.query(ast, None))?;
        if def.returns == Returns::Void {
            return Ok(void_query(query.plan, columns));
        }
        let mut query = self.as_declared(query, def, &columns)?;
        if def.is_strict {
            query.plan = strict(query.plan, values);
        }
        if !is_whole_row(def, &query.fields) {
            for (field, (name, _)) in query.fields.iter_mut().zip(&mut columns) {
                field.name = core::mem::take(name);
            }
        }
        Ok(query)
    }

    /// The rows of a body in the types that the function declares.
    fn as_declared(
        &mut self,
        query: Query,
        def: &FunctionDef,
        columns: &[(String, LogicalType)],
    ) -> Result<Query> {
        let mismatch = |detail: String| mismatch(def, detail);
        if def.returns == Returns::Record {
            return Ok(query);
        }
        let query = match self.as_whole_row(query, def)? {
            query if is_whole_row(def, &query.fields) => return Ok(query),
            query => query,
        };
        let is_value = matches!(def.returns, Returns::Value(_));
        if query.fields.len() != columns.len() {
            return Err(mismatch(match query.fields.len() {
                _ if is_value => "Final statement must return exactly one column.".to_owned(),
                count if count > columns.len() => {
                    "Final statement returns too many columns.".to_owned()
                }
                _ => "Final statement returns too few columns.".to_owned(),
            }));
        }
        let mut exprs = Vec::with_capacity(columns.len());
        let mut is_same = true;
        for (index, (field, (_, to))) in query.fields.iter().zip(columns).enumerate() {
            let column = Expr::Column {
                index,
                ty: field.ty,
            };
            let domain = def.column_domain(index);
            let modifier = def.column_modifier(index, self.statement.catalog);
            is_same &= field.ty == *to && domain.is_none() && modifier.is_none();
            let operand = Operand::Known(column);
            let context = CastContext::Assignment;
            let converted = self.convert_bounded(operand, *to, modifier, context, 0)?;
            let converted = converted.ok_or_else(|| match is_value {
                true => mismatch(format!("Actual return type is {}.", field.ty)),
                false => mismatch(format!(
                    "Final statement returns {} instead of {to} at column {}.",
                    field.ty,
                    index + 1
                )),
            })?;
            exprs.push(self.of_domain(converted, domain)?);
        }
        if is_same {
            return Ok(query);
        }
        let fields = columns.iter();
        let fields = fields.map(|(name, ty)| Field {
            name: name.clone(),
            ty: *ty,
        });
        Ok(Query {
            plan: projected(query.plan, exprs),
            fields: fields.collect(),
            untyped: Vec::new(),
        })
    }
}

/// What expressions give over a plan. A value stays one that can take the place of the call.
fn projected(plan: Plan, mut exprs: Vec<Expr>) -> Plan {
    let (input, own) = match plan {
        Plan::Project { input, exprs } => (input, exprs),
        plan => {
            let input = Box::new(plan);
            return Plan::Project { input, exprs };
        }
    };
    for expr in &mut exprs {
        varve_expr::walk::substitute(expr, &|part| match part {
            Expr::Column { index, .. } => own.get(*index).cloned(),
            _ => None,
        });
    }
    Plan::Project { input, exprs }
}
