//! CREATE, ALTER and DROP FUNCTION.

use std::sync::Arc;

use sqlparser::ast::{DataType, Statement as AstStatement};
use varve_expr::{Expr, Volatility};
use varve_parser::create_function::{
    ArgumentMode, CreateFunction, DoBlock, FunctionAction, FunctionArgument, FunctionName,
    FunctionOptions, FunctionReturns,
};
use varve_types::{Error, LogicalType, ObjectId, Result, RowTypeId, SqlState, TypeMod};

use crate::bind::data_type::type_name;
use crate::bind::names::{fold_name, undefined_schema};
use crate::bind::polymorphic::{is_array, pseudo_name, pseudo_type};
use crate::bind::routine_call::is_run_first;
use crate::bind::view::utility;
use crate::bind::{Binder, located};
use crate::dispatch::Body;
use crate::function_def::{ArgumentDef, FunctionDef, ParsedBody, Returns};
use crate::plan::Statement;
use crate::plpgsql::Piece;
use crate::schema::PUBLIC;
use crate::utility::{Dropped, Message, Utility};

/// Most arguments of a function.
pub(crate) const ARGUMENTS_MAX: usize = 100;

/// How many characters stand before the text of a default where it is bound.
const DEFAULT_HEAD: u32 = 7;
const FINAL_STATEMENT: &str = "Function's final statement must be SELECT or \
                               INSERT/UPDATE/DELETE RETURNING.";

fn context_of(def: &FunctionDef) -> String {
    format!("SQL function \"{}\"", def.name)
}

/// Whether a statement gives rows.
fn gives_rows(piece: &Piece) -> bool {
    let body = match &piece.statement.parsed().body {
        Body::Insert(insert) => return insert.returning.is_some(),
        Body::Statement(body) => body,
        _ => return false,
    };
    match body.as_ref() {
        AstStatement::Query(_) => true,
        AstStatement::Update(update) => update.returning.is_some(),
        AstStatement::Delete(delete) => delete.returning.is_some(),
        _ => false,
    }
}

/// `42P13`: a body that does not give what its function declares.
pub(crate) fn mismatch(def: &FunctionDef, detail: impl Into<String>) -> Error {
    let shown = match def.returns {
        Returns::Value(ty) => Some(ty),
        _ => def.row_type(),
    };
    let shown = shown.map_or_else(String::new, |ty| ty.to_string());
    let message = format!("return type mismatch in function declared to return {shown}");
    invalid(message).with_detail(detail)
}

/// `42P13`
fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_FUNCTION_DEFINITION, message)
}

impl Binder<'_> {
    pub(crate) fn create_function(&mut self, create: &CreateFunction) -> Result<Statement> {
        let CreateFunction {
            or_replace,
            name,
            arguments,
            returns,
            options,
            body,
        } = create;
        let (schema, name) = self.new_relation(name, false)?;
        let written = arguments;
        let arguments = self.argument_defs(arguments)?;
        let is_plpgsql = match options.language.as_deref() {
            Some(language) => is_plpgsql(language)?,
            None if body.as_ref().is_some_and(|body| body.is_statements) => false,
            None => return Err(invalid("no language specified")),
        };
        let Some(body) = body else {
            return Err(invalid("no function body specified"));
        };
        let result = returns.as_ref().and_then(|of| of.data_type.as_ref());
        let domain = result.and_then(|of| Some(self.domain_of(of)?.0.object));
        let (returns, returns_set) = self.returns(returns.as_ref(), &arguments, is_plpgsql)?;
        let domain = domain.filter(|_| matches!(returns, Returns::Value(_)));
        let mut def = FunctionDef {
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
        set_options(&mut def, options);
        self.note_unused(&def, options)?;
        def.check_pseudo_types()?;
        if let Some(known) = self.same_function(schema, &def.name, &def.input_types()) {
            if !*or_replace {
                let name = &def.name;
                let message =
                    format!("function \"{name}\" already exists with same argument types");
                return Err(Error::new(SqlState::DUPLICATE_FUNCTION, message));
            }
            check_replacement(known, &def)?;
            def.object = known.object;
        }
        self.check_defaults(written, &def)?;
        if def.is_atomic || !self.catalog.takes_bodies_unread {
            body.placed(self.check_body(&def))?;
        }
        let def = self.catalog.whole_function(def)?;
        Ok(utility(Utility::PutFunction(Box::new(def), "CREATE")))
    }

    /// `DO`: a function without a name, which is called at once.
    pub(crate) fn anonymous_block(&mut self, block: &DoBlock) -> Result<Statement> {
        let language = block.language.as_deref().unwrap_or("plpgsql");
        if !is_plpgsql(language)? {
            let message = format!("language \"{language}\" does not support inline code execution");
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        let def = FunctionDef {
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
        block.body.placed(def.code())?;
        Ok(utility(Utility::Do(Box::new(def))))
    }

    /// The function of a name and types of arguments.
    fn same_function(
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
            let FunctionArgument {
                mode,
                name,
                data_type,
                default,
                position,
            } = argument;
            let def = ArgumentDef {
                mode: *mode,
                name: name.as_ref().map(fold_name).unwrap_or_default(),
                ty: self.argument_type(data_type, *position).map_err(|error| {
                    match error.state() {
                        SqlState::UNDEFINED_OBJECT => {
                            let message = error.message().replace('"', "");
                            error.with_message(message).without_position()
                        }
                        _ => error,
                    }
                })?,
                modifier: TypeMod::NONE,
                domain: self.domain_of(data_type).map(|(domain, _)| domain.object),
                default: default.as_ref().map(|(text, _)| text.clone()),
            };
            // An argument and a result may share a name, but no two of the same kind.
            let same = |known: &&ArgumentDef| {
                let both_in = known.is_input() && def.is_input();
                let both_out = known.is_output() && def.is_output();
                known.name == def.name && (both_in || both_out)
            };
            if !def.name.is_empty() && defs.iter().any(|known| same(&known)) {
                let message = format!("parameter name \"{}\" used more than once", def.name);
                return Err(invalid(message));
            }
            if def.mode == ArgumentMode::Variadic && !is_array(def.ty) {
                return Err(invalid("VARIADIC parameter must be an array"));
            }
            let past_last = defs
                .iter()
                .any(|known| known.mode == ArgumentMode::Variadic);
            if past_last && def.is_input() {
                let message = "VARIADIC parameter must be the last input parameter";
                return Err(invalid(message));
            }
            if def.default.is_some() && !def.is_input() {
                let message = "only input parameters can have default values";
                return Err(invalid(message));
            }
            let has_default = defs.iter().any(|known| known.default.is_some());
            let needs_default = has_default && def.mode != ArgumentMode::Variadic;
            if needs_default && def.is_input() && def.default.is_none() {
                let message =
                    "input parameters after one with a default value must also have defaults";
                return Err(invalid(message));
            }
            defs.push(def);
        }
        Ok(defs)
    }

    fn argument_type(&self, data_type: &DataType, position: u32) -> Result<LogicalType> {
        if let DataType::Custom(name, _) = data_type
            && let Some(name) = type_name(name)
        {
            let pseudo = pseudo_type(&name).map_err(|error| located(error, position))?;
            if let Some(ty) = pseudo {
                return Ok(ty);
            }
        }
        if let DataType::Trigger = data_type {
            return Err(invalid(
                "SQL functions cannot have arguments of type trigger",
            ));
        }
        Ok(self.data_type(data_type, position)?.0)
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
            set,
            data_type,
            position,
        }) = returns
        else {
            let returns = of_outputs;
            let returns =
                returns.ok_or_else(|| invalid("function result type must be specified"))?;
            return Ok((returns, false));
        };
        let Some(data_type) = data_type else {
            let returns = of_outputs.ok_or_else(|| Error::internal("a table without columns"))?;
            return Ok((returns, true));
        };
        let named = match data_type.as_ref() {
            DataType::Custom(name, modifiers) if modifiers.is_empty() => type_name(name),
            _ => None,
        };
        let written = match (data_type.as_ref(), &named) {
            (DataType::Trigger, _) => Returns::Trigger,
            (_, Some(name)) if name.schema.is_none() && name.name == "void" => Returns::Void,
            (_, Some(name)) if name.schema.is_none() && name.name == "record" => Returns::Record,
            _ => match self.argument_type(data_type, *position).map_err(|error| {
                match error.state() {
                    SqlState::UNDEFINED_OBJECT => error.without_position(),
                    _ => error,
                }
            })? {
                ty @ LogicalType::Row(RowTypeId(id)) => {
                    let object = ObjectId(u64::from(id));
                    let is_type = self.catalog.types.get(&object).is_some();
                    match outputs.is_empty() && !(is_plpgsql && is_type) {
                        true => Returns::Relation(object),
                        false => Returns::Value(ty),
                    }
                }
                ty => Returns::Value(ty),
            },
        };
        if let (Some(Returns::Columns), Returns::Record) = (of_outputs, written) {
            return Ok((Returns::Columns, *set));
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
        Ok((written, *set))
    }

    /// Refuses defaults that are no values of their arguments.
    fn check_defaults(&mut self, written: &[FunctionArgument], def: &FunctionDef) -> Result<()> {
        for (written, argument) in written.iter().zip(&def.arguments) {
            let Some((text, position)) = &written.default else {
                continue;
            };
            let checked = match pseudo_name(argument.ty) {
                Some(_) => self.default_operand(text).map(|_| ()),
                None => self.argument_default(text, argument.ty).map(|_| ()),
            };
            // It was bound behind a SELECT of its own.
            let behind = position.saturating_sub(DEFAULT_HEAD.saturating_add(1));
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
            index,
            ty: argument.ty,
        });
        let Some(first) = code.pieces.first() else {
            return self.body_query(def, &[]).map(|_| ());
        };
        let mut inner = Binder::new(&first.statement, self.catalog, &[], self.locale);
        inner.is_defining = true;
        inner.defined = Some(Arc::new(def.clone()));
        let bound = inner.bound_body(def, &code.pieces, &values.collect::<Vec<Expr>>());
        bound.map(|_| ()).map_err(|error| match error.position() {
            Some(_) => error,
            None => error.in_context(context_of(def)),
        })
    }

    /// The function that a statement names.
    pub(crate) fn named_function(&self, function: &FunctionName) -> Result<Arc<FunctionDef>> {
        let written = self.relation_name(&function.name)?;
        if let Some(schema) = &written.schema
            && self.catalog.schema(schema).is_none()
        {
            return Err(undefined_schema(schema));
        }
        let mut known = self.catalog.functions_named(&written);
        let Some(arguments) = &function.arguments else {
            return match known.as_slice() {
                [one] => Ok(Arc::clone(one)),
                [] => {
                    let message = format!("could not find a function named \"{written}\"");
                    Err(Error::new(SqlState::UNDEFINED_FUNCTION, message))
                }
                _ => {
                    let message = format!("function name \"{written}\" is not unique");
                    let hint = "Specify the argument list to select the function unambiguously.";
                    Err(Error::new(SqlState::AMBIGUOUS_FUNCTION, message).with_hint(hint))
                }
            };
        };
        let mut types = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let ty = self.argument_type(&argument.data_type, argument.position)?;
            if !matches!(argument.mode, ArgumentMode::Out | ArgumentMode::Table) {
                types.push(ty);
            }
        }
        known.retain(|def| def.input_types() == types);
        let found = known.first().map(|def| Arc::clone(def));
        found.ok_or_else(|| {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            let message = format!("function {written}({}) does not exist", types.join(", "));
            Error::new(SqlState::UNDEFINED_FUNCTION, message)
        })
    }

    pub(crate) fn drop_functions(
        &mut self,
        functions: &[FunctionName],
        if_exists: bool,
        cascade: bool,
    ) -> Result<Statement> {
        let mut asked = Vec::with_capacity(functions.len());
        for function in functions {
            match self.named_function(function) {
                Ok(def) => {
                    let dropped = Dropped::Function(def.object);
                    if !asked.contains(&dropped) {
                        asked.push(dropped);
                    }
                }
                Err(error) if if_exists && is_missing(&error) => {
                    let written = self.relation_name(&function.name)?;
                    let text = match error.message().strip_prefix("could not find a function") {
                        Some(_) => format!("function {written}() does not exist, skipping"),
                        None => format!("{}, skipping", error.message().replace(", ", ",")),
                    };
                    self.messages.push(Message::new(error.state(), text));
                }
                Err(error) => return Err(error),
            }
        }
        self.drop_all(asked, cascade)
    }

    pub(crate) fn alter_function(
        &mut self,
        function: &FunctionName,
        action: &FunctionAction,
    ) -> Result<Statement> {
        let mut def = FunctionDef::clone(&*self.named_function(function)?);
        match action {
            FunctionAction::RenameTo(name) => def.name = self.new_name(name)?,
            FunctionAction::SetSchema(schema) => {
                let schema = fold_name(schema);
                let found = self.catalog.schema(&schema);
                def.schema = found.ok_or_else(|| undefined_schema(&schema))?;
            }
            FunctionAction::Options(options) => {
                set_options(&mut def, options);
                self.note_unused(&def, options)?;
            }
            FunctionAction::Owner(role) => self.note_role(role.as_ref()),
        }
        if let Some(known) = self.same_function(def.schema, &def.name, &def.input_types())
            && known.object != def.object
        {
            let signature = def.signature().replace(',', ", ");
            let schema = self.catalog.schema_name(def.schema);
            let message = format!("function {signature} already exists in schema \"{schema}\"");
            return Err(Error::new(SqlState::DUPLICATE_FUNCTION, message));
        }
        Ok(utility(Utility::PutFunction(Box::new(def), "ALTER")))
    }
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

fn is_missing(error: &Error) -> bool {
    let state = error.state();
    state == SqlState::UNDEFINED_FUNCTION
        || state == SqlState::INVALID_SCHEMA_NAME
        || state == SqlState::UNDEFINED_OBJECT
}

impl Binder<'_> {
    /// Looks at what is said of a function and changes nothing.
    fn note_unused(&mut self, def: &FunctionDef, options: &FunctionOptions) -> Result<()> {
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
            self.messages.push(Message::notice(text));
        }
        Ok(())
    }
}

fn set_options(def: &mut FunctionDef, options: &FunctionOptions) {
    if let Some(first) = options.volatility {
        def.volatility = match first {
            'i' => Volatility::Immutable,
            's' => Volatility::Stable,
            _ => Volatility::Volatile,
        };
    }
    def.is_strict = options.strict.unwrap_or(def.is_strict);
}

/// A new definition keeps what callers rely on.
fn check_replacement(old: &FunctionDef, new: &FunctionDef) -> Result<()> {
    let hint = || format!("Use DROP FUNCTION {} first.", old.signature());
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
