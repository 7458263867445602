//! CREATE TABLE.

use sqlparser::ast::CreateTable;
use varve_types::{Error, Result, SqlState};

use crate::bind::Binder;
use crate::bind::columns::Parts;
use crate::bind::create_clauses::refuse_clauses;
use crate::catalog::TableDef;
use crate::plan::{NewTable, Statement};

impl Binder<'_> {
    pub(crate) fn create_table(&mut self, create: &CreateTable) -> Result<Statement> {
        let position = self.source.first();
        refuse_clauses(create, position)?;
        let (schema, name) = self.new_relation(&create.name)?;
        let known = self.has_relation(schema, &name);
        if known && !create.if_not_exists {
            let message = format!("relation \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        let mut columns = Vec::with_capacity(create.columns.len());
        let mut parts = Parts::default();
        let named = (schema, name.as_str());
        for column in &create.columns {
            self.new_column(column, named, &mut columns, &mut parts)?;
            if let Some((last, others)) = columns.split_last()
                && others.iter().any(|known| known.name == last.name)
            {
                return Err(self.named_twice(&column.name));
            }
        }
        for constraint in &create.constraints {
            self.new_constraint(constraint, &name, &columns, &mut parts)?;
        }
        let mut table = TableDef::new(name, columns, Vec::new());
        table.schema = schema;
        let indexes = self.apply(&mut table, &parts)?;
        Ok(Statement::CreateTable {
            definition: NewTable {
                table,
                indexes,
                sequences: parts.sequences,
            },
            exists: known,
        })
    }
}
