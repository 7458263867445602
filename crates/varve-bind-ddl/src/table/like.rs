//! LIKE in CREATE TABLE: the columns of another relation, and what else is included.

use varve_ast::{LikeOption, LikeTable, ObjectName};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::index::{Deferral, IndexDef};
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::{CheckDef, ColumnDef as TableColumn, Filled, TableDef};
use varve_catalog::text::name::undefined_table;
use varve_expr::Expr;
use varve_expr::walk::map_columns;
use varve_types::{ColumnId, ColumnStorage, Compression, KeyPart, ObjectId, Result, StorageMode};

use crate::binder::DdlBinder;
use crate::table::columns::{Parts, WrittenKey};

/// What LIKE copies beside columns, over the columns of the new table.
#[derive(Default)]
pub struct Copied {
    pub(crate) checks: Vec<CheckDef>,
    expressions: Vec<Expr>,
    /// Indexes, with the names of their keys.
    indexes: Vec<(IndexDef, Vec<String>)>,
}

impl Copied {
    /// Adds the indexes of a table whose columns are at these places.
    /// `known` expressions come before those that are copied.
    pub fn add_indexes(&mut self, source: &TableDef, places: &[usize], known: usize) {
        let expressions = known + self.expressions.len();
        let moved = |at: usize| places.get(at).copied().unwrap_or(at);
        // A primary key that cannot be deferred is copied as one.
        let is_copied = |index: &&IndexDef| {
            let is_key = index.is_primary && index.deferral == Deferral::Never;
            !(index.is_building || is_key)
        };
        for index in source.indexes.iter().filter(is_copied) {
            let names = index.keys.iter();
            let names = names.map(|(part, _)| match part {
                KeyPart::Column(at) => source.given_name(*at),
                KeyPart::Expression(_) => "expr".to_owned(),
            });
            let names = names.collect();
            let mut index = index.clone();
            for part in index.parts_mut() {
                match part {
                    KeyPart::Column(at) => *at = moved(*at),
                    KeyPart::Expression(at) => *at += expressions,
                }
            }
            for at in &mut index.include {
                *at = moved(*at);
            }
            self.indexes.push((index, names));
        }
        let over = |expr: &Expr| {
            let mut expr = expr.clone();
            map_columns(&mut expr, &moved);
            expr
        };
        self.expressions.extend(source.expressions.iter().map(over));
    }

    /// Gives a table, which has its columns and indexes, those that were copied.
    pub fn put(
        self,
        binder: &DdlBinder<'_, '_>,
        table: &mut TableDef,
        indexes: &mut Vec<IndexDef>,
    ) {
        table.expressions.extend(self.expressions);
        for (index, names) in self.indexes {
            let suffix = if index.is_constraint { "key" } else { "idx" };
            let name = match index.is_primary {
                true => table.key_name(),
                false => binder.free_name(table, &names, suffix, indexes),
            };
            indexes.push(IndexDef { name, ..index });
        }
    }
}

/// What is included beside columns: the last word counts.
fn includes(options: &[(bool, LikeOption)], what: LikeOption) -> bool {
    let mut options = options.iter().rev();
    let last = options.find(|(_, option)| *option == what || *option == LikeOption::All);
    last.is_some_and(|(is_included, _)| *is_included)
}

/// An expression over the columns of a table, over the same ones behind others.
fn behind(expr: &Expr, base: usize) -> Expr {
    let mut expr = expr.clone();
    map_columns(&mut expr, &|at| at + base);
    expr
}

impl DdlBinder<'_, '_> {
    /// Adds what a LIKE among the columns of a new table asks for.
    pub fn like_element<'a>(
        &mut self,
        like: &'a LikeTable,
        named: (ObjectId, &str),
        columns: &mut Vec<TableColumn>,
        parts: &mut Parts<'a>,
        copied: &mut Copied,
    ) -> Result<()> {
        let base = columns.len();
        let Some(source) = self.like_source(&like.table)? else {
            return self.like_view(&like.table, columns);
        };
        self.like_columns(like, &source, named, columns, parts)?;
        if includes(&like.options, LikeOption::Constraints) {
            copied
                .checks
                .extend(source.checks.iter().map(|check| CheckDef {
                    name: check.name.clone(),
                    expr: behind(&check.expr, base),
                }));
        }
        if !includes(&like.options, LikeOption::Indexes) {
            return Ok(());
        }
        let key = source.declared_key();
        if !key.is_empty() {
            let key = WrittenKey {
                columns: key.iter().map(|at| at + base).collect(),
                name: None,
                deferral: Deferral::Never,
            };
            self.set_primary_key(parts, key, named.1, self.query.first())?;
        }
        let places: Vec<usize> = (base..base + source.columns.len()).collect();
        copied.add_indexes(&source, &places, 0);
        Ok(())
    }

    /// The columns of the table that LIKE names.
    fn like_columns(
        &mut self,
        like: &LikeTable,
        source: &TableDef,
        named: (ObjectId, &str),
        columns: &mut Vec<TableColumn>,
        parts: &mut Parts<'_>,
    ) -> Result<()> {
        let base = columns.len();
        let includes = |what| includes(&like.options, what);
        for column in &source.columns {
            let at = columns.len();
            let kept = match column.filled {
                Filled::ByStatement => includes(LikeOption::Defaults),
                Filled::Generated => includes(LikeOption::Generated),
                Filled::IdentityAlways | Filled::IdentityByDefault => false,
            };
            let is_identity = matches!(
                column.filled,
                Filled::IdentityAlways | Filled::IdentityByDefault
            ) && includes(LikeOption::Identity);
            let owner = Some((source.object, column.id));
            let mut sequences = self.catalog.sequences.values();
            let sequence = sequences.find(|sequence| sequence.owner == owner).cloned();
            if let Some(sequence) = sequence.filter(|_| is_identity) {
                let others = &parts.sequences;
                let new = self.column_sequence(named, &column.name, column.ty, &[], others)?;
                let new = SequenceDef {
                    name: new.name,
                    schema: new.schema,
                    object: new.object,
                    tree: new.tree,
                    owner: None,
                    ..SequenceDef::clone(&sequence)
                };
                parts.sequences.push((at, new));
            }
            let default = column.default.as_ref().filter(|_| kept);
            columns.push(TableColumn {
                id: next_id(columns)?,
                default: default.map(|expr| behind(expr, base)),
                filled: match kept || is_identity {
                    true => column.filled,
                    false => Filled::ByStatement,
                },
                missing: varve_types::Value::Null,
                storage: ColumnStorage {
                    mode: match includes(LikeOption::Storage) {
                        true => column.storage.mode,
                        false => StorageMode::Default,
                    },
                    compression: match includes(LikeOption::Compression) {
                        true => column.storage.compression,
                        false => Compression::Auto,
                    },
                },
                ..column.clone()
            });
        }
        Ok(())
    }

    /// The table that LIKE names; `None` where it is a view.
    fn like_source(&mut self, name: &ObjectName) -> Result<Option<std::sync::Arc<TableDef>>> {
        let folded = self.query.relation_name(name)?;
        match self.query.find(&folded) {
            Some(Named::Table(table)) => Ok(self.catalog.tables.get(&table).cloned()),
            Some(Named::View(_)) => Ok(None),
            None if self.query.system_view(&folded).is_none() => {
                Err(undefined_table(&folded, self.query.at(name.span())))
            }
            _ => self.query.writable_table(name).map(Some),
        }
    }

    fn like_view(&mut self, name: &ObjectName, columns: &mut Vec<TableColumn>) -> Result<()> {
        let folded = self.query.relation_name(name)?;
        let Some(Named::View(view)) = self.query.find(&folded) else {
            return Ok(());
        };
        let view = self.catalog.views.get(&view).cloned();
        for column in view.iter().flat_map(|view| &view.columns) {
            columns.push(TableColumn {
                modifier: column.modifier,
                ..TableColumn::new(next_id(columns)?, column.name.as_str(), column.ty, true)
            });
        }
        Ok(())
    }
}

fn next_id(columns: &[TableColumn]) -> Result<ColumnId> {
    Ok(ColumnId::behind(
        columns.iter().map(|column| column.id).max(),
    )?)
}
