//! CREATE TABLE AS and SELECT INTO.

use varve_ast::{CreateTableAs, IntoTable, QueryBody, Select};
use varve_plan::optimize::optimize;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::Utility;
use varve_plan::plan::{Query, Statement};
use varve_types::{Error, Result, SqlState};

use crate::binder::DdlBinder;
use crate::on_commit;
use crate::table::storage::{Stored, put_options};
use crate::view::{exists_message, table_of};

impl DdlBinder<'_, '_> {
    pub(crate) fn create_table_as(&mut self, create: &CreateTableAs) -> Result<Statement> {
        let (schema, name) = self.query.new_relation(&create.name, create.is_temporary)?;
        let on_commit = on_commit(create.on_commit, schema)?;
        if self.query.has_relation(schema, &name) {
            if create.if_not_exists {
                return Ok(self.query.nothing(exists_message(&name)));
            }
            let message = format!("relation \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        let options = self.storage_options(Stored::Table, &create.options)?;
        if create.is_unlogged {
            self.note_storage("UNLOGGED");
        }
        let query = self.query.query(&create.query, None)?;
        let columns = self.result_columns(&query, &create.columns, "CREATE TABLE AS")?;
        let mut table = table_of(schema, &name, &columns);
        table.on_commit = on_commit;
        put_options(&mut table.table, options, &[]);
        let query = Query {
            plan: optimize(query.plan),
            ..query
        };
        Ok(utility(Utility::CreateTableAs {
            table,
            query: create.with_data.then_some(query),
        }))
    }

    /// `SELECT ... INTO table`; `None` for a query without INTO.
    pub fn select_into(&mut self, query: &varve_ast::Query) -> Result<Option<Statement>> {
        let Some(select) = first_select(&query.body) else {
            return Ok(None);
        };
        let Some(into) = &select.into else {
            return Ok(None);
        };
        let IntoTable {
            name,
            is_temporary,
            is_unlogged,
        } = into;
        let (schema, folded) = self.query.new_relation(name, *is_temporary)?;
        if self.query.has_relation(schema, &folded) {
            let message = format!("relation \"{folded}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        if *is_unlogged {
            self.note_storage("UNLOGGED");
        }
        self.query.context.into = Some(select.span);
        let query = self.query.query(query, None)?;
        let columns = self.result_columns(&query, &[], "SELECT INTO")?;
        let table = table_of(schema, &folded, &columns);
        let query = Query {
            plan: optimize(query.plan),
            ..query
        };
        Ok(Some(utility(Utility::CreateTableAs {
            table,
            query: Some(query),
        })))
    }
}

/// The SELECT that a query begins with.
fn first_select(mut body: &QueryBody) -> Option<&Select> {
    loop {
        body = match body {
            QueryBody::Select(select) => return Some(select),
            QueryBody::Set(operation) => &operation.left,
            QueryBody::Query(query) => &query.body,
            QueryBody::Values(_) | QueryBody::Dml(_) => return None,
        };
    }
}
