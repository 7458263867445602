//! CREATE TYPE, ALTER TYPE: enumerations and composite types.

use varve_ast::{AlterEnum, EnumPlace, Name, ObjectName, TypeName};
use varve_catalog::model::type_def::EnumDef;
use varve_catalog::model::view::ViewColumn;
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Message, Utility};
use varve_types::{Error, Result, SqlState};

use crate::binder::DdlBinder;

/// The longest label in bytes, as in PostgreSQL.
const LABEL_BYTES_MAX: usize = 63;
/// The most labels of an enumeration.
const LABELS_MAX: usize = 10_000;

impl DdlBinder<'_, '_> {
    pub(crate) fn create_enum(
        &mut self,
        name: &ObjectName,
        labels: &[String],
    ) -> Result<Statement> {
        let (schema, name) = self.query.new_relation(name, false)?;
        self.free_type_name(schema, &name)?;
        for (at, label) in labels.iter().enumerate() {
            check_label(label)?;
            if labels.iter().take(at).any(|known| known == label) {
                const KEY: &str = "pg_enum_typid_label_index";
                let message = format!("duplicate key value violates unique constraint \"{KEY}\"");
                return Err(Error::new(SqlState::UNIQUE_VIOLATION, message));
            }
        }
        check_count(labels.len())?;
        let def = EnumDef::new(schema, name, labels.to_vec());
        Ok(utility(Utility::PutEnum(def, "CREATE")))
    }

    pub(crate) fn create_row_type(
        &mut self,
        name: &ObjectName,
        fields: &[(Name, TypeName)],
    ) -> Result<Statement> {
        let (schema, name) = self.query.new_relation(name, false)?;
        self.free_type_name(schema, &name)?;
        let mut known: Vec<ViewColumn> = Vec::with_capacity(fields.len());
        for (name, type_name) in fields {
            let name = self.query.new_name(name)?;
            let found = self.query.data_type(type_name);
            let (ty, modifier) = found.map_err(Error::without_position)?;
            if known.iter().any(|field| field.name == name) {
                let message = format!("column \"{name}\" specified more than once");
                return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
            }
            known.push(ViewColumn { name, ty, modifier });
        }
        let mut def = EnumDef::new(schema, name, Vec::new());
        def.fields = Some(known);
        Ok(utility(Utility::PutEnum(def, "CREATE")))
    }

    pub(crate) fn alter_enum(
        &mut self,
        name: &ObjectName,
        change: &AlterEnum,
    ) -> Result<Statement> {
        let written = self.query.relation_name(name)?;
        let Some(def) = self.catalog.enum_named(&written) else {
            let message = format!("type \"{written}\" does not exist");
            return Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
        };
        let mut def = EnumDef::clone(def);
        let is_of_labels = matches!(
            change,
            AlterEnum::Add { .. } | AlterEnum::RenameValue { .. }
        );
        if def.fields.is_some() && is_of_labels {
            let message = format!("\"{written}\" is not an enum");
            return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        }
        match change {
            AlterEnum::Add {
                label,
                if_not_exists,
                place,
            } => {
                check_label(label)?;
                if place_of(&def, label).is_ok() {
                    let message = format!("enum label \"{label}\" already exists");
                    if *if_not_exists {
                        let text = format!("{message}, skipping");
                        return Ok(self
                            .query
                            .nothing(Message::new(SqlState::DUPLICATE_OBJECT, text)));
                    }
                    return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
                }
                add_label(&mut def, label, place)?;
            }
            AlterEnum::RenameValue { from, to } => {
                check_label(to)?;
                let at = place_of(&def, from)?;
                if place_of(&def, to).is_ok() {
                    let message = format!("enum label \"{to}\" already exists");
                    return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
                }
                if let Some((_, label)) = def.labels.get_mut(at) {
                    label.clone_from(to);
                }
            }
            AlterEnum::RenameTo(to) => {
                let to = self.query.new_name(to)?;
                self.free_type_name(def.schema, &to)?;
                def.name = to;
            }
            AlterEnum::SetSchema(schema) => {
                def.schema = self.schema_for(schema, def.schema, &def.name)?;
            }
            AlterEnum::Owner(role) => return Ok(self.same_owner(role.as_ref())),
        }
        Ok(utility(Utility::PutEnum(def, "ALTER")))
    }
}

/// The place of a label in its enumeration.
fn place_of(def: &EnumDef, label: &str) -> Result<usize> {
    let found = def.labels.iter().position(|(_, known)| known == label);
    found.ok_or_else(|| {
        let message = format!("\"{label}\" is not an existing enum label");
        Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
    })
}

fn add_label(def: &mut EnumDef, label: &str, place: &EnumPlace) -> Result<()> {
    let at = match place {
        EnumPlace::End => def.labels.len(),
        EnumPlace::Before(other) => place_of(def, other)?,
        EnumPlace::After(other) => place_of(def, other)? + 1,
    };
    check_count(def.labels.len() + 1)?;
    let place = def.place_before(at).ok_or_else(|| {
        let message = "no more labels fit between these two of the enum";
        Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message)
    })?;
    def.labels.insert(at, (place, label.to_owned()));
    Ok(())
}

fn check_label(label: &str) -> Result<()> {
    if !label.is_empty() && label.len() <= LABEL_BYTES_MAX {
        return Ok(());
    }
    let error = Error::new(
        SqlState::INVALID_NAME,
        format!("invalid enum label \"{label}\""),
    );
    Err(error.with_detail(format!("Labels must be {LABEL_BYTES_MAX} bytes or less.")))
}

fn check_count(labels: usize) -> Result<()> {
    if labels <= LABELS_MAX {
        return Ok(());
    }
    let message = format!("an enum has at most {LABELS_MAX} labels");
    Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message))
}
