//! What ALTER TABLE drops.

use varve_catalog::model::table::{ColumnDef, Filled, TableDef};
use varve_plan::plan::utility::{Dropped, Message};
use varve_types::{Error, Result, SqlState, TreeId};

use crate::binder::DdlBinder;
use crate::table::alter::Altered;
use crate::table::columns::is_system_column;
use crate::table::foreign_key::has_key;
use crate::table::segments::refuse_drop_of_sorted;

pub use varve_catalog::model::drop_column::reads;

impl DdlBinder<'_, '_> {
    pub(crate) fn drop_column(
        &mut self,
        altered: &mut Altered,
        name: &str,
        if_exists: bool,
        cascade: bool,
    ) -> Result<()> {
        if is_system_column(name) {
            let message = format!("cannot drop system column \"{name}\"");
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        let mut columns = altered.after.columns.iter();
        let Some(at) = columns.position(|column| column.name == name) else {
            let table = &altered.after.name;
            let message = format!("column \"{name}\" of relation \"{table}\" does not exist");
            return self.missing(if_exists, SqlState::UNDEFINED_COLUMN, message);
        };
        let Some(column) = altered.after.columns.get(at).cloned() else {
            return Ok(());
        };
        if altered
            .after
            .time_column()
            .is_some_and(|(time, _)| time == at)
        {
            let message = "cannot drop column named in partition key";
            let detail = "Cannot drop column that is a hypertable partitioning (space or time) \
                          dimension.";
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(error.with_detail(detail));
        }
        refuse_drop_of_sorted(&altered.after, &column)?;
        if altered.after.columns.len() == 1 {
            return Err(Error::unsupported("a table without columns"));
        }
        let on = format!("column {name} of table {}", altered.before.name);
        let (direct, readers) = self.column_dependents(altered, at, &column);
        let mut all = self.with_dependents(direct, (&on, &on), cascade)?;
        all.retain(|object| !matches!(object, Dropped::Column(..)));
        altered.dropped.extend(all);
        for reader in &readers {
            self.drop_column(altered, reader, false, true)?;
        }
        let mut columns = altered.after.columns.iter();
        let at = columns.position(|other| other.id == column.id);
        let at = at.ok_or_else(|| Error::internal("a column is lost"))?;
        self.drop_owned(altered, &column);
        let trees = |table: &TableDef| -> Vec<TreeId> {
            let indexes = table.indexes.iter();
            indexes.map(|index| index.tree).collect()
        };
        let before = trees(&altered.after);
        altered.after.remove_column(at);
        let kept = trees(&altered.after);
        let gone = before.into_iter().filter(|tree| !kept.contains(tree));
        altered.dropped_indexes.extend(gone);
        altered.sources.remove(at);
        altered.rewrites = true;
        Ok(())
    }

    /// What goes with a column: objects, and the names of the columns that are computed from it.
    fn column_dependents(
        &self,
        altered: &Altered,
        at: usize,
        column: &ColumnDef,
    ) -> (Vec<Dropped>, Vec<String>) {
        let table = altered.before.object;
        let mut direct = Vec::new();
        for (child, place, key) in self.catalog.references_to(table) {
            if child.object != table && key.parent_columns.contains(&column.id) {
                direct.push(Dropped::Key(child.object, place));
            }
        }
        for view in self.catalog.views.values() {
            // Its text has the name that the column had when the view was made.
            let reads = view.reads.iter().filter(|read| read.object == table);
            let mut named = reads.flat_map(|read| &read.columns);
            if named.any(|(id, name)| *id == column.id && mentions(&view.text, name)) {
                direct.push(Dropped::View(view.object));
            }
        }
        let mut readers = Vec::new();
        for (place, other) in altered.after.columns.iter().enumerate() {
            let is_reader = other.filled == Filled::Generated
                && other.default.as_ref().is_some_and(|expr| reads(expr, at));
            if is_reader && place != at {
                direct.push(Dropped::Column(table, other.id));
                readers.push(other.name.clone());
            }
        }
        (direct, readers)
    }

    fn missing(&mut self, if_exists: bool, state: SqlState, message: String) -> Result<()> {
        if !if_exists {
            return Err(Error::new(state, message));
        }
        let text = format!("{message}, skipping");
        self.query.outputs.messages.push(Message::new(state, text));
        Ok(())
    }

    pub(crate) fn drop_constraint(
        &mut self,
        altered: &mut Altered,
        name: &str,
        if_exists: bool,
        cascade: bool,
    ) -> Result<()> {
        let table = &mut altered.after;
        let is_key = !table.primary_key.is_empty() && table.key_name() == name;
        let mut indexes = table.indexes.iter();
        let index = indexes.find(|index| index.is_constraint && index.name == name);
        let index = index.map(|index| index.tree);
        if is_key {
            table.primary_key = Vec::new();
            table.key_name = None;
            altered.rewrites = true;
        } else if let Some(tree) = index {
            table.retain_indexes(|index| index.tree != tree);
            altered.dropped_indexes.push(tree);
        } else if table.checks.iter().any(|check| check.name == name) {
            table.checks.retain(|check| check.name != name);
            return Ok(());
        } else if table.foreign_keys.iter().any(|key| key.name == name) {
            table.foreign_keys.retain(|key| key.name != name);
            return Ok(());
        } else {
            let table = &table.name;
            let message = format!("constraint \"{name}\" of relation \"{table}\" does not exist");
            return self.missing(if_exists, SqlState::UNDEFINED_OBJECT, message);
        }
        let mut direct = Vec::new();
        for (child, place, key) in self.catalog.references_to(altered.before.object) {
            let mut columns = key.parent_positions(&altered.after);
            varve_sort::sort(&mut columns);
            if !has_key(&altered.after, &columns) {
                direct.push(Dropped::Key(child.object, place));
            }
        }
        let on = format!("constraint {name} on table {}", altered.before.name);
        let own = altered.before.object;
        let index = format!("index {name}");
        let all = self.with_dependents(direct, (&on, &index), cascade)?;
        for dropped in all {
            match dropped {
                // A foreign key of the table itself goes with its new definition.
                Dropped::Key(object, place) if object == own => {
                    let key = altered.before.foreign_keys.get(place);
                    if let Some(key) = key.map(|key| key.name.clone()) {
                        altered.after.foreign_keys.retain(|known| known.name != key);
                    }
                }
                other => altered.dropped.push(other),
            }
        }
        Ok(())
    }
}

/// Whether the text of a view may mean a column: by its name, or by `*`.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut words = text.split(|character| !is_part(character));
    text.contains('*') || words.any(|word| word.eq_ignore_ascii_case(name))
}
