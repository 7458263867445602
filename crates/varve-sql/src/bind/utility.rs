//! Which of the statements around queries it is; CREATE TABLE AS.

use sqlparser::ast::{Expr as Ast, Query as AstQuery, Select, SelectInto, SetExpr};
use sqlparser::ast::{ObjectName, ObjectNamePart};
use varve_types::{Error, Result, SqlState};

use crate::bind::ddl::only_temporary;
use crate::bind::storage::Stored;
use crate::bind::view::{exists_message, table_of, utility};
use crate::bind::{Binder, located, unsupported_at};
use crate::optimize::optimize;
use crate::parse_utility::{CreateTableAs, UtilityStatement};
use crate::plan::{Query, Statement};
use crate::schema::is_temporary;
use crate::utility::Utility;

impl Binder<'_> {
    pub(crate) fn utility(&mut self, statement: &UtilityStatement) -> Result<Statement> {
        match statement {
            UtilityStatement::CreateView(create) => self.create_view(create),
            UtilityStatement::Refresh {
                name,
                concurrently,
                with_data,
            } => self.refresh_view(name, *concurrently, *with_data),
            UtilityStatement::CreateTableAs(create) => self.create_table_as(create),
            UtilityStatement::Drop {
                kind,
                names,
                if_exists,
                cascade,
            } => self.drop_objects(*kind, names, *if_exists, *cascade),
            UtilityStatement::CreateDomain(create) => self.create_domain(create),
            UtilityStatement::CreateEnum { name, labels } => self.create_enum(name, labels),
            UtilityStatement::CreateRowType { name, fields } => self.create_row_type(name, fields),
            UtilityStatement::Comment { on, text } => self.comment(on, text.as_deref()),
            UtilityStatement::AlterDomain { name, alter } => self.alter_domain(name, alter),
            UtilityStatement::AlterEnum { name, alter } => self.alter_enum(name, alter),
            UtilityStatement::CreateFunction(create) => self.create_function(create),
            UtilityStatement::Do(block) => self.anonymous_block(block),
            UtilityStatement::DropFunction {
                functions,
                if_exists,
                cascade,
            } => self.drop_functions(functions, *if_exists, *cascade),
            UtilityStatement::AlterFunction(function, action) => {
                self.alter_function(function, action)
            }
            UtilityStatement::CreateTrigger(create) => self.create_trigger(create),
            UtilityStatement::DropTrigger(trigger, cascade) => self.drop_trigger(trigger, *cascade),
            UtilityStatement::RenameTrigger(trigger, to) => self.rename_trigger(trigger, to),
            UtilityStatement::EnableTriggers {
                table,
                name,
                is_enabled,
            } => self.enable_triggers(table, name.as_ref(), *is_enabled),
            UtilityStatement::CreateSchema(create) => self.create_schema(create),
        }
    }

    fn create_table_as(&mut self, create: &CreateTableAs) -> Result<Statement> {
        let (schema, name) = self.new_relation(&create.name, create.temporary)?;
        if create.on_commit.is_some() && !is_temporary(schema) {
            return Err(only_temporary());
        }
        if self.has_relation(schema, &name) {
            if create.if_not_exists {
                return Ok(self.nothing(exists_message(&name)));
            }
            let message = format!("relation \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        self.storage_options(Stored::Table, &create.stored)?;
        if create.unlogged {
            self.note_storage("UNLOGGED");
        }
        let query = self.query(&create.query, None)?;
        let columns = self.result_columns(&query, &create.columns, "CREATE TABLE AS")?;
        let mut table = table_of(schema, &name, &columns);
        table.on_commit = create.on_commit.unwrap_or_default();
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
    pub(crate) fn select_into(&mut self, query: &AstQuery) -> Result<Option<Statement>> {
        let Some(select) = first_select(&query.body) else {
            return Ok(None);
        };
        let Some(into) = &select.into else {
            return Ok(None);
        };
        let position = self.source.first();
        let SelectInto {
            temporary,
            unlogged,
            table: _,
            targets,
        } = into;
        let name = match targets.as_slice() {
            [Ast::Identifier(ident)] => ObjectName(vec![ObjectNamePart::Identifier(ident.clone())]),
            [Ast::CompoundIdentifier(parts)] => {
                let parts = parts.iter().cloned().map(ObjectNamePart::Identifier);
                ObjectName(parts.collect())
            }
            _ => return Err(unsupported_at("this target of INTO", position)),
        };
        let (schema, folded) = self.new_relation(&name, *temporary)?;
        if self.has_relation(schema, &folded) {
            let message = format!("relation \"{folded}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        if *unlogged {
            self.note_storage("UNLOGGED");
        }
        self.into = Some(core::ptr::from_ref(select));
        let query = self.query(query, None)?;
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

    /// INTO may stand in the first SELECT of a statement only.
    pub(crate) fn check_into(&self, select: &Select) -> Result<()> {
        let is_target = |target| core::ptr::eq(target, select);
        if let Some(into) = &select.into
            && !self.into.is_some_and(is_target)
        {
            let message = "SELECT ... INTO is not allowed here";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            let target = into.targets.first();
            return Err(located(
                error,
                target.map_or(0, |target| self.source.expr(target)),
            ));
        }
        Ok(())
    }
}

/// The SELECT that a query begins with.
fn first_select(mut body: &SetExpr) -> Option<&Select> {
    loop {
        body = match body {
            SetExpr::Select(select) => return Some(select),
            SetExpr::SetOperation { left, .. } => left,
            SetExpr::Query(query) => &query.body,
            _ => return None,
        };
    }
}
