//! Columns and constraints as CREATE TABLE and ALTER TABLE write them.

use varve_ast::{
    Column, ColumnConstraint, ColumnConstraintKind, Expr as Ast, ForeignKey, Identity,
    IndexElement, KeyConstraint, Name, TableConstraint, TableConstraintKind,
};
use varve_catalog::model::domain::DomainDef;
use varve_catalog::model::index::{Deferral, IndexDef, IndexOptions};
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::{ColumnDef as TableColumn, Filled, TableDef, sort_checks};
use varve_plan::scope::data_type::serial_type;
use varve_plan::scope::error::{located, refuse, unsupported_at};
use varve_types::{ColumnId, Error, LogicalType, ObjectId, Result, SqlState, TypeMod};

use crate::binder::DdlBinder;
use crate::sequence::{identity_filled, identity_type};
use crate::table::foreign_key::WrittenReference;
use crate::table::index::deferral;

/// Most columns of a table, as in PostgreSQL.
const COLUMNS_MAX: usize = 1_600;
/// Most columns of a key, as in PostgreSQL.
const KEY_COLUMNS_MAX: usize = 32;

/// What columns and constraints ask for beside the columns: bound once all columns are known.
#[derive(Default)]
pub struct Parts<'a> {
    /// By the position of the column.
    pub defaults: Vec<(usize, ColumnDefault<'a>)>,
    pub(crate) checks: Vec<(Option<&'a Name>, &'a Ast)>,
    /// Of serial and identity columns, by the position of the column.
    pub sequences: Vec<(usize, SequenceDef)>,
    pub(crate) primary_key: Option<WrittenKey<'a>>,
    pub(crate) uniques: Vec<Unique<'a>>,
    pub(crate) references: Vec<WrittenReference<'a>>,
    /// Names and elements.
    pub indexes: Vec<(Option<&'a Name>, &'a [IndexElement])>,
    /// Of columns of domains, by the position of the column.
    pub domains: Vec<(usize, DomainDef)>,
}

/// A primary key.
pub struct WrittenKey<'a> {
    pub columns: Vec<usize>,
    pub name: Option<&'a Name>,
    pub(crate) deferral: Deferral,
}

impl DdlBinder<'_, '_> {
    /// A column of a table with this name, behind those that it has.
    pub fn new_column<'a>(
        &mut self,
        definition: &'a Column,
        named: (ObjectId, &str),
        columns: &mut Vec<TableColumn>,
        parts: &mut Parts<'a>,
    ) -> Result<()> {
        let Column {
            name,
            type_name,
            constraints,
        } = definition;
        let (type_name, table) = (type_name.as_ref(), named.1);
        let position = self.query.at(name.span);
        let name = self.query.new_name(name)?;
        if is_system_column(&name) {
            return Err(system_column(&name));
        }
        let at = columns.len();
        let serial = type_name.and_then(serial_type);
        let (ty, modifier) = match (serial, type_name) {
            (Some(ty), _) => (ty, TypeMod::NONE),
            (None, Some(type_name)) => self.query.data_type(type_name)?,
            (None, None) => {
                let known = columns.iter().find(|column| column.name == name);
                let known = known.ok_or_else(|| {
                    let message = format!("column \"{name}\" does not exist");
                    Error::new(SqlState::UNDEFINED_COLUMN, message)
                })?;
                (known.ty, known.modifier)
            }
        };
        let mut constraints = self.column_constraints(constraints, (&name, ty), table, position)?;
        if let Some((domain, _)) = type_name.and_then(|type_name| self.query.domain_of(type_name)) {
            parts.domains.push((at, domain.clone()));
        }
        let identity = constraints.identity;
        if serial.is_some() {
            let is_there = constraints.default.is_some() || identity.is_some();
            let what = match identity {
                Some(_) => "both default and identity",
                None => "default values",
            };
            self.once(is_there, what, &name, table, position)?;
        }
        if serial.is_some() || identity.is_some() {
            constraints.not_null = true;
            let others = &parts.sequences;
            let sequence = self.filling_sequence(named, (&name, ty), identity, others)?;
            parts.sequences.push((at, sequence));
        }
        let id = ColumnId::behind(columns.iter().map(|column| column.id).max())?;
        let mut column = TableColumn::new(id, name, ty, !constraints.not_null);
        if let Some(identity) = identity {
            column.filled = identity_filled(identity.is_always);
        }
        column.modifier = modifier;
        self.column_storage(&definition.constraints, &mut column)?;
        self.put_constraints(parts, constraints, at, table, position)?;
        columns.push(column);
        if columns.len() > COLUMNS_MAX {
            let error = Error::new(
                SqlState::TOO_MANY_COLUMNS,
                format!("tables can have at most {COLUMNS_MAX} columns"),
            );
            return Err(located(error, position));
        }
        Ok(())
    }

    /// The sequence that fills a serial or identity column.
    fn filling_sequence(
        &mut self,
        (schema, table): (ObjectId, &str),
        (column, ty): (&str, LogicalType),
        identity: Option<&Identity>,
        others: &[(usize, SequenceDef)],
    ) -> Result<SequenceDef> {
        identity_type(ty)?;
        let options = identity.map_or(&[][..], |identity| &identity.options);
        let mut sequence = self.column_sequence((schema, table), column, ty, options, others)?;
        if let Some(name) = identity.and_then(|identity| identity.sequence.as_ref()) {
            let taken = others.iter().map(|(_, other)| other.name.as_str());
            let taken: Vec<&str> = taken.chain([table]).collect();
            sequence.name = self.identity_name(name, schema, &taken)?;
        }
        Ok(sequence)
    }

    /// Keeps what the constraints of the column at a position ask for.
    fn put_constraints<'a>(
        &self,
        parts: &mut Parts<'a>,
        constraints: ColumnConstraints<'a>,
        at: usize,
        table: &str,
        position: u32,
    ) -> Result<()> {
        if let Some((name, deferral)) = constraints.primary_key {
            let key = WrittenKey {
                columns: vec![at],
                name,
                deferral,
            };
            self.set_primary_key(parts, key, table, position)?;
        }
        if let Some(unique) = constraints.unique {
            parts.uniques.push(Unique::Column(at, unique));
        }
        if let Some(default) = constraints.default {
            parts.defaults.push((at, default));
        }
        parts.checks.extend(constraints.checks);
        let references = constraints.references.into_iter();
        parts
            .references
            .extend(references.map(|(name, key)| WrittenReference {
                name,
                column: Some(at),
                key,
            }));
        Ok(())
    }

    /// A constraint of a table with this name and these columns.
    pub fn new_constraint<'a>(
        &self,
        constraint: &'a TableConstraint,
        table: &str,
        columns: &[TableColumn],
        parts: &mut Parts<'a>,
    ) -> Result<()> {
        let position = self.query.first();
        let name = constraint.name.as_ref();
        match &constraint.kind {
            TableConstraintKind::PrimaryKey(key) => {
                if key.using_index.is_some() {
                    return Err(unsupported_at("this table constraint", position));
                }
                let written = WrittenKey {
                    columns: self.key_columns(key, columns)?,
                    name,
                    deferral: deferral(key.deferral, position)?,
                };
                self.set_primary_key(parts, written, table, position)?;
            }
            TableConstraintKind::Unique(key) => {
                refuse(key.using_index.is_some(), "UNIQUE USING INDEX", position)?;
                parts.uniques.push(Unique::Table(name, key));
            }
            TableConstraintKind::ForeignKey(key) => parts.references.push(WrittenReference {
                name,
                column: None,
                key,
            }),
            TableConstraintKind::Check(check) => parts.checks.push((name, &check.condition)),
            TableConstraintKind::Index(elements) => parts.indexes.push((name, elements)),
            TableConstraintKind::Exclusion(_) => return Err(unsupported_at("EXCLUDE", position)),
        }
        Ok(())
    }

    /// Gives a table, which has its columns, what they and its constraints ask for; answers the
    /// indexes that it needs.
    pub fn apply(&mut self, table: &mut TableDef, parts: &Parts<'_>) -> Result<Vec<IndexDef>> {
        let mut indexes = Vec::new();
        if let Some(key) = &parts.primary_key {
            indexes.extend(self.apply_key(table, key)?);
        }
        self.column_expressions(table, &parts.defaults)?;
        for (at, domain) in &parts.domains {
            if let Some(column) = table.columns.get_mut(*at)
                && column.default.is_none()
                && column.filled == Filled::ByStatement
                && column.ty == domain.base
            {
                column.default.clone_from(&domain.default);
            }
            let ty = table.type_at(*at);
            table.checks.push(DdlBinder::domain_check(domain, *at, ty)?);
        }
        self.apply_checks(table, &parts.checks)?;
        self.unique_indexes(table, &parts.uniques, &mut indexes)?;
        for index in &parts.indexes {
            let index = self.index_element(table, *index, &indexes)?;
            indexes.push(index);
        }
        for written in &parts.references {
            let key = self.foreign_key(table, &indexes, *written)?;
            table.foreign_keys.push(key);
        }
        Ok(indexes)
    }

    /// Gives a table its primary key; answers the index of one that can be deferred.
    fn apply_key(&self, table: &mut TableDef, key: &WrittenKey<'_>) -> Result<Option<IndexDef>> {
        let WrittenKey {
            columns,
            name,
            deferral,
        } = key;
        for at in columns {
            if let Some(column) = table.columns.get_mut(*at) {
                column.nullable = false;
            }
        }
        if *deferral != Deferral::Never {
            return self
                .deferred_key(table, *name, columns, *deferral)
                .map(Some);
        }
        table.primary_key.clone_from(columns);
        if let Some(name) = name {
            let name = self.query.new_name(name)?;
            table.key_name = Some(name).filter(|name| *name != table.key_name());
        }
        Ok(None)
    }

    /// Gives a table its CHECK constraints.
    fn apply_checks(
        &mut self,
        table: &mut TableDef,
        checks: &[(Option<&Name>, &Ast)],
    ) -> Result<()> {
        let kept = table.checks.len();
        for (name, check) in checks {
            let check = self.check_constraint(table, *name, check, &[])?;
            let mut known = table.checks.iter();
            if let Some(at) = known.position(|known| known.name == check.name) {
                let (name, table) = (&check.name, &table.name);
                // What the statement adds twice is worded differently.
                let message = match at < kept {
                    true => {
                        format!("constraint \"{name}\" for relation \"{table}\" already exists")
                    }
                    false => format!("check constraint \"{name}\" already exists"),
                };
                return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
            }
            table.checks.push(check);
        }
        sort_checks(&mut table.checks);
        Ok(())
    }

    /// Gives columns their defaults; what is generated comes last, over all columns.
    fn column_expressions(
        &mut self,
        table: &mut TableDef,
        defaults: &[(usize, ColumnDefault<'_>)],
    ) -> Result<()> {
        for (at, default) in defaults {
            if let (Some(column), ColumnDefault::Generated(_)) =
                (table.columns.get_mut(*at), default)
            {
                column.filled = Filled::Generated;
            }
        }
        for (at, default) in defaults {
            let Some(column) = table.columns.get(*at) else {
                continue;
            };
            let expr = match default {
                ColumnDefault::Value(ast) => self.default_of(ast, column)?,
                ColumnDefault::Generated(ast) => Some(self.generated_by(ast, table, column)?),
            };
            if let Some(column) = table.columns.get_mut(*at) {
                column.default = expr;
            }
        }
        Ok(())
    }

    fn unique_indexes(
        &mut self,
        table: &TableDef,
        uniques: &[Unique<'_>],
        indexes: &mut Vec<IndexDef>,
    ) -> Result<()> {
        for unique in uniques {
            indexes.push(match unique {
                Unique::Column(column, (name, checks)) => {
                    self.unique_index(table, *name, &[*column], *checks, indexes)?
                }
                Unique::Table(name, key) => self.unique_constraint(table, *name, key, indexes)?,
            });
        }
        Ok(())
    }

    pub(crate) fn set_primary_key<'a>(
        &self,
        parts: &mut Parts<'a>,
        key: WrittenKey<'a>,
        table: &str,
        position: u32,
    ) -> Result<()> {
        if parts.primary_key.is_some() {
            let error = Error::new(
                SqlState::INVALID_TABLE_DEFINITION,
                format!("multiple primary keys for table \"{table}\" are not allowed"),
            );
            return Err(located(error, position));
        }
        parts.primary_key = Some(key);
        Ok(())
    }

    fn column_constraints<'a>(
        &mut self,
        written: &'a [ColumnConstraint],
        (column, ty): (&str, LogicalType),
        table: &str,
        position: u32,
    ) -> Result<ColumnConstraints<'a>> {
        let mut found = ColumnConstraints::default();
        let mut null = false;
        for constraint in written {
            let name = constraint.name.as_ref();
            match &constraint.kind {
                ColumnConstraintKind::NotNull => found.not_null = true,
                ColumnConstraintKind::Null => null = true,
                ColumnConstraintKind::PrimaryKey(key) => {
                    found.primary_key = Some((name, deferral(key.deferral, position)?));
                }
                ColumnConstraintKind::Unique(key) => {
                    let checks = (unique_options(key), deferral(key.deferral, position)?);
                    found.unique = Some((name, checks));
                }
                ColumnConstraintKind::Default(ast) => {
                    let what = match found.default {
                        Some(ColumnDefault::Generated(_)) => {
                            "both default and generation expression"
                        }
                        _ => "default values",
                    };
                    self.once(found.default.is_some(), what, column, table, position)?;
                    found.default = Some(ColumnDefault::Value(ast));
                }
                ColumnConstraintKind::Generated(ast) => {
                    let what = match found.default {
                        Some(ColumnDefault::Value(_)) => "both default and generation expression",
                        _ => "generation clauses",
                    };
                    self.once(found.default.is_some(), what, column, table, position)?;
                    found.default = Some(ColumnDefault::Generated(ast));
                }
                ColumnConstraintKind::Identity(identity) => {
                    let what = "both default and identity";
                    self.once(found.default.is_some(), what, column, table, position)?;
                    let what = "identity specifications";
                    self.once(found.identity.is_some(), what, column, table, position)?;
                    found.identity = Some(identity);
                }
                ColumnConstraintKind::Check(check) => found.checks.push((name, &check.condition)),
                ColumnConstraintKind::References(key) => found.references.push((name, key)),
                ColumnConstraintKind::Collation(name) => {
                    self.query
                        .collation(name, ty, self.query.at(constraint.span))?;
                }
                // Looked at once the column is there.
                ColumnConstraintKind::Storage(_) | ColumnConstraintKind::Compression(_) => {}
            }
        }
        if null && found.not_null {
            let message = format!(
                "conflicting NULL/NOT NULL declarations for column \"{column}\" of table \
                 \"{table}\""
            );
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        }
        Ok(found)
    }

    /// Positions of the columns of a table's PRIMARY KEY constraint.
    fn key_columns(&self, key: &KeyConstraint, columns: &[TableColumn]) -> Result<Vec<usize>> {
        let first = self.query.first();
        refuse(!key.include.is_empty(), "this form of PRIMARY KEY", first)?;
        let mut positions = Vec::with_capacity(key.columns.len());
        for Name {
            text: name, span, ..
        } in &key.columns
        {
            let position = self.query.at(*span);
            let index = columns.iter().position(|known| known.name == *name);
            let Some(index) = index else {
                let error = Error::new(
                    SqlState::UNDEFINED_COLUMN,
                    format!("column \"{name}\" named in key does not exist"),
                );
                return Err(located(error, position));
            };
            if positions.contains(&index) {
                let error = Error::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{name}\" appears twice in primary key constraint"),
                );
                return Err(located(error, position));
            }
            positions.push(index);
        }
        if positions.len() > KEY_COLUMNS_MAX {
            let error = Error::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("cannot use more than {KEY_COLUMNS_MAX} columns in a primary key"),
            );
            return Err(located(error, first));
        }
        Ok(positions)
    }
}

/// What gives a column its values.
#[derive(Clone, Copy)]
pub enum ColumnDefault<'a> {
    Value(&'a Ast),
    Generated(&'a Ast),
}

#[derive(Default)]
struct ColumnConstraints<'a> {
    not_null: bool,
    /// Its name, and when it is checked.
    primary_key: Option<(Option<&'a Name>, Deferral)>,
    unique: Option<UniqueColumn<'a>>,
    default: Option<ColumnDefault<'a>>,
    identity: Option<&'a Identity>,
    /// Names and conditions.
    checks: Vec<(Option<&'a Name>, &'a Ast)>,
    references: Vec<(Option<&'a Name>, &'a ForeignKey)>,
}

/// The name of a UNIQUE constraint, what its values must be, and when it is checked.
pub type UniqueColumn<'a> = (Option<&'a Name>, (IndexOptions, Deferral));

/// A UNIQUE constraint.
pub enum Unique<'a> {
    /// Of the column at a position.
    Column(usize, UniqueColumn<'a>),
    /// Of a table, with its name.
    Table(Option<&'a Name>, &'a KeyConstraint),
}

/// What a UNIQUE constraint says of its index.
pub fn unique_options(key: &KeyConstraint) -> IndexOptions {
    IndexOptions {
        nulls_not_distinct: key.nulls_distinct == Some(false),
        ..IndexOptions::UNIQUE
    }
}

/// Whether PostgreSQL has a column of this name in every table.
pub fn is_system_column(name: &str) -> bool {
    ["tableoid", "ctid", "xmin", "xmax", "cmin", "cmax"].contains(&name)
}

/// `42701`
pub fn system_column(name: &str) -> Error {
    let message = format!("column name \"{name}\" conflicts with a system column name");
    Error::new(SqlState::DUPLICATE_COLUMN, message)
}
