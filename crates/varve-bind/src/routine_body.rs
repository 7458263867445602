//! What bodies of functions are bound with: their variables.

use std::sync::Arc;

use varve_bind_query::context::variables::{RoutineVariable, Variable, Variables};
use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::schema::RelationName;
use varve_catalog::text::name::undefined_table;
use varve_catalog::text::type_name::type_of_text;
use varve_expr::{Expr, Locale, Parameter};
use varve_parser::ParsedStatement;
use varve_parser::plpgsql::DeclaredType;
use varve_plan::build::row_value::Field;
use varve_plan::plan::Bound;
use varve_types::{Error, LogicalType, Result, RowTypeId, SqlState, TypeMod};

use crate::bind::bind_with;

/// What a variable may hold.
#[derive(Debug)]
pub enum Shape {
    /// A value.
    Value(LogicalType, TypeMod),
    /// A row with these fields.
    Row(Vec<(String, LogicalType, TypeMod)>),
    /// Any row, with the fields of the last one.
    Record,
}

/// Binds a piece of the body of a function with those variables that are known in it, by number;
/// the first `numbered` are `$1`, `$2`, ... too.
pub fn bind_piece(
    piece: &ParsedStatement,
    catalog: &Arc<Catalog>,
    variables: &[(usize, &RoutineVariable)],
    numbered: usize,
    locale: &Locale,
) -> Result<Bound> {
    let values = variables.iter().map(|(index, variable)| Variable {
        qualifier: variable.qualifier.clone(),
        name: variable.name.clone(),
        is_plain: !variable.is_field,
        value: Expr::Parameter {
            parameter: Parameter::Given(*index),
            ty: variable.ty,
        },
    });
    let variables = Variables::new(values.collect(), numbered);
    let bound = bind_with(piece, catalog, &[], locale, Some(variables));
    bound.map_err(Error::without_position)
}

/// What a variable of a type may hold; `known` are the variables that the type may name.
pub fn declared_shape(
    catalog: &Catalog,
    kind: &DeclaredType,
    known: &[RoutineVariable],
) -> Result<Shape> {
    match kind {
        DeclaredType::Record => Ok(Shape::Record),
        DeclaredType::Any => Ok(Shape::Value(LogicalType::Text, TypeMod::NONE)),
        DeclaredType::Named(text) => Ok(match type_of_text(catalog, text)? {
            (LogicalType::Row(id), _) if id != RowTypeId::RECORD => {
                Shape::Row(catalog.fields_of(id).unwrap_or_default())
            }
            (ty, modifier) => Shape::Value(ty, modifier),
        }),
        DeclaredType::RowOf(names) => {
            let relation = relation(names);
            let fields = catalog.row_type(&relation).and_then(|ty| match ty {
                LogicalType::Row(id) => catalog.fields_of(id),
                _ => None,
            });
            fields
                .map(Shape::Row)
                .ok_or_else(|| undefined_table(&relation, 0))
        }
        DeclaredType::Same(names) => same_shape(catalog, names, known),
    }
}

/// What `name%TYPE` or `relation.column%TYPE` may hold.
fn same_shape(catalog: &Catalog, names: &[String], known: &[RoutineVariable]) -> Result<Shape> {
    let (name, of) = names
        .split_last()
        .map_or(("", &[][..]), |(last, of)| (last, of));
    let mut known = known.iter().rev();
    let own =
        known.find(|known| known.name == name && of.last().is_none_or(|of| known.qualifier == *of));
    if let Some(own) = own {
        return Ok(Shape::Value(own.ty, own.modifier));
    }
    if of.is_empty() {
        let message = format!("variable \"{name}\" does not exist");
        return Err(Error::new(SqlState::SYNTAX_ERROR, message));
    }
    let relation = relation(of);
    let fields: Option<Vec<Field>> = match catalog.row_type(&relation) {
        Some(LogicalType::Row(id)) => catalog.fields_of(id),
        _ => None,
    };
    let fields = fields.ok_or_else(|| undefined_table(&relation, 0))?;
    let mut fields = fields.into_iter();
    let found = fields.find(|(known, ..)| known == name);
    found
        .map(|(_, ty, modifier)| Shape::Value(ty, modifier))
        .ok_or_else(|| {
            let message = format!(
                "column \"{name}\" of relation \"{}\" does not exist",
                relation.name
            );
            Error::new(SqlState::UNDEFINED_COLUMN, message)
        })
}

fn relation(names: &[String]) -> RelationName {
    let mut names = names.iter().rev().cloned();
    RelationName {
        name: names.next().unwrap_or_default(),
        schema: names.next(),
    }
}
