//! Binds definitions: CREATE, ALTER, DROP, COMMENT, and statements that keep the database in order.
//! Here is which one it is, and CREATE TABLE; a folder or file has each other kind of object.
//!
//! Invariant: a definition is a new value; the catalog that it was bound against stays as it is.
//! Invariant: an option that has no effect is refused, or passed over with a notice where dumps
//! bring it.

pub mod binder;
mod comment;
mod drop;
mod function;
mod no_op_statement;
mod schema;
mod sequence;
mod table;
mod trigger;
mod types;
mod view;

pub use crate::table::storage::nearest;

use varve_ast::{CreateTable, Ddl, TableElement};
use varve_catalog::model::schema::is_temporary;
use varve_catalog::model::table::{ColumnDef, TableDef};
use varve_plan::plan::{NewTable, OnCommit, Statement};
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::binder::DdlBinder;
use crate::table::columns::Parts;
use crate::table::hypertable::without_timescale;
use crate::table::inheritance::Inherited;
use crate::table::like::Copied;
use crate::table::segments::check_sorted;
use crate::table::storage::{Stored, put_options};

impl DdlBinder<'_, '_> {
    /// A definition.
    pub fn ddl(&mut self, ddl: &Ddl) -> Result<Statement> {
        match ddl {
            Ddl::CreateTable(create) => self.create_table(create),
            Ddl::CreateTableAs(create) => self.create_table_as(create),
            Ddl::CreateIndex(create) => self.create_index(create),
            Ddl::CreateView(create) => self.create_view(create),
            Ddl::CreateSchema(create) => self.create_schema(create),
            Ddl::CreateDomain(create) => self.create_domain(create),
            Ddl::CreateEnum { name, labels } => self.create_enum(name, labels),
            Ddl::CreateRowType { name, fields } => self.create_row_type(name, fields),
            Ddl::CreateFunction(create) => self.create_function(create),
            Ddl::CreateTrigger(create) => self.create_trigger(create),
            Ddl::Sequence(change) => self.sequence_change(change),
            Ddl::Alter(alter) => self.alter(alter),
            Ddl::AlterDomain { name, change } => self.alter_domain(name, change),
            Ddl::AlterEnum { name, change } => self.alter_enum(name, change),
            Ddl::AlterFunction(alter) => self.alter_function(alter),
            Ddl::RenameTrigger { trigger, to } => self.rename_trigger(trigger, to),
            Ddl::EnableTriggers {
                table,
                name,
                is_enabled,
            } => self.enable_triggers(table, name.as_ref(), *is_enabled),
            Ddl::Drop(drop) => self.drop_objects(drop),
            Ddl::DropIndex {
                names,
                if_exists,
                is_concurrent,
            } => {
                self.outside_block = is_concurrent.then_some("DROP INDEX CONCURRENTLY");
                self.drop_index(names, *if_exists)
            }
            Ddl::DropFunction {
                functions,
                if_exists,
                is_cascade,
            } => self.drop_functions(functions, *if_exists, *is_cascade),
            Ddl::DropTrigger {
                trigger,
                is_cascade,
            } => self.drop_trigger(trigger, *is_cascade),
            Ddl::Refresh {
                name,
                is_concurrent,
                with_data,
                window,
            } => self.refresh_view(name, (*is_concurrent, *with_data), window),
            Ddl::Comment { on, text } => self.comment(on, text.as_deref()),
        }
    }

    fn create_table(&mut self, create: &CreateTable) -> Result<Statement> {
        for element in &create.elements {
            self.element_index_options(element)?;
        }
        let of = match create.partition_by.is_some() {
            true => Stored::Partitioned,
            false => Stored::Table,
        };
        let options = self.storage_options(of, &without_timescale(&create.options))?;
        if create.is_unlogged {
            self.note_storage("UNLOGGED");
        }
        let (schema, name) = self.query.new_relation(&create.name, create.is_temporary)?;
        let on_commit = on_commit(create.on_commit, schema)?;
        let known = self.query.has_relation(schema, &name);
        if known && !create.if_not_exists {
            let message = format!("relation \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        let mut columns = Vec::with_capacity(create.elements.len());
        let mut inherited = self.inherited(create, &mut columns)?;
        let mut parts = Parts::default();
        let mut copied = Copied::default();
        let named = (schema, name.as_str());
        let put = (&mut inherited, &mut copied);
        self.new_columns(&create.elements, named, &mut columns, &mut parts, put)?;
        for element in &create.elements {
            if let TableElement::Constraint(constraint) = element {
                self.new_constraint(constraint, &name, &columns, &mut parts)?;
            }
        }
        self.inherited_keys(&inherited, (&columns, 0), &name, &mut parts, &mut copied)?;
        let mut table = TableDef::new(name, columns, Vec::new());
        table.schema = schema;
        put_options(&mut table, options, &[]);
        table.checks.append(&mut copied.checks);
        let mut indexes = self.apply(&mut table, &parts)?;
        copied.put(self, &mut table, &mut indexes);
        self.join_inheritance(create, inherited, &mut table, &indexes)?;
        self.put_hypertable(&mut table, &create.options, &indexes)?;
        check_sorted(&table)?;
        table.place_primary_key(&mut indexes);
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

    /// The columns of a new table, those that LIKE copies among them, behind those that it
    /// inherits.
    fn new_columns<'a>(
        &mut self,
        elements: &'a [TableElement],
        named: (ObjectId, &str),
        columns: &mut Vec<ColumnDef>,
        parts: &mut Parts<'a>,
        (inherited, copied): (&mut Inherited, &mut Copied),
    ) -> Result<()> {
        let mut number = 0;
        for element in elements {
            let known = columns.len();
            match element {
                TableElement::Constraint(_) => continue,
                TableElement::Like(like) => {
                    self.like_element(like, named, columns, parts, copied)?;
                }
                TableElement::Column(column) => {
                    self.new_column(column, named, columns, parts)?;
                    self.merge_column(inherited, number, columns, parts)?;
                }
            }
            number += 1;
            let (known, new) = columns.split_at_checked(known).unwrap_or_default();
            let is_known = |new: &ColumnDef| known.iter().any(|known| known.name == new.name);
            if let Some(twice) = new.iter().find(|new| is_known(new)) {
                let message = format!("column \"{}\" specified more than once", twice.name);
                return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
            }
        }
        Ok(())
    }
}

/// What becomes of the rows of a table in a schema with each transaction.
pub fn on_commit(written: Option<varve_ast::OnCommit>, schema: ObjectId) -> Result<OnCommit> {
    let Some(written) = written else {
        return Ok(OnCommit::Preserve);
    };
    if !is_temporary(schema) {
        let message = "ON COMMIT can only be used on temporary tables";
        return Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message));
    }
    Ok(match written {
        varve_ast::OnCommit::Preserve => OnCommit::Preserve,
        varve_ast::OnCommit::Delete => OnCommit::Delete,
        varve_ast::OnCommit::Drop => OnCommit::Drop,
    })
}
