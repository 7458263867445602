//! What the store asks when it writes runs anew: how are the values of this tree compressed?

use std::sync::{Arc, Weak};

use varve_catalog::{Catalog, ColumnDef, TableDef};
use varve_codec::ZstdDictionary;
use varve_expr::Locale;
use varve_store::{Rewrite, ValueFrame, ValueFrames, ValueFramesSource};
use varve_types::{
    Column, ColumnId, Compression, LocalFuture, MemoryAccount, Result, SqlState, TreeId, Value,
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
    let mut configs = Vec::new();
    let mut is_unknown = false;
    for (_, config) in session.transparent_configs().await? {
        match config {
            Ok(config) => configs.push(config),
            // Who asks for maintenance is told of it.
            Err(_) => is_unknown = true,
        }
    }
    let mut of_columns = OfColumns {
        catalog: &catalog,
        table,
        why,
        dictionaries: Arc::default(),
        locale: session.plain_locale(&catalog),
    };
    let mut frames: FramesOfColumns = Vec::new();
    for column in table.columns.iter().filter(|column| is_by_value(column)) {
        let is_of = |config: &Config| {
            let target = config.target(&catalog);
            target
                .is_some_and(|(known, named)| known.object == table.object && named.id == column.id)
        };
        let config = configs.iter().find(|config| is_of(config));
        if config.is_some() && frames.is_empty() {
            of_columns.dictionaries = Arc::new(session.dictionaries().await?);
        }
        match config {
            Some(config) => frames.push((column.id, of_columns.of_config(config))),
            None if is_unknown => frames.push((column.id, Arc::new(Waiting))),
            None => {}
        }
    }
    Ok(frames)
}

/// What the answers for the columns of a table have in common.
struct OfColumns<'a> {
    catalog: &'a Arc<Catalog>,
    table: &'a TableDef,
    why: Rewrite,
    dictionaries: Arc<Dictionaries>,
    locale: Locale,
}

impl OfColumns<'_> {
    fn of_config(&self, config: &Config) -> Arc<dyn ValueFrames> {
        match Chooser::new(self.catalog, self.table, &config.chooser) {
            Ok(chooser) => Arc::new(Choices {
                chooser,
                level: config.level,
                step_bytes: config.step_bytes,
                why: self.why,
                dictionaries: Arc::clone(&self.dictionaries),
                locale: self.locale.clone(),
            }),
            Err(_) => Arc::new(Waiting),
        }
    }
}

/// Of values that wait until their configuration is right again.
#[derive(Debug)]
struct Waiting;

impl ValueFrames for Waiting {
    fn level(&self) -> u8 {
        1
    }

    fn reads(&self) -> &[ColumnId] {
        &[]
    }

    fn choose(&self, _: &[&Column], rows: usize) -> Vec<ValueFrame> {
        vec![ValueFrame::Raw; rows]
    }

    fn dictionary(&self, _: i32) -> Option<ZstdDictionary> {
        None
    }
}

fn is_by_value(column: &ColumnDef) -> bool {
    column.storage.compression == Compression::ZstdValues
}

/// Whether values of a table are compressed one by one.
pub(crate) fn is_compressed(table: &TableDef) -> bool {
    table.columns.iter().any(is_by_value)
}

impl Session {
    /// The configurations, or what is wrong with them, with the numbers of their rows.
    pub(crate) async fn transparent_configs(&mut self) -> Result<Vec<(Value, Result<Config>)>> {
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
            let config = fields.and_then(|fields| Config::of_fields(&fields.rows()));
            let config = config.map_err(|error| config::of_row(error, &id));
            configs.push((id, config));
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
