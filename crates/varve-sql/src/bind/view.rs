//! Views: how they are made, and how their queries come into those that read them.

use std::sync::{Arc, LazyLock};

use varve_ast::{CreateView, DefinedOption, Materialized, Name, ObjectName, StatementBody};
use varve_parser::{ParsedStatement, Source, parse, too_deep};
use varve_types::{
    ColumnId, Error, LogicalType, ObjectId, Result, RowTypeId, SqlState, SqlText, meter, sql,
};

use crate::bind::change_cte::is_change;
use crate::bind::modifier::modifier_of;
use crate::bind::names::undefined_table;
use crate::bind::storage::{Stored, is_timescale, not_yet, unrecognized};
use crate::bind::{Binder, updatable_columns};
use crate::catalog::{ColumnDef, TableDef};
use crate::following::whole_view;
use crate::optimize::optimize;
use crate::plan::{NewTable, OnCommit, Query, Statement};
use crate::schema::{Named, RelationName, is_temporary};
use crate::sql_source::source;
use crate::utility::{Message, Utility};
use crate::view::{ParsedView, ViewCheck, ViewColumn, ViewDef, ViewKind, ViewRead};

/// Most levels that a statement and the views in it nest, as parentheses do.
pub(crate) const NESTING_MAX: usize = 50;

/// The text of a view has no places in that of the statement.
pub(crate) static NO_SOURCE: LazyLock<Source> = LazyLock::new(Source::default);

/// The names and types of a relation's columns.
pub(crate) type Columns = Vec<(String, LogicalType)>;

impl Binder<'_> {
    pub(crate) fn create_view(&mut self, create: &CreateView) -> Result<Statement> {
        let named = create.query.with.iter().flat_map(|with| &with.ctes);
        if named.into_iter().any(|cte| is_change(&cte.query)) {
            let message = "views must not contain data-modifying statements in WITH";
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        let (schema, name) = self.new_relation(&create.name, create.is_temporary)?;
        if let Some(Materialized {
            if_not_exists: true,
            ..
        }) = create.materialized
            && self.has_relation(schema, &name)
        {
            return Ok(self.nothing(exists_message(&name)));
        }
        let replaced = self.replaced_view(schema, &name, create.or_replace)?;
        let (query, reads, text) = if create.is_recursive {
            self.recursive_view(create)?
        } else {
            let (query, reads) = self.recorded(|binder| binder.query(&create.query, None))?;
            (query, reads, create.text.clone())
        };
        let what = match create.materialized {
            None => "CREATE VIEW",
            Some(_) => "CREATE MATERIALIZED VIEW",
        };
        let columns = self.result_columns(&query, &create.columns, what)?;
        let schema = self.schema_of_view(create, schema, &name, &reads)?;
        let check = match create.materialized {
            None => self.view_options(create)?,
            Some(_) => {
                self.storage_options(Stored::Table, &create.options)?;
                ViewCheck::None
            }
        };
        let view = whole_view(
            self.catalog,
            ViewDef {
                object: ObjectId(0),
                schema,
                name,
                columns,
                text,
                reads,
                kind: ViewKind::Plain { check },
                parsed: ParsedView::default(),
            },
        )?;
        match create.materialized {
            Some(materialized) => Ok(materialized_view(view, query, materialized)),
            None => self.plain_view(view, check, replaced.as_deref()),
        }
    }

    /// The view that OR REPLACE replaces.
    fn replaced_view(
        &self,
        schema: ObjectId,
        name: &str,
        or_replace: bool,
    ) -> Result<Option<Arc<ViewDef>>> {
        match self.catalog.find_in(schema, name) {
            Some(Named::View(view)) if or_replace => Ok(self.catalog.views.get(&view).cloned()),
            Some(_) if or_replace => {
                let message = format!("\"{name}\" is not a view");
                Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
            }
            _ if self.has_relation(schema, name) => {
                let message = format!("relation \"{name}\" already exists");
                Err(Error::new(SqlState::DUPLICATE_TABLE, message))
            }
            _ => Ok(None),
        }
    }

    /// The schema of a view of this name: one that reads what is temporary is temporary too.
    fn schema_of_view(
        &mut self,
        create: &CreateView,
        schema: ObjectId,
        name: &str,
        reads: &[ViewRead],
    ) -> Result<ObjectId> {
        let mut objects = reads.iter().map(|read| read.object);
        let reads_temporary = objects.any(|object| self.catalog.is_temporary(object));
        if !reads_temporary || is_temporary(schema) {
            return Ok(schema);
        }
        if create.materialized.is_some() {
            let message = "materialized views must not use temporary tables or views";
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        let text = format!("view \"{name}\" will be a temporary view");
        self.messages.push(Message::notice(text));
        Ok(self.catalog.temporary().unwrap_or(schema))
    }

    /// The statement that makes a view that is not materialized.
    fn plain_view(
        &self,
        mut view: ViewDef,
        check: ViewCheck,
        replaced: Option<&ViewDef>,
    ) -> Result<Statement> {
        if check != ViewCheck::None
            && updatable_columns(self.catalog, &Arc::new(view.clone())).is_none()
        {
            let message = "WITH CHECK OPTION is supported only on automatically updatable views";
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        if let Some(replaced) = replaced {
            check_replacement(replaced, &view)?;
            view.object = replaced.object;
        }
        Ok(utility(Utility::CreateView(view)))
    }

    /// `CREATE RECURSIVE VIEW` is a view over a recursive query.
    fn recursive_view(&mut self, create: &CreateView) -> Result<(Query, Vec<ViewRead>, String)> {
        let columns = SqlText::names(create.columns.iter().map(|name| name.text.as_str()));
        let name = SqlText::name(&create.name.name.text);
        let mut text = sql!["WITH RECURSIVE ", &name, " (", &columns, ") AS ("];
        text.push(source(&create.text));
        text.push(sql![") SELECT ", columns, " FROM ", name]);
        let parsed = parse(text.as_str())?.pop();
        let parsed = parsed.ok_or_else(|| Error::internal("a view without a query"))?;
        let ast = view_query(&parsed)?;
        let (query, reads) = self.recorded(|binder| binder.query(ast, None))?;
        Ok((query, reads, text.into_string()))
    }

    /// Binds the query of a view; answers what its names mean as well.
    fn recorded(
        &mut self,
        bind: impl FnOnce(&mut Self) -> Result<Query>,
    ) -> Result<(Query, Vec<ViewRead>)> {
        self.reads = Some(Vec::new());
        self.is_defining = true;
        let query = bind(self);
        self.is_defining = false;
        let reads = self.reads.take().unwrap_or_default();
        let query = query?;
        if !self.parameters.is_empty() {
            let message = "there is no parameter $1";
            return Err(Error::new(SqlState::UNDEFINED_PARAMETER, message));
        }
        Ok((query, reads))
    }

    /// The columns of a relation that is made from a query, under these names as far as they go.
    pub(crate) fn result_columns(
        &self,
        query: &Query,
        names: &[Name],
        statement: &str,
    ) -> Result<Vec<ViewColumn>> {
        if names.len() > query.fields.len() {
            let message = match statement {
                "CREATE VIEW" => "CREATE VIEW specifies more column names than columns",
                _ => "too many column names were specified",
            };
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
        let mut columns: Vec<ViewColumn> = Vec::with_capacity(query.fields.len());
        for (at, field) in query.fields.iter().enumerate() {
            let name = match names.get(at) {
                Some(name) => self.new_name(name)?,
                None => field.name.clone(),
            };
            if columns.iter().any(|known| known.name == name) {
                let message = format!("column \"{name}\" specified more than once");
                return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
            }
            let record = LogicalType::Row(RowTypeId::RECORD);
            if field.ty == record || record.array() == Some(field.ty) {
                let message = format!("column \"{name}\" has pseudo-type {}", field.ty);
                return Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message));
            }
            columns.push(ViewColumn {
                name,
                ty: field.ty,
                modifier: modifier_of(&query.plan, at),
            });
        }
        Ok(columns)
    }

    fn view_options(&mut self, create: &CreateView) -> Result<ViewCheck> {
        let mut check = match create.check {
            varve_ast::ViewCheck::None => ViewCheck::None,
            varve_ast::ViewCheck::Local => ViewCheck::Local,
            varve_ast::ViewCheck::Cascaded => ViewCheck::Cascaded,
        };
        for DefinedOption { name, value } in &create.options {
            let name = name.text.as_str();
            let value = value.as_ref().map(|value| value.text.as_str());
            match (name, value) {
                ("security_barrier" | "security_invoker", value) => {
                    if let Some(value) = value
                        && !matches!(
                            value.to_ascii_lowercase().as_str(),
                            "true" | "false" | "on" | "off" | "yes" | "no" | "1" | "0"
                        )
                    {
                        let message =
                            format!("invalid value for boolean option \"{name}\": {value}");
                        return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
                    }
                    let text =
                        format!("{name} guards nothing: there is one role, which sees all rows");
                    self.messages.push(Message::notice(text));
                }
                ("check_option", Some("local")) => check = ViewCheck::Local,
                ("check_option", Some("cascaded")) => check = ViewCheck::Cascaded,
                ("check_option", Some(value)) => {
                    let message =
                        format!("invalid value for enum option \"check_option\": {value}");
                    let detail = "Valid values are \"local\" and \"cascaded\".";
                    let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
                    return Err(error.with_detail(detail));
                }
                (name, _) if is_timescale(name) => return Err(not_yet(name)),
                (name, _) => return Err(unrecognized(name)),
            }
        }
        Ok(check)
    }

    pub(crate) fn refresh_view(
        &mut self,
        name: &ObjectName,
        concurrently: bool,
        with_data: bool,
    ) -> Result<Statement> {
        let written = self.relation_name(name)?;
        let found = self.find(&written);
        let rows = match found {
            None => return Err(undefined_table(&written, 0)),
            Some(Named::Table(rows)) => Some(rows),
            Some(_) => None,
        };
        let view = rows.and_then(|rows| self.catalog.view_of(rows)).cloned();
        let Some(view) = view else {
            let what = match rows {
                Some(_) => "a materialized view",
                None => "a table or materialized view",
            };
            let message = format!("\"{}\" is not {what}", written.name);
            return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        };
        if concurrently && !with_data {
            let message = "CONCURRENTLY and WITH NO DATA options cannot be used together";
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
        let mut refreshed = ViewDef::clone(&view);
        if let ViewKind::Materialized { rows, is_populated } = &mut refreshed.kind {
            if concurrently {
                self.check_concurrent(*rows, *is_populated, &view.name)?;
            }
            *is_populated = with_data;
        }
        let query = match with_data {
            true => {
                let query = self.view_plan(&view)?;
                Some(Query {
                    plan: optimize(query.plan),
                    ..query
                })
            }
            false => None,
        };
        Ok(utility(Utility::Refresh {
            view: refreshed,
            query,
        }))
    }

    /// `CONCURRENTLY` wants rows, and a unique index that tells them apart.
    fn check_concurrent(&self, rows: ObjectId, is_populated: bool, name: &str) -> Result<()> {
        let wrong = |message: String| {
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            Err(Error::new(state, message))
        };
        if !is_populated {
            return wrong(
                "CONCURRENTLY cannot be used when the materialized view is not populated"
                    .to_owned(),
            );
        }
        let table = self.catalog.tables.get(&rows);
        let mut indexes = table.iter().flat_map(|table| &table.indexes);
        let tells_apart = indexes.any(|index| {
            index.uniqueness != varve_types::Uniqueness::None && index.predicate.is_empty()
        });
        if !tells_apart {
            let message = format!("cannot refresh materialized view \"{name}\" concurrently");
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            let hint = "Create a unique index with no WHERE clause on one or more columns of the \
                        materialized view.";
            return Err(Error::new(state, message).with_hint(hint));
        }
        Ok(())
    }

    /// Binds something of the query of a view, around which nothing is in its reach.
    pub(crate) fn in_view<T>(
        &mut self,
        view: &Arc<ViewDef>,
        bind: impl FnOnce(&mut Self, &varve_ast::Query) -> Result<T>,
    ) -> Result<T> {
        let parsed = view.parsed()?;
        let ast = view_query(&parsed)?;
        let nesting = self.nesting + parsed.nesting + 2;
        if nesting > NESTING_MAX {
            return Err(too_deep());
        }
        meter::planned(view.text.len())?;
        self.found.borrow_mut().add_view(view);
        let nesting = core::mem::replace(&mut self.nesting, nesting);
        let source = core::mem::replace(&mut self.source, &NO_SOURCE);
        let named = parsed.names_tableoid;
        let names_tableoid = core::mem::replace(&mut self.names_tableoid, named);
        let outer = core::mem::take(&mut self.outer);
        let ctes = core::mem::take(&mut self.ctes);
        let reads = self.reads.take();
        let around = self.view.replace(Arc::clone(view));
        let bound = bind(self, ast);
        self.view = around;
        self.reads = reads;
        self.ctes = ctes;
        self.outer = outer;
        self.source = source;
        self.names_tableoid = names_tableoid;
        self.nesting = nesting;
        bound
    }

    /// The query of a view, with its columns under their names.
    pub(crate) fn view_plan(&mut self, view: &Arc<ViewDef>) -> Result<Query> {
        let mut query = self.in_view(view, |binder, ast| binder.query(ast, None))?;
        let is_same = query.fields.len() == view.columns.len()
            && (query.fields.iter().zip(&view.columns))
                .all(|(field, column)| field.ty == column.ty);
        if !is_same {
            let message = format!("the columns of view \"{}\" have changed", view.name);
            return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        }
        for (field, column) in query.fields.iter_mut().zip(&view.columns) {
            field.name.clone_from(&column.name);
        }
        Ok(query)
    }

    /// What a name in FROM means; inside of a view as it was when the view was made.
    pub(crate) fn read_name(&mut self, name: &RelationName) -> Option<(Named, Option<ViewRead>)> {
        if let Some(view) = &self.view {
            let mut reads = view.reads.iter();
            let read = reads.find(|read| read.written == *name)?.clone();
            let of = read.object;
            let named = if self.catalog.tables.contains_key(&of) {
                Named::Table(of)
            } else if self.catalog.sequences.contains_key(&of) {
                Named::Sequence(of)
            } else {
                Named::View(of)
            };
            return Some((named, Some(read)));
        }
        Some((self.find(name)?, None))
    }

    /// Notes for a view that is being made what a name means.
    pub(crate) fn note_read(
        &mut self,
        written: &RelationName,
        object: ObjectId,
        columns: impl FnOnce() -> Vec<(ColumnId, String)>,
    ) {
        if let Some(reads) = &mut self.reads
            && !reads.iter().any(|read| read.written == *written)
        {
            reads.push(ViewRead {
                written: written.clone(),
                object,
                columns: columns(),
            });
        }
    }

    /// A statement that does nothing but say so.
    pub(crate) fn nothing(&mut self, message: Message) -> Statement {
        self.messages.push(message);
        utility(Utility::Nothing)
    }
}

pub(crate) fn utility(utility: Utility) -> Statement {
    Statement::Utility(Box::new(utility))
}

/// The statement that makes a materialized view of a query.
fn materialized_view(mut view: ViewDef, query: Query, materialized: Materialized) -> Statement {
    view.kind = ViewKind::Materialized {
        rows: ObjectId(0),
        is_populated: materialized.with_data,
    };
    let table = table_of(view.schema, &view.name, &view.columns);
    let query = materialized.with_data.then(|| Query {
        plan: optimize(query.plan),
        ..query
    });
    utility(Utility::CreateMaterializedView { view, table, query })
}

/// The query of a view's text.
pub(crate) fn view_query(parsed: &ParsedStatement) -> Result<&varve_ast::Query> {
    match &parsed.statement.body {
        StatementBody::Query(query) => Ok(query),
        _ => Err(Error::internal("the text of a view is no query")),
    }
}

/// A table of these columns.
pub(crate) fn table_of(schema: ObjectId, name: &str, columns: &[ViewColumn]) -> NewTable {
    let columns = (1..).zip(columns).map(|(id, column)| ColumnDef {
        modifier: column.modifier,
        ..ColumnDef::new(ColumnId(id), column.name.as_str(), column.ty, true)
    });
    NewTable {
        table: TableDef {
            schema,
            ..TableDef::new(name, columns.collect(), Vec::new())
        },
        indexes: Vec::new(),
        sequences: Vec::new(),
        on_commit: OnCommit::Preserve,
    }
}

pub(crate) fn exists_message(name: &str) -> Message {
    let text = format!("relation \"{name}\" already exists, skipping");
    Message::new(SqlState::DUPLICATE_TABLE, text)
}

/// A new definition keeps the columns that there are.
fn check_replacement(old: &ViewDef, new: &ViewDef) -> Result<()> {
    let wrong = |message: String| Error::new(SqlState::INVALID_TABLE_DEFINITION, message);
    if new.columns.len() < old.columns.len() {
        return Err(wrong("cannot drop columns from view".to_owned()));
    }
    for (old, new) in old.columns.iter().zip(&new.columns) {
        if old.name != new.name {
            let message = format!(
                "cannot change name of view column \"{}\" to \"{}\"",
                old.name, new.name
            );
            let hint = "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column \
                        instead.";
            return Err(wrong(message).with_hint(hint));
        }
        if (old.ty, old.modifier) != (new.ty, new.modifier) {
            return Err(wrong(format!(
                "cannot change data type of view column \"{}\" from {} to {}",
                old.name,
                old.modifier.name_of(old.ty),
                new.modifier.name_of(new.ty),
            )));
        }
    }
    Ok(())
}
