//! Set-returning functions, in FROM and in the select list.

use sqlparser::ast::{
    Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, TableAlias,
    TableAliasColumnDef,
};
use varve_expr::{Expr, Function, fold};
use varve_types::{Error, LogicalType, Result, RowTypeId, SqlState, TypeMod, Value};

use crate::bind::expr::ExprScope;
use crate::bind::function::Arguments;
use crate::bind::literal::{Operand, literal};
use crate::bind::names::{fold_name, result_name, simple_name};
use crate::bind::placeholder::SET_COLUMNS;
use crate::bind::record::object;
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::plan::{Plan, ProjectSetNode, SetCall};
use crate::push_down::one_row;
use crate::scope::Scope;
use varve_parser::marker::ROWS_FROM;

type Columns = Vec<(String, LogicalType)>;

impl Binder<'_> {
    /// A set-returning function in an expression: a column of its own.
    pub(crate) fn set_returning(
        &mut self,
        name: &str,
        args: &Arguments<'_>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let Some(mut calls) = scope.sets.take() else {
            return Err(no_sets(scope.clause, position));
        };
        let operands = self.operands(args, scope)?;
        let (mut call, columns) = self.set_call(name, args, operands, None, position)?;
        let index = SET_COLUMNS + calls.len();
        let ty = match *columns.as_slice() {
            [(_, ty)] => ty,
            _ => LogicalType::Row(RowTypeId::RECORD),
        };
        call.types = vec![ty];
        calls.push(call);
        scope.sets = Some(calls);
        self.row_of(Expr::Column { index, ty }, columns, position)
    }

    /// The value of a function of these columns: where there are several, a row whose fields have
    /// their names.
    pub(crate) fn row_of(
        &mut self,
        value: Expr,
        columns: Columns,
        position: u32,
    ) -> Result<Operand> {
        let Expr::Column { index, .. } = value else {
            return Ok(Operand::Known(value));
        };
        if columns.len() < 2 {
            return Ok(Operand::Known(value));
        }
        if self.reads_rows {
            let mut fields = Vec::with_capacity(columns.len());
            for (place, (name, ty)) in columns.into_iter().enumerate() {
                fields.push((name, self.field_at(&value, (place, ty), position)?));
            }
            return object(fields, position);
        }
        let fields = columns.into_iter();
        let fields = fields.map(|(name, ty)| (name, ty, TypeMod::NONE));
        self.records.push((index, fields.collect()));
        Ok(Operand::Known(value))
    }

    /// A call of a function that stands where rows do, with the names and types of its columns.
    fn set_call(
        &mut self,
        name: &str,
        args: &Arguments<'_>,
        operands: Vec<Operand>,
        definitions: Option<&[TableAliasColumnDef]>,
        position: u32,
    ) -> Result<(SetCall, Columns)> {
        let call = self.called(name, args, operands, position)?;
        let Expr::Call { function, args, .. } = call else {
            return Err(unsupported_at("this function in FROM", position));
        };
        if function.returns_record() {
            if let Some(defined) = definitions {
                return self.defined_record(function.name(), args, defined, position);
            }
            let message = "a column definition list is required for functions returning \"record\"";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        }
        let columns = function.columns().into_iter();
        let mut columns: Columns = columns.map(|(name, ty)| (name.to_owned(), ty)).collect();
        if columns.is_empty() {
            columns.push((name.to_owned(), function.result_type()));
        }
        let call = SetCall {
            function,
            args: args.into_iter().map(fold).collect(),
            types: columns.iter().map(|(_, ty)| *ty).collect(),
            position,
            routine: None,
        };
        Ok((call, columns))
    }

    /// A call of a function whose columns the alias defines.
    fn defined_record(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        defined: &[TableAliasColumnDef],
        position: u32,
    ) -> Result<(SetCall, Columns)> {
        let int4 = |number| literal(Value::Int4(number), LogicalType::Int4);
        let mut columns: Columns = Vec::with_capacity(defined.len());
        let mut all: Vec<Expr> = args.into_iter().take(1).map(fold).collect();
        all.push(int4(i32::from(name.ends_with("set"))));
        for column in defined {
            let place = self.source.ident(&column.name);
            let name = self.new_name(&column.name)?;
            let Some(data_type) = &column.data_type else {
                let error = Error::new(SqlState::SYNTAX_ERROR, "a column without a type");
                return Err(located(error, place));
            };
            let (ty, modifier) = self.data_type(data_type, place)?;
            all.push(literal(Value::text(name.as_str()), LogicalType::Text));
            all.push(literal(Value::Null, ty));
            all.push(int4(modifier.0));
            columns.push((name, ty));
        }
        let function = Function::form("\0json records", None);
        let call = SetCall {
            function: function.ok_or_else(|| Error::internal("no records of JSON"))?,
            args: all,
            types: columns.iter().map(|(_, ty)| *ty).collect(),
            position,
            routine: None,
        };
        Ok((call, columns))
    }

    /// Rows of one column that is a row, with its fields as columns; other columns stay behind.
    fn spread_rows(
        &self,
        plan: Plan,
        fields: usize,
        columns: &Columns,
        position: u32,
    ) -> Result<Plan> {
        let ty = plan.types().first().copied().unwrap_or(LogicalType::Text);
        let row = Expr::Column { index: 0, ty };
        let mut exprs = Vec::with_capacity(columns.len());
        for (place, (_, ty)) in columns.iter().enumerate() {
            exprs.push(match place.checked_sub(fields) {
                None => self.field_at(&row, (place, *ty), position)?,
                Some(behind) => Expr::Column {
                    index: behind + 1,
                    ty: *ty,
                },
            });
        }
        Ok(Plan::Project {
            input: Box::new(plan),
            exprs,
        })
    }

    /// A function in FROM, or several side by side; what they may read of the relations before them
    /// are outer values.
    pub(crate) fn table_function(
        &mut self,
        name: &ObjectName,
        args: &[FunctionArg],
        with_ordinality: bool,
        alias: Option<&TableAlias>,
        base: usize,
    ) -> Result<(Plan, Scope)> {
        let position = self.source.name(name);
        let own = simple_name(name);
        if own.as_deref().is_none_or(|own| !self.is_built_in(own))
            && own.as_deref() != Some(ROWS_FROM)
        {
            let written = self.relation_name(name)?;
            let candidates = self.candidates(&written);
            if own.is_none() || !candidates.is_empty() {
                let what = "WITH ORDINALITY of a user's function";
                refuse(with_ordinality, what, position)?;
                let args = Arguments::of(args, position)?;
                let called = (&written, &candidates);
                return self.user_relation(called, &args, alias, base, position);
            }
        }
        let function = own.unwrap_or_default();
        let mut calls = Vec::new();
        if function == ROWS_FROM {
            for arg in args {
                let FunctionArg::Unnamed(FunctionArgExpr::Expr(Ast::Function(inner))) = arg else {
                    return Err(unsupported_at("this in ROWS FROM", position));
                };
                let place = self.source.name(&inner.name);
                let (Some(name), FunctionArguments::List(list)) =
                    (simple_name(&inner.name), &inner.args)
                else {
                    return Err(unsupported_at("this in ROWS FROM", place));
                };
                calls.push((name, list.args.as_slice(), place));
            }
        } else if function == "unnest" && args.len() > 1 {
            let each = args.chunks(1).map(|arg| (function.clone(), arg, position));
            calls.extend(each);
        } else {
            calls.push((function.clone(), args, position));
        }
        let names = Scope::default();
        let definitions = alias.map(|alias| alias.columns.as_slice());
        let definitions = definitions.filter(|columns| {
            calls.len() == 1 && columns.iter().any(|column| column.data_type.is_some())
        });
        let mut bound = Vec::with_capacity(calls.len());
        for (name, args, position) in calls {
            let args = Arguments::of(args, position)?;
            let operands = self.lateral(base, |binder| {
                let mut scope = ExprScope::plain(&names, "a function in FROM");
                binder.operands(&args, &mut scope)
            })?;
            bound.push(self.set_call(&name, &args, operands, definitions, position)?);
        }
        let mut columns: Columns = Vec::new();
        let mut calls = Vec::with_capacity(bound.len());
        for (call, of_call) in bound {
            columns.extend(of_call);
            calls.push(call);
        }
        // Without names of its own a single column has that of the alias.
        let row_fields = match columns.as_slice() {
            [(_, ty)] if calls.len() == 1 => self.fields_of_row(&literal(Value::Null, *ty)),
            _ => None,
        };
        let is_defined = calls.iter().any(|call| call.function.returns_record());
        let unnamed = row_fields.is_none()
            && !is_defined
            && calls.iter().all(|call| call.function.columns().is_empty());
        if let ([(column, _)], true, Some(alias)) = (columns.as_mut_slice(), unnamed, alias) {
            *column = fold_name(&alias.name);
        }
        if let Some(fields) = &row_fields {
            let fields = fields.iter();
            columns = fields.map(|(name, ty, _)| (name.clone(), *ty)).collect();
        }
        columns.extend(with_ordinality.then(|| ("ordinality".to_owned(), LogicalType::Int8)));
        let name = match (alias, calls.first()) {
            (Some(alias), _) if is_defined => fold_name(&alias.name),
            (Some(alias), _) => self.apply_alias(alias, &mut columns)?,
            (None, Some(call)) => call.function.name().to_owned(),
            (None, None) => function,
        };
        let mut plan = table_plan(calls, with_ordinality);
        if let Some(fields) = row_fields {
            plan = self.spread_rows(plan, fields.len(), &columns, position)?;
        }
        Ok((plan, Scope::table(name, 0, columns)))
    }
}

impl Binder<'_> {
    /// A value as a relation of one row: `FROM current_schema()`.
    pub(crate) fn table_value(
        &mut self,
        ast: &Ast,
        alias: Option<&TableAlias>,
        base: usize,
    ) -> Result<(Plan, Scope)> {
        let names = Scope::default();
        let value = self.lateral(base, |binder| {
            let mut scope = ExprScope::plain(&names, "a function in FROM");
            let operand = binder.expr(ast, &mut scope)?;
            binder.settle(operand)
        })?;
        let own = result_name(ast);
        let column = alias.map_or_else(|| own.clone(), |alias| fold_name(&alias.name));
        let mut columns: Columns = vec![(column, value.logical_type())];
        let name = match alias {
            Some(alias) => self.apply_alias(alias, &mut columns)?,
            None => own,
        };
        let plan = Plan::Project {
            input: Box::new(one_row()),
            exprs: vec![fold(value)],
        };
        Ok((plan, Scope::table(name, 0, columns)))
    }
}

/// `0A000`: rows where none may be.
pub(crate) fn no_sets(clause: &str, position: u32) -> Error {
    let error = |message| {
        located(
            Error::new(SqlState::FEATURE_NOT_SUPPORTED, message),
            position,
        )
    };
    match clause {
        "aggregate" | "window" => error(format!(
            "{clause} function calls cannot contain set-returning function calls"
        ))
        .with_hint(
            "You might be able to move the set-returning function into a LATERAL FROM item.",
        ),
        clause => error(format!(
            "set-returning functions are not allowed in {clause}"
        )),
    }
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
