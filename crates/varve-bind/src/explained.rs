//! Which statement it is.

use varve_ast::{DefinedOption, Explain, OptionValue, OptionValueKind, StatementBody, Utility};
use varve_bind_ddl::binder::DdlBinder;
use varve_bind_dml::binder::DmlBinder;
use varve_bind_dml::change::bind_change;
use varve_bind_query::context::query_context::ProcedureCall;
use varve_catalog::model::function_def::Returns;
use varve_plan::ExplainOptions;
use varve_plan::optimize::optimize;
use varve_plan::plan::{Query, Statement};
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{Error, Result, SqlState};

use crate::binder::StatementBinder;
use crate::whole::BoundTexts;

impl StatementBinder<'_> {
    /// A statement with EXPLAIN before it or not; `command` is what its first words say, for
    /// errors.
    pub fn parsed(&mut self, statement: &varve_ast::Statement, command: &str) -> Result<Statement> {
        let varve_ast::Statement {
            explain,
            body,
            span: _,
        } = statement;
        match explain {
            None => self.body(body, command),
            Some(explain) => self.explained(explain, body),
        }
    }

    fn body(&mut self, body: &StatementBody, command: &str) -> Result<Statement> {
        match body {
            StatementBody::Query(query) => self.whole_query(query),
            StatementBody::Dml { with: None, dml } => DmlBinder::new(&mut self.query).dml(dml),
            StatementBody::Dml {
                with: Some(with),
                dml,
            } => DmlBinder::new(&mut self.query).with_change(with, dml),
            StatementBody::Utility(Utility::Call(query)) => self.call(query),
            StatementBody::Ddl(ddl) => self.defining(|binder| binder.ddl(ddl)),
            StatementBody::Session(session) => self.session(session),
            StatementBody::Utility(utility) => {
                self.defining(|binder| binder.no_op_statement(utility))
            }
            StatementBody::Unsupported(what) => {
                Err(unsupported_at(what.unwrap_or(command), self.query.first()))
            }
        }
    }

    /// A statement that may have to run outside of a transaction block.
    fn defining(
        &mut self,
        bind: impl FnOnce(&mut DdlBinder<'_, '_>) -> Result<Statement>,
    ) -> Result<Statement> {
        let mut binder = DdlBinder::new(&mut self.query, &BoundTexts);
        let statement = bind(&mut binder);
        self.outside_block = binder.outside_block;
        statement
    }

    /// A query, which makes a table where it has INTO.
    fn whole_query(&mut self, query: &varve_ast::Query) -> Result<Statement> {
        if let Some(statement) = DdlBinder::new(&mut self.query, &BoundTexts).select_into(query)? {
            return Ok(statement);
        }
        let query = self.query.whole_query(query, bind_change)?;
        Ok(Statement::Query(Query {
            plan: optimize(query.plan),
            ..query
        }))
    }

    /// `CALL`: the query of the call as it is written.
    fn call(&mut self, query: &varve_ast::Query) -> Result<Statement> {
        let position = self.query.at(query.span);
        self.query.context.call = Some(ProcedureCall {
            position,
            procedure: None,
        });
        let bound = self.query.whole_query(query, bind_change);
        let call = self.query.context.call.take();
        let mut query = bound?;
        let procedure = call.and_then(|call| call.procedure);
        let procedure = procedure.ok_or_else(|| Error::internal("CALL of no procedure"))?;
        if procedure.returns == Returns::Void {
            query.fields.clear();
        }
        query.plan = optimize(query.plan);
        Ok(Statement::Call(query))
    }

    fn explained(&mut self, explain: &Explain, body: &StatementBody) -> Result<Statement> {
        const OTHER: &str = "EXPLAIN of this statement";
        let Explain {
            is_query_plan,
            is_analyze,
            is_verbose,
            options,
        } = explain;
        let mut shown = self.explain_options(options)?;
        shown.query_plan = *is_query_plan;
        if options.is_empty() {
            shown.analyze = *is_analyze;
            shown.summary = *is_analyze;
            shown.verbose = *is_verbose;
        }
        let is_of_rows = matches!(body, StatementBody::Query(_) | StatementBody::Dml { .. });
        if !is_of_rows {
            return Err(unsupported_at(OTHER, self.query.first()));
        }
        match self.body(body, OTHER)? {
            explained @ (Statement::Query(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Merge(_)
            | Statement::Delete(_)) => Ok(Statement::Explain {
                statement: Box::new(explained),
                options: shown,
            }),
            _ => Err(unsupported_at(OTHER, self.query.first())),
        }
    }

    /// What `EXPLAIN (...)` asks for. Costs are never shown: plans are not chosen by them.
    fn explain_options(&self, options: &[DefinedOption]) -> Result<ExplainOptions> {
        let mut shown = ExplainOptions::default();
        let mut summary = None;
        let mut timing = None;
        for DefinedOption { name, value } in options {
            let position = self.query.at(name.span);
            let word = value.as_ref().map(option_word);
            if name.text == "format" {
                shown.json = is_json(&word.flatten().unwrap_or_default(), position)?;
                continue;
            }
            let on = match word.as_ref().map(|word| word.as_deref()) {
                None | Some(Some("on" | "true" | "1")) => true,
                Some(Some("off" | "false" | "0")) => false,
                _ => {
                    let message = format!("{} requires a Boolean value", name.text);
                    return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                }
            };
            match name.text.as_str() {
                "analyze" => shown.analyze = on,
                "verbose" => shown.verbose = on,
                "timing" => timing = Some(on),
                "summary" => summary = Some(on),
                "costs" => {}
                "buffers" => shown.buffers = on,
                "storage" => shown.storage = on,
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
            return Err(invalid("EXPLAIN option TIMING requires ANALYZE"));
        }
        if shown.storage && shown.json {
            let what = "EXPLAIN (STORAGE) as JSON";
            return Err(unsupported_at(what, self.query.first()));
        }
        shown.timing = timing.unwrap_or(true);
        shown.summary = summary.unwrap_or(shown.analyze);
        Ok(shown)
    }
}

/// Whether a format of EXPLAIN is JSON, else text.
fn is_json(format: &str, position: u32) -> Result<bool> {
    match format {
        "text" => Ok(false),
        "json" => Ok(true),
        "xml" | "yaml" => Err(unsupported_at("this format of EXPLAIN", position)),
        _ => {
            let message = format!("unrecognized value for EXPLAIN option \"format\": \"{format}\"");
            Err(located(invalid(message), position))
        }
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// The word or number that an option is set to.
fn option_word(value: &OptionValue) -> Option<String> {
    match value.kind {
        OptionValueKind::Word | OptionValueKind::Number => Some(value.text.clone()),
        OptionValueKind::Text => Some(value.text.to_ascii_lowercase()),
        OptionValueKind::Other => None,
    }
}
