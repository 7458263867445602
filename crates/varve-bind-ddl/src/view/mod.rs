//! Views: how they are made, and how their queries come into those that read them.

mod buckets;
pub(crate) mod continuous;

use std::sync::Arc;

use varve_ast::{CreateView, DefinedOption, Materialized, Name, ObjectName};
use varve_bind_dml::through::updatable_columns;
use varve_catalog::model::catalog::Named;
use varve_catalog::model::schema::is_temporary;
use varve_catalog::model::table::{ColumnDef, StorageOption, TableDef};
use varve_catalog::model::view::{ParsedView, ViewCheck, ViewColumn, ViewDef, ViewKind, ViewRead};
use varve_catalog::text::name::undefined_table;
use varve_catalog::text::sql_source::source;
use varve_parser::parse;
use varve_plan::build::modifier::modifier_of;
use varve_plan::optimize::optimize;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Message, Utility};
use varve_plan::plan::{NewTable, OnCommit, Query, Statement};
use varve_plan::scope::syntax::{is_change, view_query};
use varve_types::{
    ColumnId, Error, LogicalType, ObjectId, Result, RowTypeId, SqlState, SqlText, sql,
};

use crate::binder::DdlBinder;
use crate::table::hypertable::{is_timescale, without_timescale};
use crate::table::storage::{Stored, not_yet, put_options, unrecognized};

impl DdlBinder<'_, '_> {
    pub(crate) fn create_view(&mut self, create: &CreateView) -> Result<Statement> {
        let named = create.query.with.iter().flat_map(|with| &with.ctes);
        if named.into_iter().any(|cte| is_change(&cte.query)) {
            let message = "views must not contain data-modifying statements in WITH";
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        let (schema, name) = self.query.new_relation(&create.name, create.is_temporary)?;
        if let Some(Materialized {
            if_not_exists: true,
            ..
        }) = create.materialized
            && self.query.has_relation(schema, &name)
        {
            return Ok(self.query.nothing(exists_message(&name)));
        }
        let replaced = self.replaced_view(schema, &name, create.or_replace)?;
        let wanted = continuous::wanted(create)?;
        let (query, reads, text) = self.text_of_view(create, wanted.is_some())?;
        let what = match create.materialized {
            None => "CREATE VIEW",
            Some(_) => "CREATE MATERIALIZED VIEW",
        };
        let buckets = match &wanted {
            Some(_) => Some(self.aggregate_buckets(create, &query, &reads)?),
            None => None,
        };
        let columns = self.result_columns(&query, &create.columns, what)?;
        let schema = self.schema_of_view(create, schema, &name, &reads)?;
        let (check, options) = match create.materialized {
            None => (self.view_options(create)?, Vec::new()),
            Some(_) => {
                let options = match &wanted {
                    Some(_) => &without_timescale(&create.options),
                    None => &create.options,
                };
                let options = self.storage_options(Stored::Table, options)?;
                (ViewCheck::None, options)
            }
        };
        let view = self.texts.view(
            self.catalog,
            ViewDef {
                object: ObjectId(0),
                schema,
                name,
                columns,
                text,
                reads,
                kind: ViewKind::Plain { check },
                continuous: None,
                parsed: ParsedView::default(),
            },
        )?;
        match create.materialized {
            Some(materialized) => match wanted.zip(buckets) {
                Some((wanted, buckets)) => {
                    let filled = (options, materialized.with_data);
                    self.continuous_view(view, buckets, &wanted, filled)
                }
                None => Ok(materialized_view(view, query, materialized, options)),
            },
            None => self.plain_view(view, check, replaced.as_deref()),
        }
    }

    /// The query of a view as it was bound, with what its names mean and its text.
    fn text_of_view(
        &mut self,
        create: &CreateView,
        is_continuous: bool,
    ) -> Result<(Query, Vec<ViewRead>, String)> {
        // What is above another aggregate is made of what that has materialized.
        self.query.context.rows_only = is_continuous;
        let text = if create.is_recursive {
            self.recursive_view(create)?
        } else {
            let (query, reads) = self.recorded(&create.query)?;
            (query, reads, create.text.clone())
        };
        self.query.context.rows_only = false;
        Ok(text)
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
            _ if self.query.has_relation(schema, name) => {
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
        self.query.outputs.messages.push(Message::notice(text));
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
        let (query, reads) = self.recorded(ast)?;
        Ok((query, reads, text.into_string()))
    }

    /// Binds the query of a view; answers what its names mean as well.
    fn recorded(&mut self, query: &varve_ast::Query) -> Result<(Query, Vec<ViewRead>)> {
        self.query.context.reads = Some(Vec::new());
        self.query.context.is_defining = true;
        let query = self.query.query(query, None);
        self.query.context.is_defining = false;
        let reads = self.query.context.reads.take().unwrap_or_default();
        let query = query?;
        if !self.query.outputs.parameters.is_empty() {
            let message = "there is no parameter $1";
            return Err(Error::new(SqlState::UNDEFINED_PARAMETER, message));
        }
        Ok((query, reads))
    }

    /// The columns of a relation that is made from a query, under these names as far as they go.
    pub fn result_columns(
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
                Some(name) => self.query.new_name(name)?,
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
                    self.query.outputs.messages.push(Message::notice(text));
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
        (concurrently, with_data): (bool, bool),
        window: &[DefinedOption],
    ) -> Result<Statement> {
        let written = self.query.relation_name(name)?;
        let found = self.query.find(&written);
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
        if view.continuous.is_some() {
            return self.refresh_range(&view, window);
        }
        if let Some(option) = window.first() {
            return Err(unrecognized(&option.name.text));
        }
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
                let query = self.query.view_plan(&view, None)?;
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
        let tells_apart =
            indexes.any(|index| index.options.is_unique && index.predicate.is_empty());
        if !tells_apart {
            let message = format!("cannot refresh materialized view \"{name}\" concurrently");
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            let hint = "Create a unique index with no WHERE clause on one or more columns of the \
                        materialized view.";
            return Err(Error::new(state, message).with_hint(hint));
        }
        Ok(())
    }
}

/// The statement that makes a materialized view of a query.
fn materialized_view(
    mut view: ViewDef,
    query: Query,
    materialized: Materialized,
    options: Vec<StorageOption>,
) -> Statement {
    view.kind = ViewKind::Materialized {
        rows: ObjectId(0),
        is_populated: materialized.with_data,
    };
    let mut table = table_of(view.schema, &view.name, &view.columns);
    put_options(&mut table.table, options, &[]);
    let query = materialized.with_data.then(|| Query {
        plan: optimize(query.plan),
        ..query
    });
    utility(Utility::CreateMaterializedView { view, table, query })
}

/// A table of these columns.
pub fn table_of(schema: ObjectId, name: &str, columns: &[ViewColumn]) -> NewTable {
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
