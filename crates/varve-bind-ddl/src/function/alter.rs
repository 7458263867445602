//! ALTER and DROP of functions and procedures.

use std::sync::Arc;

use varve_ast::{AlterFunction, ArgumentMode, FunctionAction, FunctionName, RoutineKind};
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::text::name::undefined_schema;
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Dropped, Message, Utility};
use varve_types::{Error, Result, SqlState};

use crate::binder::DdlBinder;
use crate::function::create::set_options;

impl DdlBinder<'_, '_> {
    /// The function that a statement names.
    pub fn named_function(&self, function: &FunctionName) -> Result<Arc<FunctionDef>> {
        let written = self.query.relation_name(&function.name)?;
        if let Some(schema) = &written.schema
            && self.catalog.schema(schema).is_none()
        {
            return Err(undefined_schema(schema));
        }
        let kind = named_kind(function.kind);
        let mut known = self.catalog.functions_named(&written);
        let Some(arguments) = &function.arguments else {
            return match known.as_slice() {
                [one] => of_kind(one, function.kind),
                [] => {
                    let message = format!("could not find a {kind} named \"{written}\"");
                    Err(Error::new(SqlState::UNDEFINED_FUNCTION, message))
                }
                _ => {
                    let message = format!("{kind} name \"{written}\" is not unique");
                    let hint = "Specify the argument list to select the function unambiguously.";
                    Err(Error::new(SqlState::AMBIGUOUS_FUNCTION, message).with_hint(hint))
                }
            };
        };
        let mut types = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let ty = self
                .query
                .argument_type(&argument.type_name, argument.span)?;
            let is_input = !matches!(argument.mode, ArgumentMode::Out | ArgumentMode::Table);
            types.push((ty, is_input));
        }
        let takes = |def: &FunctionDef| {
            let mut given = types
                .iter()
                .filter(|(_, is_input)| *is_input || def.is_procedure);
            let mut inputs = def.input_types().into_iter();
            given.all(|(ty, _)| inputs.next() == Some(*ty)) && inputs.next().is_none()
        };
        known.retain(|def| takes(def));
        if let Some(found) = known.first() {
            return of_kind(found, function.kind);
        }
        let types = types.iter().filter(|(_, is_input)| *is_input);
        let types: Vec<String> = types.map(|(ty, _)| ty.to_string()).collect();
        let message = format!("{kind} {written}({}) does not exist", types.join(", "));
        Err(Error::new(SqlState::UNDEFINED_FUNCTION, message))
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
                    let written = self.query.relation_name(&function.name)?;
                    let kind = named_kind(function.kind);
                    let text = match error.message().strip_prefix("could not find a") {
                        Some(_) => format!("{kind} {written}() does not exist, skipping"),
                        None => format!("{}, skipping", error.message().replace(", ", ",")),
                    };
                    self.query
                        .outputs
                        .messages
                        .push(Message::new(error.state(), text));
                }
                Err(error) => return Err(error),
            }
        }
        self.drop_all(asked, cascade)
    }

    pub(crate) fn alter_function(&mut self, alter: &AlterFunction) -> Result<Statement> {
        let mut def = FunctionDef::clone(&*self.named_function(&alter.function)?);
        match &alter.action {
            FunctionAction::RenameTo(name) => def.name = self.query.new_name(name)?,
            FunctionAction::SetSchema(schema) => {
                let found = self.catalog.schema(&schema.text);
                def.schema = found.ok_or_else(|| undefined_schema(&schema.text))?;
            }
            FunctionAction::Options(options) => {
                set_options(&mut def, options)?;
                self.note_unused(&def, options)?;
            }
            FunctionAction::Owner(role) => self.note_role(role.as_ref()),
        }
        if let Some(known) = self.same_function(def.schema, &def.name, &def.input_types())
            && known.object != def.object
        {
            let signature = def.signature().replace(',', ", ");
            let schema = self.catalog.schema_name(def.schema);
            let kind = known.kind();
            let message = format!("{kind} {signature} already exists in schema \"{schema}\"");
            return Err(Error::new(SqlState::DUPLICATE_FUNCTION, message));
        }
        Ok(utility(Utility::PutFunction(Box::new(def), "ALTER")))
    }
}

fn named_kind(kind: RoutineKind) -> &'static str {
    match kind {
        RoutineKind::Function => "function",
        RoutineKind::Procedure => "procedure",
        RoutineKind::Any => "routine",
    }
}

/// `42809` where a function is named as a procedure, or the other way round.
fn of_kind(def: &Arc<FunctionDef>, kind: RoutineKind) -> Result<Arc<FunctionDef>> {
    if kind != RoutineKind::Any && def.kind() != named_kind(kind) {
        let signature = def.signature().replace(',', ", ");
        let message = format!("{signature} is not a {}", named_kind(kind));
        return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
    }
    Ok(Arc::clone(def))
}

fn is_missing(error: &Error) -> bool {
    let state = error.state();
    state == SqlState::UNDEFINED_FUNCTION
        || state == SqlState::INVALID_SCHEMA_NAME
        || state == SqlState::UNDEFINED_OBJECT
}
