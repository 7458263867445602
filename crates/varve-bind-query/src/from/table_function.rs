//! Functions in FROM: one, or several side by side.

use varve_ast::{
    Alias, AliasColumn, Argument, ExprKind, FunctionRelation, ObjectName, RowsCall, RowsFunction,
};
use varve_catalog::model::schema::RelationName;
use varve_catalog::text::kept_text::Meaning;
use varve_catalog::text::name::simple_name;
use varve_expr::{Expr, fold};
use varve_plan::build::array::{RowsOf, gathered};
use varve_plan::build::operand::{Operand, literal};
use varve_plan::build::row_value::{Field, rows_of};
use varve_plan::build::subquery::{Subquery, attach};
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::{JoinKind, JoinNode, Plan, ProjectSetNode, SetCall};
use varve_plan::scope::error::{located, unsupported_at};
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, RowTypeId, SqlState, Value};

use crate::call::set_function::{Columns, Definition};
use crate::context::arguments::{Arguments, Candidates};
use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

/// A call as it is written, with the columns that it defines.
struct Written<'a> {
    name: &'a ObjectName,
    args: &'a [Argument],
    definitions: Vec<Definition<'a>>,
}

/// What a call gives.
enum Rows {
    /// Those of a function of the function table.
    Of(SetCall),
    /// Those of a function of a user, and whether its only column has no name of its own.
    Plan(Plan, bool),
}

/// The columns that calls give together.
struct Given {
    columns: Columns,
    /// Whether the only one has no name of its own.
    is_unnamed: bool,
    /// The fields of the row that the only call gives, which become the columns.
    row_fields: Option<Vec<Field>>,
}

impl QueryBinder<'_> {
    /// A function in FROM, or several side by side; what they may read of the relations before them
    /// are outer values.
    pub fn table_function(
        &mut self,
        relation: &FunctionRelation,
        base: usize,
    ) -> Result<(Plan, Scope)> {
        let FunctionRelation {
            is_lateral: _,
            functions,
            is_rows_from,
            with_ordinality,
            alias,
            span,
        } = relation;
        let (alias, with_ordinality) = (alias.as_ref(), *with_ordinality);
        if let [function] = functions.as_slice()
            && let RowsCall::Expr(value) = &function.call
            && !is_rows_from
        {
            return self.table_value(value, alias, base);
        }
        let position = self.at(*span);
        let written = functions.iter().map(|function| self.written_call(function));
        let mut written = written.collect::<Result<Vec<Written<'_>>>>()?;
        let definitions = alias.map_or_else(Vec::new, |alias| definitions_of(&alias.columns));
        let is_defined = !definitions.is_empty();
        self.place_definitions(definitions, &mut written, with_ordinality)?;
        let mut bound = Vec::with_capacity(written.len());
        let mut subqueries = Vec::new();
        for call in &written {
            self.call_in_from(call, base, &mut bound, &mut subqueries)?;
        }
        let Given {
            mut columns,
            is_unnamed,
            row_fields,
        } = self.given_columns(&bound, &written, alias);
        let is_value = is_unnamed && !with_ordinality && columns.len() == 1;
        let mut plan = self.side_by_side(bound, &subqueries, with_ordinality, position)?;
        columns.extend(with_ordinality.then(|| ("ordinality".to_owned(), LogicalType::Int8)));
        let name = match (alias, written.first()) {
            (Some(alias), _) if is_defined => alias.name.text.clone(),
            (Some(alias), _) => self.apply_alias(alias, &mut columns)?,
            (None, Some(first)) => {
                self.use_name(position, || Meaning::Naming);
                self.relation_name(first.name)?.name
            }
            (None, None) => return Err(Error::internal("FROM without a function")),
        };
        if let Some(fields) = row_fields {
            plan = self.spread_rows(plan, fields.len(), &columns, position)?;
        }
        let mut scope = Scope::table(name, 0, columns);
        for table in &mut scope.tables {
            table.is_value = is_value;
        }
        Ok((plan, scope))
    }

    /// The columns of calls side by side, before those that are said of them.
    fn given_columns(
        &self,
        bound: &[(Rows, Columns)],
        written: &[Written<'_>],
        alias: Option<&Alias>,
    ) -> Given {
        let mut columns: Columns = Vec::new();
        let mut is_unnamed = bound.len() == 1;
        let mut row_fields = None;
        for (rows, of_call) in bound {
            columns.extend(of_call.iter().cloned());
            is_unnamed &= match rows {
                Rows::Plan(_, is_unnamed) => *is_unnamed,
                Rows::Of(call) => call.function.columns().is_empty(),
            };
            if let (Rows::Of(_), [(_, ty)], [_]) = (rows, of_call.as_slice(), bound) {
                row_fields = self.fields_of_row(&literal(Value::Null, *ty));
            }
        }
        is_unnamed &=
            row_fields.is_none() && written.iter().all(|call| call.definitions.is_empty());
        // Without names of its own a single column has that of the alias.
        if let ([(column, _)], true, Some(alias)) = (columns.as_mut_slice(), is_unnamed, alias) {
            column.clone_from(&alias.name.text);
        }
        if let Some(fields) = &row_fields {
            let fields = fields.iter();
            columns = fields.map(|(name, ty, _)| (name.clone(), *ty)).collect();
        }
        Given {
            columns,
            is_unnamed,
            row_fields,
        }
    }

    /// A call with the columns that ROWS FROM defines of it.
    fn written_call<'a>(&self, function: &'a RowsFunction) -> Result<Written<'a>> {
        let (name, args) = match &function.call {
            RowsCall::Call { name, arguments } => (name, arguments),
            RowsCall::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) if call.has_parentheses => (&call.name, &call.arguments),
                _ => return Err(unsupported_at("this in ROWS FROM", self.at(expr.span))),
            },
        };
        Ok(Written {
            name,
            args,
            definitions: definitions_of(&function.columns),
        })
    }

    /// The columns that an alias defines are those of the only call.
    fn place_definitions<'a>(
        &self,
        definitions: Vec<Definition<'a>>,
        written: &mut [Written<'a>],
        with_ordinality: bool,
    ) -> Result<()> {
        let Some((first, _)) = definitions.first() else {
            return Ok(());
        };
        let position = self.at(first.span);
        let error = |message: &str, hint: &str| {
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            Err(located(error, position).with_hint(hint))
        };
        match written {
            [_] if with_ordinality => error(
                "WITH ORDINALITY cannot be used with a column definition list",
                "Put the column definition list inside ROWS FROM().",
            ),
            [call] if call.args.len() > 1 && self.is_unnest(call) => error(
                "UNNEST() with multiple arguments cannot have a column definition list",
                "Use separate UNNEST() calls inside ROWS FROM(), and attach a column definition \
                 list to each one.",
            ),
            [call] => {
                call.definitions = definitions;
                Ok(())
            }
            _ => error(
                "ROWS FROM() with multiple functions cannot have a column definition list",
                "Put a separate column definition list for each function inside ROWS FROM().",
            ),
        }
    }

    fn is_unnest(&self, call: &Written<'_>) -> bool {
        simple_name(call.name) == Some("unnest")
    }

    /// Binds a call; `unnest` of several arrays is one of each.
    fn call_in_from(
        &mut self,
        call: &Written<'_>,
        base: usize,
        bound: &mut Vec<(Rows, Columns)>,
        subqueries: &mut Vec<Subquery>,
    ) -> Result<()> {
        let position = self.at(call.name.span());
        let own = simple_name(call.name);
        let name = self.relation_name(call.name)?;
        let candidates = self.candidates(&name);
        let own = own.filter(|own| {
            let is_own = candidates.is_empty() || self.is_built_in(own);
            is_own && !self.is_called_at(position)
        });
        let Some(own) = own else {
            return self.user_call_in_from(call, (&name, &candidates), base, bound);
        };
        let (before, met) = (bound.len(), subqueries.len());
        match self.own_call_in_from(call, own, base, bound, subqueries) {
            Err(error)
                if error.state() == SqlState::UNDEFINED_FUNCTION && !candidates.is_empty() =>
            {
                bound.truncate(before);
                subqueries.truncate(met);
                self.user_call_in_from(call, (&name, &candidates), base, bound)
            }
            done => done,
        }
    }

    /// Binds a call of a function of a user.
    fn user_call_in_from(
        &mut self,
        call: &Written<'_>,
        called: (&RelationName, &Candidates),
        base: usize,
        bound: &mut Vec<(Rows, Columns)>,
    ) -> Result<()> {
        let position = self.at(call.name.span());
        let args = Arguments::of(call.args, position)?;
        let (plan, columns, unnamed) =
            self.user_rows(called, &args, &call.definitions, base, position)?;
        bound.push((Rows::Plan(plan, unnamed), columns));
        Ok(())
    }

    /// Binds a call of a function of the system.
    fn own_call_in_from(
        &mut self,
        call: &Written<'_>,
        name: &str,
        base: usize,
        bound: &mut Vec<(Rows, Columns)>,
        subqueries: &mut Vec<Subquery>,
    ) -> Result<()> {
        let position = self.at(call.name.span());
        let each = match call.args.len() {
            2.. if self.is_unnest(call) => 1,
            count => count.max(1),
        };
        let mut parts: Vec<&[Argument]> = call.args.chunks(each).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        for args in parts {
            let args = Arguments::of(args, position)?;
            let names = Scope::default();
            let operands = self.lateral(base, |binder| {
                let mut scope = ExprScope::plain(&names, "a function in FROM");
                scope.subqueries = Some(core::mem::take(subqueries));
                let operands = binder.operands(&args, &mut scope);
                *subqueries = scope.take_subqueries();
                operands
            })?;
            let definitions = &call.definitions;
            let (call, columns) = self.set_call(name, &args, operands, definitions, position)?;
            bound.push((Rows::Of(call), columns));
        }
        Ok(())
    }

    /// A plan with the rows of a function of a user as one array behind its columns, and the call
    /// that takes the array apart.
    fn gathered_rows(&mut self, input: Plan, rows: Plan, position: u32) -> Result<(Plan, SetCall)> {
        let record = LogicalType::Row(RowTypeId::RECORD);
        let (rows, ty) = rows_of(rows, record, position)?;
        let (rows, ty) = gathered(rows, ty, RowsOf::Array, position)?;
        let index = input.width();
        let array = Operand::Known(Expr::Column { index, ty });
        let unnest = self.named("unnest", vec![array], position)?;
        let Expr::Call { function, args, .. } = unnest else {
            return Err(Error::internal("unnest is no call"));
        };
        let call = SetCall {
            function,
            args,
            types: vec![record],
            position,
            routine: None,
        };
        let plan = Plan::Join(JoinNode::new(JoinKind::Inner, input, rows));
        Ok((plan, call))
    }

    /// The rows of calls side by side. Those of functions of users are gathered to arrays first,
    /// unless they stand alone.
    fn side_by_side(
        &mut self,
        bound: Vec<(Rows, Columns)>,
        subqueries: &[Subquery],
        ordinality: bool,
        position: u32,
    ) -> Result<Plan> {
        let is_alone = bound.len() == 1 && !ordinality;
        let mut input = one_row();
        let mut calls = Vec::with_capacity(bound.len());
        let mut of_users = Vec::with_capacity(bound.len());
        for (rows, columns) in bound {
            let plan = match rows {
                Rows::Plan(plan, _) if is_alone => return Ok(plan),
                Rows::Of(call) => {
                    calls.push(call);
                    of_users.push(None);
                    continue;
                }
                Rows::Plan(plan, _) => plan,
            };
            let (plan, call) = self.gathered_rows(input, plan, position)?;
            input = plan;
            calls.push(call);
            of_users.push(Some(columns));
        }
        let args = calls.iter_mut().flat_map(|call| &mut call.args);
        input = attach(input, subqueries, &mut args.collect::<Vec<_>>())?;
        let mut first = input.width();
        if first == 0 {
            return Ok(table_plan(calls, ordinality));
        }
        let set = ProjectSetNode {
            input: Box::new(input),
            calls,
            ordinality,
        };
        let mut exprs = Vec::new();
        for (call, columns) in set.calls.iter().zip(of_users) {
            let own = (first..).zip(&call.types);
            let own = own.map(|(index, ty)| Expr::Column { index, ty: *ty });
            let own: Vec<Expr> = own.collect();
            first += own.len();
            match (columns, own.as_slice()) {
                (Some(columns), [row]) => {
                    for (place, (_, ty)) in columns.into_iter().enumerate() {
                        exprs.push(self.field_at(row, (place, ty), position)?);
                    }
                }
                _ => exprs.extend(own),
            }
        }
        exprs.extend(ordinality.then_some(Expr::Column {
            index: first,
            ty: LogicalType::Int8,
        }));
        Ok(Plan::Project {
            input: Box::new(Plan::ProjectSet(set)),
            exprs,
        })
    }
}

/// The columns that are defined with their types.
fn definitions_of(columns: &[AliasColumn]) -> Vec<Definition<'_>> {
    let columns = columns.iter();
    let definitions = columns.filter_map(|column| Some((&column.name, column.type_name.as_ref()?)));
    definitions.collect()
}

/// The rows of calls side by side.
fn table_plan(mut calls: Vec<SetCall>, ordinality: bool) -> Plan {
    let input = Box::new(one_row());
    if let [call] = calls.as_mut_slice()
        && !call.function.returns_set()
    {
        let mut exprs = vec![fold(Expr::Call {
            function: call.function,
            args: core::mem::take(&mut call.args),
            position: call.position,
        })];
        let one = literal(varve_types::Value::Int8(1), LogicalType::Int8);
        exprs.extend(ordinality.then_some(one));
        return Plan::Project { input, exprs };
    }
    Plan::ProjectSet(ProjectSetNode {
        input,
        calls,
        ordinality,
    })
}
