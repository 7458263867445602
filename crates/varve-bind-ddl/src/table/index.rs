//! CREATE INDEX, DROP INDEX and UNIQUE constraints.

use varve_ast::{
    CreateIndex, Expr as Ast, ExprKind, IndexElement, KeyConstraint, Name, NullsOrder, ObjectName,
    OrderDirection,
};
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::catalog::Named;
use varve_catalog::model::expr_codec::{self, depth};
use varve_catalog::model::index::{Deferral, IndexDef, IndexOptions};
use varve_catalog::model::index_expression::is_immutable;
use varve_catalog::model::table::{TableDef, made_name};
use varve_expr::walk::{for_each_child, same_meaning, split_conjunction, without_positions};
use varve_expr::{Expr, Parameter};
use varve_plan::build::table::target_scope;
use varve_plan::optimize::push_down::pushed_predicate;
use varve_plan::plan::utility::Message;
use varve_plan::plan::{NewIndex, PushedPredicate, Statement};
use varve_plan::scope::error::{located, refuse, unsupported_at};
use varve_plan::scope::name::result_name;
use varve_system_views::operator_class::{BPCHAR, CLASSES, TEXT, class_type};
use varve_types::{
    CompareOp, Error, KeyOrder, KeyPart, LogicalType, PartPredicate, PredicateTest, Result,
    SqlState, Value,
};

use crate::binder::DdlBinder;
use crate::table::check::free;
use crate::table::columns::unique_options;
use crate::table::storage::{Stored, index_pages};

/// Most columns of a key, as in PostgreSQL.
const KEY_COLUMNS_MAX: usize = 32;
/// The most expressions that the indexes of a table can be on.
const EXPRESSIONS_MAX: usize = 32_767;
/// Most bytes of an expression in the catalog.
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

impl DdlBinder<'_, '_> {
    pub(crate) fn create_index(&mut self, create: &CreateIndex) -> Result<Statement> {
        let is_concurrent = create.is_concurrent;
        self.outside_block = is_concurrent.then_some("CREATE INDEX CONCURRENTLY");
        let stored = self.storage_options(Stored::Index, &create.options)?;
        let table = self.query.indexed_table(&create.table)?;
        match create
            .method
            .as_ref()
            .map_or("btree", |name| name.text.as_str())
        {
            "btree" => {}
            "hash" => {
                let text = "an index of access method \"hash\" is made as one of \"btree\"";
                self.query
                    .outputs
                    .messages
                    .push(Message::notice(text.to_owned()));
            }
            other => return self.other_index(&table, other, create),
        }
        let mut definition = NewIndex {
            index: IndexDef {
                pages: index_pages(&stored),
                ..IndexDef::new(String::new(), create.kept, Vec::new())
            },
            expressions: table.expressions.clone(),
        };
        let key_names = self.put_columns(create, &table, &mut definition)?;
        let name = self.index_name(create.name.as_ref())?;
        let name = match name {
            None => self.free_name(&table, &key_names, "idx", &[]),
            Some((name, _))
                if create.if_not_exists && self.query.has_relation(table.schema, &name) =>
            {
                return Ok(Statement::CreateIndex {
                    table,
                    definition: None,
                    name,
                });
            }
            Some((name, at)) if self.query.has_relation(table.schema, &name) => {
                let message = format!("relation \"{name}\" already exists");
                let error = Error::new(SqlState::DUPLICATE_TABLE, message);
                return Err(located(error, at));
            }
            Some((name, _)) => name,
        };
        definition.index.name.clone_from(&name);
        if table.partitioning().is_some() {
            return self.index_of_partitions(&table, definition, create.only);
        }
        Ok(Statement::CreateIndex {
            table,
            definition: Some(definition),
            name,
        })
    }

    /// Gives an index its columns and its condition; answers the names that the columns give it.
    fn put_columns(
        &mut self,
        create: &CreateIndex,
        table: &TableDef,
        definition: &mut NewIndex,
    ) -> Result<Vec<String>> {
        let too_many = |message: String| Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message);
        let mut key_names = Vec::with_capacity(create.elements.len());
        for element in &create.elements {
            let KeyItem { on, order } = self.key_item(table, element)?;
            let key = match on {
                KeySource::Column(column) => {
                    key_names.push(table.given_name(column));
                    KeyPart::Column(column)
                }
                KeySource::Expression(expr, name) => {
                    key_names.push(name);
                    part_of(&mut definition.expressions, expr)
                }
            };
            definition.index.keys.push((key, order));
        }
        if definition.index.keys.len() > KEY_COLUMNS_MAX {
            let message = format!("cannot use more than {KEY_COLUMNS_MAX} columns in an index");
            return Err(located(too_many(message), self.query.first()));
        }
        for name in &create.include {
            let column = self.indexed_column(table, name)?;
            definition.index.include.push(column);
        }
        if let Some(filter) = &create.filter {
            let expressions = &mut definition.expressions;
            definition.index.predicate = self.index_predicate(table, filter, expressions)?;
        }
        if definition.expressions.len() > EXPRESSIONS_MAX {
            let message =
                format!("a table can have indexes on at most {EXPRESSIONS_MAX} expressions");
            return Err(located(too_many(message), self.query.first()));
        }
        Ok(key_names)
    }

    /// The name that is written for an index, and its place; the index goes where its table is.
    fn index_name(&self, name: Option<&ObjectName>) -> Result<Option<(String, u32)>> {
        let Some(name) = name else {
            return Ok(None);
        };
        let at = self.query.at(name.span());
        let is_qualified = !name.qualifiers.is_empty();
        refuse(is_qualified, "a schema in the name of an index", at)?;
        Ok(Some((self.query.new_name(&name.name)?, at)))
    }

    pub(crate) fn drop_index(
        &mut self,
        names: &[ObjectName],
        if_exists: bool,
    ) -> Result<Statement> {
        let mut indexes = Vec::with_capacity(names.len());
        let mut missing = Vec::new();
        for name in names {
            let folded = self.query.relation_name(name)?;
            let position = self.query.at(name.span());
            let found = match self.query.find(&folded) {
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
    pub fn unique_index(
        &self,
        table: &TableDef,
        name: Option<&Name>,
        columns: &[usize],
        (options, deferral): (IndexOptions, Deferral),
        others: &[IndexDef],
    ) -> Result<IndexDef> {
        let name = match name {
            Some(written) => {
                let name = self.query.new_name(written)?;
                let known = others.iter().any(|other| other.name == name);
                if known || self.query.has_relation(table.schema, &name) {
                    let message = format!("relation \"{name}\" already exists");
                    let error = Error::new(SqlState::DUPLICATE_TABLE, message);
                    return Err(located(error, self.query.at(written.span)));
                }
                name
            }
            None => {
                let names: Vec<String> = columns.iter().map(|at| table.given_name(*at)).collect();
                self.free_name(table, &names, "key", others)
            }
        };
        Ok(constraint_index(name, columns, options, deferral))
    }

    /// The index of a table's UNIQUE constraint.
    pub fn unique_constraint(
        &mut self,
        table: &TableDef,
        name: Option<&Name>,
        key: &KeyConstraint,
        others: &[IndexDef],
    ) -> Result<IndexDef> {
        let position = self.query.first();
        refuse(!key.include.is_empty(), "this form of UNIQUE", position)?;
        let deferral = deferral(key.deferral, position)?;
        let mut columns = Vec::with_capacity(key.columns.len());
        for column in &key.columns {
            columns.push(self.indexed_column(table, column).map_err(named_in_key)?);
        }
        let checks = (unique_options(key), deferral);
        self.unique_index(table, name, &columns, checks, others)
    }

    /// An index among the columns of a table.
    pub fn index_element(
        &mut self,
        table: &TableDef,
        (name, elements): (Option<&Name>, &[IndexElement]),
        others: &[IndexDef],
    ) -> Result<IndexDef> {
        let mut keys = Vec::with_capacity(elements.len());
        for element in elements {
            let KeyItem { on, order } = self.key_item(table, element)?;
            let KeySource::Column(at) = on else {
                let what = "an expression in an index among columns";
                return Err(unsupported_at(what, self.query.first()));
            };
            keys.push((KeyPart::Column(at), order));
        }
        let name = match name {
            Some(name) => self.query.new_name(name)?,
            None => {
                let names = keys.iter().map(|(part, _)| table.part_name(*part));
                self.free_name(table, &names.collect::<Vec<_>>(), "idx", others)
            }
        };
        let known = others.iter().any(|other| other.name == name);
        if known || self.query.has_relation(table.schema, &name) {
            let message = format!("relation \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        Ok(IndexDef::new(name, IndexOptions::default(), keys))
    }

    /// The index of a primary key that can be deferred. Rows of such a table are numbered, so that
    /// two may have one key for a while.
    pub fn deferred_key(
        &self,
        table: &TableDef,
        name: Option<&Name>,
        columns: &[usize],
        deferral: Deferral,
    ) -> Result<IndexDef> {
        let name = match name {
            Some(name) => self.query.new_name(name)?,
            None => made_name([&table.name, ""], "pkey"),
        };
        let options = IndexOptions::UNIQUE;
        Ok(IndexDef {
            is_primary: true,
            ..constraint_index(name, columns, options, deferral)
        })
    }

    fn key_item(&mut self, table: &TableDef, element: &IndexElement) -> Result<KeyItem> {
        let IndexElement {
            key,
            operator_class,
            direction,
            nulls,
        } = element;
        let descending = match direction {
            None | Some(OrderDirection::Ascending) => false,
            Some(OrderDirection::Descending) => true,
            Some(OrderDirection::Using(_)) => {
                return Err(unsupported_at("USING in an index", self.query.first()));
            }
        };
        let order = KeyOrder {
            descending,
            nulls_first: nulls.map_or(descending, |nulls| nulls == NullsOrder::First),
        };
        let on = match &key.kind {
            ExprKind::Column(name) if name.qualifiers.is_empty() => {
                KeySource::Column(self.indexed_column(table, &name.name)?)
            }
            _ => self.key_expression(table, key)?,
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
        let position = self.query.at(ast.span);
        let names = target_scope(table, None);
        let mut scope = ExprScope::plain(&names, "index expressions");
        let operand = self.query.expr(ast, &mut scope)?;
        let mut expr = varve_expr::fold(self.query.settle(operand)?);
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

    pub(crate) fn indexed_column(&self, table: &TableDef, name: &Name) -> Result<usize> {
        let mut columns = table.columns.iter();
        let found = columns.position(|column| column.name == name.text);
        found.ok_or_else(|| {
            let message = format!("column \"{}\" does not exist", name.text);
            let error = Error::new(SqlState::UNDEFINED_COLUMN, message);
            located(error, self.query.at(name.span))
        })
    }

    /// The tests of a partial index: comparisons of columns with constants, and other conditions,
    /// which become expressions of the table.
    fn index_predicate(
        &mut self,
        table: &TableDef,
        predicate: &Ast,
        expressions: &mut Vec<Expr>,
    ) -> Result<Vec<PartPredicate>> {
        let position = self.query.at(predicate.span);
        let names = target_scope(table, None);
        let mut conditions = Vec::new();
        let mut scope = ExprScope::plain(&names, "index predicates");
        let operand = self.query.expr(predicate, &mut scope)?;
        let condition = self.query.condition(operand, "WHERE", position)?;
        split_conjunction(varve_expr::fold_condition(condition), &mut conditions);
        let mut tests = Vec::with_capacity(conditions.len());
        for mut condition in conditions {
            if let Some(PushedPredicate::Fixed(test)) = pushed_predicate(&condition, None) {
                tests.push(test);
                continue;
            }
            storable(&mut condition, "index predicate")?;
            tests.push(PartPredicate {
                column: part_of(expressions, condition),
                test: PredicateTest::Compare(CompareOp::Eq, Value::Boolean(true)),
            });
        }
        Ok(tests)
    }

    /// A name of table, columns and a suffix that nothing has yet.
    pub fn free_name(
        &self,
        table: &TableDef,
        columns: &[String],
        suffix: &str,
        others: &[IndexDef],
    ) -> String {
        let taken = |name: &str| {
            let mut others = others.iter();
            self.query.has_relation(table.schema, name) || others.any(|other| other.name == name)
        };
        free([&table.name, &columns.join("_")], suffix, &taken)
    }
}

/// The index of a constraint: over whole columns of all rows, ascending.
fn constraint_index(
    name: String,
    columns: &[usize],
    options: IndexOptions,
    deferral: Deferral,
) -> IndexDef {
    let parts = KeyPart::columns(columns).into_iter();
    let keys = parts.map(|part| (part, KeyOrder::default()));
    IndexDef {
        is_constraint: true,
        deferral,
        ..IndexDef::new(name, options, keys.collect())
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

/// An expression among those of a table, to which it is added unless it is there.
fn part_of(expressions: &mut Vec<Expr>, expr: Expr) -> KeyPart {
    let mut known = expressions.iter();
    let at = known.position(|known| same_meaning(known, &expr));
    KeyPart::Expression(at.unwrap_or_else(|| {
        expressions.push(expr);
        expressions.len() - 1
    }))
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
    let fits = depth(expr) <= expr_codec::DEPTH_MAX
        && expr_codec::put_expr(&mut bytes, expr).is_ok()
        && bytes.len() <= EXPRESSION_BYTES_MAX;
    if !fits {
        let message = format!("this {what} is too complex");
        return Err(Error::new(SqlState::STATEMENT_TOO_COMPLEX, message));
    }
    Ok(())
}

/// A parameter of an expression.
fn parameter(expr: &Expr) -> Option<usize> {
    if let Expr::Parameter {
        parameter: Parameter::Given(index),
        ..
    } = expr
    {
        return Some(*index);
    }
    let mut found = None;
    for_each_child(expr, &mut |child| {
        found = found.or_else(|| parameter(child))
    });
    found
}

/// What `DEFERRABLE` and `INITIALLY` say of a constraint.
pub fn deferral(written: Option<varve_ast::Deferral>, position: u32) -> Result<Deferral> {
    let varve_ast::Deferral {
        is_deferrable,
        is_initially_deferred,
    } = written.unwrap_or_default();
    match (is_deferrable, is_initially_deferred == Some(true)) {
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

impl DdlBinder<'_, '_> {
    /// Refuses a class that there is not, or that is another type's.
    pub fn operator_class(&self, name: &ObjectName, ty: LogicalType) -> Result<()> {
        let position = self.query.at(name.span());
        let name = self.query.relation_name(name)?.name;
        let of = name.strip_suffix("_ops");
        let class = CLASSES.iter().find(|(_, known, _)| Some(*known) == of);
        let fits = class.is_some_and(|(_, _, of)| match *of {
            TEXT | BPCHAR => ty.is_string(),
            of => class_type(ty) == of,
        });
        let (state, message) = if class.is_none() {
            let message =
                format!("operator class \"{name}\" does not exist for access method \"btree\"");
            (SqlState::UNDEFINED_OBJECT, message)
        } else if !fits {
            let message = format!("operator class \"{name}\" does not accept data type {ty}");
            (SqlState::DATATYPE_MISMATCH, message)
        } else {
            return Ok(());
        };
        Err(located(Error::new(state, message), position))
    }
}
