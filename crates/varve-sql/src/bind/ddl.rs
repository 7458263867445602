//! CREATE TABLE.

use sqlparser::ast::{CreateTable, CreateTableOptions};
use varve_parser::marker::LIKE;
use varve_types::{Error, Result, SqlState};

use crate::bind::Binder;
use crate::bind::columns::Parts;
use crate::bind::create_clauses::refuse_clauses;
use crate::bind::like::Copied;
use crate::bind::storage::Stored;
use crate::catalog::{ColumnDef, TableDef};
use crate::plan::{NewTable, OnCommit, Statement};
use crate::schema::is_temporary;

impl Binder<'_> {
    pub(crate) fn create_table(&mut self, create: &CreateTable) -> Result<Statement> {
        let position = self.source.first();
        refuse_clauses(create, position)?;
        if let CreateTableOptions::With(options) = &create.table_options {
            let of = match create.partition_by.is_some() {
                true => Stored::Partitioned,
                false => Stored::Table,
            };
            self.storage_options(of, options)?;
        }
        if create.unlogged {
            self.note_storage("UNLOGGED");
        }
        let (schema, name) = self.new_relation(&create.name, create.temporary)?;
        let on_commit = match create.on_commit {
            None => OnCommit::Preserve,
            Some(_) if !is_temporary(schema) => return Err(only_temporary()),
            Some(sqlparser::ast::OnCommit::DeleteRows) => OnCommit::Delete,
            Some(sqlparser::ast::OnCommit::PreserveRows) => OnCommit::Preserve,
            Some(sqlparser::ast::OnCommit::Drop) => OnCommit::Drop,
        };
        let known = self.has_relation(schema, &name);
        if known && !create.if_not_exists {
            let message = format!("relation \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        let mut columns = Vec::with_capacity(create.columns.len());
        let mut inherited = self.inherited(create, &mut columns)?;
        let mut parts = Parts::default();
        let named = (schema, name.as_str());
        let mut copied = Copied::default();
        for (number, column) in create.columns.iter().enumerate() {
            let known = columns.len();
            match column.name.value == LIKE {
                true => self.like_element(column, named, &mut columns, &mut parts, &mut copied)?,
                false => {
                    self.new_column(column, named, &mut columns, &mut parts)?;
                    self.merge_column(&mut inherited, number, &mut columns, &mut parts)?;
                }
            }
            let (known, new) = columns.split_at_checked(known).unwrap_or_default();
            let is_known = |new: &ColumnDef| known.iter().any(|known| known.name == new.name);
            if let Some(twice) = new.iter().find(|new| is_known(new)) {
                let error = self.named_twice(&column.name, &twice.name);
                return Err(error.without_position());
            }
        }
        for constraint in &create.constraints {
            self.new_constraint(constraint, &name, &columns, &mut parts)?;
        }
        self.inherited_keys(&inherited, (&columns, 0), &name, &mut parts, &mut copied)?;
        let mut table = TableDef::new(name, columns, Vec::new());
        table.schema = schema;
        table.checks.append(&mut copied.checks);
        let mut indexes = self.apply(&mut table, &parts)?;
        copied.put(self, &mut table, &mut indexes);
        self.join_family(create, inherited, &mut table, &indexes)?;
        Ok(Statement::CreateTable {
            definition: NewTable {
                table,
                indexes,
                sequences: parts.sequences,
                on_commit,
            },
            exists: known,
        })
    }
}

/// The error of ON COMMIT of a table that stays.
pub(crate) fn only_temporary() -> Error {
    let message = "ON COMMIT can only be used on temporary tables";
    Error::new(SqlState::INVALID_TABLE_DEFINITION, message)
}
