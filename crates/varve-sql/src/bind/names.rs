//! Identifiers and names of tables and result columns.

use std::sync::Arc;

use sqlparser::ast::{
    CastKind, CeilFloorKind, Expr as Ast, Ident, ObjectName, ObjectNamePart, TrimWhereField,
};
use varve_types::{Error, Result, SqlState};

use crate::bind::{Binder, located, unsupported_at};
use crate::catalog::TableDef;
use crate::system_view::system_view;

/// Longest name in bytes, as in PostgreSQL.
const NAME_BYTES_MAX: usize = 63;

/// A name as PostgreSQL folds it: lower case unless quoted.
pub(crate) fn fold_name(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_ascii_lowercase(),
    }
}

/// The name of a function or type without `pg_catalog`; `None` for any other qualified name.
pub(crate) fn simple_name(name: &ObjectName) -> Option<String> {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(name)] => Some(fold_name(name)),
        [
            ObjectNamePart::Identifier(schema),
            ObjectNamePart::Identifier(name),
        ] if fold_name(schema) == "pg_catalog" => Some(fold_name(name)),
        _ => None,
    }
}

impl Binder<'_> {
    /// The name of a table, with `public` taken off.
    pub(crate) fn table_name(&self, name: &ObjectName) -> Result<String> {
        let position = self.source.name(name);
        let mut parts = Vec::with_capacity(name.0.len());
        for part in &name.0 {
            match part {
                ObjectNamePart::Identifier(ident) => parts.push(fold_name(ident)),
                ObjectNamePart::Function(_) => {
                    return Err(unsupported_at("a function as a name", position));
                }
            }
        }
        match parts.as_slice() {
            [table] => Ok(table.clone()),
            [schema, table] if schema == "public" => Ok(table.clone()),
            _ => Err(undefined_table(&parts.join("."), position)),
        }
    }

    /// The table of a name.
    pub(crate) fn table(&self, name: &ObjectName) -> Result<&Arc<TableDef>> {
        let position = self.source.name(name);
        let folded = self.table_name(name)?;
        self.known_table(&folded)
            .ok_or_else(|| undefined_table(&folded, position))
    }

    /// The table that a statement writes.
    pub(crate) fn writable_table(&self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let folded = self.table_name(name)?;
        if system_view(&folded).is_some() {
            return Err(located(
                Error::new(
                    SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                    format!("cannot change system view \"{folded}\""),
                ),
                self.source.name(name),
            ));
        }
        self.table(name).cloned()
    }

    /// A name that is about to be created.
    pub(crate) fn new_name(&self, ident: &Ident) -> Result<String> {
        let name = fold_name(ident);
        let error = |state, message| located(Error::new(state, message), self.source.ident(ident));
        if name.is_empty() {
            let message = "zero-length delimited identifier".to_owned();
            return Err(error(SqlState::SYNTAX_ERROR, message));
        }
        if name.len() > NAME_BYTES_MAX {
            let message = format!("identifier \"{name}\" is longer than {NAME_BYTES_MAX} bytes");
            return Err(error(SqlState::INVALID_NAME, message));
        }
        Ok(name)
    }

    /// The position in a table of a column that a statement names.
    pub(crate) fn target_column(&self, table: &TableDef, ident: &Ident) -> Result<usize> {
        let name = fold_name(ident);
        table
            .columns
            .iter()
            .position(|column| column.name == name)
            .ok_or_else(|| {
                let message = format!(
                    "column \"{name}\" of relation \"{}\" does not exist",
                    table.name
                );
                located(
                    Error::new(SqlState::UNDEFINED_COLUMN, message),
                    self.source.ident(ident),
                )
            })
    }
}

/// `42P01`.
pub(crate) fn undefined_table(name: &str, position: u32) -> Error {
    located(
        Error::new(
            SqlState::UNDEFINED_TABLE,
            format!("relation \"{name}\" does not exist"),
        ),
        position,
    )
}

/// The name that PostgreSQL gives a result column without an alias.
pub(crate) fn result_name(expr: &Ast) -> String {
    // A cast gives its type's name only where what it converts has none of its own.
    let mut expr = expr;
    let mut fallback = None;
    loop {
        expr = match expr {
            Ast::Identifier(ident) => return fold_name(ident),
            Ast::CompoundIdentifier(parts) => {
                return parts.last().map(fold_name).unwrap_or_default();
            }
            Ast::Function(function) => {
                if let Some(ObjectNamePart::Identifier(ident)) = function.name.0.last() {
                    return fold_name(ident);
                }
                break;
            }
            Ast::Nested(inner) | Ast::Collate { expr: inner, .. } => inner,
            Ast::Cast {
                expr: inner,
                data_type,
                kind: CastKind::Cast | CastKind::DoubleColon,
                format: None,
            } => {
                let name =
                    super::data_type::logical_type(data_type).map(super::data_type::internal_name);
                fallback = fallback.or(name);
                inner
            }
            Ast::TypedString(typed) => {
                let name = super::data_type::logical_type(&typed.data_type)
                    .map(super::data_type::internal_name);
                fallback = fallback.or(name);
                break;
            }
            Ast::Case { else_result, .. } => {
                // PostgreSQL looks into ELSE, and only at what has a name itself.
                if let Some(otherwise) = else_result
                    && let Ast::Identifier(_) | Ast::CompoundIdentifier(_) | Ast::Function(_) =
                        otherwise.as_ref()
                {
                    return result_name(otherwise);
                }
                fallback = fallback.or(Some("case"));
                break;
            }
            Ast::Extract { .. } => return "extract".to_owned(),
            Ast::Ceil {
                field: CeilFloorKind::DateTimeField(_),
                ..
            } => return "ceil".to_owned(),
            Ast::Floor {
                field: CeilFloorKind::DateTimeField(_),
                ..
            } => return "floor".to_owned(),
            Ast::Position { .. } => return "position".to_owned(),
            Ast::Substring { .. } => return "substring".to_owned(),
            Ast::Trim { trim_where, .. } => {
                return match trim_where {
                    Some(TrimWhereField::Leading) => "ltrim",
                    Some(TrimWhereField::Trailing) => "rtrim",
                    Some(TrimWhereField::Both) | None => "btrim",
                }
                .to_owned();
            }
            Ast::AtTimeZone { .. } => return "timezone".to_owned(),
            Ast::Value(value) => {
                if let sqlparser::ast::Value::Boolean(_) = value.value {
                    fallback = fallback.or(Some("bool"));
                }
                break;
            }
            _ => break,
        };
    }
    fallback.unwrap_or("?column?").to_owned()
}
