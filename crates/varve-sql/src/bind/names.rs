//! Identifiers and names of tables and result columns.

use std::sync::Arc;

use sqlparser::ast::{
    AccessExpr, CastKind, CeilFloorKind, Expr as Ast, Ident, ObjectName, ObjectNamePart,
    SelectItem, SetExpr, TrimWhereField,
};
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::bind::{Binder, located, unsupported_at};
use crate::catalog::{NAME_BYTES_MAX, TableDef};
use crate::kept_text::Meaning;
use crate::pg_catalog::{DATABASE, catalog_view};
use crate::plan::SystemView;
use crate::schema::{Named, RelationName};
use crate::system_view::system_view;

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
    /// The name of a relation, folded.
    pub(crate) fn relation_name(&self, name: &ObjectName) -> Result<RelationName> {
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
        relation_name(parts).map_err(|error| located(error, position))
    }

    /// The schema and the name of a relation that is about to be created, for the session only
    /// where it is temporary.
    pub(crate) fn new_relation(
        &self,
        name: &ObjectName,
        temporary: bool,
    ) -> Result<(ObjectId, String)> {
        if let Some(ObjectNamePart::Identifier(ident)) = name.0.last() {
            self.new_name(ident)?;
        }
        let RelationName { schema, name: last } = self.relation_name(name)?;
        let found = match &schema {
            None if temporary => self
                .catalog
                .temporary()
                .ok_or_else(|| Error::internal("a session without its schema")),
            Some(schema)
                if temporary && self.catalog.schema(schema) != self.catalog.temporary() =>
            {
                let message = "cannot create temporary relation in non-temporary schema";
                Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message))
            }
            Some(schema) => self
                .catalog
                .schema(schema)
                .ok_or_else(|| undefined_schema(schema)),
            None => self.catalog.first_schema().ok_or_else(|| {
                let message = "no schema has been selected to create in";
                Error::new(SqlState::INVALID_SCHEMA_NAME, message)
            }),
        };
        let found = found.map_err(|error| located(error, self.source.name(name)))?;
        Ok((found, last))
    }

    /// Whether a name in a schema is taken.
    pub(crate) fn has_relation(&self, schema: ObjectId, name: &str) -> bool {
        self.catalog.find_in(schema, name).is_some() || system_view(name).is_some()
    }

    /// The system view of a name.
    pub(crate) fn system_view(&self, name: &RelationName) -> Option<SystemView> {
        let of_schema = |schema| catalog_view(schema, &name.name).map(SystemView::Catalog);
        match name.schema.as_deref() {
            None => system_view(&name.name).or_else(|| of_schema("pg_catalog")),
            Some("public") => system_view(&name.name),
            Some(schema) => of_schema(schema),
        }
    }

    /// The table of a name.
    pub(crate) fn table(&self, name: &ObjectName) -> Result<&Arc<TableDef>> {
        let position = self.source.name(name);
        let folded = self.relation_name(name)?;
        self.known_table(&folded)
            .ok_or_else(|| undefined_table(&folded, position))
    }

    /// The table of an index that is to be made: a materialized view may have them too.
    pub(crate) fn indexed_table(&self, name: &ObjectName) -> Result<Arc<TableDef>> {
        match self.find(&self.relation_name(name)?) {
            Some(Named::Table(_)) => self.table(name).cloned(),
            _ => self.writable_table(name),
        }
    }

    /// The table that a statement writes.
    pub(crate) fn writable_table(&self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let folded = self.relation_name(name)?;
        let position = self.source.name(name);
        let wrong = |state, message| Err(located(Error::new(state, message), position));
        if self.system_view(&folded).is_some() {
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            return wrong(state, format!("cannot change system view \"{folded}\""));
        }
        let what = match self.find(&folded) {
            Some(Named::View(_)) => {
                let message = format!("\"{}\" is not a table", folded.name);
                return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
            }
            Some(Named::Table(table)) if self.catalog.view_of(table).is_some() => {
                let message = format!("cannot change materialized view \"{}\"", folded.name);
                return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
            }
            Some(Named::Sequence(_)) => "sequence",
            Some(Named::Index(_)) => "index",
            _ => return self.table(name).cloned(),
        };
        let message = format!("cannot open {what} \"{}\" as a table", folded.name);
        wrong(SqlState::WRONG_OBJECT_TYPE, message)
    }

    /// The table that a statement defines anew; its errors have no place.
    pub(crate) fn defined_table(&self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let folded = self.relation_name(name)?;
        match self.find(&folded) {
            None if self.system_view(&folded).is_none() => Err(undefined_table(&folded, 0)),
            _ => self.writable_table(name),
        }
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
        let (name, _) = self.source.target(ident);
        let at = (table.columns.iter()).position(|column| column.name == name);
        if let Some(column) = at.and_then(|at| table.columns.get(at)) {
            let place = self.source.ident(ident);
            self.use_name(place, || Meaning::Column(table.object, column.id));
        }
        at.ok_or_else(|| {
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

/// The name of a relation from its folded parts.
pub(crate) fn relation_name(mut parts: Vec<String>) -> Result<RelationName> {
    let whole = parts.join(".");
    let name = parts.pop().unwrap_or_default();
    let schema = parts.pop();
    match parts.as_slice() {
        [] => Ok(RelationName { schema, name }),
        [database] if database == DATABASE => Ok(RelationName { schema, name }),
        [_] => Err(Error::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("cross-database references are not implemented: \"{whole}\""),
        )),
        _ => Err(Error::new(
            SqlState::SYNTAX_ERROR,
            format!("improper qualified name (too many dotted names): {whole}"),
        )),
    }
}

/// A name in a text as SQL folds it.
pub fn folded_path(text: &str) -> Result<RelationName> {
    let bad = || Error::new(SqlState::INVALID_NAME, "invalid name syntax");
    let space = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(space);
        let part = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (part, behind) = quoted_part(quoted).ok_or_else(bad)?;
                rest = behind;
                part
            }
            None => {
                let end = rest.find(|c| c == '.' || c == '"' || space(c));
                let (part, behind) = rest.split_at(end.unwrap_or(rest.len()));
                rest = behind;
                part.to_ascii_lowercase()
            }
        };
        if part.is_empty() {
            return Err(bad());
        }
        parts.push(part);
        rest = rest.trim_start_matches(space);
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind,
            None if rest.is_empty() => return relation_name(parts),
            None => return Err(bad()),
        }
    }
}

/// A name behind its first quote, and what comes behind its last.
fn quoted_part(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let (before, behind) = rest.split_once('"')?;
        part.push_str(before);
        match behind.strip_prefix('"') {
            Some(behind) => {
                part.push('"');
                rest = behind;
            }
            None => return Some((part, behind)),
        }
    }
}

/// `42P01`.
pub(crate) fn undefined_table(name: &RelationName, position: u32) -> Error {
    located(
        Error::new(
            SqlState::UNDEFINED_TABLE,
            format!("relation \"{name}\" does not exist"),
        ),
        position,
    )
}

/// `3F000`.
pub(crate) fn undefined_schema(name: &str) -> Error {
    let message = format!("schema \"{name}\" does not exist");
    Error::new(SqlState::INVALID_SCHEMA_NAME, message)
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
                ..
            } => {
                fallback = fallback.or_else(|| super::data_type::cast_name(data_type));
                inner
            }
            Ast::TypedString(typed) => {
                fallback = fallback.or_else(|| super::data_type::cast_name(&typed.data_type));
                break;
            }
            Ast::Case { else_result, .. } => {
                // PostgreSQL looks into ELSE, and only at what has a name itself.
                let mut otherwise = else_result.as_deref();
                while let Some(Ast::Cast { expr, .. } | Ast::Nested(expr)) = otherwise {
                    otherwise = Some(expr);
                }
                if let Some(otherwise) = otherwise
                    && let Ast::Identifier(_) | Ast::CompoundIdentifier(_) | Ast::Function(_) =
                        otherwise
                {
                    return result_name(otherwise);
                }
                fallback = fallback.or_else(|| Some("case".to_owned()));
                break;
            }
            Ast::Interval(_) => {
                fallback = fallback.or_else(|| Some("interval".to_owned()));
                break;
            }
            Ast::Array(_) => return "array".to_owned(),
            Ast::CompoundFieldAccess { root, access_chain } => {
                let mut fields = access_chain.iter().rev();
                let field = fields.find_map(|access| match access {
                    AccessExpr::Dot(Ast::Identifier(field)) => Some(fold_name(field)),
                    _ => None,
                });
                match field {
                    Some(field) => return field,
                    None => root,
                }
            }
            Ast::Exists { negated: false, .. } => return "exists".to_owned(),
            Ast::Subquery(query) => match only_output(&query.body) {
                Some(SelectItem::UnnamedExpr(inner)) => inner,
                Some(SelectItem::ExprWithAlias { alias, .. }) => return fold_name(alias),
                _ => break,
            },
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
            Ast::Substring {
                shorthand: true, ..
            } => return "substr".to_owned(),
            Ast::Substring { .. } => return "substring".to_owned(),
            Ast::Overlay { .. } => return "overlay".to_owned(),
            Ast::Trim { trim_where, .. } => {
                return match trim_where {
                    Some(TrimWhereField::Leading) => "ltrim",
                    Some(TrimWhereField::Trailing) => "rtrim",
                    Some(TrimWhereField::Both) | None => "btrim",
                }
                .to_owned();
            }
            Ast::AtTimeZone { .. } => return "timezone".to_owned(),
            _ => break,
        };
    }
    fallback.unwrap_or_else(|| "?column?".to_owned())
}

/// The first column of a query as it is written.
fn only_output(body: &SetExpr) -> Option<&SelectItem> {
    let mut body = body;
    loop {
        body = match body {
            SetExpr::Select(select) => return select.projection.first(),
            SetExpr::SetOperation { left, .. } => left,
            SetExpr::Query(query) => &query.body,
            _ => return None,
        };
    }
}
