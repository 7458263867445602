//! The facade over memory or RocksDB. A line `reopen` in a file closes the database and opens it
//! again.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqllogictest::{DB, DBOutput, DefaultColumnType};
use varve_kv::{Kv, MemoryKv};
use varve_kv_rocksdb::{RocksKv, RocksOptions};
use varve_types::LogicalType;
use varvedb::{Database, Options, ResultSet, Session, SystemEnv};

/// An engine for one file.
pub struct NativeEngine {
    memory: Option<Arc<MemoryKv>>,
    folder: PathBuf,
    open: Option<(Database, Session)>,
}

/// The engine's error in the form that the runner compares.
#[derive(Debug)]
pub struct EngineError {
    pub state: String,
    pub message: String,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.state, self.message)
    }
}

impl std::error::Error for EngineError {}

impl From<varve_types::Error> for EngineError {
    fn from(error: varve_types::Error) -> EngineError {
        let fields = error.fields();
        let position = fields
            .position
            .map_or(String::new(), |position| format!(" @{position}"));
        let detail = fields
            .detail
            .as_ref()
            .map_or(String::new(), |detail| format!(" ({detail})"));
        EngineError {
            state: fields.state.code().to_owned(),
            message: format!("{}{position}{detail}", fields.message),
        }
    }
}

impl NativeEngine {
    /// A new, empty database on `memory` or `rocksdb`.
    pub fn open(engine: &str, folder: &Path) -> Result<NativeEngine, EngineError> {
        let memory = (engine == "memory").then(|| Arc::new(MemoryKv::new()));
        let mut engine = NativeEngine {
            memory,
            folder: folder.to_owned(),
            open: None,
        };
        engine.reopen()?;
        Ok(engine)
    }

    fn reopen(&mut self) -> Result<(), EngineError> {
        if let Some((database, session)) = self.open.take() {
            drop(session);
            if self.memory.is_none() {
                pollster::block_on(database.close())?;
            }
        }
        let kv: Arc<dyn Kv> = match &self.memory {
            Some(kv) => Arc::clone(kv) as Arc<dyn Kv>,
            None => Arc::new(
                RocksKv::open(&self.folder, &RocksOptions::default()).map_err(|error| {
                    EngineError {
                        state: "58030".to_owned(),
                        message: error.to_string(),
                    }
                })?,
            ),
        };
        let env = Arc::new(SystemEnv::new());
        let database = pollster::block_on(Database::open(kv, env, Options::native()))?;
        let session = database.session();
        self.open = Some((database, session));
        Ok(())
    }
}

impl DB for NativeEngine {
    type Error = EngineError;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, EngineError> {
        if let Some(command) = sql.trim().strip_prefix("-- ") {
            return self.run_command(command);
        }
        let (_, session) = self.open.as_mut().expect("an open database");
        let result = pollster::block_on(session.query(sql, &[]))?;
        Ok(output(&result))
    }

    fn engine_name(&self) -> &str {
        "varve"
    }

    fn error_sql_state(error: &EngineError) -> Option<String> {
        Some(error.state.clone())
    }
}

impl NativeEngine {
    fn run_command(&mut self, command: &str) -> Result<DBOutput<DefaultColumnType>, EngineError> {
        match command {
            "reopen" => self.reopen()?,
            "flush" => {
                let (database, _) = self.open.as_ref().expect("an open database");
                pollster::block_on(database.flush())?;
            }
            other => panic!("no such command: {other}"),
        }
        Ok(DBOutput::StatementComplete(0))
    }
}

fn output(result: &ResultSet) -> DBOutput<DefaultColumnType> {
    if result.fields.is_empty() {
        return DBOutput::StatementComplete(result.affected_rows.unwrap_or(0));
    }
    let types = result
        .fields
        .iter()
        .map(|field| match field.ty {
            LogicalType::Int4 | LogicalType::Int8 => DefaultColumnType::Integer,
            LogicalType::Float8 => DefaultColumnType::FloatingPoint,
            _ => DefaultColumnType::Text,
        })
        .collect();
    let shown = |cell: Option<String>| match cell {
        None => "NULL".to_owned(),
        Some(text) if text.is_empty() => "(empty)".to_owned(),
        Some(text) => text,
    };
    let rows = result.text_rows();
    let rows = rows
        .map(|row| row.into_iter().map(shown).collect())
        .collect();
    DBOutput::Rows { types, rows }
}
