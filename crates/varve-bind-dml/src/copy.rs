//! COPY: what it reads or writes.

use std::sync::Arc;

use varve_ast::{
    Copy, CopyOption, CopySource, CopyTarget, Expr as Ast, Name, ObjectName, QueryBody,
};
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::catalog::Named;
use varve_catalog::model::table::{Filled, TableDef};
use varve_catalog::text::name::undefined_table;
use varve_expr::Expr;
use varve_plan::build::table::target_scope;
use varve_plan::optimize::optimize;
use varve_plan::plan::statement::{CopyFormat, CopyOptions, CopyOut};
use varve_plan::plan::{CopyPlan, Plan, Query, Statement};
use varve_plan::scope::error::unsupported_at;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::binder::DmlBinder;
use crate::change::bind_change;
use crate::copy_options::CopyColumns;

impl DmlBinder<'_, '_> {
    /// COPY.
    pub fn copy(&mut self, copy: &Copy) -> Result<Statement> {
        let Copy {
            source,
            is_from,
            target,
            options,
            filter,
        } = copy;
        if *target != CopyTarget::Client {
            let error = unsupported_at("COPY with a file of the server", self.query.first());
            return Err(error.with_hint("Use STDIN or STDOUT, or \\copy of the shell."));
        }
        match (source, is_from) {
            (CopySource::Query(query), _) => self.copy_query(query, options),
            (CopySource::Table(name, columns), true) => {
                self.copy_into((name, columns), options, filter.as_ref())
            }
            (CopySource::Table(name, columns), false) => self.copy_from((name, columns), options),
        }
    }

    /// COPY of the rows of a query.
    fn copy_query(
        &mut self,
        query: &varve_ast::Query,
        options: &[CopyOption],
    ) -> Result<Statement> {
        let source = self.copied_statement(query)?;
        let fields = source.fields();
        let columns = CopyColumns {
            table: None,
            names: fields.iter().map(|field| field.name.clone()).collect(),
        };
        let options = self.copy_options(options, false, &columns)?;
        let types: Vec<LogicalType> = fields.iter().map(|field| field.ty).collect();
        refuse_binary_arrays(&options, &types)?;
        Ok(copy_out(source, columns.names, options))
    }

    /// COPY into a table.
    fn copy_into(
        &mut self,
        (name, columns): (&ObjectName, &[Name]),
        options: &[CopyOption],
        filter: Option<&Ast>,
    ) -> Result<Statement> {
        let table = self.copied_into(name)?;
        let columns = self.copied_columns(&table, columns)?;
        let (options, _) = self.table_options(&table, &columns, options, true)?;
        let filter = match filter {
            None => None,
            Some(ast) => {
                let scope = target_scope(&table, None);
                let mut scope = ExprScope::plain(&scope, "COPY FROM WHERE conditions");
                let operand = self.query.expr(ast, &mut scope)?;
                let filter = self
                    .query
                    .condition(operand, "WHERE", self.query.at(ast.span))?;
                Some(varve_expr::fold(filter))
            }
        };
        Ok(Statement::CopyFrom(Box::new(CopyPlan {
            table,
            columns,
            options,
            filter,
        })))
    }

    /// COPY of the rows of a table.
    fn copy_from(
        &mut self,
        (name, columns): (&ObjectName, &[Name]),
        options: &[CopyOption],
    ) -> Result<Statement> {
        let (table, scan) = self.copied_from(name)?;
        let columns = self.copied_columns(&table, columns)?;
        let (options, names) = self.table_options(&table, &columns, options, false)?;
        let exprs = columns.iter().filter_map(|at| {
            let ty = table.columns.get(*at)?.ty;
            Some(Expr::Column { index: *at, ty })
        });
        let plan = optimize(Plan::Project {
            input: Box::new(scan),
            exprs: exprs.collect(),
        });
        let source = Statement::Query(Query {
            plan,
            fields: Vec::new(),
            untyped: Vec::new(),
        });
        Ok(copy_out(source, names, options))
    }

    /// The options of COPY of some columns of a table, and the names of these.
    fn table_options(
        &self,
        table: &TableDef,
        columns: &[usize],
        options: &[CopyOption],
        is_from: bool,
    ) -> Result<(CopyOptions, Vec<String>)> {
        let label = |at: &usize| table.columns.get(*at).map(|column| column.name.clone());
        let copied = CopyColumns {
            table: Some(table),
            names: columns.iter().filter_map(label).collect(),
        };
        let options = self.copy_options(options, is_from, &copied)?;
        let types: Vec<LogicalType> = table.columns.iter().map(|column| column.ty).collect();
        refuse_binary_arrays(&options, &types)?;
        Ok((options, copied.names))
    }

    /// The statement whose rows are copied.
    fn copied_statement(&mut self, query: &varve_ast::Query) -> Result<Statement> {
        let statement = match bind_change(self.query, query)? {
            Some(statement) => statement,
            None => {
                if let QueryBody::Select(select) = query.body.as_ref()
                    && select.into.is_some()
                {
                    let message = "COPY (SELECT INTO) is not supported";
                    return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
                }
                let query = self.query.whole_query(query, bind_change)?;
                return self.query.with_changes(Statement::Query(Query {
                    plan: optimize(query.plan),
                    ..query
                }));
            }
        };
        if statement.fields().is_empty() {
            let message = "COPY query must have a RETURNING clause";
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        Ok(statement)
    }

    /// The table that a COPY writes to.
    fn copied_into(&mut self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let written = self.query.relation_name(name)?;
        let what = match self.query.find(&written) {
            Some(Named::View(_)) => "view",
            Some(Named::Table(table)) if self.catalog.view_of(table).is_some() => {
                "materialized view"
            }
            Some(Named::Sequence(_)) => "sequence",
            None if self.query.system_view(&written).is_none() => {
                return Err(undefined_table(&written, 0));
            }
            _ => return self.query.writable_table(name),
        };
        let message = format!("cannot copy to {what} \"{}\"", written.name);
        let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
        Err(match what {
            "view" => error
                .with_hint("To enable copying to a view, provide an INSTEAD OF INSERT trigger."),
            _ => error,
        })
    }

    /// The table that a COPY reads, and all of its rows.
    fn copied_from(&mut self, name: &ObjectName) -> Result<(Arc<TableDef>, Plan)> {
        let written = self.query.relation_name(name)?;
        let what = match self.query.find(&written) {
            Some(Named::View(_)) => "view",
            Some(Named::Table(table)) if self.catalog.view_of(table).is_some() => {
                "materialized view"
            }
            Some(Named::Sequence(_)) => "sequence",
            Some(Named::Chunk(_)) => "chunk",
            Some(Named::Table(object)) => {
                let (plan, _) = self.query.named_relation(name, None, true)?;
                let table = self.catalog.tables.get(&object);
                let table = table.ok_or_else(|| undefined_table(&written, 0))?;
                return Ok((Arc::clone(table), plan));
            }
            Some(Named::Index(_)) => {
                let message = format!("cannot open relation \"{}\"", written.name);
                let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                return Err(error.with_detail("This operation is not supported for indexes."));
            }
            None if self.query.system_view(&written).is_some() => "view",
            None => return Err(undefined_table(&written, 0)),
        };
        let message = format!("cannot copy from {what} \"{}\"", written.name);
        let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
        Err(match what {
            "sequence" => error,
            _ => error.with_hint("Try the COPY (SELECT ...) TO variant."),
        })
    }

    /// Positions of the columns that are copied: those that are named, or all but generated ones.
    fn copied_columns(&self, table: &TableDef, names: &[Name]) -> Result<Vec<usize>> {
        let is_generated = |at: usize| {
            let column = table.columns.get(at);
            column.is_some_and(|column| column.filled == Filled::Generated)
        };
        let mut positions = Vec::with_capacity(names.len());
        for name in names {
            let column = self.query.target_column(table, name);
            let column = column.map_err(Error::without_position)?;
            if is_generated(column) {
                let message = format!("column \"{}\" is a generated column", name.text);
                let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
                return Err(error.with_detail("Generated columns cannot be used in COPY."));
            }
            if positions.contains(&column) {
                return Err(self.named_twice(name).without_position());
            }
            positions.push(column);
        }
        if names.is_empty() {
            positions.extend((0..table.columns.len()).filter(|at| !is_generated(*at)));
        }
        Ok(positions)
    }
}

fn refuse_binary_arrays(options: &CopyOptions, types: &[LogicalType]) -> Result<()> {
    let has_array = types.iter().any(|ty| matches!(ty, LogicalType::Array(_)));
    match options.format == CopyFormat::Binary && has_array {
        true => Err(Error::unsupported("an array in COPY of binary format")),
        false => Ok(()),
    }
}

fn copy_out(source: Statement, names: Vec<String>, options: CopyOptions) -> Statement {
    Statement::CopyTo(Box::new(CopyOut {
        source,
        names,
        options,
    }))
}
