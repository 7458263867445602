//! INSERT and REPLACE.

use sqlparser::ast::{
    AssignmentTarget, ConflictTarget, Expr, Ident, Insert, OnConflictAction, OnInsert, SetExpr,
    SqliteOnConflict, TableObject,
};
use varve_types::{SqlText, sql};

use crate::ddl::types::Type;
use crate::expression::literal::Literal;
use crate::expression::value;
use crate::names::{last, spelled};
use crate::schema::{Column, Table};
use crate::scope::Writer;
use crate::script::{Fault, Result};

/// The table that a statement inserts into.
pub(crate) fn target(insert: &Insert) -> Result<&Ident> {
    match &insert.table {
        TableObject::TableName(name) => last(name),
        _ => Err(Fault::new(0, "a function in place of a table")),
    }
}

/// The columns that get values, where the table is one of the script.
pub(crate) fn columns<'t>(insert: &Insert, table: &'t Table) -> Result<Vec<&'t Column>> {
    if !insert.assignments.is_empty() {
        let names = insert.assignments.iter().map(|one| match &one.target {
            AssignmentTarget::ColumnName(name) => table.named(last(name)?),
            AssignmentTarget::Tuple(_) => Err(Fault::new(0, "a row in place of a column")),
        });
        return names.collect();
    }
    if insert.columns.is_empty() {
        let columns = table.columns.iter();
        return Ok(columns.filter(|column| !column.is_generated).collect());
    }
    let names = insert.columns.iter();
    names.map(|name| table.named(last(name)?)).collect()
}

/// The rows of values, where there are any.
pub(crate) fn rows(insert: &Insert) -> Option<Vec<Vec<&Expr>>> {
    if !insert.assignments.is_empty() {
        return Some(vec![
            insert.assignments.iter().map(|one| &one.value).collect(),
        ]);
    }
    let SetExpr::Values(values) = insert.source.as_ref()?.body.as_ref() else {
        return None;
    };
    let rows = values.rows.iter();
    Some(rows.map(|row| row.content.iter().collect()).collect())
}

impl<'s> Writer<'s> {
    pub(crate) fn insert(&mut self, insert: &Insert) -> Result<SqlText> {
        let is_plain = !insert.overwrite
            && insert.partitioned.is_none()
            && insert.after_columns.is_empty()
            && insert.output.is_none()
            && insert.settings.is_none()
            && insert.format_clause.is_none()
            && insert.multi_table_insert_type.is_none()
            && insert.returning.is_none()
            && insert.insert_alias.is_none();
        if !is_plain {
            return Err(Fault::new(0, "a clause of INSERT that has no counterpart"));
        }
        let name = target(insert)?;
        let table = self.schema.table(&name.value);
        let columns = table.map(|table| columns(insert, table)).transpose()?;
        let mut text = match table {
            Some(table) => sql!["INSERT INTO ", SqlText::name(&table.name)],
            None => sql!["INSERT INTO ", SqlText::name(&spelled(name))],
        };
        if let Some(alias) = &insert.table_alias {
            text.push(sql![" AS ", self.give(&alias.alias)]);
        }
        let names: Vec<SqlText> = match &columns {
            Some(columns) => columns.iter().map(|c| SqlText::name(&c.name)).collect(),
            None => self.unknown_columns(insert)?,
        };
        if !names.is_empty() {
            text.push(sql![" (", SqlText::joined(&names, ", "), ")"]);
        }
        text.push(self.source(insert, columns.as_deref())?);
        if let Some(table) = table {
            self.know(&table.name, Some(table));
            self.know("excluded", Some(table));
        }
        text.push(self.conflict(insert, table)?);
        Ok(text)
    }

    fn unknown_columns(&self, insert: &Insert) -> Result<Vec<SqlText>> {
        let names = insert.columns.iter();
        names
            .map(|name| Ok(SqlText::name(&spelled(last(name)?))))
            .collect()
    }

    fn source(&mut self, insert: &Insert, columns: Option<&[&Column]>) -> Result<SqlText> {
        let Some(rows) = rows(insert) else {
            return match &insert.source {
                Some(query) => Ok(sql![" ", self.query(query)?]),
                None => Ok(sql![" DEFAULT VALUES"]),
            };
        };
        let mut texts = Vec::with_capacity(rows.len());
        for row in rows {
            if columns.is_some_and(|columns| columns.len() != row.len()) {
                return Err(Fault::new(
                    0,
                    "a row with more or fewer values than columns",
                ));
            }
            let mut values = Vec::with_capacity(row.len());
            for (at, expr) in row.into_iter().enumerate() {
                let column = columns.and_then(|columns| columns.get(at).copied());
                values.push(self.value_of(expr, column)?);
            }
            texts.push(sql!["(", SqlText::joined(&values, ", "), ")"]);
        }
        Ok(sql![" VALUES ", SqlText::joined(&texts, ", ")])
    }

    /// A value for a column.
    pub(crate) fn value_of(&mut self, expr: &Expr, column: Option<&Column>) -> Result<SqlText> {
        let literal = match &column {
            // A key that is NULL counts by itself.
            Some(column) if column.is_identity => match Literal::without_columns(expr) {
                Some(Literal::Null) => Some(Literal::Default),
                literal => literal,
            },
            _ => Literal::without_columns(expr),
        };
        let ty = column.map_or(&Type::Any, |column| &column.ty);
        self.wanted = ty.clone();
        match literal {
            Some(literal) => value::write(&literal, ty).map_err(|fault| match column {
                Some(column) => Fault::new(
                    fault.line,
                    format!("{} for the column {}", fault.message, column.name),
                ),
                None => fault,
            }),
            None => self.expr(expr),
        }
    }

    fn conflict(&mut self, insert: &Insert, table: Option<&'s Table>) -> Result<SqlText> {
        let replaces = insert.replace_into || matches!(insert.or, Some(SqliteOnConflict::Replace));
        let ignores = insert.ignore || matches!(insert.or, Some(SqliteOnConflict::Ignore));
        match &insert.on {
            Some(OnInsert::OnConflict(on)) => {
                let mut text = sql![" ON CONFLICT"];
                match &on.conflict_target {
                    Some(ConflictTarget::Columns(columns)) => {
                        let names: Vec<SqlText> = columns.iter().map(|c| self.name(c)).collect();
                        text.push(sql![" (", SqlText::joined(&names, ", "), ")"]);
                    }
                    Some(ConflictTarget::OnConstraint(_)) => {
                        return Err(Fault::new(0, "ON CONSTRAINT, which has no counterpart"));
                    }
                    None => {}
                }
                match &on.action {
                    OnConflictAction::DoNothing => text.push(" DO NOTHING"),
                    OnConflictAction::DoUpdate(update) => {
                        text.push(" DO UPDATE SET ");
                        text.push(self.assignments(&update.assignments, table)?);
                        if let Some(condition) = &update.selection {
                            text.push(sql![" WHERE ", self.expr(condition)?]);
                        }
                    }
                }
                Ok(text)
            }
            Some(OnInsert::DuplicateKeyUpdate(assignments)) => {
                let key = self.conflict_key(table)?;
                Ok(sql![
                    key,
                    " DO UPDATE SET ",
                    self.assignments(assignments, table)?
                ])
            }
            Some(_) => Err(Fault::new(0, "a clause of INSERT that has no counterpart")),
            None if replaces => self.replacement(table),
            None if ignores => Ok(sql![" ON CONFLICT DO NOTHING"]),
            None => Ok(SqlText::default()),
        }
    }

    fn conflict_key(&self, table: Option<&Table>) -> Result<SqlText> {
        let key = table.and_then(|table| table.keys.first());
        let key = key.ok_or_else(|| {
            let message = "a row that takes the place of another, in a table whose keys the script \
                           does not tell";
            Fault::new(0, message)
        })?;
        let names = SqlText::names(key.iter().map(String::as_str));
        Ok(sql![" ON CONFLICT (", names, ")"])
    }

    /// Columns without a value get their defaults, as they do where the old row is deleted.
    fn replacement(&self, table: Option<&Table>) -> Result<SqlText> {
        let Some(table) = table.filter(|table| !table.keys.is_empty()) else {
            let is_known = table.is_some();
            // Without a key there is nothing to replace.
            return if is_known {
                Ok(SqlText::default())
            } else {
                self.conflict_key(table)
            };
        };
        let key = self.conflict_key(Some(table))?;
        let is_key = |column: &Column| table.keys.first().is_some_and(|k| k.contains(&column.name));
        let others = table
            .columns
            .iter()
            .filter(|c| !c.is_generated && !is_key(c));
        let sets: Vec<SqlText> = others
            .map(|column| {
                let name = SqlText::name(&column.name);
                sql![&name, " = excluded.", &name]
            })
            .collect();
        Ok(match sets.is_empty() {
            true => sql![key, " DO NOTHING"],
            false => sql![key, " DO UPDATE SET ", SqlText::joined(&sets, ", ")],
        })
    }
}
