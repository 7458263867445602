//! ALTER and DROP FUNCTION.

use std::sync::Arc;

use varve_ast::{AlterFunction, ArgumentMode, FunctionAction, FunctionName};
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
            let ty = self
                .query
                .argument_type(&argument.type_name, argument.span)?;
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
                    let written = self.query.relation_name(&function.name)?;
                    let text = match error.message().strip_prefix("could not find a function") {
                        Some(_) => format!("function {written}() does not exist, skipping"),
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

fn is_missing(error: &Error) -> bool {
    let state = error.state();
    state == SqlState::UNDEFINED_FUNCTION
        || state == SqlState::INVALID_SCHEMA_NAME
        || state == SqlState::UNDEFINED_OBJECT
}
