//! ALTER: other names and schemas of relations, and which of them a statement means.

use std::sync::Arc;

use varve_ast::{Alter, AlterAction as Action, AlterKind, ColumnChange, Name};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::comment::Part;
use varve_catalog::model::hypertable::CHUNK_SCHEMA;
use varve_catalog::model::index::IndexDef;
use varve_catalog::model::schema::{PUBLIC, SchemaDef};
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::{TableDef, sort_checks};
use varve_catalog::model::view::ViewDef;
use varve_catalog::text::name::{undefined_schema, undefined_table};
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Definition, Utility};
use varve_plan::plan::{Statement, SystemView};
use varve_plan::scope::error::unsupported_at;
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::binder::DdlBinder;
use crate::table::alter::Altered;
use crate::table::columns::is_system_column;
use crate::table::storage::{Stored, index_pages};

impl DdlBinder<'_, '_> {
    pub(crate) fn rename_column(
        &mut self,
        altered: &mut Altered,
        from: &Name,
        to: &Name,
    ) -> Result<()> {
        let name = &from.text;
        let mut columns = altered.after.columns.iter();
        if is_system_column(name) {
            let message = format!("cannot rename system column \"{name}\"");
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        let at = columns.position(|column| column.name == *name);
        let at = at.ok_or_else(|| missing_column(name))?;
        let name = self.query.new_name(to)?;
        if let Some(error) = altered.taken(&name) {
            return Err(error);
        }
        if let Some(view) = &mut altered.view
            && let Some(column) = view.columns.get_mut(at)
        {
            column.name.clone_from(&name);
        }
        if let Some(column) = altered.after.columns.get_mut(at) {
            let on = (altered.before.object, Part::Column);
            let comments = self.renamed_comments(on, (&column.name, &name));
            altered.changed.extend(comments);
            column.name = name;
        }
        Ok(())
    }

    pub(crate) fn rename_constraint(
        &mut self,
        altered: &mut Altered,
        from: &Name,
        to: &Name,
    ) -> Result<()> {
        let (old, new) = (&from.text, self.query.new_name(to)?);
        let table = &mut altered.after;
        if !table.has_constraint(old) {
            let table = &table.name;
            let message = format!("constraint \"{old}\" for table \"{table}\" does not exist");
            return Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
        }
        let is_key = !table.primary_key.is_empty() && table.key_name() == *old;
        let known = table.has_constraint(&new);
        let mut indexes = table.indexes.iter_mut();
        let index = indexes.find(|index| index.is_constraint && index.name == *old);
        if (is_key || index.is_some()) && self.query.has_relation(table.schema, &new) {
            return Err(taken(&new));
        }
        if known {
            let table = &table.name;
            let message = format!("constraint \"{new}\" for relation \"{table}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
        }
        for part in [Part::Constraint, Part::Index] {
            let comments = self.renamed_comments((table.object, part), (old, &new));
            altered.changed.extend(comments);
        }
        if is_key {
            table.key_name = None;
            table.key_name = Some(new).filter(|name| *name != table.key_name());
        } else if let Some(index) = index {
            index.name = new;
        } else if let Some(check) = table.checks.iter_mut().find(|check| check.name == *old) {
            check.name = new;
            sort_checks(&mut table.checks);
        } else if let Some(key) = table.foreign_keys.iter_mut().find(|key| key.name == *old) {
            key.name = new;
        }
        Ok(())
    }

    fn untaken(&self, schema: ObjectId, to: &Name) -> Result<String> {
        let name = self.query.new_name(to)?;
        match self.query.has_relation(schema, &name) {
            true => Err(taken(&name)),
            false => Ok(name),
        }
    }

    pub(crate) fn rename_table(&mut self, altered: &mut Altered, to: &Name) -> Result<()> {
        let table = &mut altered.after;
        let name = self.untaken(table.schema, to)?;
        let key = table.key_name();
        table.name = name;
        if !table.primary_key.is_empty() {
            table.key_name = None;
            table.key_name = Some(key).filter(|key| *key != table.key_name());
        }
        if let Some(view) = &mut altered.view {
            view.name.clone_from(&table.name);
        }
        Ok(())
    }

    /// The schema that a relation moves to.
    fn new_schema(&self, schema: &Name, (old, name): (ObjectId, &str)) -> Result<ObjectId> {
        let to = &schema.text;
        let schema = self.catalog.schema(to);
        let schema = schema.ok_or_else(|| undefined_schema(to))?;
        if schema != old && self.query.has_relation(schema, name) {
            let message = format!("relation \"{name}\" already exists in schema \"{to}\"");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        Ok(schema)
    }

    pub(crate) fn move_table(&mut self, altered: &mut Altered, schema: &Name) -> Result<()> {
        let table = &mut altered.after;
        let schema = self.new_schema(schema, (table.schema, &table.name))?;
        if schema == table.schema {
            return Ok(());
        }
        table.schema = schema;
        if let Some(view) = &mut altered.view {
            view.schema = schema;
        }
        let is_owned = |sequence: &&Arc<SequenceDef>| {
            let owner = sequence.owner;
            owner.is_some_and(|(object, _)| object == altered.before.object)
        };
        for sequence in self.catalog.sequences.values().filter(is_owned) {
            let mut sequence = SequenceDef::clone(sequence);
            sequence.schema = schema;
            altered.changed.push(Definition::Sequence(sequence, None));
        }
        Ok(())
    }

    /// ALTER of a relation, by what it turns out to be.
    pub fn alter(&mut self, alter: &Alter) -> Result<Statement> {
        if alter.kind == AlterKind::Schema {
            return self.alter_schema(alter);
        }
        let folded = self.query.relation_name(&alter.name)?;
        let Some(found) = self.query.find(&folded) else {
            if let Some(SystemView::Catalog(_)) = self.query.system_view(&folded) {
                let name = &folded.name;
                let message = format!("permission denied: \"{name}\" is a system catalog");
                return Err(Error::new(SqlState::INSUFFICIENT_PRIVILEGE, message));
            }
            if self.query.system_view(&folded).is_some() {
                self.query.writable_table(&alter.name)?;
            }
            self.unless(alter.if_exists, undefined_table(&folded, 0))?;
            return Ok(utility(Utility::Nothing));
        };
        let is = self.kind_of(found);
        // ALTER INDEX takes whatever has another name, as it does in PostgreSQL.
        let renames = matches!(alter.actions.as_slice(), [Action::RenameTo(_)]);
        let is_any = alter.kind == AlterKind::Table || alter.kind == AlterKind::Index && renames;
        if alter.kind != is && !is_any {
            let message = format!("\"{}\" is not {}", folded.name, shown_kind(alter.kind));
            return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        }
        if is == AlterKind::MaterializedView && alter.actions.iter().any(is_of_table) {
            return Err(not_performed(&folded.name, is));
        }
        if let Named::Table(table) = found {
            let table = self.catalog.tables.get(&table).cloned();
            let table = table.ok_or_else(|| Error::internal("a table without its definition"))?;
            if table.schema == CHUNK_SCHEMA {
                let message = format!("permission denied: \"{}\" is of an aggregate", folded.name);
                return Err(Error::new(SqlState::INSUFFICIENT_PRIVILEGE, message));
            }
            return self.alter_table(table, &alter.actions, alter.only);
        }
        self.alter_other(found, &folded.name, &alter.actions)
    }

    fn kind_of(&self, found: Named) -> AlterKind {
        match found {
            Named::Table(table) if self.catalog.view_of(table).is_some() => {
                AlterKind::MaterializedView
            }
            Named::Table(_) | Named::Chunk(_) => AlterKind::Table,
            Named::View(_) => AlterKind::View,
            Named::Sequence(_) => AlterKind::Sequence,
            Named::Index(_) => AlterKind::Index,
        }
    }

    /// ALTER of what is no table.
    fn alter_other(&mut self, found: Named, name: &str, actions: &[Action]) -> Result<Statement> {
        let mut changed = Vec::new();
        for action in actions {
            if let Action::Owner(role) = action {
                self.note_role(role.as_ref());
                continue;
            }
            let definition = match found {
                Named::View(view) => self.altered_view(view, action)?,
                Named::Sequence(sequence) => self.altered_sequence(sequence, action)?,
                Named::Chunk(chunk) => self.altered_chunk(chunk, action)?,
                _ => return self.alter_index(found, name, action),
            };
            let Some(definition) = definition else {
                return Err(not_performed(name, self.kind_of(found)));
            };
            changed.push(definition);
            if let (Named::View(view), Action::RenameColumn { from, to }) = (found, action) {
                let on = (view, Part::Column);
                changed.extend(self.renamed_comments(on, (&from.text, &to.text)));
            }
        }
        Ok(utility(match changed.is_empty() {
            true => Utility::Nothing,
            false => Utility::Alter(changed),
        }))
    }

    fn altered_view(&self, view: ObjectId, action: &Action) -> Result<Option<Definition>> {
        let view = self.catalog.views.get(&view);
        let view = view.ok_or_else(|| Error::internal("a view without its definition"))?;
        let mut view = ViewDef::clone(view);
        match action {
            Action::RenameTo(to) => view.name = self.untaken(view.schema, to)?,
            Action::SetSchema(to) => {
                view.schema = self.new_schema(to, (view.schema, &view.name))?
            }
            Action::RenameColumn { from, to } => {
                let (from, to) = (&from.text, self.query.new_name(to)?);
                if view.columns.iter().any(|column| column.name == to) {
                    let view = &view.name;
                    let message = format!("column \"{to}\" of relation \"{view}\" already exists");
                    return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
                }
                let mut columns = view.columns.iter_mut();
                let column = columns.find(|column| column.name == *from);
                let column = column.ok_or_else(|| missing_column(from))?;
                column.name = to;
            }
            _ => return Ok(None),
        }
        Ok(Some(Definition::View(view)))
    }

    fn altered_sequence(&self, sequence: ObjectId, action: &Action) -> Result<Option<Definition>> {
        let sequence = self.catalog.sequences.get(&sequence);
        let sequence = sequence.ok_or_else(|| Error::internal("a sequence is lost"))?;
        let mut sequence = SequenceDef::clone(sequence);
        match action {
            Action::RenameTo(to) => sequence.name = self.untaken(sequence.schema, to)?,
            Action::SetSchema(to) => {
                let owner = sequence
                    .owner
                    .and_then(|(table, _)| self.catalog.tables.get(&table));
                if let Some(table) = owner {
                    let message = "cannot move an owned sequence into another schema";
                    let SequenceDef { name, .. } = &sequence;
                    let detail =
                        format!("Sequence \"{name}\" is linked to table \"{}\".", table.name);
                    let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                    return Err(error.with_detail(detail));
                }
                sequence.schema = self.new_schema(to, (sequence.schema, &sequence.name))?;
            }
            _ => return Ok(None),
        }
        Ok(Some(Definition::Sequence(sequence, None)))
    }

    fn alter_index(&mut self, found: Named, name: &str, action: &Action) -> Result<Statement> {
        let Named::Index(table) = found else {
            return Err(Error::internal("an index is lost"));
        };
        let before = self.catalog.tables.get(&table).cloned();
        let before = before.ok_or_else(|| Error::internal("an index without its table"))?;
        let to = match action {
            Action::RenameTo(to) => self.untaken(before.schema, to)?,
            Action::SetSchema(_) => {
                let message = format!("cannot change schema of index \"{name}\"");
                let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                return Err(error.with_hint("Change the schema of the table instead."));
            }
            Action::AttachIndex(below) => return self.attach_index(&before, name, below),
            Action::Options(_) | Action::ResetOptions(_) => {
                return self.index_stored_otherwise(before, name, action);
            }
            _ => {
                return Err(unsupported_at(
                    "this form of ALTER INDEX",
                    self.query.first(),
                ));
            }
        };
        let view = self.catalog.view_of(table);
        let mut altered = Altered::new(before, view.map(|view| ViewDef::clone(view)));
        for part in [Part::Constraint, Part::Index] {
            let comments = self.renamed_comments((table, part), (name, &to));
            altered.changed.extend(comments);
        }
        let table = &mut altered.after;
        let mut indexes = table.indexes.iter_mut();
        match indexes.find(|index| index.name == name) {
            Some(index) => index.name = to,
            None => {
                table.key_name = None;
                table.key_name = Some(to).filter(|name| *name != table.key_name());
            }
        }
        Ok(altered.statement(Vec::new(), Vec::new()))
    }

    /// `ALTER INDEX ... SET (...)` or `RESET (...)`.
    fn index_stored_otherwise(
        &mut self,
        before: Arc<TableDef>,
        name: &str,
        action: &Action,
    ) -> Result<Statement> {
        let of = |index: &IndexDef| index.name == name && !index.is_constraint;
        let at = before.indexes.iter().position(of);
        let stored = match at {
            Some(_) => Stored::Index,
            None => Stored::ConstraintIndex,
        };
        let pages = match action {
            Action::Options(options) => {
                let pages = index_pages(&self.storage_options(stored, options)?);
                pages.map(Some)
            }
            Action::ResetOptions(options) => {
                let reset = self.reset_options(stored, options)?;
                (!reset.is_empty()).then_some(None)
            }
            _ => None,
        };
        if before.partitioning().is_some() {
            let verb = match action {
                Action::Options(_) => "SET",
                _ => "RESET",
            };
            let message = format!("ALTER action {verb} cannot be performed on relation \"{name}\"");
            let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
            return Err(error.with_hint("Change the indexes of its partitions, each by its name."));
        }
        let mut altered = Altered::new(before, None);
        match at
            .and_then(|at| altered.after.indexes.get_mut(at))
            .zip(pages)
        {
            Some((index, pages)) => {
                index.pages = pages;
                let mut alter = altered.change(Vec::new(), Vec::new());
                alter.is_about_storage = true;
                Ok(Statement::AlterTable(Box::new(alter)))
            }
            None => Ok(utility(Utility::Nothing)),
        }
    }

    fn alter_schema(&mut self, alter: &Alter) -> Result<Statement> {
        let folded = self.query.relation_name(&alter.name)?;
        let schema = self.catalog.schema(&folded.name);
        let schema = schema.ok_or_else(|| undefined_schema(&folded.name))?;
        let Some(Action::RenameTo(to)) = alter.actions.first() else {
            let role = match alter.actions.first() {
                Some(Action::Owner(role)) => role.as_ref(),
                _ => None,
            };
            return Ok(self.same_owner(role));
        };
        let name = self.new_schema_name(to)?;
        if self.catalog.schema(&name).is_some() || name == "information_schema" {
            let message = format!("schema \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_SCHEMA, message));
        }
        if schema == PUBLIC {
            let what = "another name for the schema public";
            return Err(unsupported_at(what, self.query.first()));
        }
        let renamed = SchemaDef {
            object: schema,
            name,
            is_gone: false,
        };
        Ok(utility(Utility::Alter(vec![Definition::Schema(renamed)])))
    }
}

fn missing_column(name: &str) -> Error {
    let message = format!("column \"{name}\" does not exist");
    Error::new(SqlState::UNDEFINED_COLUMN, message)
}

fn taken(name: &str) -> Error {
    let message = format!("relation \"{name}\" already exists");
    Error::new(SqlState::DUPLICATE_TABLE, message)
}

/// `42809`
fn not_performed(name: &str, is: AlterKind) -> Error {
    let message = format!("this ALTER action cannot be performed on \"{name}\"");
    let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
    error.with_detail(format!("It is {}.", shown_kind(is)))
}

fn shown_kind(kind: AlterKind) -> &'static str {
    match kind {
        AlterKind::Table => "a table",
        AlterKind::Index => "an index",
        AlterKind::View => "a view",
        AlterKind::MaterializedView => "a materialized view",
        AlterKind::Sequence => "a sequence",
        AlterKind::Schema => "a schema",
    }
}

/// Whether an action changes what only tables have.
fn is_of_table(action: &Action) -> bool {
    match action {
        Action::Column { change, .. } => !matches!(
            change,
            ColumnChange::Options(_)
                | ColumnChange::Storage(_)
                | ColumnChange::Compression(_)
                | ColumnChange::Statistics
        ),
        Action::AddColumn { .. }
        | Action::AddConstraint { .. }
        | Action::DropColumn { .. }
        | Action::DropConstraint { .. }
        | Action::RenameConstraint { .. }
        | Action::Inherit { .. } => true,
        _ => false,
    }
}
