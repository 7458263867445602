//! UPDATE and DELETE.

use sqlparser::ast::{
    Assignment, AssignmentTarget, Delete, Expr, FromTable, TableFactor, TableWithJoins, Update,
    UpdateTableFromKind,
};
use varve_types::{SqlText, sql};

use crate::expression::literal::Literal;
use crate::names::{last, spelled};
use crate::schema::{Column, Table};
use crate::scope::Writer;
use crate::script::{Fault, Result};

impl<'s> Writer<'s> {
    pub(crate) fn update(&mut self, update: &Update) -> Result<SqlText> {
        let is_plain = update.or.is_none()
            && update.returning.is_none()
            && update.output.is_none()
            && update.order_by.is_empty()
            && update.limit.is_none()
            && update.table.joins.is_empty();
        if !is_plain {
            return Err(Fault::new(0, "a clause of UPDATE that has no counterpart"));
        }
        let from = match &update.from {
            None => SqlText::default(),
            Some(UpdateTableFromKind::AfterSet(tables)) => self.from(tables)?,
            Some(UpdateTableFromKind::BeforeSet(_)) => {
                return Err(Fault::new(0, "FROM before SET, which has no counterpart"));
            }
        };
        let table = self.changed(&update.table);
        // It is last, so that its names go before those of FROM.
        let target = self.from(core::slice::from_ref(&update.table))?;
        let target = self.without_from(&update.table, target)?;
        let sets = self.assignments(&update.assignments, table)?;
        let mut text = sql!["UPDATE ", target, " SET ", sets, from];
        if let Some(condition) = &update.selection {
            text.push(sql![" WHERE ", self.expr(condition)?]);
        }
        Ok(text)
    }

    pub(crate) fn delete(&mut self, delete: &Delete) -> Result<SqlText> {
        let is_plain = delete.tables.is_empty()
            && delete.using.is_none()
            && delete.returning.is_none()
            && delete.output.is_none()
            && delete.order_by.is_empty()
            && delete.limit.is_none();
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
        let one = tables.iter().all(|table| table.joins.is_empty()) && tables.len() == 1;
        if !is_plain || !one {
            return Err(Fault::new(0, "a clause of DELETE that has no counterpart"));
        }
        let mut text = sql!["DELETE", self.from(tables)?];
        if let Some(condition) = &delete.selection {
            text.push(sql![" WHERE ", self.expr(condition)?]);
        }
        Ok(text)
    }

    fn changed(&self, table: &TableWithJoins) -> Option<&'s Table> {
        match &table.relation {
            TableFactor::Table { name, .. } => self.schema.table(&last(name).ok()?.value),
            _ => None,
        }
    }

    fn without_from(&mut self, table: &TableWithJoins, from: SqlText) -> Result<SqlText> {
        match from.is_empty() {
            true => Err(Fault::new(0, "an UPDATE without a table")),
            false => self.joined(table),
        }
    }

    pub(crate) fn assignments(
        &mut self,
        assignments: &[Assignment],
        table: Option<&'s Table>,
    ) -> Result<SqlText> {
        let mut texts = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            let AssignmentTarget::ColumnName(name) = &assignment.target else {
                return Err(Fault::new(0, "a row in place of a column"));
            };
            let name = last(name)?;
            let column = table.map(|table| table.named(name)).transpose()?;
            let name = match column {
                Some(column) => SqlText::name(&column.name),
                None => SqlText::name(&spelled(name)),
            };
            let value = self.assigned(&assignment.value, column)?;
            texts.push(sql![name, " = ", value]);
        }
        Ok(SqlText::joined(&texts, ", "))
    }

    fn assigned(&mut self, expr: &Expr, column: Option<&'s Column>) -> Result<SqlText> {
        match Literal::of(expr) {
            Some(_) => self.value_of(expr, column),
            None => self.expr(expr),
        }
    }
}
