//! Statements about what a session keeps.

use std::sync::Arc;

use varve_ast::{
    BaseType, DeclareCursor, Execute, Prepare, Session, StatementBody, TransparentCall,
    TransparentFunction, TypeName,
};
use varve_bind_query::context::binder::QueryBinder;
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::catalog::Catalog;
use varve_catalog::text::name::simple_name;
use varve_expr::{Expr, Locale};
use varve_parser::ParsedStatement;
use varve_plan::build::operand::CastContext;
use varve_plan::optimize::optimize;
use varve_plan::plan::utility::SessionStatement;
use varve_plan::plan::{Query, Statement};
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_system_views::Field;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::with_names;
use crate::binder::StatementBinder;

impl StatementBinder<'_> {
    pub fn session(&mut self, session: &Session) -> Result<Statement> {
        let kept = match session {
            Session::Command(command) => return Ok(Statement::Command(command.clone())),
            Session::Prepare(prepare) => self.prepare(prepare)?,
            Session::Execute(execute) => SessionStatement::Execute {
                name: execute.name.text.clone(),
                around: execute.around.clone(),
            },
            Session::Declare(declare) => self.declare_cursor(declare)?,
            Session::Transparent(call) => self.transparent(call)?,
        };
        Ok(Statement::Session(Box::new(kept)))
    }

    fn prepare(&mut self, prepare: &Prepare) -> Result<SessionStatement> {
        let Prepare {
            name,
            types,
            text,
            span,
        } = prepare;
        Ok(SessionStatement::Prepare {
            name: name.text.clone(),
            types: self.parameter_types(types)?,
            text: text.clone(),
            position: self.query.at(*span),
        })
    }

    /// The types that PREPARE names; `None` for `unknown`.
    fn parameter_types(&mut self, types: &[TypeName]) -> Result<Vec<Option<LogicalType>>> {
        let mut found = Vec::with_capacity(types.len());
        for ty in types {
            let is_unknown = match &ty.base {
                BaseType::Named { name, .. } => {
                    ty.dimensions.is_empty() && simple_name(name) == Some("unknown")
                }
                _ => false,
            };
            found.push(match is_unknown {
                true => None,
                false => Some(self.query.data_type(ty)?.0),
            });
        }
        Ok(found)
    }

    fn declare_cursor(&mut self, declare: &DeclareCursor) -> Result<SessionStatement> {
        let DeclareCursor {
            name,
            is_scroll,
            is_held,
            query,
        } = declare;
        let query = self.query.query(query, None)?;
        Ok(SessionStatement::Declare {
            name: name.text.clone(),
            scroll: *is_scroll,
            hold: *is_held,
            query: Box::new(Query {
                plan: optimize(query.plan),
                ..query
            }),
        })
    }
}

impl StatementBinder<'_> {
    /// A function of sqlite-zstd that is a statement.
    fn transparent(&mut self, call: &TransparentCall) -> Result<SessionStatement> {
        let name = call.function.name();
        let (parameters, result): (&[LogicalType], _) = match call.function {
            TransparentFunction::Enable => (&[LogicalType::Text], LogicalType::Text),
            TransparentFunction::Maintain => {
                self.outside_block = Some(name);
                (&[LogicalType::Float8; 2], LogicalType::Int4)
            }
        };
        let wrong = |what: &str| {
            let message = format!("function {name} takes {what}");
            located(
                Error::new(SqlState::UNDEFINED_FUNCTION, message),
                self.query.at(call.span),
            )
        };
        if call.arguments.len() != parameters.len() {
            return Err(wrong(match call.function {
                TransparentFunction::Enable => "one argument, its configuration as JSON",
                TransparentFunction::Maintain => "a duration in seconds or NULL, and a load",
            }));
        }
        let names = Scope::default();
        let mut arguments = Vec::with_capacity(parameters.len());
        for (ast, ty) in call.arguments.iter().zip(parameters) {
            let mut scope = ExprScope::plain(&names, "arguments of functions that are statements");
            let operand = self.query.expr(ast, &mut scope)?;
            let position = self.query.at(ast.span);
            let converted = self
                .query
                .convert(operand, *ty, CastContext::Assignment, position)?;
            let converted = converted.ok_or_else(|| {
                let message = format!("argument of {name} must be of type {ty}");
                located(Error::new(SqlState::DATATYPE_MISMATCH, message), position)
            })?;
            arguments.push(varve_expr::fold(converted));
        }
        Ok(SessionStatement::Transparent {
            function: call.function,
            arguments,
            field: Field {
                name: call.label.clone(),
                ty: result,
            },
        })
    }
}

/// The arguments of an EXECUTE as expressions of these types, without columns.
pub fn bind_arguments(
    statement: &ParsedStatement,
    catalog: &Arc<Catalog>,
    types: &[LogicalType],
    locale: &Locale,
) -> Result<Vec<Expr>> {
    let StatementBody::Session(Session::Execute(execute)) = &statement.statement.body else {
        return Err(Error::internal("the statement has no arguments"));
    };
    let Execute {
        name,
        arguments,
        around: _,
    } = execute.as_ref();
    // Where none are wanted, PostgreSQL does not look at those that are given.
    if !types.is_empty() && arguments.len() != types.len() {
        let message = format!(
            "wrong number of parameters for prepared statement \"{}\"",
            name.text
        );
        let detail = format!(
            "Expected {} parameters but got {}.",
            types.len(),
            arguments.len()
        );
        return Err(Error::new(SqlState::SYNTAX_ERROR, message).with_detail(detail));
    }
    let locale = &with_names(catalog, locale);
    let mut binder = QueryBinder::new(statement, catalog, &[], locale);
    let names = Scope::default();
    let mut exprs = Vec::with_capacity(types.len());
    for ((ast, ty), number) in arguments.iter().zip(types).zip(1..) {
        let mut scope = ExprScope::plain(&names, "EXECUTE parameters");
        let operand = binder.expr(ast, &mut scope)?;
        let position = binder.at(ast.span);
        let given = operand.ty();
        let converted = binder.convert(operand, *ty, CastContext::Assignment, position)?;
        exprs.push(varve_expr::fold(converted.ok_or_else(|| {
            let given = given.map_or("unknown".to_owned(), |given| given.to_string());
            let message = format!(
                "parameter ${number} of type {given} cannot be coerced to the expected type {ty}"
            );
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            located(error, position).with_hint("You will need to rewrite or cast the expression.")
        })?));
    }
    Ok(exprs)
}
