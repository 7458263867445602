//! CREATE TABLE and DROP TABLE.

use sqlparser::ast::{
    ColumnDef, ColumnOption, ColumnOptionDef, CreateTable, CreateTableOptions, DataType,
    Expr as Ast, GeneratedAs, GeneratedExpressionMode, HiveDistributionStyle, HiveFormat, Ident,
    IndexColumn, NullsDistinctOption, ObjectNamePart, OrderByExpr, OrderByOptions,
    PrimaryKeyConstraint, SequenceOptions, TableConstraint, UniqueConstraint,
};
use varve_types::{ColumnId, Error, LogicalType, Result, SqlState, TypeMod, Uniqueness};

use crate::bind::index::deferral;
use crate::bind::names::fold_name;
use crate::bind::sequence::serial_type;
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::catalog::{ColumnDef as TableColumn, Filled, TableDef};
use crate::index::Deferral;
use crate::plan::{NewIndex, NewTable, Statement};
use crate::sequence::SequenceDef;

/// Most columns of a table, as in PostgreSQL.
const COLUMNS_MAX: usize = 1_600;
/// Most columns of a key, as in PostgreSQL.
const KEY_COLUMNS_MAX: usize = 32;

impl Binder<'_> {
    pub(crate) fn create_table(&mut self, create: &CreateTable) -> Result<Statement> {
        let position = self.source.first();
        refuse_clauses(create, position)?;
        let (schema, name) = self.new_relation(&create.name)?;
        let known = self.has_relation(schema, &name);
        if known && !create.if_not_exists {
            let message = format!("relation \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        let mut columns: Vec<TableColumn> = Vec::with_capacity(create.columns.len());
        let mut defaults = Vec::new();
        let mut checks = Vec::new();
        let mut sequences: Vec<(usize, SequenceDef)> = Vec::new();
        let mut primary_key: Option<Vec<usize>> = None;
        let mut key_checks = (None, Deferral::Never);
        let mut uniques = Vec::new();
        for column in &create.columns {
            let ColumnDef {
                name: ident,
                data_type,
                options,
            } = column;
            let position = self.source.ident(ident);
            let column_name = self.new_name(ident)?;
            if columns.iter().any(|known| known.name == column_name) {
                return Err(self.named_twice(ident));
            }
            let serial = match data_type {
                DataType::Custom(name, modifiers) if modifiers.is_empty() => match &*name.0 {
                    [ObjectNamePart::Identifier(name)] => serial_type(name),
                    _ => None,
                },
                _ => None,
            };
            let (ty, modifier) = match serial {
                Some(ty) => (ty, TypeMod::NONE),
                None => self.data_type(data_type, position)?,
            };
            let mut constraints =
                self.column_constraints(options, &column_name, &name, position)?;
            let identity = constraints.identity.take();
            if serial.is_some() {
                let is_there = constraints.default.is_some() || identity.is_some();
                let what = match identity {
                    Some(_) => "both default and identity",
                    None => "default values",
                };
                self.once(is_there, what, &column_name, &name, position)?;
            }
            let filled = identity.as_ref().map(|(filled, _)| *filled);
            let items = match (&identity, serial) {
                (Some((_, items)), _) => Some(*items),
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
                let sequence =
                    self.column_sequence((schema, &name), &column_name, ty, items, &sequences)?;
                sequences.push((columns.len(), sequence));
            }
            if let Some(checks) = constraints.primary_key {
                key_checks = checks;
                self.set_primary_key(&mut primary_key, vec![columns.len()], &name, position)?;
            }
            if let Some(unique) = constraints.unique {
                uniques.push(Unique::Column(columns.len(), unique));
            }
            if let Some(default) = constraints.default {
                defaults.push((columns.len(), default));
            }
            checks.extend(constraints.checks);
            let id = u32::try_from(columns.len()).unwrap_or(u32::MAX);
            let id = ColumnId(id.saturating_add(1));
            let mut column = TableColumn::new(id, column_name, ty, !constraints.not_null);
            column.filled = filled.unwrap_or_default();
            column.modifier = modifier;
            columns.push(column);
        }
        if columns.len() > COLUMNS_MAX {
            let error = Error::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("tables can have at most {COLUMNS_MAX} columns"),
            );
            return Err(located(error, position));
        }
        for constraint in &create.constraints {
            let what = match constraint {
                TableConstraint::PrimaryKey(key) => {
                    key_checks = (key.name.as_ref(), deferral(key.characteristics, position)?);
                    let key = self.key_columns(key, &columns)?;
                    self.set_primary_key(&mut primary_key, key, &name, position)?;
                    continue;
                }
                TableConstraint::Unique(unique) => {
                    uniques.push(Unique::Table(unique));
                    continue;
                }
                TableConstraint::UniqueUsingIndex(_) => "UNIQUE USING INDEX",
                TableConstraint::ForeignKey(_) => "FOREIGN KEY",
                TableConstraint::Check(check) => {
                    refuse(check.enforced.is_some(), "ENFORCED", position)?;
                    checks.push((check.name.as_ref(), &*check.expr));
                    continue;
                }
                TableConstraint::Exclude(_) => "EXCLUDE",
                _ => "this table constraint",
            };
            return Err(unsupported_at(what, position));
        }
        let mut primary_key = primary_key.unwrap_or_default();
        for index in &primary_key {
            if let Some(column) = columns.get_mut(*index) {
                column.nullable = false;
            }
        }
        let mut deferred_key = None;
        if key_checks.1 != Deferral::Never {
            deferred_key = Some((core::mem::take(&mut primary_key), key_checks));
        }
        let mut table = TableDef::new(name, columns, primary_key);
        table.schema = schema;
        if let (Some(ident), true) = (key_checks.0, key_checks.1 == Deferral::Never) {
            let name = self.new_name(ident)?;
            table.key_name = Some(name).filter(|name| *name != table.key_name());
        }
        self.column_expressions(&mut table, &defaults)?;
        for (name, check) in checks {
            let check = self.check_constraint(&table, name, check, &[])?;
            if table.checks.iter().any(|known| known.name == check.name) {
                let message = format!("check constraint \"{}\" already exists", check.name);
                return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
            }
            table.checks.push(check);
        }
        table
            .checks
            .sort_by(|left, right| left.name.cmp(&right.name));
        let mut indexes = Vec::new();
        if let Some((key, (name, deferral))) = deferred_key {
            indexes.push(self.deferred_key(&table, name, &key, deferral)?);
        }
        self.unique_indexes(&table, &uniques, &mut indexes)?;
        Ok(Statement::CreateTable {
            definition: NewTable {
                table,
                indexes,
                sequences,
            },
            exists: known,
        })
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

    fn set_primary_key(
        &self,
        primary_key: &mut Option<Vec<usize>>,
        columns: Vec<usize>,
        table: &str,
        position: u32,
    ) -> Result<()> {
        if primary_key.is_some() {
            let error = Error::new(
                SqlState::INVALID_TABLE_DEFINITION,
                format!("multiple primary keys for table \"{table}\" are not allowed"),
            );
            return Err(located(error, position));
        }
        *primary_key = Some(columns);
        Ok(())
    }

    fn column_constraints<'a>(
        &self,
        options: &'a [ColumnOptionDef],
        column: &str,
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
                    let what = "default values";
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
                    let what = "generation clauses";
                    self.once(default.is_some(), what, column, table, position)?;
                    default = Some(ColumnDefault::Generated(ast));
                    continue;
                }
                ColumnOption::Generated {
                    generated_as,
                    sequence_options,
                    generation_expr: None,
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
                    identity = Some((filled, sequence_options.as_deref().unwrap_or_default()));
                    continue;
                }
                ColumnOption::Check(check) => {
                    refuse(check.enforced.is_some(), "ENFORCED", position)?;
                    let name = name.as_ref().or(check.name.as_ref());
                    checks.push((name, &*check.expr));
                    continue;
                }
                ColumnOption::ForeignKey(_) => "REFERENCES",
                ColumnOption::Collation(_) => "COLLATE",
                ColumnOption::Generated { .. } | ColumnOption::Identity(_) => "GENERATED",
                _ => "this column constraint",
            };
            return Err(unsupported_at(what, position));
        }
        if null && (not_null || primary_key.is_some()) {
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
        })
    }

    /// Refuses what a column has already.
    fn once(
        &self,
        is_there: bool,
        what: &str,
        column: &str,
        table: &str,
        position: u32,
    ) -> Result<()> {
        if is_there {
            let many = match what.starts_with("both") {
                true => "",
                false => "multiple ",
            };
            let message =
                format!("{many}{what} specified for column \"{column}\" of table \"{table}\"");
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        }
        Ok(())
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
enum ColumnDefault<'a> {
    Value(&'a Ast),
    Generated(&'a Ast),
}

struct ColumnConstraints<'a> {
    not_null: bool,
    /// Its name, and when it is checked.
    primary_key: Option<(Option<&'a Ident>, Deferral)>,
    unique: Option<UniqueColumn<'a>>,
    default: Option<ColumnDefault<'a>>,
    identity: Option<(Filled, &'a [SequenceOptions])>,
    /// Names and conditions.
    checks: Vec<(Option<&'a Ident>, &'a Ast)>,
}

/// The name of a UNIQUE constraint, what its values must be, and when it is checked.
type UniqueColumn<'a> = (Option<&'a Ident>, (Uniqueness, Deferral));

/// A UNIQUE constraint.
enum Unique<'a> {
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

/// Refuses every clause of CREATE TABLE but names, columns and constraints.
fn refuse_clauses(create: &CreateTable, position: u32) -> Result<()> {
    let CreateTable {
        or_replace,
        temporary,
        unlogged,
        external,
        dynamic,
        global,
        if_not_exists: _,
        transient,
        volatile,
        iceberg,
        snapshot,
        name: _,
        columns: _,
        constraints: _,
        hive_distribution,
        hive_formats,
        table_options,
        file_format,
        location,
        query,
        without_rowid,
        like,
        clone,
        version,
        comment,
        on_commit,
        on_cluster,
        primary_key,
        order_by,
        partition_by,
        cluster_by,
        clustered_by,
        inherits,
        partition_of,
        for_values,
        strict,
        copy_grants,
        enable_schema_evolution,
        change_tracking,
        data_retention_time_in_days,
        max_data_extension_time_in_days,
        default_ddl_collation,
        with_aggregation_policy,
        with_row_access_policy,
        with_storage_lifecycle_policy,
        with_tags,
        external_volume,
        with_connection,
        base_location,
        catalog,
        catalog_sync,
        storage_serialization_policy,
        target_lag,
        warehouse,
        refresh_mode,
        initialize,
        require_user,
        diststyle,
        distkey,
        sortkey,
        backup,
        multiset,
        fallback,
        with_data,
    } = create;
    refuse(
        *temporary || global.is_some(),
        "a temporary table",
        position,
    )?;
    refuse(*unlogged, "UNLOGGED", position)?;
    refuse(query.is_some(), "CREATE TABLE AS", position)?;
    refuse(like.is_some(), "LIKE", position)?;
    refuse(inherits.is_some(), "INHERITS", position)?;
    let partitioned = partition_by.is_some() || partition_of.is_some() || for_values.is_some();
    refuse(partitioned, "PARTITION", position)?;
    refuse(on_commit.is_some(), "ON COMMIT", position)?;
    let with_options = !matches!(table_options, CreateTableOptions::None);
    refuse(with_options, "CREATE TABLE ... WITH", position)?;
    let hive = !matches!(hive_distribution, HiveDistributionStyle::NONE)
        || !matches!(
            hive_formats,
            None | Some(HiveFormat {
                row_format: None,
                serde_properties: None,
                storage: None,
                location: None,
            })
        );
    let other_dialect = hive
        || *or_replace
        || *external
        || *dynamic
        || *transient
        || *volatile
        || *iceberg
        || *snapshot
        || file_format.is_some()
        || location.is_some()
        || *without_rowid
        || clone.is_some()
        || version.is_some()
        || comment.is_some()
        || on_cluster.is_some()
        || primary_key.is_some()
        || order_by.is_some()
        || cluster_by.is_some()
        || clustered_by.is_some()
        || *strict
        || *copy_grants
        || enable_schema_evolution.is_some()
        || change_tracking.is_some()
        || data_retention_time_in_days.is_some()
        || max_data_extension_time_in_days.is_some()
        || default_ddl_collation.is_some()
        || with_aggregation_policy.is_some()
        || with_row_access_policy.is_some()
        || with_storage_lifecycle_policy.is_some()
        || with_tags.is_some()
        || external_volume.is_some()
        || with_connection.is_some()
        || base_location.is_some()
        || catalog.is_some()
        || catalog_sync.is_some()
        || storage_serialization_policy.is_some()
        || target_lag.is_some()
        || warehouse.is_some()
        || refresh_mode.is_some()
        || initialize.is_some()
        || *require_user
        || diststyle.is_some()
        || distkey.is_some()
        || sortkey.is_some()
        || backup.is_some()
        || multiset.is_some()
        || fallback.is_some()
        || with_data.is_some();
    refuse(other_dialect, "this form of CREATE TABLE", position)
}
