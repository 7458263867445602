//! ALTER TABLE: what the actions of one statement make of a table.

use std::sync::Arc;

use varve_ast::{AlterAction, Column, ColumnChange, TableConstraint};
use varve_catalog::model::index::IndexDef;
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::{ColumnDef, Filled, TableDef};
use varve_catalog::model::view::ViewDef;
use varve_expr::Expr;
use varve_plan::plan::Statement;
use varve_plan::plan::alter::AlterTable;
use varve_plan::plan::utility::{Definition, Dropped, Message};
use varve_types::{Error, ObjectId, Result, SqlState, TreeId};

use crate::binder::DdlBinder;
use crate::table::alter_column::refuse_of_time;
use crate::table::alter_inheritance::{check_only, goes_down};
use crate::table::columns::{Parts, is_system_column, system_column};
use crate::table::hypertable::without_timescale;
use crate::table::partition::unique_keys_fit;
use crate::table::segments::check_sorted;
use crate::table::storage::{Stored, put_options};

/// A table on its way to another definition.
pub struct Altered {
    pub(crate) before: Arc<TableDef>,
    pub(crate) after: TableDef,
    /// The materialized view whose rows it holds.
    pub view: Option<ViewDef>,
    /// By column of the new definition: what it is made of.
    pub sources: Vec<Option<Expr>>,
    pub(crate) rewrites: bool,
    /// Whether rows must be looked at.
    pub verify: bool,
    pub(crate) dropped_indexes: Vec<TreeId>,
    pub(crate) dropped: Vec<Dropped>,
    references: Vec<String>,
    pub(crate) changed: Vec<Definition>,
}

impl Altered {
    pub fn new(before: Arc<TableDef>, view: Option<ViewDef>) -> Altered {
        let columns = before.columns.iter().enumerate();
        let sources = columns.map(|(index, column)| {
            Some(Expr::Column {
                index,
                ty: column.ty,
            })
        });
        Altered {
            after: TableDef::clone(&before),
            sources: sources.collect(),
            before,
            view,
            rewrites: false,
            verify: false,
            dropped_indexes: Vec::new(),
            dropped: Vec::new(),
            references: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Whether its time column was nullable before it became a hypertable.
    fn gets_not_null(&self) -> bool {
        let time = self.after.time_column();
        time.is_some_and(|(_, time)| {
            let mut columns = self.before.columns.iter();
            columns.any(|column| column.id == time.id && column.nullable)
        })
    }

    pub(crate) fn missing_column(&self, name: &str) -> Error {
        let table = &self.after.name;
        let message = format!("column \"{name}\" of relation \"{table}\" does not exist");
        Error::new(SqlState::UNDEFINED_COLUMN, message)
    }

    /// `42701` where there is a column of this name.
    pub fn taken(&self, name: &str) -> Option<Error> {
        if is_system_column(name) {
            return Some(system_column(name));
        }
        let mut columns = self.after.columns.iter();
        columns.find(|column| column.name == name)?;
        let table = &self.after.name;
        let message = format!("column \"{name}\" of relation \"{table}\" already exists");
        Some(Error::new(SqlState::DUPLICATE_COLUMN, message))
    }

    /// What is to be done, with the indexes and sequences that it gets.
    pub fn statement(
        self,
        indexes: Vec<IndexDef>,
        sequences: Vec<(usize, SequenceDef)>,
    ) -> Statement {
        Statement::AlterTable(Box::new(self.change(indexes, sequences)))
    }

    pub(crate) fn change(
        self,
        indexes: Vec<IndexDef>,
        sequences: Vec<(usize, SequenceDef)>,
    ) -> AlterTable {
        let Altered {
            before,
            mut after,
            view,
            sources,
            rewrites,
            verify,
            dropped_indexes,
            dropped,
            references,
            mut changed,
        } = self;
        after.version = before.version.saturating_add(1);
        if after.is_written_again(&before) {
            after.stored.version = after.version;
        }
        for index in &mut after.indexes {
            if index.is_stored_otherwise(&before) {
                index.pages_version = after.version;
            }
        }
        changed.extend(view.map(Definition::View));
        AlterTable {
            before,
            after,
            rewrite: rewrites.then_some(sources),
            verify,
            indexes,
            dropped_indexes,
            sequences,
            references,
            dropped,
            changed,
            also: Vec::new(),
            is_about_storage: false,
        }
    }

    /// Notes of the foreign keys behind those that are known whether rows are checked.
    fn put_validity(&mut self, known: usize, valid: &[bool]) {
        let new_keys = self.after.foreign_keys.iter_mut().skip(known);
        for (key, is_valid) in new_keys.zip(valid) {
            key.is_valid = *is_valid;
            if *is_valid {
                self.references.push(key.name.clone());
            }
        }
    }

    /// Has rows be written anew where they are to be sorted otherwise.
    fn settle_order(&mut self, parts: &Parts<'_>, new: &mut Vec<IndexDef>) -> Result<()> {
        check_sorted(&self.after)?;
        self.after.place_primary_key(new);
        let is_sorted_anew = self.after.row_order() != self.before.row_order();
        self.rewrites |= parts.primary_key.is_some() || is_sorted_anew;
        Ok(())
    }

    fn position(&self, name: &str) -> Result<usize> {
        let mut columns = self.after.columns.iter();
        let found = columns.position(|column| column.name == name);
        found.ok_or_else(|| self.missing_column(name))
    }

    /// An error about a column: `column "a" of relation "t" ...`.
    pub fn refused(&self, state: SqlState, at: usize, what: &str) -> Error {
        let column = self.after.columns.get(at);
        let column = column.map_or("", |column| column.name.as_str());
        let table = &self.after.name;
        Error::new(
            state,
            format!("column \"{column}\" of relation \"{table}\" {what}"),
        )
    }

    /// Refuses a default for a column that has its values from elsewhere.
    pub fn takes_default(&self, at: usize, drops: bool) -> Result<()> {
        let column = self.after.columns.get(at);
        let (what, hint) = match column.map(|column| column.filled) {
            Some(Filled::IdentityAlways | Filled::IdentityByDefault) => (
                "is an identity column",
                "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.",
            ),
            Some(Filled::Generated) => (
                "is a generated column",
                "Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.",
            ),
            _ => return Ok(()),
        };
        let error = self.refused(SqlState::SYNTAX_ERROR, at, what);
        Err(match drops {
            true => error.with_hint(hint),
            false => error,
        })
    }
}

impl DdlBinder<'_, '_> {
    pub(crate) fn alter_table(
        &mut self,
        before: Arc<TableDef>,
        actions: &[AlterAction],
        only: bool,
    ) -> Result<Statement> {
        for action in actions {
            self.action_index_options(action)?;
            self.check_inherited(&before, action)?;
            if only {
                check_only(action, &before)?;
            }
        }
        let all: Vec<&AlterAction> = actions.iter().collect();
        let mut gone = Vec::new();
        let mut alter = self.altered_table(&before, &all, None, &mut gone)?;
        let down = actions
            .iter()
            .filter(|action| !only && goes_down(action, &before));
        let down: Vec<&AlterAction> = down.collect();
        if !down.is_empty() {
            for below in self.catalog.inheritance_of(&before).iter().skip(1) {
                self.query.outputs.found.borrow_mut().add_table(below);
                let also = self.altered_table(below, &down, Some(&before), &mut gone)?;
                alter.also.push(also);
            }
        }
        alter.is_about_storage = actions.iter().any(is_about_storage);
        Ok(Statement::AlterTable(Box::new(alter)))
    }

    /// What actions make of a table; `above` is the one that they were written for, where that is
    /// another one; `gone` are the columns that tables above lose.
    fn altered_table(
        &mut self,
        before: &Arc<TableDef>,
        actions: &[&AlterAction],
        above: Option<&TableDef>,
        gone: &mut Vec<(ObjectId, String)>,
    ) -> Result<AlterTable> {
        let view = self.catalog.view_of(before.object);
        let mut altered = Altered::new(Arc::clone(before), view.map(|view| ViewDef::clone(view)));
        let mut actions = actions.to_vec();
        varve_sort::sort_by_key(&mut actions, |action| pass(action));
        let mut parts = Parts::default();
        // Of each foreign key in `parts` whether rows are checked.
        let mut valid = Vec::new();
        let mut also = Vec::new();
        for action in actions {
            if let Some(above) = above
                && self.stays_below(&altered, above, action, gone)?
            {
                continue;
            }
            if let AlterAction::DropColumn { name, .. } = action {
                gone.push((before.object, name.text.clone()));
            }
            match self.inheritance_action(&mut altered, action)? {
                Some(other) => also.push(other),
                None => self.action(&mut altered, &mut parts, action)?,
            }
            if let AlterAction::AddColumn { .. } = action
                && above.is_none()
                && !before.parents().is_empty()
            {
                let last = altered.after.columns.last().map(|column| column.id);
                altered
                    .after
                    .change_inheritance(|inheritance| inheritance.own.extend(last));
            }
            let is_valid = !matches!(
                action,
                AlterAction::AddConstraint {
                    not_valid: true,
                    ..
                }
            );
            valid.resize(parts.references.len(), is_valid);
        }
        let known_keys = altered.after.foreign_keys.len();
        if above.is_some() {
            // The keys of partitions have names of their own.
            let key = parts.primary_key.iter_mut();
            key.for_each(|key| key.name = None);
        }
        let applied = self.apply(&mut altered.after, &parts);
        let mut indexes = applied.map_err(Error::without_position)?;
        if above.is_some() {
            self.name_keys(&altered.after, &mut indexes);
        }
        self.check_rows_elsewhere(&altered)?;
        if let Some(partitioning) = altered.after.partitioning() {
            unique_keys_fit(&altered.after, &indexes, partitioning)?;
            if altered.after.foreign_keys.len() > known_keys {
                return Err(Error::unsupported("a foreign key of a partitioned table"));
            }
        }
        altered.settle_order(&parts, &mut indexes)?;
        altered.put_validity(known_keys, &valid);
        let mut alter = altered.change(indexes, parts.sequences);
        alter.also = also;
        Ok(alter)
    }

    /// What becomes of the other table, where an action joins or leaves one.
    fn inheritance_action(
        &mut self,
        altered: &mut Altered,
        action: &AlterAction,
    ) -> Result<Option<AlterTable>> {
        Ok(Some(match action {
            AlterAction::Inherit { parent, joins } => {
                let parent = self.inherit_from(altered, parent, *joins)?;
                parent.change(Vec::new(), Vec::new())
            }
            AlterAction::Attach { partition, values } => {
                let (partition, indexes) = self.attach_partition(altered, partition, values)?;
                partition.change(indexes, Vec::new())
            }
            AlterAction::Detach(partition) => {
                let partition = self.detach_partition(altered, partition)?;
                partition.change(Vec::new(), Vec::new())
            }
            _ => return Ok(None),
        }))
    }

    /// Gives the new keys of a table names as if none were written.
    fn name_keys(&self, table: &TableDef, indexes: &mut [IndexDef]) {
        for at in 0..indexes.len() {
            let (known, new) = indexes.split_at_mut(at);
            if let Some(index) = new.first_mut().filter(|index| index.is_constraint) {
                let columns = index.keys.iter().map(|(part, _)| table.part_name(*part));
                let columns: Vec<String> = columns.collect();
                index.name = self.free_name(table, &columns, "key", known);
            }
        }
    }

    /// `0A000` where other tables hold rows of the table, which have the fields that it had.
    fn check_rows_elsewhere(&self, altered: &Altered) -> Result<()> {
        let fields = |table: &TableDef| -> Vec<_> {
            let columns = table.columns.iter();
            columns.map(|column| (column.id, column.ty)).collect()
        };
        let mut holders = self.catalog.columns_of_rows(altered.before.object);
        match holders.next() {
            Some((table, column)) if fields(&altered.before) != fields(&altered.after) => {
                let (name, holder, column) = (&altered.before.name, &table.name, &column.name);
                let message = format!(
                    "cannot alter table \"{name}\" because column \"{holder}.{column}\" uses its row type"
                );
                Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message))
            }
            _ => Ok(()),
        }
    }

    fn action<'a>(
        &mut self,
        altered: &mut Altered,
        parts: &mut Parts<'a>,
        action: &'a AlterAction,
    ) -> Result<()> {
        match action {
            AlterAction::AddColumn {
                column,
                if_not_exists,
            } => match altered.taken(&column.name.text) {
                Some(error) => self.unless(*if_not_exists, error),
                None => self.add_column(altered, parts, column),
            },
            AlterAction::AddConstraint {
                constraint,
                not_valid,
            } => self.add_constraint(altered, parts, constraint, *not_valid),
            AlterAction::DropColumn {
                name,
                if_exists,
                is_cascade,
            } => self.drop_column(altered, &name.text, *if_exists, *is_cascade),
            AlterAction::DropConstraint {
                name,
                if_exists,
                is_cascade,
            } => self.drop_constraint(altered, &name.text, *if_exists, *is_cascade),
            AlterAction::Column { name, change } => {
                let at = altered.position(&name.text)?;
                refuse_of_time(altered, at, change)?;
                self.column_change(altered, parts, at, change)
            }
            AlterAction::Validate(name) => validate(altered, &name.text),
            AlterAction::RenameColumn { from, to } => self.rename_column(altered, from, to),
            AlterAction::RenameConstraint { from, to } => self.rename_constraint(altered, from, to),
            AlterAction::RenameTo(to) => self.rename_table(altered, to),
            AlterAction::SetSchema(schema) => self.move_table(altered, schema),
            AlterAction::Inherit { .. } | AlterAction::Attach { .. } | AlterAction::Detach(_) => {
                Ok(())
            }
            AlterAction::AttachIndex(_) => Err(Error::internal("an index is attached to a table")),
            AlterAction::Owner(role) => {
                self.note_role(role.as_ref());
                Ok(())
            }
            AlterAction::Options(options) => {
                let options = match &mut altered.view {
                    Some(view) => &DdlBinder::alter_continuous(view, options)?,
                    None => options,
                };
                let others = without_timescale(options);
                let stored = self.storage_options(stored_as(&altered.before), &others)?;
                put_options(&mut altered.after, stored, &[]);
                self.put_hypertable(&mut altered.after, options, &[])?;
                altered.verify |= altered.gets_not_null();
                Ok(())
            }
            AlterAction::ResetOptions(options) => {
                let others = without_timescale(options);
                let reset = self.reset_options(stored_as(&altered.before), &others)?;
                put_options(&mut altered.after, Vec::new(), &reset);
                self.reset_hypertable(&mut altered.after, options)?;
                Ok(())
            }
            AlterAction::Storage(words, index) => {
                self.stored_otherwise(altered, words, index.as_ref())
            }
        }
    }

    fn add_column<'a>(
        &mut self,
        altered: &mut Altered,
        parts: &mut Parts<'a>,
        column: &'a Column,
    ) -> Result<()> {
        let had_key = parts.primary_key.is_some();
        let named = (altered.after.schema, altered.before.name.as_str());
        self.new_column(column, named, &mut altered.after.columns, parts)?;
        if !had_key {
            one_key(altered, parts)?;
        }
        altered.sources.push(None);
        altered.rewrites = true;
        Ok(())
    }

    fn add_constraint<'a>(
        &mut self,
        altered: &mut Altered,
        parts: &mut Parts<'a>,
        constraint: &'a TableConstraint,
        not_valid: bool,
    ) -> Result<()> {
        let had_key = parts.primary_key.is_some();
        let checks = parts.checks.len();
        let name = altered.before.name.clone();
        let made = self.new_constraint(constraint, &name, &altered.after.columns, parts);
        made.map_err(Error::without_position)?;
        if !had_key {
            one_key(altered, parts)?;
        }
        altered.verify |= parts.checks.len() > checks && !not_valid;
        Ok(())
    }

    /// An error, or with IF EXISTS a notice.
    pub fn unless(&mut self, if_exists: bool, error: Error) -> Result<()> {
        if !if_exists {
            return Err(error);
        }
        let text = format!("{}, skipping", error.message());
        self.query
            .outputs
            .messages
            .push(Message::new(error.state(), text));
        Ok(())
    }

    /// Drops the sequences of a column.
    pub fn drop_owned(&self, altered: &mut Altered, column: &ColumnDef) {
        let owner = Some((altered.before.object, column.id));
        let owned = self.catalog.sequences.values();
        let owned = owned.filter(|sequence| sequence.owner == owner);
        altered
            .dropped
            .extend(owned.map(|sequence| Dropped::Sequence(sequence.object)));
    }
}

/// Whether an action says how rows are stored.
fn is_about_storage(action: &AlterAction) -> bool {
    match action {
        AlterAction::Options(_) | AlterAction::ResetOptions(_) => true,
        AlterAction::Column { change, .. } => {
            matches!(
                change,
                ColumnChange::Storage(_) | ColumnChange::Compression(_)
            )
        }
        _ => false,
    }
}

fn stored_as(table: &TableDef) -> Stored {
    match table.partitioning().is_some() {
        true => Stored::Partitioned,
        false => Stored::Table,
    }
}

/// Refuses a second primary key.
fn one_key(altered: &Altered, parts: &Parts<'_>) -> Result<()> {
    let after = &altered.after;
    let has_key = !after.primary_key.is_empty() || after.primary_index().is_some();
    if parts.primary_key.is_some() && has_key {
        let table = &altered.before.name;
        let message = format!("multiple primary keys for table \"{table}\" are not allowed");
        return Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message));
    }
    Ok(())
}

fn validate(altered: &mut Altered, name: &str) -> Result<()> {
    let table = &mut altered.after;
    if let Some(key) = table.foreign_keys.iter_mut().find(|key| key.name == name) {
        key.is_valid = true;
        altered.references.push(name.to_owned());
        return Ok(());
    }
    if table.checks.iter().any(|check| check.name == name) {
        altered.verify = true;
        return Ok(());
    }
    let of = format!("constraint \"{name}\" of relation \"{}\"", table.name);
    Err(match table.has_constraint(name) {
        true => {
            let message = format!("{of} is not a foreign key or check constraint");
            Error::new(SqlState::WRONG_OBJECT_TYPE, message)
        }
        false => Error::new(SqlState::UNDEFINED_OBJECT, format!("{of} does not exist")),
    })
}

/// PostgreSQL does what it drops first and what it adds last, whatever the order of the text.
fn pass(action: &AlterAction) -> u8 {
    match action {
        AlterAction::DropColumn { .. } | AlterAction::DropConstraint { .. } => 0,
        AlterAction::Column { change, .. } => match change {
            ColumnChange::DropNotNull | ColumnChange::DropExpression { .. } => 0,
            ColumnChange::Type { .. } => 1,
            _ => 3,
        },
        AlterAction::AddColumn { .. } => 2,
        AlterAction::AddConstraint { .. } => 4,
        _ => 5,
    }
}
