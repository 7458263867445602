//! Functions that the catalog answers.

use std::sync::Arc;

use varve_catalog::model::catalog::{Catalog, Named};
use varve_catalog::model::oid::{object_of, relation_oid};
use varve_catalog::model::view::ViewDef;
use varve_catalog::text::name::{folded_path, undefined_table};
use varve_catalog::text::type_name::type_of_text;
use varve_expr::{Expr, Names};
use varve_types::{
    ArrayValue, ElementType, Error, LogicalType, Result, RowTypeId, SqlState, SqlText, TypeMod,
    Value, sql,
};

use crate::comments::description;
use crate::functions::{function_arguments, function_definition, function_result, user_function};
use crate::reg::{
    is_visible, name_of_reg, number_of_reg, relation_name, relation_number, schema_number,
};
use crate::{OWNER, ShownTexts, constraints, definitions, inheritance, text, triggers};

/// A catalog whose functions can be called.
#[derive(Debug)]
pub struct CatalogNames {
    /// What is there.
    pub catalog: Arc<Catalog>,
    /// Shows the texts in it.
    pub texts: &'static dyn ShownTexts,
}

impl Names for CatalogNames {
    fn reg_name(&self, ty: LogicalType, oid: u32) -> Option<String> {
        name_of_reg(&self.catalog, ty, oid).map(SqlText::into_string)
    }

    fn reg_oid(&self, ty: LogicalType, name: &str) -> Result<u32> {
        number_of_reg(&self.catalog, ty, name)
    }

    fn row_fields(&self, id: RowTypeId) -> Option<Vec<(String, LogicalType, TypeMod)>> {
        self.catalog.fields_of(id)
    }

    fn type_named(&self, text: &str) -> Result<(LogicalType, TypeMod)> {
        type_of_text(&self.catalog, text)
    }

    fn element_condition(&self, array_type: u32) -> Result<Expr> {
        let mut domains = self.catalog.domains.values();
        let domain = domains.find(|def| def.array_oid() == array_type);
        let domain = domain.ok_or_else(|| Error::internal("a domain has gone"))?;
        domain.condition(&Expr::Column {
            index: 0,
            ty: domain.base,
        })
    }

    fn answer(&self, function: &str, args: &[Value]) -> Result<Value> {
        answer(&self.catalog, self.texts, function, args)
    }
}

/// What a function of the catalog answers.
fn answer(
    catalog: &Catalog,
    texts: &dyn ShownTexts,
    function: &str,
    args: &[Value],
) -> Result<Value> {
    let number = match args.first() {
        Some(Value::Oid(number) | Value::Reg(_, number)) => *number,
        _ => 0,
    };
    let is_pretty = args.last() == Some(&Value::Boolean(true));
    let word = |at: usize| args.get(at).and_then(Value::str).unwrap_or_default();
    let optional = |answer: Option<SqlText>| answer.map_or(Value::Null, text);
    Ok(match function {
        "format_type" => match args {
            [Value::Null, ..] => Value::Null,
            [_, Value::Int4(modifier)] => formatted_type(catalog, number, TypeMod(*modifier)),
            _ if number == LogicalType::Bpchar.oid() => text("character"),
            _ => formatted_type(catalog, number, TypeMod::NONE),
        },
        "to_regclass" => found(catalog, LogicalType::Regclass, word(0)),
        "to_regtype" => found(catalog, LogicalType::Regtype, word(0)),
        "to_regproc" => found(catalog, LogicalType::Regproc, word(0)),
        "to_regnamespace" => found(catalog, LogicalType::Regnamespace, word(0)),
        "to_regrole" => found(catalog, LogicalType::Regrole, word(0)),
        "pg_table_is_visible" => {
            let visible = is_visible(catalog, number);
            visible.map_or(Value::Null, Value::Boolean)
        }
        "pg_type_is_visible" => {
            let name = catalog.type_text(number, TypeMod::NONE);
            name.map_or(Value::Null, |name| {
                let is_own = LogicalType::from_oid(number).is_some();
                Value::Boolean(is_own || !name.as_str().contains('.'))
            })
        }
        "pg_get_constraintdef" => optional(constraints::definition(catalog, number, is_pretty)),
        "pg_get_indexdef" => {
            let part = match args.get(1) {
                Some(Value::Int4(part)) => usize::try_from(*part).unwrap_or(usize::MAX),
                _ => 0,
            };
            optional(definitions::index_definition(
                catalog, number, part, is_pretty,
            ))
        }
        "pg_get_viewdef" => {
            let number = match args.first() {
                Some(Value::Text(name)) => relation_number(catalog, &folded_path(name)?)?,
                _ => number,
            };
            let view = object_of(number).and_then(|object| {
                let object = catalog.view_of(object).map_or(object, |view| view.object);
                catalog.views.get(&object)
            });
            optional(view.map(|view| sql![" ", texts.view(catalog, view), ";"]))
        }
        "pg_get_functiondef" => optional(
            user_function(catalog, number).map(|def| function_definition(catalog, texts, def)),
        ),
        "pg_get_function_result" => {
            let def = user_function(catalog, number).filter(|def| !def.is_procedure);
            optional(def.map(|def| function_result(catalog, def)))
        }
        "pg_get_function_arguments" | "pg_get_function_identity_arguments" => {
            let with_defaults = function == "pg_get_function_arguments";
            let def = user_function(catalog, number);
            optional(
                def.map(|def| function_arguments(catalog, def, with_defaults.then_some(texts))),
            )
        }
        "pg_get_triggerdef" => optional(triggers::definition(catalog, texts, number, is_pretty)),
        "pg_get_partkeydef" => optional(inheritance::key_definition(catalog, number)),
        "pg_get_serial_sequence" => serial_sequence(catalog, word(0), word(1))?,
        "pg_relation_filenode" => Value::Oid(number),
        "obj_description" | "col_description" | "shobj_description" => {
            description(catalog, function, args)
        }
        "current_schema" => {
            let first = catalog.first_schema();
            first.map_or(Value::Null, |schema| text(catalog.schema_name(schema)))
        }
        "current_schemas" => path_names(catalog, args.first() == Some(&Value::Boolean(true))),
        name if name.starts_with("has_") => privilege(catalog, name, args)?,
        other => return Err(Error::internal(format!("nothing answers {other}"))),
    })
}

fn formatted_type(catalog: &Catalog, number: u32, modifier: TypeMod) -> Value {
    match catalog.type_text(number, modifier) {
        Some(name) => text(name),
        None if number == 0 => text("-"),
        None => text("???"),
    }
}

/// What a name means; NULL where it means nothing.
fn found(catalog: &Catalog, ty: LogicalType, name: &str) -> Value {
    match number_of_reg(catalog, ty, name) {
        Ok(number) => Value::Reg(ty, number),
        Err(_) => Value::Null,
    }
}

fn path_names(catalog: &Catalog, implicit: bool) -> Value {
    let own = implicit.then(|| text("pg_catalog"));
    let known = catalog
        .path()
        .map(|schema| text(catalog.schema_name(schema)));
    let names = own.into_iter().chain(known).collect();
    Value::array(&ArrayValue::of(ElementType::Name, names))
}

/// The sequence that a column of a table owns.
fn serial_sequence(catalog: &Catalog, table: &str, column: &str) -> Result<Value> {
    let name = folded_path(table)?;
    if let Some(Named::View(view)) = catalog.find(&name) {
        let view = catalog.views.get(&view);
        let has = |view: &ViewDef| view.columns.iter().any(|known| known.name == column);
        if view.is_some_and(|view| has(view)) {
            return Ok(Value::Null);
        }
    }
    let table = catalog.table_named(&name);
    let table = table.ok_or_else(|| undefined_table(&name, 0))?;
    let mut columns = table.columns.iter();
    let known = columns.find(|known| known.name == column);
    let known = known.ok_or_else(|| {
        let message = format!(
            "column \"{column}\" of relation \"{}\" does not exist",
            table.name
        );
        Error::new(SqlState::UNDEFINED_COLUMN, message)
    })?;
    let owner = Some((table.object, known.id));
    let mut sequences = catalog.sequences.values();
    let found = sequences.find(|sequence| sequence.owner == owner);
    let name = found.and_then(|one| relation_name(catalog, relation_oid(one.object), true));
    Ok(name.map_or(Value::Null, text))
}

/// `has_..._privilege`: the one role may do everything with what there is.
fn privilege(catalog: &Catalog, function: &str, args: &[Value]) -> Result<Value> {
    let is_schema = function == "has_schema_privilege";
    if let ([Value::Text(role), _, _], true) = (args, function != "has_column_privilege")
        && !matches!(&**role, OWNER | "public")
    {
        let message = format!("role \"{role}\" does not exist");
        return Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
    }
    let last = args.len().saturating_sub(1);
    for privilege in args.get(last).and_then(Value::str).unwrap_or("").split(',') {
        let word = privilege.trim().to_ascii_lowercase();
        let word = word.trim_end_matches(" with grant option");
        const TABLE: [&str; 8] = [
            "select",
            "insert",
            "update",
            "delete",
            "truncate",
            "references",
            "trigger",
            "usage",
        ];
        let is_known = match is_schema {
            true => word == "create" || word == "usage",
            false => TABLE.contains(&word),
        };
        if !is_known {
            let message = format!("unrecognized privilege type: \"{}\"", privilege.trim());
            return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
    }
    let object = args.get(last.saturating_sub(1));
    Ok(
        match args.iter().find(|arg| matches!(arg, Value::Reg(..))) {
            Some(Value::Reg(_, number)) => match relation_name(catalog, *number, false) {
                Some(_) => Value::Boolean(true),
                None => Value::Null,
            },
            _ => match object {
                Some(Value::Text(name)) => {
                    schema_number(catalog, name)?;
                    Value::Boolean(true)
                }
                _ => Value::Boolean(true),
            },
        },
    )
}
