//! INHERITS, PARTITION BY and PARTITION OF of CREATE TABLE.

use std::sync::Arc;

use varve_ast::{CreateTable, ObjectName};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::index::{Deferral, IndexDef};
use varve_catalog::model::inheritance::{InheritanceDef, over_columns};
use varve_catalog::model::schema::is_temporary;
use varve_catalog::model::table::{CheckDef, ColumnDef, Filled, TableDef};
use varve_expr::Expr;
use varve_expr::walk::same_meaning;
use varve_plan::plan::utility::Message;
use varve_types::{ColumnId, Error, Invariant, Result, SqlState, Value};

use crate::binder::DdlBinder;
use crate::table::columns::{Parts, Unique, WrittenKey};
use crate::table::hypertable::refuse_inheritance;
use crate::table::like::Copied;
use crate::table::partition::unique_keys_fit;

/// What a new table gets from those that it inherits from.
#[derive(Default)]
pub struct Inherited {
    pub(crate) parents: Vec<Arc<TableDef>>,
    /// How many of the first columns it inherits.
    pub columns: usize,
    /// The columns of these that it declares as well.
    pub own: Vec<ColumnId>,
    pub(crate) is_partition: bool,
    checks: Vec<CheckDef>,
    /// The columns that several tables give different defaults.
    conflicts: Vec<String>,
}

impl Inherited {
    /// What a table gets that becomes a partition of another one.
    pub fn of_partition(parent: TableDef) -> Inherited {
        Inherited {
            parents: vec![Arc::new(parent)],
            is_partition: true,
            ..Inherited::default()
        }
    }

    /// Adds the checks of a parent whose columns are at these places.
    fn add_checks(&mut self, parent: &TableDef, places: &[usize]) -> Result<()> {
        for check in &parent.checks {
            let check = CheckDef {
                name: check.name.clone(),
                expr: over_child(&check.expr, places),
            };
            let mut known = self.checks.iter();
            let known = known.find(|known| known.name == check.name && !check.name.is_empty());
            match known {
                Some(known) if same_meaning(&known.expr, &check.expr) => {}
                Some(_) => {
                    let message = format!(
                        "check constraint name \"{}\" appears multiple times but with different \
                         expressions",
                        check.name
                    );
                    return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
                }
                None => self.checks.push(check),
            }
        }
        Ok(())
    }
}

/// `42P16`
pub fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_TABLE_DEFINITION, message)
}

pub(crate) fn inherited_twice(parent: &str) -> Error {
    let message = format!("relation \"{parent}\" would be inherited from more than once");
    Error::new(SqlState::DUPLICATE_TABLE, message)
}

fn merging(what: &str, name: &str) -> Message {
    let text = format!("merging {what} \"{name}\" with inherited definition");
    Message::notice(text)
}

/// An expression over the columns of a parent, over those of a child.
pub fn over_child(expr: &Expr, places: &[usize]) -> Expr {
    over_columns(expr, &|index| places.get(index).copied().unwrap_or(index))
}

/// `42804`: two columns of one name differ.
fn type_conflict(name: &str, left: &ColumnDef, right: &ColumnDef) -> Error {
    let message = format!("column \"{name}\" has a type conflict");
    let detail = format!(
        "{} versus {}",
        left.modifier.name_of(left.ty),
        right.modifier.name_of(right.ty)
    );
    Error::new(SqlState::DATATYPE_MISMATCH, message).with_detail(detail)
}

impl DdlBinder<'_, '_> {
    /// The tables that a new one inherits from, with their columns.
    pub fn inherited(
        &mut self,
        create: &CreateTable,
        columns: &mut Vec<ColumnDef>,
    ) -> Result<Inherited> {
        let mut inherited = Inherited {
            is_partition: create.partition_of.is_some(),
            ..Inherited::default()
        };
        let names: &[ObjectName] = match &create.partition_of {
            Some((name, _)) if create.inherits.is_empty() => core::slice::from_ref(name),
            _ => &create.inherits,
        };
        for name in names {
            let parent = self.parent(name, create)?;
            if inherited
                .parents
                .iter()
                .any(|known| known.object == parent.object)
            {
                return Err(inherited_twice(&parent.name));
            }
            self.inherit(&parent, columns, &mut inherited)?;
            inherited.parents.push(parent);
        }
        inherited.columns = columns.len();
        Ok(inherited)
    }

    fn parent(&mut self, name: &ObjectName, create: &CreateTable) -> Result<Arc<TableDef>> {
        let parent = match self.query.find(&self.query.relation_name(name)?) {
            Some(Named::View(_) | Named::Sequence(_) | Named::Index(_) | Named::Chunk(_)) => {
                let name = self.query.relation_name(name)?.name;
                let message =
                    format!("inherited relation \"{name}\" is not a table or foreign table");
                return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
            }
            _ => self.query.defined_table(name)?,
        };
        refuse_inheritance(&parent)?;
        let wrong = |message: String| Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        let of = &parent.name;
        if create.partition_of.is_some() {
            if parent.partitioning().is_none() {
                let message = format!("\"{of}\" is not partitioned");
                return Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
            }
        } else if parent.partitioning().is_some() {
            return wrong(format!("cannot inherit from partitioned table \"{of}\""));
        } else if parent.bound().is_some() {
            return wrong(format!("cannot inherit from partition \"{of}\""));
        }
        if is_temporary(parent.schema) && !create.is_temporary {
            return wrong(match create.partition_of {
                Some(_) => format!(
                    "cannot create a permanent relation as partition of temporary relation \"{of}\""
                ),
                None => format!("cannot inherit from temporary relation \"{of}\""),
            });
        }
        if !parent.foreign_keys.is_empty() && create.partition_of.is_some() {
            return Err(Error::unsupported("a foreign key of a partitioned table"));
        }
        Ok(parent)
    }

    fn inherit(
        &mut self,
        parent: &TableDef,
        columns: &mut Vec<ColumnDef>,
        inherited: &mut Inherited,
    ) -> Result<()> {
        for column in &parent.columns {
            let name = &column.name;
            let default = match column.filled {
                Filled::IdentityAlways | Filled::IdentityByDefault => None,
                Filled::ByStatement | Filled::Generated => column.default.clone(),
            };
            let filled = match column.filled {
                Filled::Generated => Filled::Generated,
                _ => Filled::ByStatement,
            };
            if let Some(known) = columns.iter_mut().find(|known| known.name == *name) {
                let text = format!("merging multiple inherited definitions of column \"{name}\"");
                self.query.outputs.messages.push(Message::notice(text));
                if (known.ty, known.modifier) != (column.ty, column.modifier) {
                    let message = format!("inherited column \"{name}\" has a type conflict");
                    return Err(type_conflict(name, known, column).with_message(message));
                }
                known.nullable &= column.nullable;
                match (&known.default, default) {
                    (Some(known), Some(other)) if *known != other => {
                        inherited.conflicts.push(name.clone());
                    }
                    (None, other) => known.default = other,
                    _ => {}
                }
                continue;
            }
            let last = columns.iter().map(|column| column.id).max();
            columns.push(ColumnDef {
                id: ColumnId::behind(last)?,
                default,
                filled,
                missing: Value::Null,
                ..column.clone()
            });
        }
        let table = TableDef::new("", columns.clone(), Vec::new());
        let places = parent.places_in(&table).or_broken("columns of a child")?;
        for (column, at) in parent.columns.iter().zip(&places) {
            // What is computed is computed from columns.
            if let (Filled::Generated, Some(known)) = (column.filled, columns.get_mut(*at)) {
                let over = |expr: &Expr| over_child(expr, &places);
                known.default = column.default.as_ref().map(over);
            }
        }
        inherited.add_checks(parent, &places)
    }

    /// Merges the last column, where it is one that is inherited as well, into that.
    pub fn merge_column(
        &mut self,
        inherited: &mut Inherited,
        number: usize,
        columns: &mut Vec<ColumnDef>,
        parts: &mut Parts<'_>,
    ) -> Result<()> {
        let Some(new) = columns.pop() else {
            return Ok(());
        };
        let at = columns.len();
        let mut known = columns.iter_mut().take(inherited.columns).enumerate();
        let Some((to, known)) = known.find(|(_, known)| known.name == new.name) else {
            columns.push(new);
            return Ok(());
        };
        if (known.ty, known.modifier) != (new.ty, new.modifier) {
            return Err(type_conflict(&new.name, known, &new));
        }
        known.nullable &= new.nullable;
        if new.filled != Filled::ByStatement {
            known.filled = new.filled;
        }
        if parts.defaults.iter().any(|(of, _)| *of == at) {
            inherited.conflicts.retain(|name| *name != new.name);
        }
        if !inherited.is_partition {
            let mut message = merging("column", &new.name);
            if number != to {
                message.text = format!("moving and {}", message.text);
                let detail = "User-specified column moved to the position of the inherited column.";
                message.detail = Some(detail.to_owned());
            }
            self.query.outputs.messages.push(message);
            inherited.own.push(known.id);
        }
        let moved = |place: &mut usize| {
            if *place == at {
                *place = to;
            }
        };
        parts.defaults.iter_mut().for_each(|(at, _)| moved(at));
        parts.sequences.iter_mut().for_each(|(at, _)| moved(at));
        parts.domains.iter_mut().for_each(|(at, _)| moved(at));
        if let Some(key) = &mut parts.primary_key {
            key.columns.iter_mut().for_each(moved);
        }
        for unique in &mut parts.uniques {
            if let Unique::Column(at, _) = unique {
                moved(at);
            }
        }
        for reference in &mut parts.references {
            reference.column.iter_mut().for_each(moved);
        }
        Ok(())
    }

    /// The keys and indexes that a partition, which knows some expressions, has because its table
    /// has them.
    pub fn inherited_keys<'p>(
        &mut self,
        inherited: &Inherited,
        (columns, known): (&[ColumnDef], usize),
        name: &str,
        parts: &mut Parts<'p>,
        copied: &mut Copied,
    ) -> Result<()> {
        let [parent] = inherited.parents.as_slice() else {
            return Ok(());
        };
        if !inherited.is_partition {
            return Ok(());
        }
        let table = TableDef::new(name, columns.to_vec(), Vec::new());
        let Some(places) = parent.places_in(&table) else {
            return Ok(());
        };
        if !parent.primary_key.is_empty() {
            let key = WrittenKey {
                columns: parent
                    .primary_key
                    .iter()
                    .filter_map(|at| places.get(*at))
                    .copied()
                    .collect(),
                name: None,
                deferral: Deferral::Never,
            };
            self.set_primary_key(parts, key, name, self.query.first())?;
        }
        copied.add_indexes(parent, &places, known);
        Ok(())
    }

    /// Puts a table below its parents: checks, partitions, bounds.
    pub fn join_inheritance(
        &mut self,
        create: &CreateTable,
        inherited: Inherited,
        table: &mut TableDef,
        indexes: &[IndexDef],
    ) -> Result<()> {
        if let Some(name) = inherited.conflicts.first() {
            let message = format!("column \"{name}\" inherits conflicting default values");
            let hint = "To resolve the conflict, specify a default explicitly.";
            let error = Error::new(SqlState::INVALID_COLUMN_DEFINITION, message);
            return Err(error.with_hint(hint));
        }
        self.inherit_checks(inherited.checks, table)?;
        let partitioning = match &create.partition_by {
            Some(_) if !create.inherits.is_empty() => {
                return Err(invalid(
                    "cannot create partitioned table as inheritance child",
                ));
            }
            Some(by) => Some(self.partitioning(by, table)?),
            None => None,
        };
        if let Some(partitioning) = &partitioning {
            if !table.foreign_keys.is_empty() {
                return Err(Error::unsupported("a foreign key of a partitioned table"));
            }
            unique_keys_fit(table, indexes, partitioning)?;
        }
        let bound = match (&create.partition_of, inherited.parents.first()) {
            (Some((_, values)), Some(parent)) => {
                Some(self.partition_bound(values, parent, &table.name)?)
            }
            _ => None,
        };
        let declared = table
            .columns
            .iter()
            .skip(inherited.columns)
            .map(|column| column.id);
        let own = inherited.own.into_iter().chain(declared);
        let own: Vec<ColumnId> = match inherited.parents.is_empty() {
            true => Vec::new(),
            false => own.collect(),
        };
        let parents = inherited
            .parents
            .iter()
            .map(|parent| parent.object)
            .collect();
        table.change_inheritance(|inheritance| {
            *inheritance = InheritanceDef {
                parents,
                children: Vec::new(),
                own,
                partitioning,
                bound,
            };
        });
        Ok(())
    }

    /// Gives a new table the checks that it inherits.
    fn inherit_checks(&mut self, checks: Vec<CheckDef>, table: &mut TableDef) -> Result<()> {
        for check in checks {
            let mut known = table.checks.iter();
            let known = known.find(|known| known.name == check.name && !check.name.is_empty());
            match known {
                None => table.checks.push(check),
                Some(known) if same_meaning(&known.expr, &check.expr) => {
                    self.query
                        .outputs
                        .messages
                        .push(merging("constraint", &check.name));
                }
                Some(_) => {
                    let message = format!(
                        "constraint \"{}\" for relation \"{}\" conflicts with inherited constraint",
                        check.name, table.name
                    );
                    return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
                }
            }
        }
        table
            .checks
            .sort_by(|left, right| left.name.cmp(&right.name));
        Ok(())
    }
}
