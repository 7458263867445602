//! Columns that are dropped because something else is, such as their types.

use varve_catalog::model::view::ViewDef;
use varve_plan::plan::alter::AlterTable;
use varve_plan::plan::utility::Dropped;
use varve_types::{Error, ObjectId, Result};

use crate::binder::DdlBinder;
use crate::drop::cascades;
use crate::table::alter::Altered;

impl DdlBinder<'_, '_> {
    /// What becomes of the tables that stay without some of their columns, which are taken out of
    /// `all`; what goes with the columns is added.
    pub fn without_columns(&mut self, all: &mut Vec<Dropped>) -> Result<Vec<AlterTable>> {
        let mut lost: Vec<(ObjectId, Vec<String>)> = Vec::new();
        for object in all.iter() {
            let Dropped::Column(object, id) = object else {
                continue;
            };
            let table = self.catalog.tables.get(object);
            let mut columns = table.iter().flat_map(|table| &table.columns);
            if let Some(column) = columns.find(|column| column.id == *id)
                && !all.contains(&Dropped::Table(*object))
            {
                let name = column.name.clone();
                match lost.iter_mut().find(|(known, _)| known == object) {
                    Some((_, names)) => names.push(name),
                    None => lost.push((*object, vec![name])),
                }
            }
        }
        all.retain(|object| !matches!(object, Dropped::Column(..)));
        let mut changes = Vec::with_capacity(lost.len());
        for (object, names) in &lost {
            let table = self.catalog.tables.get(object).cloned();
            let table = table.ok_or_else(|| Error::internal("a table is lost"))?;
            if table.partitioning().is_some() || table.bound().is_some() {
                let what = "DROP ... CASCADE of columns of a partitioned table";
                return Err(Error::unsupported(what));
            }
            let view = self.catalog.view_of(*object);
            let mut altered = Altered::new(table, view.map(|view| ViewDef::clone(view)));
            let said = self.query.outputs.messages.len();
            for name in names {
                self.drop_column(&mut altered, name, true, true)?;
            }
            // What goes along is told of once.
            self.query.outputs.messages.truncate(said);
            let mut alter = altered.change(Vec::new(), Vec::new());
            for object in core::mem::take(&mut alter.dropped) {
                if !all.contains(&object) {
                    if !matches!(object, Dropped::Sequence(_)) {
                        let shown = self.catalog.described(object);
                        self.query
                            .outputs
                            .messages
                            .extend(cascades([shown.as_str()].into_iter()));
                    }
                    all.push(object);
                }
            }
            changes.push(alter);
        }
        // Each table has one new definition.
        let is_changed = |object: &Dropped| match object {
            Dropped::Key(table, _) | Dropped::Default(table, _) => {
                lost.iter().any(|(known, _)| known == table)
            }
            _ => false,
        };
        match all.iter().any(is_changed) {
            true => Err(Error::unsupported(
                "DROP ... CASCADE of columns and of other parts of their table",
            )),
            false => Ok(changes),
        }
    }
}
