//! Identifiers and names of tables and result columns.

use std::sync::Arc;

use varve_ast::{
    Access, Call, Expr as Ast, ExprKind, Name, ObjectName, QueryBody, SelectItem, SpecialCall,
    TrimSide,
};
use varve_types::{Error, ObjectId, Result, SqlState};

pub(crate) use varve_catalog::text::name::{
    folded_path, qualified_name, relation_name, simple_name, undefined_schema, undefined_table,
};

use crate::bind::data_type::cast_name;
use crate::bind::{Binder, located};
use crate::catalog::{NAME_BYTES_MAX, TableDef};
use crate::kept_text::Meaning;
use crate::pg_catalog::catalog_view;
use crate::plan::SystemView;
use crate::schema::{Named, RelationName};
use crate::system_view::system_view;

impl Binder<'_> {
    /// The name of a relation.
    pub(crate) fn relation_name(&self, name: &ObjectName) -> Result<RelationName> {
        qualified_name(name).map_err(|error| located(error, self.at(name.span())))
    }

    /// The schema and the name of a relation that is about to be created, for the session only
    /// where it is temporary.
    pub(crate) fn new_relation(
        &self,
        name: &ObjectName,
        temporary: bool,
    ) -> Result<(ObjectId, String)> {
        self.new_name(&name.name)?;
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
        let found = found.map_err(|error| located(error, self.at(name.span())))?;
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
        let position = self.at(name.span());
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
        let position = self.at(name.span());
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
    pub(crate) fn new_name(&self, name: &Name) -> Result<String> {
        let text = &name.text;
        let error = |state, message| located(Error::new(state, message), self.at(name.span));
        if text.is_empty() {
            let message = "zero-length delimited identifier".to_owned();
            return Err(error(SqlState::SYNTAX_ERROR, message));
        }
        if text.len() > NAME_BYTES_MAX {
            let message = format!("identifier \"{text}\" is longer than {NAME_BYTES_MAX} bytes");
            return Err(error(SqlState::INVALID_NAME, message));
        }
        Ok(text.clone())
    }

    /// The position in a table of a column that a statement names.
    pub(crate) fn target_column(&self, table: &TableDef, name: &Name) -> Result<usize> {
        let place = self.at(name.span);
        let at = (table.columns.iter()).position(|column| column.name == name.text);
        if let Some(column) = at.and_then(|at| table.columns.get(at)) {
            self.use_name(place, || Meaning::Column(table.object, column.id));
        }
        at.ok_or_else(|| {
            let message = format!(
                "column \"{}\" of relation \"{}\" does not exist",
                name.text, table.name
            );
            located(Error::new(SqlState::UNDEFINED_COLUMN, message), place)
        })
    }
}

/// The name that PostgreSQL gives a result column without an alias.
pub(crate) fn result_name(expr: &Ast) -> String {
    // A cast gives its type's name only where what it converts has none of its own.
    let mut expr = expr;
    let mut fallback = None;
    loop {
        expr = match &expr.kind {
            ExprKind::Collate { operand, .. } => operand,
            ExprKind::Cast(cast) => {
                fallback = fallback.or_else(|| cast_name(&cast.type_name));
                &cast.operand
            }
            ExprKind::TypedLiteral(typed) => {
                fallback = fallback.or_else(|| cast_name(&typed.type_name));
                break;
            }
            ExprKind::Interval(_) => {
                fallback = fallback.or_else(|| Some("interval".to_owned()));
                break;
            }
            ExprKind::Case(case) => {
                if let Some(name) = case.otherwise.as_ref().and_then(otherwise_name) {
                    return name.to_owned();
                }
                fallback = fallback.or_else(|| Some("case".to_owned()));
                break;
            }
            ExprKind::Access { root, steps } => match steps.iter().rev().find_map(field_of) {
                Some(field) => return field.text.clone(),
                None => root,
            },
            ExprKind::Subquery(query) => match only_output(&query.body) {
                Some(SelectItem::Expr { expr, alias: None }) => expr,
                Some(SelectItem::Expr {
                    alias: Some(alias), ..
                }) => return alias.text.clone(),
                _ => break,
            },
            kind => match own_name(kind) {
                Some(name) => return name.to_owned(),
                None => break,
            },
        };
    }
    fallback.unwrap_or_else(|| "?column?".to_owned())
}

/// The name that an expression has by itself.
fn own_name(kind: &ExprKind) -> Option<&str> {
    Some(match kind {
        ExprKind::Column(name) => &name.name.text,
        ExprKind::Call(call) => called_name(call),
        ExprKind::Json(json) => called_name(&json.call),
        ExprKind::Row {
            is_explicit: true, ..
        } => "row",
        ExprKind::Array(_) | ExprKind::ArraySubquery(_) => "array",
        ExprKind::Exists(_) => "exists",
        ExprKind::AtTimeZone { .. } => "timezone",
        ExprKind::Special(call) => match &**call {
            SpecialCall::Extract { .. } => "extract",
            SpecialCall::Position { .. } => "position",
            SpecialCall::Substring { .. } => "substring",
            SpecialCall::Overlay { .. } => "overlay",
            SpecialCall::Trim { side, .. } => trim_name(*side),
        },
        _ => return None,
    })
}

fn called_name(call: &Call) -> &str {
    &call.name.name.text
}

/// The function that TRIM is.
pub(crate) fn trim_name(side: Option<TrimSide>) -> &'static str {
    match side {
        Some(TrimSide::Leading) => "ltrim",
        Some(TrimSide::Trailing) => "rtrim",
        Some(TrimSide::Both) | None => "btrim",
    }
}

/// The name that ELSE gives its CASE: only what has a name itself counts.
fn otherwise_name(otherwise: &Ast) -> Option<&str> {
    let mut otherwise = otherwise;
    while let ExprKind::Cast(cast) = &otherwise.kind {
        otherwise = &cast.operand;
    }
    match &otherwise.kind {
        kind @ (ExprKind::Column(_)
        | ExprKind::Call(_)
        | ExprKind::Json(_)
        | ExprKind::ArraySubquery(_)
        | ExprKind::Row { .. }) => own_name(kind),
        _ => None,
    }
}

fn field_of(step: &Access) -> Option<&Name> {
    match step {
        Access::Field(field) => Some(field),
        Access::Star(_) | Access::Index(_) | Access::Slice { .. } => None,
    }
}

/// The first column of a query as it is written.
fn only_output(body: &QueryBody) -> Option<&SelectItem> {
    let mut body = body;
    loop {
        body = match body {
            QueryBody::Select(select) => return select.items.first(),
            QueryBody::Set(operation) => &operation.left,
            QueryBody::Query(query) => &query.body,
            QueryBody::Values(_) | QueryBody::Dml(_) => return None,
        };
    }
}
