//! CREATE INDEX, DROP INDEX and UNIQUE constraints.

use sqlparser::ast::{
    CreateIndex, Expr as Ast, Ident, IndexColumn, IndexType, NullsDistinctOption, ObjectName,
    ObjectNamePart, OrderByExpr, OrderByOptions, OrderBySort, UniqueConstraint,
};
use varve_types::{ColumnPredicate, Error, KeyOrder, Result, SqlState, Uniqueness};

use crate::bind::expr::ExprScope;
use crate::bind::names::fold_name;
use crate::bind::update::target_scope;
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::catalog::TableDef;
use crate::plan::{NewIndex, PushedPredicate, Statement};
use crate::push_down::pushed_predicate;
use crate::system_view::system_view;
use crate::walk::split_conjunction;

/// Most columns of a key, as in PostgreSQL.
const KEY_COLUMNS_MAX: usize = 32;

impl Binder<'_> {
    pub(crate) fn create_index(&mut self, create: &CreateIndex) -> Result<Statement> {
        let CreateIndex {
            name,
            table_name,
            using,
            columns,
            unique,
            concurrently: _,
            r#async,
            if_not_exists,
            include,
            nulls_distinct,
            with,
            predicate,
            index_options,
            alter_options,
        } = create;
        let position = self.source.first();
        let is_btree = matches!(using, None | Some(IndexType::BTree));
        refuse(!is_btree, "this access method", position)?;
        refuse(!with.is_empty(), "CREATE INDEX ... WITH", position)?;
        let other = *r#async || !index_options.is_empty() || !alter_options.is_empty();
        refuse(other, "this form of CREATE INDEX", position)?;
        let table = self.writable_table(table_name)?;
        let mut keys = Vec::with_capacity(columns.len());
        for column in columns {
            keys.push(self.index_column(&table, column)?);
        }
        if keys.len() > KEY_COLUMNS_MAX {
            let message = format!("cannot use more than {KEY_COLUMNS_MAX} columns in an index");
            let error = Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message);
            return Err(located(error, position));
        }
        let mut included = Vec::with_capacity(include.len());
        for ident in include {
            included.push(self.indexed_column(&table, ident)?);
        }
        let predicate = match predicate {
            None => Vec::new(),
            Some(predicate) => self.index_predicate(&table, predicate)?,
        };
        let name = match name {
            Some(name) => {
                if let Some(ObjectNamePart::Identifier(ident)) = name.0.last() {
                    self.new_name(ident)?;
                }
                Some((self.table_name(name)?, self.source.name(name)))
            }
            None => None,
        };
        let name = match name {
            None => {
                let columns: Vec<usize> = keys.iter().map(|(column, _)| *column).collect();
                self.free_name(&table, &columns, "idx", &[])
            }
            Some((name, _)) if *if_not_exists && self.has_relation(&name) => {
                return Ok(Statement::CreateIndex {
                    table,
                    definition: None,
                    name,
                });
            }
            Some((name, at)) if self.has_relation(&name) => {
                let message = format!("relation \"{name}\" already exists");
                let error = Error::new(SqlState::DUPLICATE_TABLE, message);
                return Err(located(error, at));
            }
            Some((name, _)) => name,
        };
        let uniqueness = match (unique, nulls_distinct) {
            (false, _) => Uniqueness::None,
            (true, Some(false)) => Uniqueness::NullsEqual,
            (true, _) => Uniqueness::NullsDistinct,
        };
        let definition = NewIndex {
            name: name.clone(),
            is_constraint: false,
            uniqueness,
            keys,
            include: included,
            predicate,
        };
        Ok(Statement::CreateIndex {
            table,
            definition: Some(definition),
            name,
        })
    }

    pub(crate) fn drop_index(
        &mut self,
        names: &[ObjectName],
        if_exists: bool,
    ) -> Result<Statement> {
        let mut indexes = Vec::with_capacity(names.len());
        let mut missing = Vec::new();
        for name in names {
            let folded = self.table_name(name)?;
            let position = self.source.name(name);
            let found = self.catalog.tables.values().find_map(|table| {
                let index = table.indexes.iter().find(|index| index.name == folded)?;
                Some((table.name.clone(), index.tree, index.is_constraint))
            });
            match found {
                Some((table, tree, false)) => {
                    self.known_table(&table);
                    indexes.push((table, tree));
                }
                Some((table, ..)) => {
                    let message = format!(
                        "cannot drop index {folded} because constraint {folded} on table {table} \
                         requires it"
                    );
                    let error = Error::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, message);
                    return Err(located(error, position));
                }
                None if if_exists => missing.push(folded),
                None => {
                    let message = format!("index \"{folded}\" does not exist");
                    let error = Error::new(SqlState::UNDEFINED_OBJECT, message);
                    return Err(located(error, position));
                }
            }
        }
        Ok(Statement::DropIndex { indexes, missing })
    }

    /// The index of a UNIQUE constraint over these columns of a table that is being created.
    pub(crate) fn unique_index(
        &self,
        table: &TableDef,
        name: Option<&Ident>,
        columns: &[usize],
        uniqueness: Uniqueness,
        others: &[NewIndex],
    ) -> Result<NewIndex> {
        let name = match name {
            Some(ident) => {
                let name = self.new_name(ident)?;
                let known = others.iter().any(|other| other.name == name);
                if known || self.has_relation(&name) {
                    let message = format!("relation \"{name}\" already exists");
                    let error = Error::new(SqlState::DUPLICATE_TABLE, message);
                    return Err(located(error, self.source.ident(ident)));
                }
                name
            }
            None => self.free_name(table, columns, "key", others),
        };
        let keys = columns.iter().map(|column| (*column, KeyOrder::default()));
        Ok(NewIndex {
            name,
            is_constraint: true,
            uniqueness,
            keys: keys.collect(),
            include: Vec::new(),
            predicate: Vec::new(),
        })
    }

    /// The index of a table's UNIQUE constraint.
    pub(crate) fn unique_constraint(
        &self,
        table: &TableDef,
        unique: &UniqueConstraint,
        others: &[NewIndex],
    ) -> Result<NewIndex> {
        let position = self.source.first();
        let other = unique.index_name.is_some()
            || unique.index_type.is_some()
            || !unique.include.is_empty()
            || !unique.index_options.is_empty()
            || unique.characteristics.is_some();
        refuse(other, "this form of UNIQUE", position)?;
        let mut columns = Vec::with_capacity(unique.columns.len());
        for column in &unique.columns {
            let (column, order) = self.index_column(table, column)?;
            refuse(
                order != KeyOrder::default(),
                "this form of UNIQUE",
                position,
            )?;
            columns.push(column);
        }
        let uniqueness = match unique.nulls_distinct {
            NullsDistinctOption::NotDistinct => Uniqueness::NullsEqual,
            _ => Uniqueness::NullsDistinct,
        };
        self.unique_index(table, unique.name.as_ref(), &columns, uniqueness, others)
    }

    fn index_column(&self, table: &TableDef, column: &IndexColumn) -> Result<(usize, KeyOrder)> {
        let position = self.source.first();
        let IndexColumn {
            column:
                OrderByExpr {
                    expr,
                    options: OrderByOptions { sort, nulls_first },
                    with_fill: None,
                },
            operator_class: None,
        } = column
        else {
            return Err(unsupported_at("this form of an index column", position));
        };
        let Ast::Identifier(ident) = expr else {
            return Err(unsupported_at("an index on an expression", position));
        };
        let descending = match sort {
            None | Some(OrderBySort::Asc) => false,
            Some(OrderBySort::Desc) => true,
            Some(OrderBySort::Using(_)) => {
                return Err(unsupported_at("USING in an index", position));
            }
        };
        let order = KeyOrder {
            descending,
            nulls_first: nulls_first.unwrap_or(descending),
        };
        Ok((self.indexed_column(table, ident)?, order))
    }

    fn indexed_column(&self, table: &TableDef, ident: &Ident) -> Result<usize> {
        let name = fold_name(ident);
        let found = table.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| {
            let message = format!("column \"{name}\" does not exist");
            let error = Error::new(SqlState::UNDEFINED_COLUMN, message);
            located(error, self.source.ident(ident))
        })
    }

    /// The tests of a partial index: comparisons of columns with constants.
    fn index_predicate(
        &mut self,
        table: &TableDef,
        predicate: &Ast,
    ) -> Result<Vec<ColumnPredicate>> {
        let position = self.source.first();
        let names = target_scope(table, None);
        let mut conditions = Vec::new();
        let mut scope = ExprScope::plain(&names, "index predicate");
        split_conjunction(self.filter(predicate, &mut scope)?, &mut conditions);
        let tests = conditions
            .iter()
            .map(|condition| match pushed_predicate(condition) {
                Some(PushedPredicate::Fixed(test)) => Ok(test),
                _ => Err(unsupported_at(
                    "an index predicate other than comparisons of columns with constants",
                    position,
                )),
            });
        tests.collect()
    }

    fn has_relation(&self, name: &str) -> bool {
        let indexes = self
            .catalog
            .tables
            .values()
            .flat_map(|table| &table.indexes);
        self.catalog.tables.contains_key(name)
            || system_view(name).is_some()
            || indexes.into_iter().any(|index| index.name == name)
    }

    /// A name of table, columns and a suffix that nothing has yet.
    fn free_name(
        &self,
        table: &TableDef,
        columns: &[usize],
        suffix: &str,
        others: &[NewIndex],
    ) -> String {
        let mut parts = vec![table.name.as_str()];
        let columns = columns.iter().filter_map(|at| table.columns.get(*at));
        parts.extend(columns.map(|column| column.name.as_str()));
        parts.push(suffix);
        let base = parts.join("_");
        let mut name = base.clone();
        let mut number = 0;
        while self.has_relation(&name) || others.iter().any(|other| other.name == name) {
            number += 1;
            name = format!("{base}{number}");
        }
        name
    }
}
