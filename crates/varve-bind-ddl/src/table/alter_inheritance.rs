//! ALTER TABLE and inheritance: what is done to a table is done to those that inherit from it, and
//! tables start and stop to inherit.

use std::sync::Arc;

use varve_ast::{AlterAction, ColumnChange, ObjectName, PartitionValues, TableConstraintKind};
use varve_bind_dml::truncate::NOT_ONLY;
use varve_catalog::model::catalog::Named;
use varve_catalog::model::index::{IndexDef, IndexOptions};
use varve_catalog::model::table::{ColumnDef, TableDef};
use varve_catalog::text::name::undefined_table;
use varve_expr::walk::{for_each_column, same_meaning};
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Message, Utility};
use varve_plan::plan::{NewIndex, Statement};
use varve_types::{ColumnId, Error, Invariant, LogicalType, ObjectId, Result, SqlState, TypeMod};

use crate::binder::DdlBinder;
use crate::table::alter::Altered;
use crate::table::columns::Parts;
use crate::table::hypertable::refuse_inheritance;
use crate::table::inheritance::{Inherited, inherited_twice, over_child};
use crate::table::like::Copied;
use crate::table::partition::unique_keys_fit;

fn invalid(message: String) -> Error {
    Error::new(SqlState::INVALID_TABLE_DEFINITION, message)
}

fn mismatch(message: String) -> Error {
    Error::new(SqlState::DATATYPE_MISMATCH, message)
}

/// A child's column must have the type and modifier of its parent's.
fn check_same_type(
    child: &TableDef,
    column: &ColumnDef,
    expected: (LogicalType, TypeMod),
) -> Result<()> {
    if (column.ty, column.modifier) == expected {
        return Ok(());
    }
    Err(mismatch(format!(
        "child table \"{}\" has different type for column \"{}\"",
        child.name, column.name
    )))
}

/// Whether what an action does to a table is done to those that inherit from it as well.
pub fn goes_down(action: &AlterAction, table: &TableDef) -> bool {
    match action {
        AlterAction::AddConstraint { constraint, .. } => {
            matches!(constraint.kind, TableConstraintKind::Check(_))
                || table.partitioning().is_some()
        }
        AlterAction::AddColumn { .. }
        | AlterAction::DropColumn { .. }
        | AlterAction::DropConstraint { .. }
        | AlterAction::Column { .. }
        | AlterAction::RenameColumn { .. }
        | AlterAction::RenameConstraint { .. } => true,
        _ => false,
    }
}

/// Refuses ONLY where the tables below would no longer have what the table has.
pub fn check_only(action: &AlterAction, table: &TableDef) -> Result<()> {
    let below = match action {
        AlterAction::AddColumn { .. } => "column must be added to",
        AlterAction::AddConstraint { constraint, .. }
            if matches!(constraint.kind, TableConstraintKind::Check(_)) =>
        {
            "constraint must be added to"
        }
        AlterAction::DropColumn { .. } => "column must be dropped from",
        AlterAction::DropConstraint { .. } => "constraint must be dropped from",
        AlterAction::RenameColumn { .. } => "inherited column must be renamed in",
        AlterAction::RenameConstraint { .. } => "inherited constraint must be renamed in",
        AlterAction::Column { change, .. } => match change {
            ColumnChange::Type { .. } => "type of inherited column must be changed in",
            ColumnChange::SetNotNull | ColumnChange::DropNotNull
                if table.partitioning().is_some() =>
            {
                "constraint must be changed in"
            }
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    if table.children().is_empty() {
        return Ok(());
    }
    Err(invalid(format!("{below} child tables too")).with_hint(NOT_ONLY))
}

impl DdlBinder<'_, '_> {
    /// Whether a table has a column because others have it.
    fn is_inherited(&self, table: &TableDef, name: &str) -> bool {
        let parents = table.parents().iter();
        let mut parents = parents.filter_map(|parent| self.catalog.tables.get(parent));
        parents.any(|parent| parent.columns.iter().any(|column| column.name == name))
    }

    /// Refuses to change alone what a table has because others have it.
    pub fn check_inherited(&self, table: &TableDef, action: &AlterAction) -> Result<()> {
        let of_key = match action {
            AlterAction::DropColumn { name, .. } => Some(("drop", name)),
            AlterAction::Column {
                name,
                change: ColumnChange::Type { .. },
            } => Some(("alter", name)),
            _ => None,
        };
        if let (Some((what, name)), Some(by)) = (of_key, table.partitioning()) {
            let name = &name.text;
            let at = table.columns.iter().position(|column| column.name == *name);
            let mut is_key = false;
            for key in &by.keys {
                for_each_column(key, &mut |column| is_key |= Some(column) == at);
            }
            if is_key {
                return Err(invalid(format!(
                    "cannot {what} column \"{name}\" because it is part of the partition key of \
                     relation \"{}\"",
                    table.name
                )));
            }
        }
        let (what, name) = match action {
            AlterAction::DropColumn { name, .. } => ("drop", name),
            AlterAction::RenameColumn { from, .. } => ("rename", from),
            AlterAction::Column {
                name,
                change: ColumnChange::Type { .. },
            } => ("alter", name),
            AlterAction::DropConstraint { name, .. } => {
                let name = &name.text;
                let parents = table.parents().iter();
                let mut parents = parents.filter_map(|parent| self.catalog.tables.get(parent));
                let has = |table: &TableDef| table.checks.iter().any(|check| check.name == *name);
                if has(table) && parents.any(|parent| has(parent)) {
                    return Err(invalid(format!(
                        "cannot drop inherited constraint \"{name}\" of relation \"{}\"",
                        table.name
                    )));
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let name = &name.text;
        match self.is_inherited(table, name) {
            true => Err(invalid(format!(
                "cannot {what} inherited column \"{name}\""
            ))),
            false => Ok(()),
        }
    }

    /// Whether an action of a table above leaves this one as it is.
    pub fn stays_below(
        &mut self,
        altered: &Altered,
        above: &TableDef,
        action: &AlterAction,
        gone: &[(ObjectId, String)],
    ) -> Result<bool> {
        let table = &altered.after;
        let has = |name: &str| table.columns.iter().find(|column| column.name == name);
        let inheritance = table.inheritance.as_ref();
        Ok(match action {
            AlterAction::AddColumn { column, .. } => {
                let name = &column.name.text;
                let Some(known) = has(name) else {
                    return Ok(false);
                };
                let type_name = column.type_name.as_ref();
                let type_name =
                    type_name.ok_or_else(|| Error::internal("a column without a type"))?;
                check_same_type(table, known, self.query.data_type(type_name)?)?;
                let text = format!(
                    "merging definition of column \"{name}\" for child \"{}\"",
                    table.name
                );
                self.query.outputs.messages.push(Message::notice(text));
                true
            }
            AlterAction::DropColumn { name, .. } => {
                let name = &name.text;
                let Some(known) = has(name) else {
                    return Ok(true);
                };
                let is_own =
                    inheritance.is_some_and(|inheritance| inheritance.own.contains(&known.id));
                let keeps = |parent: &&ObjectId| {
                    let mut gone = gone.iter();
                    !gone.any(|(table, column)| table == *parent && column == name)
                };
                let others = table.parents().iter().filter(keeps);
                let mut others = others.filter_map(|parent| self.catalog.tables.get(parent));
                is_own || others.any(|other| other.columns.iter().any(|of| of.name == *name))
            }
            AlterAction::DropConstraint { name, .. } => {
                let name = &name.text;
                let is_check = above.checks.iter().any(|check| check.name == *name);
                !is_check || !table.checks.iter().any(|check| check.name == *name)
            }
            AlterAction::RenameConstraint { from, .. } => {
                !table.checks.iter().any(|check| check.name == from.text)
            }
            _ => false,
        })
    }

    /// The table that a table inherits from, or stops to, and that with its new inheritance.
    fn with_parent(
        &mut self,
        name: &ObjectName,
        child: &TableDef,
        joins: bool,
    ) -> Result<(Arc<TableDef>, Altered)> {
        let parent = self.query.defined_table(name)?;
        let mut altered = Altered::new(Arc::clone(&parent), None);
        let object = child.object;
        altered.after.change_inheritance(|inheritance| match joins {
            true => inheritance.children.push(object),
            false => inheritance.children.retain(|known| *known != object),
        });
        Ok((parent, altered))
    }

    /// `INHERIT` and `NO INHERIT`; answers what becomes of the parent.
    pub fn inherit_from(
        &mut self,
        altered: &mut Altered,
        name: &ObjectName,
        joins: bool,
    ) -> Result<Altered> {
        let child = Arc::clone(&altered.before);
        let (parent, above) = self.with_parent(name, &child, joins)?;
        refuse_inheritance(&child)?;
        refuse_inheritance(&parent)?;
        let wrong = |message: &str| Error::new(SqlState::WRONG_OBJECT_TYPE, message);
        if child.bound().is_some() {
            return Err(wrong("cannot change inheritance of a partition"));
        }
        if child.partitioning().is_some() {
            return Err(wrong("cannot change inheritance of partitioned table"));
        }
        if !joins {
            if !child.parents().contains(&parent.object) {
                let message = format!(
                    "relation \"{}\" is not a parent of relation \"{}\"",
                    parent.name, child.name
                );
                return Err(Error::new(SqlState::UNDEFINED_TABLE, message));
            }
            altered.leave(&parent);
            return Ok(above);
        }
        if parent.partitioning().is_some() {
            let message = format!("cannot inherit from partitioned table \"{}\"", parent.name);
            return Err(wrong(&message));
        }
        if child.parents().contains(&parent.object) {
            return Err(inherited_twice(&parent.name));
        }
        self.fits_below(&parent, &child)?;
        altered.after.change_inheritance(|inheritance| {
            if inheritance.parents.is_empty() {
                inheritance.own = child.columns.iter().map(|column| column.id).collect();
            }
            inheritance.parents.push(parent.object);
        });
        Ok(above)
    }

    /// Refuses a child that lacks what its parent has.
    fn fits_below(&self, parent: &Arc<TableDef>, child: &Arc<TableDef>) -> Result<()> {
        if self
            .catalog
            .inheritance_of(child)
            .iter()
            .any(|below| below.object == parent.object)
        {
            let message = "circular inheritance not allowed";
            let detail = format!(
                "\"{}\" is already a child of \"{}\".",
                parent.name, child.name
            );
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message).with_detail(detail));
        }
        for column in &parent.columns {
            let name = &column.name;
            let known = child.columns.iter().find(|known| known.name == *name);
            let known = known
                .ok_or_else(|| mismatch(format!("child table is missing column \"{name}\"")))?;
            check_same_type(child, known, (column.ty, column.modifier))?;
            if known.nullable && !column.nullable {
                return Err(mismatch(format!(
                    "column \"{name}\" in child table must be marked NOT NULL"
                )));
            }
        }
        let places = parent.places_in(child).or_broken("columns of a child")?;
        for check in parent.checks.iter().filter(|check| !check.name.is_empty()) {
            let name = &check.name;
            let known = child.checks.iter().find(|known| known.name == *name);
            let known = known
                .ok_or_else(|| mismatch(format!("child table is missing constraint \"{name}\"")))?;
            if !same_meaning(&known.expr, &over_child(&check.expr, &places)) {
                return Err(mismatch(format!(
                    "child table \"{}\" has different definition for check constraint \"{name}\"",
                    child.name
                )));
            }
        }
        Ok(())
    }

    /// `ATTACH PARTITION`: answers what becomes of the table, and the indexes that it gets.
    pub fn attach_partition(
        &mut self,
        above: &mut Altered,
        name: &ObjectName,
        values: &PartitionValues,
    ) -> Result<(Altered, Vec<IndexDef>)> {
        let parent = Arc::clone(&above.before);
        let child = self.query.defined_table(name)?;
        refuse_inheritance(&child)?;
        if parent.partitioning().is_none() {
            let message = format!("table \"{}\" is not partitioned", parent.name);
            return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        }
        let wrong = |message: String| Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        if child.bound().is_some() {
            return wrong(format!("\"{}\" is already a partition", child.name));
        }
        if !child.parents().is_empty() {
            return wrong("cannot attach inheritance child as partition".to_owned());
        }
        if !child.children().is_empty() && child.partitioning().is_none() {
            return wrong("cannot attach inheritance parent as partition".to_owned());
        }
        for column in &child.columns {
            if !parent.columns.iter().any(|known| known.name == column.name) {
                let message = format!(
                    "table \"{}\" contains column \"{}\" not found in parent \"{}\"",
                    child.name, column.name, parent.name
                );
                let detail = "The new partition may contain only the columns present in parent.";
                return Err(mismatch(message).with_detail(detail));
            }
        }
        self.fits_below(&parent, &child)?;
        let bound = self.partition_bound(values, &parent, &child.name)?;
        let mut below = Altered::new(Arc::clone(&child), None);
        below.after.change_inheritance(|inheritance| {
            inheritance.parents = vec![parent.object];
            inheritance.bound = Some(bound);
        });
        let indexes = self.missing_keys(&parent, &mut below)?;
        above
            .after
            .change_inheritance(|inheritance| inheritance.children.push(child.object));
        Ok((below, indexes))
    }

    /// The keys and indexes of a partitioned table that a new partition of it has not.
    fn missing_keys(
        &mut self,
        parent: &Arc<TableDef>,
        below: &mut Altered,
    ) -> Result<Vec<IndexDef>> {
        let child = Arc::clone(&below.before);
        let places = parent.places_in(&child).or_broken("columns of a child")?;
        let place = |at: usize| places.get(at).copied().unwrap_or(at);
        let mut wanted = TableDef::clone(parent);
        wanted.indexes.retain(|index| {
            !child.indexes.iter().any(|known| {
                let keys = index.keys.iter();
                let keys = keys.map(|(part, order)| (part.moved(&place), *order));
                known.options == index.options && keys.eq(known.keys.iter().copied())
            })
        });
        let primary_key: Vec<usize> = parent.primary_key.iter().map(|at| place(*at)).collect();
        if primary_key == child.primary_key {
            wanted.primary_key.clear();
        } else if !primary_key.is_empty() && !child.primary_key.is_empty() {
            let message = format!(
                "multiple primary keys for table \"{}\" are not allowed",
                child.name
            );
            return Err(invalid(message));
        }
        let mut parts = Parts::default();
        let mut copied = Copied::default();
        let inherited = Inherited::of_partition(wanted);
        let columns = (child.columns.as_slice(), child.expressions.len());
        self.inherited_keys(&inherited, columns, &child.name, &mut parts, &mut copied)?;
        let mut indexes = self.apply(&mut below.after, &parts)?;
        below.rewrites |= parts.primary_key.is_some();
        copied.put(self, &mut below.after, &mut indexes);
        Ok(indexes)
    }

    /// An index of a partitioned table, and of each of its partitions.
    pub fn index_of_partitions(
        &mut self,
        table: &Arc<TableDef>,
        new: NewIndex,
        only: bool,
    ) -> Result<Statement> {
        if let Some(partitioning) = table.partitioning() {
            unique_keys_fit(table, core::slice::from_ref(&new.index), partitioning)?;
        }
        let mut source = TableDef::clone(table);
        source.indexes = vec![new.index.clone()];
        source.expressions.clone_from(&new.expressions);
        let mut above = Altered::new(Arc::clone(table), None);
        above.after.expressions = new.expressions;
        let mut alter = above.change(vec![new.index], Vec::new());
        let inheritance = self.catalog.inheritance_of(table);
        for below in inheritance.iter().skip(1).filter(|_| !only) {
            self.query.outputs.found.borrow_mut().add_table(below);
            let places = source.places_in(below).or_broken("columns of a child")?;
            let mut copied = Copied::default();
            copied.add_indexes(&source, &places, below.expressions.len());
            let mut altered = Altered::new(Arc::clone(below), None);
            let mut indexes = Vec::new();
            copied.put(self, &mut altered.after, &mut indexes);
            alter.also.push(altered.change(indexes, Vec::new()));
        }
        Ok(Statement::AlterTable(Box::new(alter)))
    }

    /// `ALTER INDEX above ATTACH PARTITION below`: indexes of partitions are found by what they are
    /// on, so nothing is left to do for one that is the same.
    pub fn attach_index(
        &mut self,
        table: &TableDef,
        above: &str,
        name: &ObjectName,
    ) -> Result<Statement> {
        let written = self.query.relation_name(name)?;
        let below = &written.name;
        let found = match self.query.find(&written) {
            Some(Named::Index(table)) => self.catalog.tables.get(&table).cloned(),
            Some(_) => {
                let message = format!("\"{below}\" is not an index");
                return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
            }
            None => return Err(undefined_table(&written, 0)),
        };
        let child = found.ok_or_else(|| Error::internal("an index without its table"))?;
        if table.partitioning().is_none() {
            let message = format!(
                "ALTER action ATTACH PARTITION cannot be performed on relation \"{above}\""
            );
            let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
            return Err(error.with_detail("This operation is not supported for indexes."));
        }
        let refused = |detail: String| {
            let message =
                format!("cannot attach index \"{below}\" as a partition of index \"{above}\"");
            let error = Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message);
            Err(error.with_detail(detail))
        };
        if !child.parents().contains(&table.object) {
            let of = &table.name;
            return refused(format!(
                "Index \"{below}\" is not an index on any partition of table \"{of}\"."
            ));
        }
        let places = table.places_in(&child).or_broken("columns of a child")?;
        let place = |at: usize| places.get(at).copied().unwrap_or(at);
        let shape = |table: &TableDef, name: &str, place: &dyn Fn(usize) -> usize| {
            let Some(index) = table.indexes.iter().find(|index| index.name == name) else {
                let key = table.key_parts().map(|part| (part.moved(place), 0));
                return (IndexOptions::UNIQUE, key.collect::<Vec<_>>());
            };
            let keys = index.keys.iter();
            let keys = keys.map(|(part, order)| (part.moved(place), order.code()));
            (index.options, keys.collect())
        };
        if shape(table, above, &place) != shape(&child, below, &|at| at) {
            return refused("The index definitions do not match.".to_owned());
        }
        Ok(utility(Utility::Nothing))
    }

    /// `DETACH PARTITION`: answers what becomes of the partition.
    pub fn detach_partition(&mut self, above: &mut Altered, name: &ObjectName) -> Result<Altered> {
        let parent = Arc::clone(&above.before);
        let child = self.query.defined_table(name)?;
        if parent.partitioning().is_none() {
            let message = format!("table \"{}\" is not partitioned", parent.name);
            return Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
        }
        if !parent.children().contains(&child.object) {
            let message = format!(
                "relation \"{}\" is not a partition of relation \"{}\"",
                child.name, parent.name
            );
            return Err(Error::new(SqlState::UNDEFINED_TABLE, message));
        }
        let mut below = Altered::new(Arc::clone(&child), None);
        below.leave(&parent);
        let object = child.object;
        above.after.change_inheritance(|inheritance| {
            inheritance.children.retain(|known| *known != object)
        });
        Ok(below)
    }
}

impl Altered {
    /// Stops to inherit from a table; what was inherited is its own then.
    fn leave(&mut self, parent: &TableDef) {
        let columns = self.after.columns.iter();
        let inherited = columns.filter(|column| {
            let mut known = parent.columns.iter();
            known.any(|known| known.name == column.name)
        });
        let ids: Vec<ColumnId> = inherited.map(|column| column.id).collect();
        self.after.change_inheritance(|inheritance| {
            inheritance.parents.retain(|known| *known != parent.object);
            inheritance.bound = None;
            inheritance.own.extend(ids);
            varve_sort::sort(&mut inheritance.own);
            inheritance.own.dedup();
        });
    }
}
