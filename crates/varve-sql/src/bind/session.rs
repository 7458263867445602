//! Statements about what a session keeps.

use std::sync::Arc;

use sqlparser::ast::DataType;
use varve_expr::{Expr, Locale};
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::literal::CastContext;
use crate::bind::names::{simple_name, undefined_table};
use crate::bind::view::utility;
use crate::bind::{Binder, located, with_names};
use crate::dispatch::Body;
use crate::optimize::optimize;
use crate::parse::ParsedStatement;
use crate::parse_session::{Execute, SessionStatement};
use crate::plan::{Query, Statement};
use crate::schema::{Catalog, Named, RelationName};
use crate::scope::Scope;
use crate::utility::{Kept, Message, Utility};

impl Binder<'_> {
    pub(crate) fn session_statement(&mut self, statement: &SessionStatement) -> Result<Statement> {
        let kept = match statement {
            SessionStatement::Prepare {
                name,
                types,
                text,
                position,
            } => Kept::Prepare {
                name: name.clone(),
                types: self.parameter_types(types)?,
                text: text.clone(),
                position: *position,
            },
            SessionStatement::Execute(Execute { name, around, .. }) => Kept::Execute {
                name: name.clone(),
                around: around.clone(),
            },
            SessionStatement::Declare {
                name,
                scroll,
                hold,
                query,
            } => {
                let query = self.query(query, None)?;
                Kept::Declare {
                    name: name.clone(),
                    scroll: *scroll,
                    hold: *hold,
                    query: Box::new(Query {
                        plan: optimize(query.plan),
                        ..query
                    }),
                }
            }
            SessionStatement::LockTable(names) => {
                for name in names {
                    self.lockable(name)?;
                }
                let text = "LOCK TABLE locks nothing: of two transactions that change the same row \
                            the second gets 40001";
                self.messages.push(Message::notice(text.to_owned()));
                return Ok(utility(Utility::LockTable));
            }
            SessionStatement::Analyze(tables) => {
                for (name, columns) in tables {
                    self.analyzable(name, columns)?;
                }
                return Ok(utility(Utility::Analyze));
            }
        };
        Ok(Statement::Kept(Box::new(kept)))
    }

    /// The types that PREPARE names; `None` for `unknown`.
    fn parameter_types(&mut self, types: &[DataType]) -> Result<Vec<Option<LogicalType>>> {
        let mut found = Vec::with_capacity(types.len());
        for ty in types {
            let is_unknown = match ty {
                DataType::Custom(name, _) => simple_name(name).as_deref() == Some("unknown"),
                _ => false,
            };
            found.push(match is_unknown {
                true => None,
                false => Some(self.data_type(ty, self.source.first())?.0),
            });
        }
        Ok(found)
    }

    fn lockable(&mut self, name: &RelationName) -> Result<()> {
        match self.find(name) {
            None => Err(undefined_table(name, 0)),
            Some(Named::Table(table)) if self.catalog.view_of(table).is_none() => Ok(()),
            Some(Named::View(_)) => Ok(()),
            Some(_) => {
                let message = format!("\"{}\" is not a table or view", name.name);
                Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
            }
        }
    }

    fn analyzable(&mut self, name: &RelationName, columns: &[String]) -> Result<()> {
        let Some(named) = self.find(name) else {
            return Err(undefined_table(name, 0));
        };
        let Named::Table(table) = named else {
            // PostgreSQL passes over them too.
            return Ok(());
        };
        let Some(table) = self.catalog.tables.get(&table) else {
            return Ok(());
        };
        for (at, column) in columns.iter().enumerate() {
            if !table.columns.iter().any(|known| known.name == *column) {
                let message = format!(
                    "column \"{column}\" of relation \"{}\" does not exist",
                    table.name
                );
                return Err(Error::new(SqlState::UNDEFINED_COLUMN, message));
            }
            if columns.iter().take(at).any(|before| before == column) {
                let message = format!(
                    "column \"{column}\" of relation \"{}\" appears more than once",
                    table.name
                );
                return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
            }
        }
        Ok(())
    }
}

/// The arguments of an EXECUTE as expressions of these types, without columns.
pub fn bind_arguments(
    statement: &ParsedStatement,
    catalog: &Arc<Catalog>,
    types: &[LogicalType],
    locale: &Locale,
) -> Result<Vec<Expr>> {
    let Body::Session(body) = &statement.parsed().body else {
        return Err(Error::internal("the statement has no arguments"));
    };
    let SessionStatement::Execute(Execute {
        name, arguments, ..
    }) = body.as_ref()
    else {
        return Err(Error::internal("the statement has no arguments"));
    };
    // Where none are wanted, PostgreSQL does not look at those that are given.
    if !types.is_empty() && arguments.len() != types.len() {
        let message = format!("wrong number of parameters for prepared statement \"{name}\"");
        let detail = format!(
            "Expected {} parameters but got {}.",
            types.len(),
            arguments.len()
        );
        return Err(Error::new(SqlState::SYNTAX_ERROR, message).with_detail(detail));
    }
    let locale = &with_names(catalog, locale);
    let mut binder = Binder::new(statement, catalog, &[], locale);
    let names = Scope::default();
    let mut exprs = Vec::with_capacity(types.len());
    for ((ast, ty), number) in arguments.iter().zip(types).zip(1..) {
        let mut scope = ExprScope::plain(&names, "EXECUTE parameters");
        let operand = binder.expr(ast, &mut scope)?;
        let position = binder.source.expr(ast);
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
