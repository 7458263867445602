//! Set-returning functions, in FROM and in the select list.

use sqlparser::ast::{Expr as Ast, FunctionArg, FunctionArgExpr, ObjectName, TableAlias};
use varve_expr::{Expr, fold, resolve_set_function};
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::literal::{CastContext, Operand};
use crate::bind::names::{fold_name, simple_name};
use crate::bind::placeholder::SET_COLUMNS;
use crate::bind::{Binder, located, unsupported_at};
use crate::plan::{Plan, ProjectSetNode, SetCall, SetFunction};
use crate::push_down::one_row;
use crate::scope::Scope;

/// Whether a name is that of a set-returning function.
pub(crate) fn is_set_function(name: &str) -> bool {
    name == "generate_series"
}

impl Binder<'_> {
    /// A set-returning function in an expression: a column of its own.
    pub(crate) fn set_returning(
        &mut self,
        name: &str,
        args: &[&Ast],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let Some(mut calls) = scope.sets.take() else {
            let clause = scope.clause;
            let message = format!("set-returning functions are not allowed in {clause}");
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(located(error, position));
        };
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            operands.push(self.expr(arg, scope)?);
        }
        let call = self.set_call(name, operands, position)?;
        let ty = call.ty;
        calls.push(call);
        let index = SET_COLUMNS + calls.len() - 1;
        scope.sets = Some(calls);
        Ok(Operand::Known(Expr::Column { index, ty }))
    }

    fn set_call(&mut self, name: &str, operands: Vec<Operand>, position: u32) -> Result<SetCall> {
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let function = resolve_set_function(name, &types, position)?;
        let mut args = Vec::with_capacity(operands.len());
        for (operand, to) in operands.into_iter().zip(function.arg_types()) {
            let arg = self.convert(operand, *to, CastContext::Implicit, position)?;
            args.extend(arg.map(fold));
        }
        Ok(SetCall {
            function: SetFunction::GenerateSeries,
            args,
            ty: function.result_type(),
            position,
        })
    }

    /// A function in FROM; what it may read of the relations before it are outer values.
    pub(crate) fn table_function(
        &mut self,
        name: &ObjectName,
        args: &[FunctionArg],
        with_ordinality: bool,
        alias: Option<&TableAlias>,
        base: usize,
    ) -> Result<(Plan, Scope)> {
        let position = self.source.name(name);
        let Some(function) = simple_name(name) else {
            return Err(unsupported_at("a function in a schema", position));
        };
        let names = Scope::default();
        let operands = self.lateral(base, |binder| {
            let mut scope = ExprScope::plain(&names, "a function in FROM");
            let mut operands = Vec::with_capacity(args.len());
            for arg in args {
                match arg {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) => {
                        operands.push(binder.expr(arg, &mut scope)?);
                    }
                    _ => return Err(unsupported_at("this form of argument", position)),
                }
            }
            Ok(operands)
        })?;
        let input = Box::new(one_row());
        let (plan, ty) = if is_set_function(&function) {
            let call = self.set_call(&function, operands, position)?;
            let ty = call.ty;
            let node = ProjectSetNode {
                input,
                calls: vec![call],
                ordinality: with_ordinality,
            };
            (Plan::ProjectSet(node), ty)
        } else {
            let value = fold(self.named(&function, operands, position)?);
            let ty = value.logical_type();
            let mut exprs = vec![value];
            exprs.extend(with_ordinality.then_some(Expr::Literal {
                value: varve_types::Value::Int8(1),
                ty: LogicalType::Int8,
            }));
            (Plan::Project { input, exprs }, ty)
        };
        // Without names of its own the column has that of the function, or of the alias.
        let column = alias.map_or_else(|| function.clone(), |alias| fold_name(&alias.name));
        let mut columns = vec![(column, ty)];
        columns.extend(with_ordinality.then(|| ("ordinality".to_owned(), LogicalType::Int8)));
        let name = match alias {
            Some(alias) => self.apply_alias(alias, &mut columns)?,
            None => function,
        };
        Ok((plan, Scope::table(name, 0, columns)))
    }
}
