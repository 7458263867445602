//! Set-returning functions, in FROM and in the select list.

use sqlparser::ast::{
    Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, TableAlias,
};
use varve_expr::{Expr, fold};
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::function::Arguments;
use crate::bind::literal::{Operand, literal};
use crate::bind::names::{fold_name, result_name, simple_name};
use crate::bind::placeholder::SET_COLUMNS;
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
            let clause = scope.clause;
            let message = format!("set-returning functions are not allowed in {clause}");
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(located(error, position));
        };
        let operands = self.operands(args, scope)?;
        let (call, columns) = self.set_call(name, args, operands, position)?;
        let [(_, ty)] = *columns.as_slice() else {
            return Err(unsupported_at(
                "a function of several columns outside FROM",
                position,
            ));
        };
        calls.push(call);
        let index = SET_COLUMNS + calls.len() - 1;
        scope.sets = Some(calls);
        Ok(Operand::Known(Expr::Column { index, ty }))
    }

    /// A call of a function that stands where rows do, with the names and types of its columns.
    fn set_call(
        &mut self,
        name: &str,
        args: &Arguments<'_>,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<(SetCall, Columns)> {
        let call = self.called(name, args, operands, position)?;
        let Expr::Call { function, args, .. } = call else {
            return Err(unsupported_at("this function in FROM", position));
        };
        if function.returns_record() {
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
        };
        Ok((call, columns))
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
        let mut bound = Vec::with_capacity(calls.len());
        for (name, args, position) in calls {
            let args = Arguments::of(args, position)?;
            let operands = self.lateral(base, |binder| {
                let mut scope = ExprScope::plain(&names, "a function in FROM");
                binder.operands(&args, &mut scope)
            })?;
            bound.push(self.set_call(&name, &args, operands, position)?);
        }
        let mut columns: Columns = Vec::new();
        let mut calls = Vec::with_capacity(bound.len());
        for (call, of_call) in bound {
            columns.extend(of_call);
            calls.push(call);
        }
        // Without names of its own a single column has that of the alias.
        let unnamed = calls.iter().all(|call| call.function.columns().is_empty());
        if let ([(column, _)], true, Some(alias)) = (columns.as_mut_slice(), unnamed, alias) {
            *column = fold_name(&alias.name);
        }
        columns.extend(with_ordinality.then(|| ("ordinality".to_owned(), LogicalType::Int8)));
        let name = match (alias, calls.first()) {
            (Some(alias), _) => self.apply_alias(alias, &mut columns)?,
            (None, Some(call)) => call.function.name().to_owned(),
            (None, None) => function,
        };
        let plan = table_plan(calls, with_ordinality);
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
