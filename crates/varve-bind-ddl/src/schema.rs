//! CREATE SCHEMA.

use varve_ast::{CreateSchema, SchemaElement};
use varve_catalog::model::schema::SchemaDef;
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Message, SessionStatement, Utility};
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::binder::DdlBinder;

impl DdlBinder<'_, '_> {
    pub(crate) fn create_schema(&mut self, create: &CreateSchema) -> Result<Statement> {
        let Some(ident) = &create.name else {
            return Err(Error::unsupported("CREATE SCHEMA without a name"));
        };
        let name = self.new_schema_name(ident)?;
        let is_known = self.catalog.schema(&name).is_some() || name == "information_schema";
        if is_known && create.if_not_exists {
            let text = format!("schema \"{name}\" already exists, skipping");
            return Ok(self
                .query
                .nothing(Message::new(SqlState::DUPLICATE_SCHEMA, text)));
        }
        if is_known {
            let message = format!("schema \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_SCHEMA, message));
        }
        self.note_role(create.owner.as_ref());
        for element in &create.elements {
            self.check_element(element, &name)?;
        }
        let gone = self.catalog.gone_public().filter(|_| name == "public");
        let schema = SchemaDef {
            object: gone.unwrap_or(ObjectId(0)),
            name,
            is_gone: false,
        };
        if create.elements.is_empty() {
            return Ok(utility(Utility::CreateSchema(schema)));
        }
        let elements = create.elements.iter();
        let elements = elements.map(|element| (element.text.clone(), self.query.at(element.span)));
        Ok(Statement::Session(Box::new(SessionStatement::Schema {
            schema,
            elements: elements.collect(),
        })))
    }

    /// What is made in a schema may name that schema only.
    fn check_element(&self, element: &SchemaElement, schema: &str) -> Result<()> {
        let Some(name) = &element.name else {
            return Ok(());
        };
        match self.query.relation_name(name)?.schema {
            Some(other) if other != schema => {
                let message = format!(
                    "CREATE specifies a schema ({other}) different from the one being created \
                     ({schema})"
                );
                Err(Error::new(SqlState::INVALID_SCHEMA_DEFINITION, message))
            }
            _ => Ok(()),
        }
    }
}
