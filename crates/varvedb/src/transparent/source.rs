//! What the store asks when it writes runs anew: how are the values of this tree compressed?

use std::sync::{Arc, Weak};

use varve_catalog::{Catalog, TableDef};
use varve_expr::Locale;
use varve_store::{Rewrite, ValueFrames, ValueFramesSource};
use varve_types::{
    ColumnId, Compression, LocalFuture, MemoryAccount, Result, SqlState, TreeId, Value,
};

use super::choices::Choices;
use super::dictionaries::{self, Dictionaries};
use super::{Chooser, Config, config};
use crate::session::Session;
use crate::shared::Shared;

/// By column of a tree that has an opinion.
type FramesOfColumns = Vec<(ColumnId, Arc<dyn ValueFrames>)>;

/// Reads `_zstd_configs` and `_zstd_dicts` of a database.
#[derive(Debug)]
pub(crate) struct ConfigSource {
    shared: Weak<Shared>,
}

impl ConfigSource {
    /// Of a database, which holds the source in its store.
    pub fn new(shared: &Arc<Shared>) -> ConfigSource {
        ConfigSource {
            shared: Arc::downgrade(shared),
        }
    }
}

impl ValueFramesSource for ConfigSource {
    fn of_tree(&self, tree: TreeId, why: Rewrite) -> LocalFuture<'_, Result<FramesOfColumns>> {
        Box::pin(async move {
            match self.shared.upgrade() {
                Some(shared) => of_tree(shared, tree, why).await,
                None => Ok(Vec::new()),
            }
        })
    }
}

async fn of_tree(shared: Arc<Shared>, tree: TreeId, why: Rewrite) -> Result<FramesOfColumns> {
    let mut session = Session::new(shared);
    let catalog = session.catalog_now()?;
    let mut tables = catalog.tables.values();
    let Some(table) = tables.find(|table| table.tree == tree && is_compressed(table)) else {
        return Ok(Vec::new());
    };
    let configs = session
        .transparent_configs(why == Rewrite::Compress)
        .await?;
    let of_table = |config: &Config| {
        let (known, column) = config.target(&catalog)?;
        let is_meant =
            known.object == table.object && column.storage.compression == Compression::ZstdValues;
        is_meant.then_some(column.id)
    };
    let configs = configs.into_iter();
    let configs = configs.filter_map(|(id, config)| Some((of_table(&config)?, id, config)));
    let configs: Vec<(ColumnId, Value, Config)> = configs.collect();
    if configs.is_empty() {
        return Ok(Vec::new());
    }
    let dictionaries = Arc::new(session.dictionaries().await?);
    let locale = session.plain_locale(&catalog);
    let mut frames: FramesOfColumns = Vec::with_capacity(configs.len());
    for (column, id, config) in configs {
        let chooser = Chooser::new(&catalog, table, &config.chooser);
        let chooser = match (chooser, why) {
            (Ok(chooser), _) => chooser,
            (Err(_), Rewrite::Merge) => continue,
            (Err(error), Rewrite::Compress) => return Err(config::of_row(error, &id)),
        };
        let choices = Choices {
            chooser,
            level: config.level,
            why,
            dictionaries: Arc::clone(&dictionaries),
            locale: locale.clone(),
        };
        frames.push((column, Arc::new(choices)));
    }
    Ok(frames)
}

fn is_compressed(table: &TableDef) -> bool {
    let mut columns = table.columns.iter();
    columns.any(|column| column.storage.compression == Compression::ZstdValues)
}

impl Session {
    /// The configurations with the numbers of their rows; without those that are wrong, or their
    /// error where it `matters`.
    pub(crate) async fn transparent_configs(
        &mut self,
        matters: bool,
    ) -> Result<Vec<(Value, Config)>> {
        let rows = match self.query(config::ALL, &[]).await {
            Err(error) if error.state() == SqlState::UNDEFINED_TABLE => return Ok(Vec::new()),
            rows => rows?.rows(),
        };
        let mut configs = Vec::with_capacity(rows.len());
        for row in rows {
            let Ok([id, text]) = <[Value; 2]>::try_from(row) else {
                continue;
            };
            let fields = self.query(config::FIELDS, &[text]).await;
            match fields.and_then(|fields| Config::of_fields(&fields.rows())) {
                Ok(config) => configs.push((id, config)),
                Err(error) if matters => return Err(config::of_row(error, &id)),
                Err(_) => {}
            }
        }
        Ok(configs)
    }

    async fn dictionaries(&mut self) -> Result<Dictionaries> {
        let rows = match self.query(dictionaries::ALL, &[]).await {
            Err(error) if error.state() == SqlState::UNDEFINED_TABLE => Vec::new(),
            rows => rows?.rows(),
        };
        let shared = self.shared();
        let account: Arc<dyn MemoryAccount> = shared.memory.clone();
        Dictionaries::new(rows, Arc::clone(&shared.dictionaries), account)
    }

    fn plain_locale(&self, catalog: &Arc<Catalog>) -> Locale {
        let now_us = self.shared().env.now_us();
        let locale = Locale {
            now_us,
            statement_us: now_us,
            ..Locale::default()
        };
        varve_bind::with_names(catalog, &locale)
    }
}
