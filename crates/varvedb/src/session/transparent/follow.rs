//! Configurations follow their tables and columns when these are renamed or dropped.

use std::sync::Arc;

use varve_catalog::{Catalog, PUBLIC};
use varve_dml::StatementTxn;
use varve_plan::{Statement, Utility};
use varve_types::{LocalFuture, Notice, ObjectId, Result, SqlState, SqlText, Value, sql};

use super::views::view_of;
use super::{Scope, Session};
use crate::transparent::config::shown_name;
use crate::transparent::{Chooser, Config};

const RENAME: &str = "UPDATE public._zstd_configs SET config = json_patch(config, \
     json_build_object('table', CAST($2 AS text), 'column', CAST($3 AS text))) WHERE id = $1";
const FORGET: &str = "DELETE FROM public._zstd_configs WHERE id = $1";

impl Session {
    /// Whether a statement may rename, change or drop what configurations name.
    pub(in crate::session) fn may_change_configured(
        &self,
        statement: &Statement,
        catalog: &Catalog,
    ) -> bool {
        let is_change = match statement {
            Statement::AlterTable(_) => true,
            Statement::Utility(utility) => matches!(
                **utility,
                Utility::Drop(_) | Utility::DropColumns(..) | Utility::Alter(_)
            ),
            _ => false,
        };
        is_change && catalog.find_in(PUBLIC, "_zstd_configs").is_some()
    }

    /// Makes configurations and views fit, after a statement that changed what was `before`.
    pub(in crate::session) fn follow_definitions<'a>(
        &'a mut self,
        txn: &'a mut StatementTxn,
        before: &'a Arc<Catalog>,
        (scope, notices): (Scope, &'a mut Vec<Notice>),
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut views = std::mem::take(&mut self.without_views);
            let path = self.settings.search_path.clone();
            let after = self.catalog.borrow_mut().get(&txn.store, &path)?;
            if after.find_in(PUBLIC, "_zstd_configs").is_none() {
                return Ok(());
            }
            let scope = Scope {
                is_alone: false,
                ..scope
            };
            for (id, config) in self.configs_in(txn, scope).await? {
                let Some((table, _)) = config.target(before) else {
                    continue;
                };
                let is_same = |now| Arc::ptr_eq(now, table) || **now == **table;
                if after.tables.get(&table.object).is_some_and(is_same) {
                    continue;
                }
                if view_of(before, table).is_some() && !views.contains(&table.object) {
                    self.drop_view_of(txn, before, table.object, scope).await?;
                    views.push(table.object);
                }
                let followed = self.follow(txn, (before, &after), (&id, &config), scope);
                notices.extend(followed.await?);
            }
            for table in views {
                let made = self.make_compatibility_view(txn, table, scope).await;
                if let Err(error) = made {
                    let text =
                        format!("the view of compressed values is gone: {}", error.message());
                    notices.push(Notice::warning(SqlState::WARNING, &text));
                }
            }
            Ok(())
        })
    }

    async fn drop_view_of(
        &mut self,
        txn: &mut StatementTxn,
        before: &Catalog,
        table: ObjectId,
        scope: Scope,
    ) -> Result<()> {
        let view = before.tables.get(&table);
        let Some(view) = view.and_then(|table| view_of(before, table)) else {
            return Ok(());
        };
        let name = SqlText::name_in(before.schema_name(view.schema), &view.name);
        let drop = sql!["DROP VIEW IF EXISTS ", name];
        self.run_own(txn, &drop, (&[], scope)).await.map(|_| ())
    }

    /// Changes or removes the configuration of a table that was changed.
    async fn follow(
        &mut self,
        txn: &mut StatementTxn,
        (before, after): (&Catalog, &Arc<Catalog>),
        (id, config): (&Value, &Config),
        scope: Scope,
    ) -> Result<Option<Notice>> {
        let Some((old, column)) = config.target(before) else {
            return Ok(None);
        };
        let table = after.tables.get(&old.object);
        let column = table.and_then(|table| {
            let mut columns = table.columns.iter();
            columns.find(|now| now.id == column.id)
        });
        let (Some(table), Some(column)) = (table, column) else {
            let id = std::slice::from_ref(id);
            self.run_own(txn, &sql![FORGET], (id, scope)).await?;
            return Ok(None);
        };
        let names = [
            shown_name(after, table).to_string(),
            SqlText::name(&column.name).to_string(),
        ];
        if names != [config.table.as_str(), config.column.as_str()] {
            let [table, column] = names.map(Value::text);
            let values = [id.clone(), table, column];
            self.run_own(txn, &sql![RENAME], (&values, scope)).await?;
        }
        let fits = Chooser::new(after, table, &config.chooser);
        Ok(fits.err().map(|error| {
            let number = id.integer().unwrap_or_default();
            let text = format!(
                "row {number} of \"_zstd_configs\" does not fit \"{}\" any more: {}",
                table.name,
                error.message()
            );
            Notice::warning(SqlState::WARNING, &text)
        }))
    }
}
