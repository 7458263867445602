//! Which statement it is.

use sqlparser::ast::{
    ObjectType, Query as AstQuery, Statement as AstStatement, UtilityOption, Value as AstValue,
};
use varve_types::{Error, Result, SqlState};

use crate::bind::names::fold_name;
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::dispatch::{Body, Explain, Parsed};
use crate::optimize::optimize;
use crate::plan::{Query, Statement};

impl Binder<'_> {
    /// A statement with EXPLAIN before it or not; `command` is what its first words say, for
    /// errors.
    pub(crate) fn parsed(&mut self, parsed: &Parsed, command: &str) -> Result<Statement> {
        let Parsed {
            explain,
            with,
            body,
        } = parsed;
        if let Some(with) = with {
            return self.with_change(with, explain.as_ref(), body, command);
        }
        self.explained(explain.as_ref(), body, command)
    }

    pub(crate) fn explained(
        &mut self,
        explain: Option<&Explain>,
        body: &Body,
        command: &str,
    ) -> Result<Statement> {
        let position = self.source.first();
        let Some(explain) = explain else {
            return match body {
                Body::Statement(statement) => self.statement(statement, command),
                Body::Insert(insert, clauses) => self.insert(insert, clauses),
                Body::Sequence(statement) => self.sequence_statement(statement),
                Body::Utility(statement) => self.utility(statement),
                Body::Truncate(truncate) => self.truncate(truncate),
                Body::Alter(alter) => self.alter(alter),
                Body::Session(statement) => self.session_statement(statement),
                Body::Command(command) => Ok(Statement::Command(command.clone())),
                Body::Unsupported(what) => Err(unsupported_at(what.unwrap_or(command), position)),
            };
        };
        let Explain {
            analyze,
            verbose,
            options,
        } = explain;
        refuse(*verbose, "EXPLAIN VERBOSE", position)?;
        let analyze = self.explain_options(options)? || *analyze;
        const OTHER: &str = "EXPLAIN of this statement";
        let statement = match body {
            Body::Statement(statement) => self.statement(statement, OTHER)?,
            Body::Insert(insert, clauses) => self.insert(insert, clauses)?,
            Body::Utility(statement) => self.utility(statement)?,
            _ => return Err(unsupported_at(OTHER, position)),
        };
        match statement {
            explained @ (Statement::Query(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Merge(_)
            | Statement::Delete(_)) => Ok(Statement::Explain {
                statement: Box::new(explained),
                analyze,
            }),
            _ => Err(unsupported_at(OTHER, position)),
        }
    }

    fn statement(&mut self, statement: &AstStatement, command: &str) -> Result<Statement> {
        let position = self.source.first();
        match statement {
            AstStatement::Query(query) => match self.select_into(query)? {
                Some(statement) => Ok(statement),
                None => Ok(Statement::Query(self.whole_query(query)?)),
            },
            AstStatement::Update(update) => self.update(update),
            AstStatement::Delete(delete) => self.delete(delete),
            AstStatement::Merge(merge) => self.merge(merge),
            AstStatement::CreateTable(create) => self.create_table(create),
            AstStatement::CreateIndex(create) => self.create_index(create),
            AstStatement::Drop {
                object_type: ObjectType::Index,
                if_exists,
                names,
                // Nothing depends on an index that is not a constraint's.
                cascade: _,
                restrict: _,
                purge: false,
                temporary: false,
                table: None,
            } => self.drop_index(names, *if_exists),
            AstStatement::Copy {
                source,
                to,
                target,
                options,
                legacy_options,
                values: _,
            } => {
                refuse(*to, "COPY ... TO", position)?;
                self.copy_from(source, target, options, legacy_options)
            }
            _ => Err(unsupported_at(command, position)),
        }
    }

    fn whole_query(&mut self, query: &AstQuery) -> Result<Query> {
        let query = self.lockable_query(query)?;
        Ok(Query {
            plan: optimize(query.plan),
            ..query
        })
    }

    /// Whether `EXPLAIN (...)` asks for ANALYZE. `COSTS off` is what there is anyway.
    fn explain_options(&self, options: &[UtilityOption]) -> Result<bool> {
        let mut analyze = false;
        for UtilityOption { name, arg } in options {
            let position = self.source.ident(name);
            let on = match arg {
                None => true,
                Some(sqlparser::ast::Expr::Identifier(word)) => match fold_name(word).as_str() {
                    "on" | "true" => true,
                    "off" | "false" => false,
                    _ => return Err(unsupported_at("this EXPLAIN option", position)),
                },
                Some(sqlparser::ast::Expr::Value(value)) => match &value.value {
                    AstValue::Boolean(on) => *on,
                    _ => return Err(unsupported_at("this EXPLAIN option", position)),
                },
                Some(_) => return Err(unsupported_at("this EXPLAIN option", position)),
            };
            match (fold_name(name).as_str(), on) {
                ("analyze", _) => analyze = on,
                ("costs" | "verbose" | "buffers" | "timing" | "summary", false) => {}
                ("costs" | "verbose" | "buffers" | "timing" | "summary" | "format", _) => {
                    return Err(unsupported_at("this EXPLAIN option", position));
                }
                (other, _) => {
                    let message = format!("unrecognized EXPLAIN option \"{other}\"");
                    return Err(located(
                        Error::new(SqlState::SYNTAX_ERROR, message),
                        position,
                    ));
                }
            }
        }
        Ok(analyze)
    }
}
