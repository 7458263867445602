//! Columns and constraints as CREATE TABLE and ALTER TABLE write them.

use sqlparser::ast::{
    ColumnDef, ColumnOption, ColumnOptionDef, DataType, Expr as Ast, ForeignKeyConstraint,
    GeneratedAs, GeneratedExpressionMode, Ident, IndexColumn, IndexConstraint, NullsDistinctOption,
    ObjectName, ObjectNamePart, OrderByExpr, OrderByOptions, PrimaryKeyConstraint, TableConstraint,
    UniqueConstraint,
};
use varve_types::{ColumnId, Error, LogicalType, ObjectId, Result, SqlState, TypeMod, Uniqueness};

use crate::bind::foreign_key::WrittenReference;
use crate::bind::index::deferral;
use crate::bind::names::fold_name;
use crate::bind::sequence::{WrittenIdentity, serial_type};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::catalog::{ColumnDef as TableColumn, Filled, TableDef, sort_checks};
use crate::domain::DomainDef;
use crate::index::Deferral;
use crate::plan::NewIndex;
use crate::sequence::SequenceDef;

/// Most columns of a table, as in PostgreSQL.
const COLUMNS_MAX: usize = 1_600;
/// Most columns of a key, as in PostgreSQL.
const KEY_COLUMNS_MAX: usize = 32;

/// What columns and constraints ask for beside the columns: bound once all columns are known.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    /// By the position of the column.
    pub(crate) defaults: Vec<(usize, ColumnDefault<'a>)>,
    pub(crate) checks: Vec<(Option<&'a Ident>, &'a Ast)>,
    /// Of serial and identity columns, by the position of the column.
    pub(crate) sequences: Vec<(usize, SequenceDef)>,
    pub(crate) primary_key: Option<WrittenKey<'a>>,
    pub(crate) uniques: Vec<Unique<'a>>,
    pub(crate) references: Vec<WrittenReference<'a>>,
    pub(crate) indexes: Vec<&'a IndexConstraint>,
    /// Of columns of domains, by the position of the column.
    pub(crate) domains: Vec<(usize, DomainDef)>,
}

/// A primary key.
pub(crate) struct WrittenKey<'a> {
    pub(crate) columns: Vec<usize>,
    pub(crate) name: Option<&'a Ident>,
    pub(crate) deferral: Deferral,
}

impl Binder<'_> {
    /// A column of a table with this name, behind those that it has.
    pub(crate) fn new_column<'a>(
        &mut self,
        definition: &'a ColumnDef,
        (schema, table): (ObjectId, &str),
        columns: &mut Vec<TableColumn>,
        parts: &mut Parts<'a>,
    ) -> Result<()> {
        let ColumnDef {
            name: ident,
            data_type,
            options,
        } = definition;
        let position = self.source.ident(ident);
        let column_name = self.new_name(ident)?;
        if is_system_column(&column_name) {
            return Err(system_column(&column_name));
        }
        let at = columns.len();
        let serial = match data_type {
            DataType::Custom(name, modifiers) if modifiers.is_empty() => match &*name.0 {
                [ObjectNamePart::Identifier(name)] => serial_type(name),
                _ => None,
            },
            _ => None,
        };
        let (ty, modifier) = match serial {
            Some(ty) => (ty, TypeMod::NONE),
            None if matches!(data_type, DataType::Unspecified) => {
                let known = columns.iter().find(|column| column.name == column_name);
                let known = known.ok_or_else(|| {
                    let message = format!("column \"{column_name}\" does not exist");
                    Error::new(SqlState::UNDEFINED_COLUMN, message)
                })?;
                (known.ty, known.modifier)
            }
            None => self.data_type(data_type, self.source.after(position))?,
        };
        let mut constraints =
            self.column_constraints(options, (&column_name, ty), table, position)?;
        if let Some((domain, _)) = self.domain_of(data_type) {
            parts.domains.push((at, domain.clone()));
        }
        let identity = constraints.identity.take();
        if serial.is_some() {
            let is_there = constraints.default.is_some() || identity.is_some();
            let what = match identity {
                Some(_) => "both default and identity",
                None => "default values",
            };
            self.once(is_there, what, &column_name, table, position)?;
        }
        let filled = identity.as_ref().map(|(filled, ..)| *filled);
        let items = match (&identity, serial) {
            (Some((_, _, items)), _) => Some(*items),
            (None, Some(_)) => Some(&[][..]),
            (None, None) => None,
        };
        if let Some(items) = items {
            if !matches!(
                ty,
                LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8
            ) {
                let message = "identity column type must be smallint, integer, or bigint";
                return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
            }
            constraints.not_null = true;
            let others = &parts.sequences;
            let mut sequence =
                self.column_sequence((schema, table), &column_name, ty, items, others)?;
            if let Some((_, Some(name), _)) = identity {
                let name = ObjectName::from(name.to_vec());
                let taken = others.iter().map(|(_, other)| other.name.as_str());
                let taken: Vec<&str> = taken.chain([table]).collect();
                sequence.name = self.identity_name(&name, schema, &taken)?;
            }
            parts.sequences.push((at, sequence));
        }
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
        let last = columns.iter().map(|column| column.id.0).max();
        let id = ColumnId(last.unwrap_or(0).saturating_add(1));
        let mut column = TableColumn::new(id, column_name, ty, !constraints.not_null);
        column.filled = filled.unwrap_or_default();
        column.modifier = modifier;
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

    /// A constraint of a table with this name and these columns.
    pub(crate) fn new_constraint<'a>(
        &self,
        constraint: &'a TableConstraint,
        table: &str,
        columns: &[TableColumn],
        parts: &mut Parts<'a>,
    ) -> Result<()> {
        let position = self.source.first();
        let what = match constraint {
            TableConstraint::PrimaryKey(key) => {
                let written = WrittenKey {
                    columns: self.key_columns(key, columns)?,
                    name: key.name.as_ref(),
                    deferral: deferral(key.characteristics, position)?,
                };
                return self.set_primary_key(parts, written, table, position);
            }
            TableConstraint::Unique(unique) => {
                parts.uniques.push(Unique::Table(unique));
                return Ok(());
            }
            TableConstraint::ForeignKey(key) => {
                parts.references.push(WrittenReference {
                    name: key.name.as_ref(),
                    column: None,
                    key,
                });
                return Ok(());
            }
            TableConstraint::Check(check) => {
                refuse(check.enforced.is_some(), "ENFORCED", position)?;
                parts.checks.push((check.name.as_ref(), &*check.expr));
                return Ok(());
            }
            TableConstraint::Index(index) => {
                parts.indexes.push(index);
                return Ok(());
            }
            TableConstraint::UniqueUsingIndex(_) => "UNIQUE USING INDEX",
            TableConstraint::Exclude(_) => "EXCLUDE",
            _ => "this table constraint",
        };
        Err(unsupported_at(what, position))
    }

    /// Gives a table, which has its columns, what they and its constraints ask for; answers the
    /// indexes that it needs.
    pub(crate) fn apply(
        &mut self,
        table: &mut TableDef,
        parts: &Parts<'_>,
    ) -> Result<Vec<NewIndex>> {
        let mut indexes = Vec::new();
        if let Some(WrittenKey {
            columns,
            name,
            deferral,
        }) = &parts.primary_key
        {
            for at in columns {
                if let Some(column) = table.columns.get_mut(*at) {
                    column.nullable = false;
                }
            }
            match deferral {
                Deferral::Never => {
                    table.primary_key.clone_from(columns);
                    if let Some(ident) = name {
                        let name = self.new_name(ident)?;
                        table.key_name = Some(name).filter(|name| *name != table.key_name());
                    }
                }
                deferral => indexes.push(self.deferred_key(table, *name, columns, *deferral)?),
            }
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
            table.checks.push(Binder::domain_check(domain, *at, ty)?);
        }
        let kept = table.checks.len();
        for (name, check) in &parts.checks {
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
        self.unique_indexes(table, &parts.uniques, &mut indexes)?;
        for index in &parts.indexes {
            let index = self.index_element(table, index, &indexes)?;
            indexes.push(index);
        }
        for written in &parts.references {
            let key = self.foreign_key(table, &indexes, *written)?;
            table.foreign_keys.push(key);
        }
        Ok(indexes)
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
        indexes: &mut Vec<NewIndex>,
    ) -> Result<()> {
        for unique in uniques {
            indexes.push(match unique {
                Unique::Column(column, (name, checks)) => {
                    self.unique_index(table, *name, &[*column], *checks, indexes)?
                }
                Unique::Table(unique) => self.unique_constraint(table, unique, indexes)?,
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
        options: &'a [ColumnOptionDef],
        (column, ty): (&str, LogicalType),
        table: &str,
        position: u32,
    ) -> Result<ColumnConstraints<'a>> {
        let mut not_null = false;
        let mut null = false;
        let mut primary_key = None;
        let mut unique = None;
        let mut default = None;
        let mut identity = None;
        let mut checks = Vec::new();
        let mut references = Vec::new();
        for ColumnOptionDef { name, option } in options {
            let what = match option {
                ColumnOption::Unique(key) => {
                    let plain = key.columns.is_empty()
                        && key.index_name.is_none()
                        && key.index_type.is_none()
                        && key.index_options.is_empty();
                    refuse(!plain, "this form of UNIQUE", position)?;
                    let uniqueness = match key.nulls_distinct {
                        NullsDistinctOption::NotDistinct => Uniqueness::NullsEqual,
                        _ => Uniqueness::NullsDistinct,
                    };
                    let checks = (uniqueness, deferral(key.characteristics, position)?);
                    unique = Some((name.as_ref().or(key.name.as_ref()), checks));
                    continue;
                }
                ColumnOption::NotNull => {
                    not_null = true;
                    continue;
                }
                ColumnOption::Null => {
                    null = true;
                    continue;
                }
                ColumnOption::PrimaryKey(key) => {
                    let plain = is_plain_key(key) && key.columns.is_empty();
                    refuse(!plain, "this form of PRIMARY KEY", position)?;
                    let deferral = deferral(key.characteristics, position)?;
                    primary_key = Some((name.as_ref().or(key.name.as_ref()), deferral));
                    continue;
                }
                ColumnOption::Default(ast) => {
                    let what = match default {
                        Some(ColumnDefault::Generated(_)) => {
                            "both default and generation expression"
                        }
                        _ => "default values",
                    };
                    self.once(default.is_some(), what, column, table, position)?;
                    default = Some(ColumnDefault::Value(ast));
                    continue;
                }
                ColumnOption::Generated {
                    generated_as: GeneratedAs::Always | GeneratedAs::ExpStored,
                    sequence_options: None,
                    generation_expr: Some(ast),
                    generation_expr_mode: Some(GeneratedExpressionMode::Stored),
                    generated_keyword: true,
                } => {
                    let what = match default {
                        Some(ColumnDefault::Value(_)) => "both default and generation expression",
                        _ => "generation clauses",
                    };
                    self.once(default.is_some(), what, column, table, position)?;
                    default = Some(ColumnDefault::Generated(ast));
                    continue;
                }
                ColumnOption::Generated {
                    generated_as,
                    sequence_options,
                    generation_expr: sequence,
                    generation_expr_mode: None,
                    generated_keyword: true,
                } => {
                    let what = "both default and identity";
                    self.once(default.is_some(), what, column, table, position)?;
                    let what = "identity specifications";
                    self.once(identity.is_some(), what, column, table, position)?;
                    let filled = match generated_as {
                        GeneratedAs::Always => Filled::IdentityAlways,
                        _ => Filled::IdentityByDefault,
                    };
                    let name = match sequence {
                        Some(Ast::CompoundIdentifier(parts)) => Some(parts.as_slice()),
                        _ => None,
                    };
                    let items = sequence_options.as_deref().unwrap_or_default();
                    identity = Some((filled, name, items));
                    continue;
                }
                ColumnOption::Check(check) => {
                    refuse(check.enforced.is_some(), "ENFORCED", position)?;
                    let name = name.as_ref().or(check.name.as_ref());
                    checks.push((name, &*check.expr));
                    continue;
                }
                ColumnOption::ForeignKey(key) => {
                    references.push((name.as_ref().or(key.name.as_ref()), key));
                    continue;
                }
                ColumnOption::Collation(name) => {
                    self.collation(name, ty)?;
                    continue;
                }
                ColumnOption::Options(options) => {
                    self.column_stored(options, (column, ty))?;
                    continue;
                }
                ColumnOption::Generated { .. } | ColumnOption::Identity(_) => "GENERATED",
                _ => "this column constraint",
            };
            return Err(unsupported_at(what, position));
        }
        if null && not_null {
            let message = format!(
                "conflicting NULL/NOT NULL declarations for column \"{column}\" of table \
                 \"{table}\""
            );
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        }
        Ok(ColumnConstraints {
            not_null,
            primary_key,
            unique,
            default,
            identity,
            checks,
            references,
        })
    }

    /// Positions of the columns of a table's PRIMARY KEY constraint.
    fn key_columns(
        &self,
        key: &PrimaryKeyConstraint,
        columns: &[TableColumn],
    ) -> Result<Vec<usize>> {
        let position = self.source.first();
        refuse(!is_plain_key(key), "this form of PRIMARY KEY", position)?;
        let mut positions = Vec::with_capacity(key.columns.len());
        for column in &key.columns {
            let ident = plain_column(column)
                .ok_or_else(|| unsupported_at("an expression in a primary key", position))?;
            let position = self.source.ident(ident);
            let name = fold_name(ident);
            let index = columns.iter().position(|known| known.name == name);
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
            return Err(located(error, position));
        }
        Ok(positions)
    }
}

/// What gives a column its values.
#[derive(Clone, Copy)]
pub(crate) enum ColumnDefault<'a> {
    Value(&'a Ast),
    Generated(&'a Ast),
}

struct ColumnConstraints<'a> {
    not_null: bool,
    /// Its name, and when it is checked.
    primary_key: Option<(Option<&'a Ident>, Deferral)>,
    unique: Option<UniqueColumn<'a>>,
    default: Option<ColumnDefault<'a>>,
    identity: Option<WrittenIdentity<'a>>,
    /// Names and conditions.
    checks: Vec<(Option<&'a Ident>, &'a Ast)>,
    references: Vec<(Option<&'a Ident>, &'a ForeignKeyConstraint)>,
}

/// The name of a UNIQUE constraint, what its values must be, and when it is checked.
pub(crate) type UniqueColumn<'a> = (Option<&'a Ident>, (Uniqueness, Deferral));

/// A UNIQUE constraint.
pub(crate) enum Unique<'a> {
    /// Of the column at a position.
    Column(usize, UniqueColumn<'a>),
    Table(&'a UniqueConstraint),
}

/// Whether a key is columns only.
fn is_plain_key(key: &PrimaryKeyConstraint) -> bool {
    let PrimaryKeyConstraint {
        name: _,
        index_name,
        index_type,
        columns: _,
        include,
        index_options,
        characteristics: _,
    } = key;
    index_name.is_none() && index_type.is_none() && include.is_empty() && index_options.is_empty()
}

fn plain_column(column: &IndexColumn) -> Option<&Ident> {
    let IndexColumn {
        column:
            OrderByExpr {
                expr: Ast::Identifier(ident),
                options:
                    OrderByOptions {
                        sort: None,
                        nulls_first: None,
                    },
                with_fill: None,
            },
        operator_class: None,
    } = column
    else {
        return None;
    };
    Some(ident)
}

/// Whether PostgreSQL has a column of this name in every table.
pub(crate) fn is_system_column(name: &str) -> bool {
    ["tableoid", "ctid", "xmin", "xmax", "cmin", "cmax"].contains(&name)
}

/// `42701`
pub(crate) fn system_column(name: &str) -> Error {
    let message = format!("column name \"{name}\" conflicts with a system column name");
    Error::new(SqlState::DUPLICATE_COLUMN, message)
}
