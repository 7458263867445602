//! CREATE FUNCTION and PROCEDURE, and DO.

use std::sync::Arc;

use varve_ast::{
    ArgumentMode, CreateFunction, Dml, DoBlock, FunctionArgument, FunctionBody, FunctionOptions,
    FunctionReturns, Span, StatementBody, TypeName,
};
use varve_bind_query::context::binder::QueryBinder;
use varve_bind_query::context::types::plain_name;
use varve_catalog::model::function_def::{ArgumentDef, FunctionDef, ParsedBody, Returns};
use varve_catalog::model::schema::PUBLIC;
use varve_catalog::types::polymorphic::{is_array, pseudo_name};
use varve_expr::{Expr, Parameter, Volatility};
use varve_parser::plpgsql::Piece;
use varve_plan::build::routine::{invalid, is_run_first, mismatch};
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Message, Utility};
use varve_types::{Error, LogicalType, ObjectId, Result, RowTypeId, SqlState, TypeMod};

use crate::binder::DdlBinder;

/// Most arguments of a function.
pub const ARGUMENTS_MAX: usize = 100;

/// How many characters stand before the text of a default where it is bound.
const DEFAULT_HEAD: u32 = 7;
const FINAL_STATEMENT: &str = "Function's final statement must be SELECT or \
                               INSERT/UPDATE/DELETE RETURNING.";

fn context_of(def: &FunctionDef) -> String {
    format!("SQL function \"{}\"", def.name)
}

/// Whether a statement gives rows.
fn gives_rows(piece: &Piece) -> bool {
    match &piece.statement.statement.body {
        StatementBody::Query(_) => true,
        StatementBody::Dml { dml, .. } => match dml {
            Dml::Insert(insert) => insert.returning.is_some(),
            Dml::Update(update) => update.returning.is_some(),
            Dml::Delete(delete) => delete.returning.is_some(),
            Dml::Merge(_) => false,
        },
        _ => false,
    }
}

/// What was found of the text of a body, errors at their places in the statement's script.
fn placed<T>(body: &FunctionBody, found: Result<T>) -> Result<T> {
    found.map_err(|error| match body.behind {
        Some(behind) => error.moved(behind),
        None => error.without_position(),
    })
}

impl DdlBinder<'_, '_> {
    pub(crate) fn create_function(&mut self, create: &CreateFunction) -> Result<Statement> {
        let CreateFunction {
            is_procedure,
            or_replace,
            name,
            arguments,
            returns,
            options,
            body,
        } = create;
        let (schema, name) = self.query.new_relation(name, false)?;
        let written = arguments;
        let arguments = self.argument_defs(arguments)?;
        let defaults = arguments.iter().skip_while(|known| known.default.is_none());
        if *is_procedure && defaults.into_iter().any(|argument| !argument.is_input()) {
            let message = "procedure OUT parameters cannot appear after one with a default value";
            return Err(invalid(message));
        }
        let is_plpgsql = match options.language.as_deref() {
            Some(language) => is_plpgsql(language)?,
            None if body.as_ref().is_some_and(|body| body.is_statements) => false,
            None => return Err(invalid("no language specified")),
        };
        let Some(body) = body else {
            return Err(invalid("no function body specified"));
        };
        let result = returns.as_ref().and_then(|of| of.type_name.as_ref());
        let domain = result.and_then(|of| Some(self.query.domain_of(of)?.0.object));
        let (returns, returns_set) = match is_procedure {
            true => (returns_of_procedure(&arguments), false),
            false => self.returns(returns.as_ref(), &arguments, is_plpgsql)?,
        };
        let domain = domain.filter(|_| matches!(returns, Returns::Value(_)));
        let mut def = FunctionDef {
            is_procedure: *is_procedure,
            object: ObjectId(0),
            schema,
            name,
            arguments,
            returns,
            domain,
            returns_set,
            is_strict: false,
            volatility: Volatility::Volatile,
            is_plpgsql,
            is_atomic: body.is_statements,
            body: body.text.clone(),
            reads: Vec::new(),
            parsed: ParsedBody::default(),
        };
        set_options(&mut def, options)?;
        self.note_unused(&def, options)?;
        def.check_pseudo_types()?;
        if let Some(known) = self.same_function(schema, &def.name, &def.input_types()) {
            if !*or_replace {
                let (kind, name) = (known.kind(), &def.name);
                let message = format!("{kind} \"{name}\" already exists with same argument types");
                return Err(Error::new(SqlState::DUPLICATE_FUNCTION, message));
            }
            check_replacement(known, &def)?;
            def.object = known.object;
        }
        self.check_defaults(written, &def)?;
        if def.is_atomic || !self.catalog.takes_bodies_unread {
            placed(body, self.check_body(&def))?;
        }
        let def = self.texts.function(self.catalog, def)?;
        Ok(utility(Utility::PutFunction(Box::new(def), "CREATE")))
    }

    /// `DO`: a function without a name, which is called at once.
    pub fn anonymous_block(&mut self, block: &DoBlock) -> Result<Statement> {
        let language = block.language.as_deref().unwrap_or("plpgsql");
        if !is_plpgsql(language)? {
            let message = format!("language \"{language}\" does not support inline code execution");
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        let def = FunctionDef {
            is_procedure: false,
            object: ObjectId(0),
            schema: PUBLIC,
            name: "inline_code_block".to_owned(),
            arguments: Vec::new(),
            returns: Returns::Void,
            domain: None,
            returns_set: false,
            is_strict: false,
            volatility: Volatility::Volatile,
            is_plpgsql: true,
            is_atomic: false,
            body: block.body.text.clone(),
            reads: Vec::new(),
            parsed: ParsedBody::default(),
        };
        placed(&block.body, def.code())?;
        Ok(utility(Utility::Do(Box::new(def))))
    }

    /// The function of a name and types of arguments.
    pub fn same_function(
        &self,
        schema: ObjectId,
        name: &str,
        types: &[LogicalType],
    ) -> Option<&Arc<FunctionDef>> {
        let mut known = self.catalog.functions.values();
        known.find(|def| def.schema == schema && def.name == name && def.input_types() == types)
    }

    fn argument_defs(&self, arguments: &[FunctionArgument]) -> Result<Vec<ArgumentDef>> {
        if arguments.len() > ARGUMENTS_MAX {
            let message = format!("functions cannot have more than {ARGUMENTS_MAX} arguments");
            return Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
        }
        let mut defs: Vec<ArgumentDef> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let def = self.argument_def(argument)?;
            check_argument(&def, &defs)?;
            defs.push(def);
        }
        Ok(defs)
    }

    fn argument_def(&self, argument: &FunctionArgument) -> Result<ArgumentDef> {
        let FunctionArgument {
            mode,
            name,
            type_name,
            default,
            span,
        } = argument;
        let ty = self.query.argument_type(type_name, *span);
        let ty = ty.map_err(|error| match error.state() {
            SqlState::UNDEFINED_OBJECT => {
                let message = error.message().replace('"', "");
                error.with_message(message).without_position()
            }
            _ => error,
        })?;
        Ok(ArgumentDef {
            mode: *mode,
            name: name
                .as_ref()
                .map_or_else(String::new, |name| name.text.clone()),
            ty,
            modifier: TypeMod::NONE,
            domain: self
                .query
                .domain_of(type_name)
                .map(|(domain, _)| domain.object),
            default: default.as_ref().map(|(text, _)| text.clone()),
        })
    }

    /// What a function gives, and whether it gives any number of them.
    fn returns(
        &self,
        returns: Option<&FunctionReturns>,
        arguments: &[ArgumentDef],
        is_plpgsql: bool,
    ) -> Result<(Returns, bool)> {
        let outputs: Vec<&ArgumentDef> = arguments
            .iter()
            .filter(|argument| argument.is_output())
            .collect();
        let of_outputs = match outputs.as_slice() {
            [] => None,
            [one] => Some(Returns::Value(one.ty)),
            _ => Some(Returns::Columns),
        };
        let Some(FunctionReturns {
            is_set,
            type_name: written,
            span,
        }) = returns
        else {
            let returns = of_outputs;
            let returns =
                returns.ok_or_else(|| invalid("function result type must be specified"))?;
            return Ok((returns, false));
        };
        let Some(written) = written else {
            let returns = of_outputs.ok_or_else(|| Error::internal("a table without columns"))?;
            return Ok((returns, true));
        };
        let is_alone = outputs.is_empty();
        let written = self.returned((written, *span), is_alone, is_plpgsql)?;
        if let (Some(Returns::Columns), Returns::Record) = (of_outputs, written) {
            return Ok((Returns::Columns, *is_set));
        }
        if let Some(expected) = of_outputs
            && expected != written
        {
            let shown = match outputs.as_slice() {
                [one] => one.ty.to_string(),
                _ => "record".to_owned(),
            };
            let message = format!("function result type must be {shown} because of OUT parameters");
            return Err(invalid(message));
        }
        Ok((written, *is_set))
    }

    /// What a type behind RETURNS means; `is_alone` where no argument is a result as well.
    fn returned(
        &self,
        (written, place): (&TypeName, Span),
        is_alone: bool,
        is_plpgsql: bool,
    ) -> Result<Returns> {
        match plain_name(written) {
            Some("trigger") => return Ok(Returns::Trigger),
            Some("void") => return Ok(Returns::Void),
            Some("record") => return Ok(Returns::Record),
            _ => {}
        }
        let ty = self.query.argument_type(written, place);
        let ty = ty.map_err(|error| match error.state() {
            SqlState::UNDEFINED_OBJECT => error.without_position(),
            _ => error,
        })?;
        let LogicalType::Row(RowTypeId(id)) = ty else {
            return Ok(Returns::Value(ty));
        };
        let object = ObjectId(u64::from(id));
        let is_type = self.catalog.types.get(&object).is_some();
        Ok(match is_alone && !(is_plpgsql && is_type) {
            true => Returns::Relation(object),
            false => Returns::Value(ty),
        })
    }

    /// Refuses defaults that are no values of their arguments.
    fn check_defaults(&mut self, written: &[FunctionArgument], def: &FunctionDef) -> Result<()> {
        for (written, argument) in written.iter().zip(&def.arguments) {
            let Some((text, span)) = &written.default else {
                continue;
            };
            let checked = match pseudo_name(argument.ty) {
                Some(_) => self.query.default_operand(text).map(|_| ()),
                None => self.query.argument_default(text, argument.ty).map(|_| ()),
            };
            // It was bound behind a SELECT of its own.
            let behind = self
                .query
                .at(*span)
                .saturating_sub(DEFAULT_HEAD.saturating_add(1));
            checked.map_err(|error| error.moved(behind))?;
        }
        Ok(())
    }

    /// Refuses a body that could not be run.
    fn check_body(&mut self, def: &FunctionDef) -> Result<()> {
        let code = def.code()?;
        if def.is_polymorphic() {
            return Ok(());
        }
        if def.returns == Returns::Trigger && def.inputs().next().is_some() {
            let error = invalid("trigger functions cannot have declared arguments");
            let hint = "The arguments of the trigger can be accessed through TG_NARGS and \
                        TG_ARGV instead.";
            return Err(error.with_hint(hint));
        }
        let gives = !matches!(def.returns, Returns::Void | Returns::Trigger);
        if gives && !def.is_plpgsql && !code.pieces.last().is_some_and(gives_rows) {
            return Err(mismatch(def, FINAL_STATEMENT).in_context(context_of(def)));
        }
        // What these mean is known when they are called.
        if def.returns == Returns::Trigger || is_run_first(def, &code.pieces) {
            return Ok(());
        }
        let inputs = def.inputs().enumerate();
        let values = inputs.map(|(index, argument)| Expr::Parameter {
            parameter: Parameter::Given(index),
            ty: argument.ty,
        });
        let Some(first) = code.pieces.first() else {
            return self.query.body_query(def, &[]).map(|_| ());
        };
        let mut inner = QueryBinder::new(
            &first.statement,
            self.catalog,
            &[],
            self.query.statement.locale,
        );
        inner.context.is_defining = true;
        inner.context.defined = Some(Arc::new(def.clone()));
        let bound = inner.bound_body(def, &code.pieces, &values.collect::<Vec<Expr>>());
        bound.map(|_| ()).map_err(|error| match error.position() {
            Some(_) => error,
            None => error.in_context(context_of(def)),
        })
    }
}

/// Refuses an argument behind others that it does not fit.
fn check_argument(def: &ArgumentDef, before: &[ArgumentDef]) -> Result<()> {
    // An argument and a result may share a name, but no two of the same kind.
    let same = |known: &ArgumentDef| {
        let both_in = known.is_input() && def.is_input();
        let both_out = known.is_output() && def.is_output();
        known.name == def.name && (both_in || both_out)
    };
    if !def.name.is_empty() && before.iter().any(same) {
        let message = format!("parameter name \"{}\" used more than once", def.name);
        return Err(invalid(message));
    }
    let is_variadic = |def: &ArgumentDef| def.mode == ArgumentMode::Variadic;
    if is_variadic(def) && !is_array(def.ty) {
        return Err(invalid("VARIADIC parameter must be an array"));
    }
    if before.iter().any(is_variadic) && def.is_input() {
        let message = "VARIADIC parameter must be the last input parameter";
        return Err(invalid(message));
    }
    if def.default.is_some() && !def.is_input() {
        return Err(invalid("only input parameters can have default values"));
    }
    let has_default = before.iter().any(|known| known.default.is_some());
    let needs_default = has_default && !is_variadic(def);
    if needs_default && def.is_input() && def.default.is_none() {
        let message = "input parameters after one with a default value must also have defaults";
        return Err(invalid(message));
    }
    Ok(())
}

/// A language by its name; whether it is PL/pgSQL, else SQL.
fn is_plpgsql(language: &str) -> Result<bool> {
    match language {
        "sql" => Ok(false),
        "plpgsql" => Ok(true),
        "c" | "internal" => Err(Error::unsupported(format!(
            "functions in language {language}"
        ))),
        language => {
            let message = format!("language \"{language}\" does not exist");
            Err(Error::new(SqlState::UNDEFINED_OBJECT, message))
        }
    }
}

impl DdlBinder<'_, '_> {
    /// Looks at what is said of a function and changes nothing.
    pub fn note_unused(&mut self, def: &FunctionDef, options: &FunctionOptions) -> Result<()> {
        let invalid = |message: &str| Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        for (name, value) in &options.unused {
            let value = value.as_deref();
            let number = value.and_then(|value| value.parse::<u64>().ok());
            match (*name, value) {
                (_, Some("not")) => continue,
                ("PARALLEL", Some(how)) => match how.to_ascii_lowercase().as_str() {
                    "unsafe" => continue,
                    "safe" | "restricted" => {}
                    _ => {
                        let message = "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE";
                        return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                    }
                },
                ("COST", _) if number == Some(0) => return invalid("COST must be positive"),
                ("ROWS", _) if number == Some(0) => return invalid("ROWS must be positive"),
                ("ROWS", _) if !def.returns_set => {
                    return invalid("ROWS is not applicable when function does not return a set");
                }
                _ => {}
            }
            let text = format!(
                "{name} of function \"{}\" is accepted and not used: there is one role, and no \
                 plan is chosen by costs",
                def.name
            );
            self.query.outputs.messages.push(Message::notice(text));
        }
        Ok(())
    }
}

/// What a procedure gives: a row of its OUT arguments.
fn returns_of_procedure(arguments: &[ArgumentDef]) -> Returns {
    match arguments.iter().any(ArgumentDef::is_output) {
        true => Returns::Columns,
        false => Returns::Void,
    }
}

/// `42P13` for what is said of procedures that only functions have.
pub(crate) fn set_options(def: &mut FunctionDef, options: &FunctionOptions) -> Result<()> {
    let only_of_functions = |(name, _): &(&str, Option<String>)| !name.starts_with("SECURITY");
    let is_of_function = options.volatility.is_some()
        || options.is_strict.is_some()
        || options.unused.iter().any(only_of_functions);
    if def.is_procedure && is_of_function {
        return Err(invalid("invalid attribute in procedure definition"));
    }
    if let Some(first) = options.volatility {
        def.volatility = match first {
            'i' => Volatility::Immutable,
            's' => Volatility::Stable,
            _ => Volatility::Volatile,
        };
    }
    def.is_strict = options.is_strict.unwrap_or(def.is_strict);
    Ok(())
}

/// A new definition keeps what callers rely on.
fn check_replacement(old: &FunctionDef, new: &FunctionDef) -> Result<()> {
    if old.is_procedure != new.is_procedure {
        let error = Error::new(SqlState::WRONG_OBJECT_TYPE, "cannot change routine kind");
        return Err(error.with_detail(format!("\"{}\" is a {}.", old.name, old.kind())));
    }
    let kind = old.kind().to_ascii_uppercase();
    let hint = || format!("Use DROP {kind} {} first.", old.signature());
    let outputs = |def: &FunctionDef| -> Vec<(String, LogicalType)> {
        let outputs = def.arguments.iter().filter(|argument| argument.is_output());
        outputs.map(|one| (one.name.clone(), one.ty)).collect()
    };
    if (old.returns, old.returns_set) != (new.returns, new.returns_set) {
        let message = "cannot change return type of existing function";
        return Err(invalid(message).with_hint(hint()));
    }
    if old.returns == Returns::Columns && outputs(old) != outputs(new) {
        let message = "cannot change return type of existing function";
        let detail = "Row type defined by OUT parameters is different.";
        return Err(invalid(message).with_detail(detail).with_hint(hint()));
    }
    for (old, new) in old.inputs().zip(new.inputs()) {
        if !old.name.is_empty() && old.name != new.name {
            let message = format!("cannot change name of input parameter \"{}\"", old.name);
            return Err(invalid(message).with_hint(hint()));
        }
        if old.default.is_some() && new.default.is_none() {
            let message = "cannot remove parameter defaults from existing function";
            return Err(invalid(message).with_hint(hint()));
        }
    }
    Ok(())
}
