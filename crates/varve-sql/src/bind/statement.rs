//! Which statement it is.

use sqlparser::ast::{
    Expr as Ast, ObjectType, Query as AstQuery, Statement as AstStatement, UtilityOption,
    Value as AstValue,
};
use varve_types::{Error, Result, SqlState};

use crate::bind::names::fold_name;
use crate::bind::storage::Stored;
use crate::bind::{Binder, located, unsupported_at};
use crate::dispatch::{Body, Explain, Parsed};
use crate::explain::ExplainOptions;
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
        let index_options = &self.source.index_options;
        self.storage_options(Stored::Index, index_options)?;
        let Some(explain) = explain else {
            return match body {
                Body::Statement(statement) => self.statement(statement, command),
                Body::Insert(insert) => self.insert(insert),
                Body::Sequence(statement) => self.sequence_statement(statement),
                Body::Utility(statement) => self.utility(statement),
                Body::Upkeep(upkeep) => self.upkeep(upkeep),
                Body::Copy(copy) => self.copy(copy),
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
        let mut shown = self.explain_options(options)?;
        if options.is_empty() {
            shown.analyze = *analyze;
            shown.summary = *analyze;
            shown.verbose = *verbose;
        }
        const OTHER: &str = "EXPLAIN of this statement";
        let statement = match body {
            Body::Statement(statement) => self.statement(statement, OTHER)?,
            Body::Insert(insert) => self.insert(insert)?,
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
                options: shown,
            }),
            _ => Err(unsupported_at(OTHER, position)),
        }
    }

    fn statement(&mut self, statement: &AstStatement, command: &str) -> Result<Statement> {
        let position = self.source.first();
        match statement {
            AstStatement::Query(query) => match self.select_into(query)? {
                Some(statement) => Ok(statement),
                None => {
                    self.is_first_with = query.with.is_some();
                    Ok(Statement::Query(self.whole_query(query)?))
                }
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
                purge: concurrently,
                temporary: false,
                table: None,
            } => {
                self.outside_block = concurrently.then_some("DROP INDEX CONCURRENTLY");
                self.drop_index(names, *if_exists)
            }
            _ => Err(unsupported_at(command, position)),
        }
    }

    fn whole_query(&mut self, query: &AstQuery) -> Result<Query> {
        let query = self.query(query, None)?;
        Ok(Query {
            plan: optimize(query.plan),
            ..query
        })
    }

    /// What `EXPLAIN (...)` asks for. Costs are never shown: plans are not chosen by them.
    fn explain_options(&self, options: &[UtilityOption]) -> Result<ExplainOptions> {
        let mut shown = ExplainOptions::default();
        let mut summary = None;
        let mut timing = None;
        let invalid = |message: String| Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
        for UtilityOption { name, arg } in options {
            let position = self.source.ident(name);
            let name = fold_name(name);
            let word = arg.as_ref().map(option_word);
            if name == "format" {
                let word = word.flatten().unwrap_or_default();
                shown.json = match word.as_str() {
                    "text" => false,
                    "json" => true,
                    "xml" | "yaml" => {
                        return Err(unsupported_at("this format of EXPLAIN", position));
                    }
                    _ => {
                        let message =
                            format!("unrecognized value for EXPLAIN option \"format\": \"{word}\"");
                        return Err(located(invalid(message), position));
                    }
                };
                continue;
            }
            let on = match word.as_ref().map(|word| word.as_deref()) {
                None | Some(Some("on" | "true" | "1")) => true,
                Some(Some("off" | "false" | "0")) => false,
                _ => {
                    let message = format!("{name} requires a Boolean value");
                    return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                }
            };
            match name.as_str() {
                "analyze" => shown.analyze = on,
                "verbose" => shown.verbose = on,
                "timing" => timing = Some(on),
                "summary" => summary = Some(on),
                "costs" => {}
                "buffers" => shown.buffers = on,
                "wal" | "generic_plan" | "settings" if !on => {}
                "wal" | "generic_plan" | "settings" => {
                    return Err(unsupported_at("this EXPLAIN option", position));
                }
                other => {
                    let message = format!("unrecognized EXPLAIN option \"{other}\"");
                    let error = Error::new(SqlState::SYNTAX_ERROR, message);
                    return Err(located(error, position));
                }
            }
        }
        if timing == Some(true) && !shown.analyze {
            return Err(invalid("EXPLAIN option TIMING requires ANALYZE".to_owned()));
        }
        shown.timing = timing.unwrap_or(true);
        shown.summary = summary.unwrap_or(shown.analyze);
        Ok(shown)
    }
}

/// The word or number that an option is set to.
fn option_word(arg: &Ast) -> Option<String> {
    match arg {
        Ast::Identifier(word) => Some(fold_name(word)),
        Ast::Value(value) => match &value.value {
            AstValue::Boolean(on) => Some(on.to_string()),
            AstValue::Number(number, _) => Some(number.to_string()),
            AstValue::SingleQuotedString(text) => Some(text.to_ascii_lowercase()),
            _ => None,
        },
        _ => None,
    }
}
