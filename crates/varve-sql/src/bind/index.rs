//! CREATE INDEX, DROP INDEX and UNIQUE constraints.

use sqlparser::ast::{
    ConstraintCharacteristics, CreateIndex, DeferrableInitial, Expr as Ast, Ident, IndexColumn,
    IndexConstraint, NullsDistinctOption, ObjectName, ObjectNamePart, OrderByExpr, OrderByOptions,
    OrderBySort, UniqueConstraint,
};
use varve_expr::Expr;
use varve_types::{
    ColumnPredicate, CompareOp, Error, KeyOrder, LogicalType, PredicateTest, Result, SqlState,
    Uniqueness, Value,
};

use crate::bind::check::free;
use crate::bind::expr::ExprScope;
use crate::bind::names::{fold_name, result_name};
use crate::bind::storage::{Stored, method_name, shown};
use crate::bind::update::target_scope;
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::catalog::{TableDef, made_name};
use crate::expr_codec::{self, depth};
use crate::index::Deferral;
use crate::index_expression::{FIRST_EXPRESSION, is_immutable};
use crate::plan::{NewIndex, PushedPredicate, Statement};
use crate::push_down::pushed_predicate;
use crate::schema::Named;
use crate::utility::Message;
use crate::walk::{for_each_child, same_meaning, split_conjunction, without_positions};

/// Most columns of a key, as in PostgreSQL.
const KEY_COLUMNS_MAX: usize = 32;
/// Most bytes of an expression in the catalogue.
const EXPRESSION_BYTES_MAX: usize = 1 << 16;

/// What a column of an index is on, with its order.
struct KeyItem {
    on: KeySource,
    order: KeyOrder,
}

enum KeySource {
    /// A column of the table.
    Column(usize),
    /// An expression, with the name that it gives the index.
    Expression(Expr, String),
}

impl Binder<'_> {
    pub(crate) fn create_index(&mut self, create: &CreateIndex) -> Result<Statement> {
        let CreateIndex {
            name,
            table_name,
            using,
            columns,
            unique,
            concurrently,
            r#async: only,
            if_not_exists,
            include,
            nulls_distinct,
            with,
            predicate,
            index_options,
            alter_options,
        } = create;
        let position = self.source.first();
        self.outside_block = concurrently.then_some("CREATE INDEX CONCURRENTLY");
        for option in with {
            match option {
                Ast::Identifier(key) => self.storage_option(Stored::Index, key, None)?,
                Ast::BinaryOp { left, right, .. } => {
                    if let Ast::Identifier(key) = left.as_ref() {
                        self.storage_option(Stored::Index, key, Some(shown(right)))?;
                    }
                }
                _ => {}
            }
        }
        let method = using.as_ref().map_or("btree", method_name);
        let other = !index_options.is_empty() || !alter_options.is_empty();
        refuse(other, "this form of CREATE INDEX", position)?;
        let table = self.indexed_table(table_name)?;
        if method == "hash" {
            let text = "an index of access method \"hash\" is made as one of \"btree\"";
            self.messages.push(Message::notice(text.to_owned()));
        } else if method != "btree" {
            return self.other_index(&table, method, create);
        }
        let mut keys = Vec::with_capacity(columns.len());
        let mut expressions = table.expressions.clone();
        let mut key_names = Vec::with_capacity(columns.len());
        for column in columns {
            let KeyItem { on, order } = self.key_item(&table, column)?;
            let key = match on {
                KeySource::Column(column) => {
                    key_names.push(table.given_name(column));
                    column
                }
                KeySource::Expression(expr, name) => {
                    key_names.push(name);
                    position_of(&mut expressions, expr)
                }
            };
            keys.push((key, order));
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
            Some(predicate) => self.index_predicate(&table, predicate, &mut expressions)?,
        };
        if expressions.len() >= FIRST_EXPRESSION {
            let message = "a table can have indexes on at most 32767 expressions";
            let error = Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message);
            return Err(located(error, position));
        }
        let name = match name {
            Some(name) => {
                // It goes where the table is.
                let at = self.source.name(name);
                match name.0.as_slice() {
                    [ObjectNamePart::Identifier(ident)] => Some((self.new_name(ident)?, at)),
                    _ => return Err(unsupported_at("a schema in the name of an index", at)),
                }
            }
            None => None,
        };
        let name = match name {
            None => self.free_name(&table, &key_names, "idx", &[]),
            Some((name, _)) if *if_not_exists && self.has_relation(table.schema, &name) => {
                return Ok(Statement::CreateIndex {
                    table,
                    definition: None,
                    name,
                });
            }
            Some((name, at)) if self.has_relation(table.schema, &name) => {
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
            deferral: Deferral::Never,
            uniqueness,
            keys,
            include: included,
            predicate,
            expressions,
        };
        if table.partitioning().is_some() {
            return self.index_of_partitions(&table, definition, *only);
        }
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
            let folded = self.relation_name(name)?;
            let position = self.source.name(name);
            let found = match self.find(&folded) {
                Some(Named::Index(table)) => self.catalog.tables.get(&table),
                Some(_) => {
                    let message = format!("\"{}\" is not an index", folded.name);
                    let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                    return Err(located(error, position));
                }
                None => None,
            };
            let folded = folded.name;
            let index = found.map(|table| {
                let mut indexes = table.indexes.iter();
                (table, indexes.find(|index| index.name == folded))
            });
            match index {
                Some((table, Some(index))) if !index.is_constraint => {
                    indexes.push((table.object, index.tree));
                }
                Some((table, _)) => {
                    let table = &table.name;
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
        (uniqueness, deferral): (Uniqueness, Deferral),
        others: &[NewIndex],
    ) -> Result<NewIndex> {
        let name = match name {
            Some(ident) => {
                let name = self.new_name(ident)?;
                let known = others.iter().any(|other| other.name == name);
                if known || self.has_relation(table.schema, &name) {
                    let message = format!("relation \"{name}\" already exists");
                    let error = Error::new(SqlState::DUPLICATE_TABLE, message);
                    return Err(located(error, self.source.ident(ident)));
                }
                name
            }
            None => {
                let names: Vec<String> = columns.iter().map(|at| table.given_name(*at)).collect();
                self.free_name(table, &names, "key", others)
            }
        };
        let keys = columns.iter().map(|column| (*column, KeyOrder::default()));
        Ok(NewIndex {
            name,
            is_constraint: true,
            deferral,
            uniqueness,
            keys: keys.collect(),
            include: Vec::new(),
            predicate: Vec::new(),
            expressions: Vec::new(),
        })
    }

    /// The index of a table's UNIQUE constraint.
    pub(crate) fn unique_constraint(
        &mut self,
        table: &TableDef,
        unique: &UniqueConstraint,
        others: &[NewIndex],
    ) -> Result<NewIndex> {
        let position = self.source.first();
        let other = unique.index_name.is_some()
            || unique.index_type.is_some()
            || !unique.include.is_empty()
            || !unique.index_options.is_empty();
        refuse(other, "this form of UNIQUE", position)?;
        let deferral = deferral(unique.characteristics, position)?;
        let mut columns = Vec::with_capacity(unique.columns.len());
        for column in &unique.columns {
            match self.key_item(table, column).map_err(named_in_key)? {
                KeyItem {
                    on: KeySource::Column(column),
                    order,
                } if order == KeyOrder::default() => columns.push(column),
                _ => return Err(unsupported_at("this form of UNIQUE", position)),
            }
        }
        let uniqueness = match unique.nulls_distinct {
            NullsDistinctOption::NotDistinct => Uniqueness::NullsEqual,
            _ => Uniqueness::NullsDistinct,
        };
        let checks = (uniqueness, deferral);
        self.unique_index(table, unique.name.as_ref(), &columns, checks, others)
    }

    /// An index among the columns of a table.
    pub(crate) fn index_element(
        &mut self,
        table: &TableDef,
        written: &IndexConstraint,
        others: &[NewIndex],
    ) -> Result<NewIndex> {
        let mut keys = Vec::with_capacity(written.columns.len());
        for column in &written.columns {
            let KeyItem { on, order } = self.key_item(table, column)?;
            let KeySource::Column(at) = on else {
                let what = "an expression in an index among columns";
                return Err(unsupported_at(what, self.source.first()));
            };
            keys.push((at, order));
        }
        let name = match &written.name {
            Some(ident) => self.new_name(ident)?,
            None => {
                let names = keys.iter().map(|(at, _)| table.given_name(*at));
                self.free_name(table, &names.collect::<Vec<_>>(), "idx", others)
            }
        };
        let known = others.iter().any(|other| other.name == name);
        if known || self.has_relation(table.schema, &name) {
            let message = format!("relation \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        Ok(NewIndex {
            name,
            is_constraint: false,
            deferral: Deferral::Never,
            uniqueness: Uniqueness::None,
            keys,
            include: Vec::new(),
            predicate: Vec::new(),
            expressions: Vec::new(),
        })
    }

    /// The index of a primary key that can be deferred. Rows of such a table are numbered, so that
    /// two may have one key for a while.
    pub(crate) fn deferred_key(
        &self,
        table: &TableDef,
        name: Option<&Ident>,
        columns: &[usize],
        deferral: Deferral,
    ) -> Result<NewIndex> {
        let name = match name {
            Some(ident) => self.new_name(ident)?,
            None => made_name([&table.name, ""], "pkey"),
        };
        let keys = columns.iter().map(|column| (*column, KeyOrder::default()));
        Ok(NewIndex {
            name,
            is_constraint: true,
            deferral,
            uniqueness: Uniqueness::NullsDistinct,
            keys: keys.collect(),
            include: Vec::new(),
            predicate: Vec::new(),
            expressions: Vec::new(),
        })
    }

    fn key_item(&mut self, table: &TableDef, column: &IndexColumn) -> Result<KeyItem> {
        let position = self.source.first();
        let IndexColumn {
            column:
                OrderByExpr {
                    expr,
                    options: OrderByOptions { sort, nulls_first },
                    with_fill: None,
                },
            operator_class,
        } = column
        else {
            return Err(unsupported_at("this form of an index column", position));
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
        let on = match expr {
            Ast::Identifier(ident) => KeySource::Column(self.indexed_column(table, ident)?),
            expr => self.key_expression(table, expr)?,
        };
        if let Some(class) = operator_class {
            let ty = match &on {
                KeySource::Column(at) => table.columns.get(*at).map(|column| column.ty),
                KeySource::Expression(expr, _) => Some(expr.logical_type()),
            };
            self.operator_class(class, ty.unwrap_or(LogicalType::Text))?;
        }
        Ok(KeyItem { on, order })
    }

    /// What an expression of an index means; a column in parentheses is that column.
    fn key_expression(&mut self, table: &TableDef, ast: &Ast) -> Result<KeySource> {
        let position = self.source.expr(ast);
        let names = target_scope(table, None);
        let mut scope = ExprScope::plain(&names, "index expressions");
        let operand = self.expr(ast, &mut scope)?;
        let mut expr = varve_expr::fold(self.settle(operand)?);
        if let Expr::Column { index, .. } = expr {
            return Ok(KeySource::Column(index));
        }
        storable(&mut expr, "index expression").map_err(|error| located(error, position))?;
        let name = match result_name(ast) {
            name if name.starts_with('?') => "expr".to_owned(),
            name => name,
        };
        Ok(KeySource::Expression(expr, name))
    }

    pub(crate) fn indexed_column(&self, table: &TableDef, ident: &Ident) -> Result<usize> {
        let name = fold_name(ident);
        let found = table.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| {
            let message = format!("column \"{name}\" does not exist");
            let error = Error::new(SqlState::UNDEFINED_COLUMN, message);
            located(error, self.source.ident(ident))
        })
    }

    /// The tests of a partial index: comparisons of columns with constants, and other conditions,
    /// which become expressions of the table.
    fn index_predicate(
        &mut self,
        table: &TableDef,
        predicate: &Ast,
        expressions: &mut Vec<Expr>,
    ) -> Result<Vec<ColumnPredicate>> {
        let position = self.source.expr(predicate);
        let names = target_scope(table, None);
        let mut conditions = Vec::new();
        let mut scope = ExprScope::plain(&names, "index predicates");
        let operand = self.expr(predicate, &mut scope)?;
        let condition = self.condition(operand, "WHERE", position)?;
        split_conjunction(varve_expr::fold_condition(condition), &mut conditions);
        let mut tests = Vec::with_capacity(conditions.len());
        for mut condition in conditions {
            if let Some(PushedPredicate::Fixed(test)) = pushed_predicate(&condition, None) {
                tests.push(test);
                continue;
            }
            storable(&mut condition, "index predicate")?;
            tests.push(ColumnPredicate {
                column: position_of(expressions, condition),
                test: PredicateTest::Compare(CompareOp::Eq, Value::Boolean(true)),
            });
        }
        Ok(tests)
    }

    /// A name of table, columns and a suffix that nothing has yet.
    pub(crate) fn free_name(
        &self,
        table: &TableDef,
        columns: &[String],
        suffix: &str,
        others: &[NewIndex],
    ) -> String {
        let taken = |name: &str| {
            let mut others = others.iter();
            self.has_relation(table.schema, name) || others.any(|other| other.name == name)
        };
        free([&table.name, &columns.join("_")], suffix, &taken)
    }
}

/// The error of a key on a column that is not there.
fn named_in_key(error: Error) -> Error {
    if error.state() != SqlState::UNDEFINED_COLUMN {
        return error;
    }
    let message = error.message().replace("\" does", "\" named in key does");
    error.with_message(message)
}

/// The position of an expression, to which those of a table are added.
fn position_of(expressions: &mut Vec<Expr>, expr: Expr) -> usize {
    let at = expressions
        .iter()
        .position(|known| same_meaning(known, &expr));
    FIRST_EXPRESSION
        + at.unwrap_or_else(|| {
            expressions.push(expr);
            expressions.len() - 1
        })
}

/// Makes an expression one that can be kept with a table.
fn storable(expr: &mut Expr, what: &str) -> Result<()> {
    if let Some(number) = parameter(expr) {
        let message = format!("there is no parameter ${}", number + 1);
        return Err(Error::new(SqlState::UNDEFINED_PARAMETER, message));
    }
    if !is_immutable(expr) {
        let message = format!("functions in {what} must be marked IMMUTABLE");
        return Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
    }
    without_positions(expr);
    let mut bytes = Vec::new();
    let is_deep = depth(expr) > expr_codec::DEPTH_MAX;
    if !is_deep {
        expr_codec::put_expr(&mut bytes, expr);
    }
    if is_deep || bytes.len() > EXPRESSION_BYTES_MAX {
        let message = format!("this {what} is too complex");
        return Err(Error::new(SqlState::STATEMENT_TOO_COMPLEX, message));
    }
    Ok(())
}

/// A parameter of an expression.
fn parameter(expr: &Expr) -> Option<usize> {
    if let Expr::Parameter { index, .. } = expr {
        return Some(*index);
    }
    let mut found = None;
    for_each_child(expr, &mut |child| {
        found = found.or_else(|| parameter(child))
    });
    found
}

/// What `DEFERRABLE` and `INITIALLY` say of a constraint.
pub(crate) fn deferral(
    characteristics: Option<ConstraintCharacteristics>,
    position: u32,
) -> Result<Deferral> {
    let Some(ConstraintCharacteristics {
        deferrable,
        initially,
        enforced,
    }) = characteristics
    else {
        return Ok(Deferral::Never);
    };
    refuse(enforced.is_some(), "ENFORCED", position)?;
    let is_deferred = initially == Some(DeferrableInitial::Deferred);
    match (deferrable, is_deferred) {
        (Some(false), true) => {
            let message = "constraint declared INITIALLY DEFERRED must be DEFERRABLE";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            Err(located(error, position))
        }
        (_, true) => Ok(Deferral::Deferred),
        (Some(true), false) => Ok(Deferral::Deferrable),
        (_, false) => Ok(Deferral::Never),
    }
}
