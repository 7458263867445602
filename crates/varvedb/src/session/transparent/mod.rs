//! `SELECT zstd_enable_transparent(...)` and `SELECT zstd_incremental_maintenance(...)`.

mod enable;
mod follow;
mod groups;
mod maintain;
mod views;

use std::sync::Arc;

use varve_ast::TransparentFunction;
use varve_dml::StatementTxn;
use varve_expr::{EvalContext, Expr, Parameters, evaluate_constant};
use varve_system_views::Field;
use varve_types::{Batch, Column, Error, Result, SqlState, SqlText, Value};

use super::kept::Surroundings;
use super::request::{Request, Task};
use super::run::read_only_error;
use super::{Scope, Session};
use crate::shared::result_set::ResultSet;
use crate::shared::statements::Known;
use crate::transparent::Maintenance;

impl Session {
    /// Carries out a function that is a statement: all of it, or what comes before its commit.
    pub(super) async fn run_transparent(
        &mut self,
        around: Surroundings<'_>,
        function: TransparentFunction,
        (arguments, parameters): (&[Expr], &[Value]),
        field: &Field,
    ) -> Result<ResultSet> {
        let Surroundings {
            txn,
            catalog,
            scope,
        } = around;
        if scope.modes.read_only {
            return Err(read_only_error(function.name()));
        }
        self.host.enter(&txn.store, catalog).await?;
        let locale = self.locale(scope.now_us, catalog);
        let context: EvalContext<'_> = self.host.context(Parameters::given(parameters), &locale);
        let values = arguments
            .iter()
            .map(|expr| evaluate_constant(expr, &context));
        let values: Vec<Value> = values.collect::<Result<_>>()?;
        let answer = match (function, values.as_slice()) {
            (TransparentFunction::Enable, [config]) => {
                let config = config.str().ok_or_else(|| not_null(function, "config"))?;
                let scope = Scope {
                    is_alone: false,
                    ..scope
                };
                self.enable_transparent(txn, config, scope).await?;
                Value::text("Done!")
            }
            (TransparentFunction::Maintain, [duration, load]) => {
                self.maintenance = Some(Maintenance::of(duration, load)?);
                Value::Int4(0)
            }
            _ => return Err(Error::internal("arguments of another function")),
        };
        Ok(one_value(field, &answer))
    }

    /// Runs a statement of our own in a transaction.
    async fn run_own(
        &mut self,
        txn: &mut StatementTxn,
        sql: &SqlText,
        (parameters, scope): (&[Value], Scope),
    ) -> Result<ResultSet> {
        let parsed = self.shared.statements.parse(sql.as_str())?;
        let task = Task::Text(sql.as_str(), Known::Tree(parsed));
        self.run_in(txn, &Request::new(task, parameters), scope)
            .await
    }
}

/// A result of one row.
fn one_value(field: &Field, value: &Value) -> ResultSet {
    let column = Arc::new(Column::from_values(field.ty, [value]));
    ResultSet {
        fields: [field.clone()].into(),
        batches: vec![Batch::new(vec![column], 1)],
        command: "SELECT",
        ..ResultSet::default()
    }
}

/// `22004`
fn not_null(function: TransparentFunction, argument: &str) -> Error {
    let message = format!("{argument} of {} must not be null", function.name());
    Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message)
}
