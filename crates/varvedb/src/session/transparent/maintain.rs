//! Compresses what waits for it, in steps that are transactions of their own.

use std::sync::Arc;

use varve_catalog::{Catalog, TableDef};
use varve_settings::other;
use varve_store::{Pace, ValueFrame, ValueFrameTotals};
use varve_types::{
    ColumnId, Compression, Error, LocalFuture, Notice, Result, SqlState, TreeId, Value,
};

use super::groups::{Group, Target};
use super::{Session, one_value};
use crate::session::request::{Request, Task};
use crate::shared::result_set::ResultSet;
use crate::shared::statements::Known;
use crate::transparent::{Chooser, Config, Maintenance, Pacing, config, is_compressed};

/// One call.
struct Work {
    /// Runs statements of the call, with the settings that are the same for everybody.
    session: Session,
    pacing: Arc<Pacing>,
    has_stepped: bool,
    notices: Vec<Notice>,
}

impl Session {
    /// Does the maintenance that a statement has asked for, behind its commit.
    pub(in crate::session) fn maintain(
        &mut self,
        asked: Maintenance,
        asking: ResultSet,
    ) -> LocalFuture<'_, Result<ResultSet>> {
        Box::pin(async move {
            let mut work = self.work(asked);
            work.notices = asking.notices;
            let remains = work.all().await?;
            let notices = self.wanted(work.notices);
            let field = asking.fields.first();
            let field = field.ok_or_else(|| Error::internal("an answer without a column"))?;
            Ok(ResultSet {
                notices,
                locale: asking.locale,
                ..one_value(field, &Value::Int4(i32::from(remains)))
            })
        })
    }

    /// Compresses all values that wait for it in the tables of some trees, or in all tables. What
    /// is to be said of it.
    pub(in crate::session) fn compress_values(
        &mut self,
        trees: Vec<TreeId>,
    ) -> LocalFuture<'_, Result<Vec<Notice>>> {
        Box::pin(async move {
            let mut work = self.work(Maintenance {
                duration_us: None,
                load: 1.0,
            });
            work.tables_of(&trees).await?;
            Ok(self.wanted(work.notices))
        })
    }

    fn work(&self, asked: Maintenance) -> Work {
        let mut session = Session::new(Arc::clone(&self.shared));
        session.settings.durability = self.settings.durability;
        let timeout_us = self.settings.statement_timeout_us;
        let cancel = Arc::clone(&self.cancel);
        let env = Arc::clone(&self.shared.env);
        Work {
            session,
            pacing: Arc::new(Pacing::new(env, cancel, asked, timeout_us)),
            has_stepped: false,
            notices: Vec::new(),
        }
    }

    /// The notices that the session wants to hear.
    fn wanted(&self, mut notices: Vec<Notice>) -> Vec<Notice> {
        notices.retain(|notice| other::wants(&self.settings.others, notice.severity));
        notices
    }
}

impl Work {
    /// Everything that waits; whether some of it still does.
    async fn all(&mut self) -> Result<bool> {
        self.session.shared.store.flush().await?;
        let catalog = self.session.catalog_now()?;
        let configs = self.configs(&catalog, &[]).await?;
        let mut tables: Vec<Arc<TableDef>> = Vec::new();
        for (id, config) in &configs {
            match config.target(&catalog) {
                Some((table, column)) if column.storage.compression == Compression::ZstdValues => {
                    if !tables.iter().any(|known| known.object == table.object) {
                        tables.push(Arc::clone(table));
                    }
                }
                found => self.tell_idle(id, config, found.is_some()),
            }
        }
        for table in tables {
            if self.table(&catalog, &table, &configs).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Everything that waits in the tables of some trees, or in all, whether a configuration says
    /// how it is compressed or none does.
    async fn tables_of(&mut self, trees: &[TreeId]) -> Result<()> {
        let catalog = self.session.catalog_now()?;
        let is_asked = |table: &&Arc<TableDef>| is_among(table, trees) && is_compressed(table);
        let tables: Vec<&Arc<TableDef>> = catalog.tables.values().filter(is_asked).collect();
        if tables.is_empty() {
            return Ok(());
        }
        self.session.shared.store.flush().await?;
        let configs = self.configs(&catalog, trees).await?;
        for table in tables {
            self.table(&catalog, table, &configs).await?;
        }
        Ok(())
    }

    /// The configurations. Of one that cannot be followed, of some trees or of any, it is said why,
    /// and its values wait.
    async fn configs(
        &mut self,
        catalog: &Arc<Catalog>,
        trees: &[TreeId],
    ) -> Result<Vec<(Value, Config)>> {
        let mut configs = Vec::new();
        for (id, config) in self.session.transparent_configs().await? {
            let sound = config.and_then(|config| {
                let target = config.target(catalog);
                if let Some((table, _)) = target.filter(|(table, _)| is_among(table, trees)) {
                    let chooser = Chooser::new(catalog, table, &config.chooser);
                    chooser.map_err(|error| config::of_row(error, &id))?;
                }
                Ok(config)
            });
            match sound {
                Ok(config) => configs.push((id, config)),
                Err(error) => {
                    let text = format!("{}; its values wait", error.message());
                    self.notices.push(Notice::warning(SqlState::WARNING, &text));
                }
            }
        }
        // What stops the call stops its statements; before, the flag would have been lowered.
        self.session.cancel = Arc::clone(&self.pacing.cancel);
        Ok(configs)
    }

    /// What waits in a table; whether some of it still does.
    async fn table(
        &mut self,
        catalog: &Catalog,
        table: &TableDef,
        configs: &[(Value, Config)],
    ) -> Result<bool> {
        let store = Arc::clone(&self.session.shared.store);
        let due = store.values_due(table.tree, self.pace()).await?;
        if due.is_empty() {
            return Ok(false);
        }
        for (id, config) in configs {
            let Some((known, column)) = config.target(catalog) else {
                continue;
            };
            if known.object == table.object {
                let target = Target {
                    catalog,
                    table,
                    column,
                    config,
                };
                let trained = self.train(&target).await;
                if trained.map_err(|error| config::of_row(error, id))? {
                    return Ok(true);
                }
            }
        }
        let before = store.value_frame_totals(table.tree)?;
        let mut remains = false;
        for run in due {
            remains = self.is_over();
            if remains {
                break;
            }
            remains = store.compress_values(table.tree, run, self.pace()).await?;
            self.has_stepped = true;
            if remains {
                break;
            }
        }
        self.tell_totals(table, &before, &store.value_frame_totals(table.tree)?);
        Ok(remains)
    }

    /// Trains the dictionaries that groups lack; whether the time was over before.
    async fn train(&mut self, target: &Target<'_>) -> Result<bool> {
        let groups = self.run(target.groups().as_str(), &[]).await?.rows();
        for row in &groups {
            let group = Group::of_row(row)?;
            if !target.is_large(&group) {
                let notice = target.left_alone(&group, "they are too few");
                self.notices.push(notice);
                continue;
            }
            if self.is_over() {
                return Ok(true);
            }
            let begun_us = self.pacing.now_us();
            let key = [Value::text(group.key.as_str())];
            match self.run(target.train(&group).as_str(), &key).await {
                Ok(_) => {
                    self.has_stepped = true;
                    let worked_us = self.pacing.now_us().saturating_sub(begun_us);
                    self.pacing.rest(worked_us).await?;
                }
                // No step: the next call would train in vain again, and do nothing else.
                Err(error) if error.state() == SqlState::INVALID_PARAMETER_VALUE => {
                    let notice = target.left_alone(&group, error.message());
                    self.notices.push(notice);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Runs a statement as a transaction of its own.
    async fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<ResultSet> {
        self.session.settings.statement_timeout_us = self.pacing.time_left_us()?;
        let parsed = self.session.shared.statements.parse(sql)?;
        let task = Task::Text(sql, Known::Tree(parsed));
        self.session.run(Request::new(task, parameters)).await
    }

    /// Whether the time is over that was given, and something was done in it.
    fn is_over(&self) -> bool {
        self.has_stepped && self.pacing.is_over()
    }

    fn pace(&self) -> Arc<dyn Pace> {
        self.pacing.clone()
    }

    /// Says of a configuration that it has nothing to compress.
    fn tell_idle(&mut self, id: &Value, config: &Config, is_found: bool) {
        let number = id.integer().unwrap_or_default();
        let Config { table, column, .. } = config;
        let text = match is_found {
            true => format!(
                "row {number} of \"_zstd_configs\": the compression of column {column} of {table} \
                 is not zstd_values any more"
            ),
            false => format!(
                "row {number} of \"_zstd_configs\": there is no column {column} of a table {table}"
            ),
        };
        self.notices.push(Notice::warning(SqlState::WARNING, &text));
    }

    /// Says what became of the groups of a table.
    fn tell_totals(
        &mut self,
        table: &TableDef,
        before: &[(ColumnId, ValueFrameTotals)],
        after: &[(ColumnId, ValueFrameTotals)],
    ) {
        for (column, totals) in after {
            let mut known = before.iter();
            let known = known.find(|(id, known)| id == column && known.frame == totals.frame);
            let was = known.map(|(_, known)| known.bytes).unwrap_or_default();
            let rows = totals.bytes.values.saturating_sub(was.values);
            let with = match totals.frame {
                _ if rows == 0 => continue,
                ValueFrame::Raw => continue,
                ValueFrame::Alone => "without a dictionary".to_owned(),
                ValueFrame::With(number) => format!("with dictionary {number}"),
            };
            let raw = totals.bytes.raw.saturating_sub(was.raw);
            let stored = totals.bytes.stored.saturating_sub(was.stored);
            let mut columns = table.columns.iter();
            let name = columns.find(|known| known.id == *column);
            let name = name.map_or("", |known| known.name.as_str());
            let text = format!(
                "{}.{name}: compressed {rows} rows {with}: {raw} bytes, {} a row, to {stored}, {}",
                table.name,
                raw / rows,
                stored / rows
            );
            let notice = Notice::info(SqlState::SUCCESSFUL_COMPLETION, text);
            self.notices.push(notice);
        }
    }
}

/// Whether a table is that of one of the trees; any is where there are none.
fn is_among(table: &TableDef, trees: &[TreeId]) -> bool {
    trees.is_empty() || trees.contains(&table.tree)
}
