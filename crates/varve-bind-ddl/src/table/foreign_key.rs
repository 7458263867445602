//! FOREIGN KEY and REFERENCES.

use std::sync::Arc;

use varve_ast::{ForeignKey, Match, Name, ObjectName, ReferentialAction};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::foreign_key::{ForeignKeyDef, KeyAction};
use varve_catalog::model::index::{Deferral, IndexDef};
use varve_catalog::model::schema::{RelationName, is_temporary};
use varve_catalog::model::table::{Filled, TableDef};
use varve_catalog::text::name::undefined_table;
use varve_expr::implicit_cast_allowed;
use varve_types::{Error, KeyOrder, KeyPart, LogicalType, Result, SqlState};

use crate::binder::DdlBinder;
use crate::table::check::free;
use crate::table::index::deferral;

/// A foreign key as it is written.
#[derive(Clone, Copy)]
pub struct WrittenReference<'a> {
    pub name: Option<&'a Name>,
    /// The column that it stands behind.
    pub column: Option<usize>,
    pub(crate) key: &'a ForeignKey,
}

/// A key that foreign keys may refer to.
struct ParentKey {
    columns: Vec<usize>,
    deferral: Deferral,
}

impl DdlBinder<'_, '_> {
    /// A foreign key of a table that is being made or changed; `indexes` are those that it gets.
    pub fn foreign_key(
        &mut self,
        table: &TableDef,
        indexes: &[IndexDef],
        written: WrittenReference<'_>,
    ) -> Result<ForeignKeyDef> {
        let ForeignKey {
            columns,
            table: parent,
            referred,
            match_kind,
            on_delete,
            on_update,
            deferral: written_deferral,
        } = written.key;
        let known = self.referred_table(table, parent)?;
        let parent = known.as_deref().unwrap_or(table);
        may_refer(table, parent)?;
        let new = if known.is_none() { indexes } else { &[] };
        let is_full = match match_kind {
            None | Some(Match::Simple) => false,
            Some(Match::Full) => true,
            Some(Match::Partial) => {
                let message = "MATCH PARTIAL not yet implemented";
                return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
            }
        };
        let columns = match written.column {
            Some(column) => vec![column],
            None => key_positions(table, columns)?,
        };
        let parent_columns = self.parent_columns(parent, new, referred)?;
        if columns.len() != parent_columns.len() {
            let message = "number of referencing and referenced columns for foreign key disagree";
            return Err(Error::new(SqlState::INVALID_FOREIGN_KEY, message));
        }
        let name = self.reference_name(table, indexes, written.name, &columns)?;
        check_types((table, &columns), (parent, &parent_columns), &name)?;
        let (on_delete, on_update) = (action(*on_delete), action(*on_update));
        check_generated(table, &columns, on_delete, on_update)?;
        let id = |at: &usize| parent.columns.get(*at).map(|column| column.id);
        Ok(ForeignKeyDef {
            name,
            columns,
            parent: parent.object,
            parent_columns: parent_columns.iter().filter_map(id).collect(),
            is_full,
            on_delete,
            on_update,
            set_columns: Vec::new(),
            deferral: deferral(*written_deferral, self.query.first())?,
            is_valid: true,
        })
    }

    /// The table that a foreign key refers to; `None` for the one that has it.
    fn referred_table(
        &self,
        table: &TableDef,
        written: &ObjectName,
    ) -> Result<Option<Arc<TableDef>>> {
        let name = self.query.relation_name(written)?;
        if self.is_itself(table, &name) {
            return Ok(None);
        }
        match self.query.find(&name) {
            Some(Named::Table(object)) if self.catalog.view_of(object).is_none() => {
                self.query.table(written).cloned().map(Some)
            }
            None if self.query.system_view(&name).is_none() => Err(undefined_table(&name, 0)),
            _ => {
                let message = format!("referenced relation \"{}\" is not a table", name.name);
                Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
            }
        }
    }

    /// Whether a name means the table that is being made or changed.
    fn is_itself(&self, table: &TableDef, name: &RelationName) -> bool {
        let schema = match &name.schema {
            Some(schema) => self.catalog.schema(schema),
            None => match self.query.find(name) {
                Some(Named::Table(object)) => {
                    let found = self.catalog.tables.get(&object);
                    found.map(|found| found.schema)
                }
                Some(_) => None,
                None => Some(table.schema),
            },
        };
        name.name == table.name && schema == Some(table.schema)
    }

    /// The columns of the other table: those that are named, which must be a key, or its primary
    /// key.
    fn parent_columns(
        &self,
        parent: &TableDef,
        new: &[IndexDef],
        names: &[Name],
    ) -> Result<Vec<usize>> {
        if names.is_empty() {
            let key = parent.declared_key();
            if key.is_empty() {
                let message = format!(
                    "there is no primary key for referenced table \"{}\"",
                    parent.name
                );
                return Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
            }
            return Ok(key);
        }
        let wanted = key_positions(parent, names)?;
        let mut sorted = wanted.clone();
        varve_sort::sort(&mut sorted);
        sorted.dedup();
        if sorted.len() < wanted.len() {
            let message = "foreign key referenced-columns list must not contain duplicates";
            return Err(Error::new(SqlState::INVALID_FOREIGN_KEY, message));
        }
        let mut is_deferrable = false;
        for ParentKey {
            mut columns,
            deferral,
        } in parent_keys(parent, new)
        {
            varve_sort::sort(&mut columns);
            if columns != sorted {
                continue;
            }
            if deferral == Deferral::Never {
                return Ok(wanted);
            }
            is_deferrable = true;
        }
        let (state, message) = match is_deferrable {
            true => (
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!(
                    "cannot use a deferrable unique constraint for referenced table \"{}\"",
                    parent.name
                ),
            ),
            false => (
                SqlState::INVALID_FOREIGN_KEY,
                format!(
                    "there is no unique constraint matching given keys for referenced table \
                     \"{}\"",
                    parent.name
                ),
            ),
        };
        Err(Error::new(state, message))
    }

    fn reference_name(
        &self,
        table: &TableDef,
        indexes: &[IndexDef],
        name: Option<&Name>,
        columns: &[usize],
    ) -> Result<String> {
        let taken = |name: &str| {
            let mut new = indexes.iter().filter(|index| index.is_constraint);
            table.has_constraint(name) || new.any(|index| index.name == name)
        };
        let Some(name) = name else {
            let names: Vec<String> = columns.iter().map(|at| table.given_name(*at)).collect();
            return Ok(free([&table.name, &names.join("_")], "fkey", &taken));
        };
        let name = self.query.new_name(name)?;
        if taken(&name) {
            let message = format!(
                "constraint \"{name}\" for relation \"{}\" already exists",
                table.name
            );
            return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
        }
        Ok(name)
    }
}

/// Refuses a foreign key between tables that do not last equally long, and to one whose keys are
/// those of its partitions.
fn may_refer(table: &TableDef, parent: &TableDef) -> Result<()> {
    if parent.partitioning().is_some() {
        return Err(Error::unsupported("a foreign key to a partitioned table"));
    }
    let is_kept = !is_temporary(table.schema);
    if is_kept == is_temporary(parent.schema) {
        let kind = if is_kept { "permanent" } else { "temporary" };
        let message = format!("constraints on {kind} tables may reference only {kind} tables");
        return Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message));
    }
    Ok(())
}

/// Refuses a foreign key of this name over columns whose values cannot be compared.
fn check_types(
    (table, columns): (&TableDef, &[usize]),
    (parent, parent_columns): (&TableDef, &[usize]),
    name: &str,
) -> Result<()> {
    for (column, parent_column) in columns.iter().zip(parent_columns) {
        let (from, to) = (table.type_at(*column), parent.type_at(*parent_column));
        if !is_comparable(from, to) {
            let message = format!("foreign key constraint \"{name}\" cannot be implemented");
            let detail = format!(
                "Key columns \"{}\" and \"{}\" are of incompatible types: {from} and {to}.",
                table.given_name(*column),
                parent.given_name(*parent_column)
            );
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            return Err(error.with_detail(detail));
        }
    }
    Ok(())
}

/// Refuses actions that would write generated columns.
fn check_generated(
    table: &TableDef,
    columns: &[usize],
    on_delete: KeyAction,
    on_update: KeyAction,
) -> Result<()> {
    let has_generated = columns.iter().any(|at| {
        let column = table.columns.get(*at);
        column.is_some_and(|column| column.filled == Filled::Generated)
    });
    for (clause, action, allowed) in [
        ("UPDATE", on_update, false),
        ("DELETE", on_delete, on_delete == KeyAction::Cascade),
    ] {
        let checks = matches!(action, KeyAction::NoAction | KeyAction::Restrict);
        if has_generated && !checks && !allowed {
            let message = format!(
                "invalid ON {clause} action for foreign key constraint containing generated column"
            );
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
    }
    Ok(())
}

/// Positions of the columns of a key.
fn key_positions(table: &TableDef, names: &[Name]) -> Result<Vec<usize>> {
    let position = |Name { text: name, .. }: &Name| {
        let found = table.columns.iter().position(|column| column.name == *name);
        found.ok_or_else(|| {
            let message =
                format!("column \"{name}\" referenced in foreign key constraint does not exist");
            Error::new(SqlState::UNDEFINED_COLUMN, message)
        })
    };
    names.iter().map(position).collect()
}

/// The keys of a table that no two rows share: over whole columns of all of its rows.
fn parent_keys(parent: &TableDef, new: &[IndexDef]) -> Vec<ParentKey> {
    let columns = |keys: &[(KeyPart, KeyOrder)]| -> Option<Vec<usize>> {
        keys.iter().map(|(part, _)| part.column()).collect()
    };
    let mut keys = vec![ParentKey {
        columns: parent.primary_key.clone(),
        deferral: Deferral::Never,
    }];
    for index in &parent.indexes {
        if index.options.is_unique
            && index.predicate.is_empty()
            && !index.is_building
            && let Some(columns) = columns(&index.keys)
        {
            keys.push(ParentKey {
                columns,
                deferral: index.deferral,
            });
        }
    }
    for index in new {
        if index.options.is_unique
            && index.predicate.is_empty()
            && let Some(columns) = columns(&index.keys)
        {
            keys.push(ParentKey {
                columns,
                deferral: index.deferral,
            });
        }
    }
    keys
}

/// Types whose values can be equal to each other.
const ALIKE: [&[LogicalType]; 4] = [
    &[LogicalType::Int2, LogicalType::Int4, LogicalType::Int8],
    &[LogicalType::Float4, LogicalType::Float8],
    &[LogicalType::Text, LogicalType::Varchar, LogicalType::Bpchar],
    &[
        LogicalType::Date,
        LogicalType::Timestamp,
        LogicalType::TimestampTz,
    ],
];

/// Whether foreign keys may refer to these columns, in order.
pub fn has_key(table: &TableDef, columns: &[usize]) -> bool {
    parent_keys(table, &[]).into_iter().any(|mut key| {
        varve_sort::sort(&mut key.columns);
        key.columns == columns && !columns.is_empty()
    })
}

/// Whether values of one type can be looked for among those of another.
fn is_comparable(from: LogicalType, to: LogicalType) -> bool {
    let holds = |alike: &&[LogicalType]| alike.contains(&from) && alike.contains(&to);
    from == to || implicit_cast_allowed(from, to) || ALIKE.iter().any(holds)
}

fn action(action: Option<ReferentialAction>) -> KeyAction {
    match action {
        None | Some(ReferentialAction::NoAction) => KeyAction::NoAction,
        Some(ReferentialAction::Restrict) => KeyAction::Restrict,
        Some(ReferentialAction::Cascade) => KeyAction::Cascade,
        Some(ReferentialAction::SetNull) => KeyAction::SetNull,
        Some(ReferentialAction::SetDefault) => KeyAction::SetDefault,
    }
}
