//! A session: SQL in, results out, one statement at a time.

mod block;
mod cancel;
mod copy_in;
mod run;

use std::sync::Arc;

use varve_sql::{ParsedStatement, Statement, bind, parse};
use varve_types::{Error, Result, SqlState, Value};

use crate::ResultSet;
use crate::catalog_cache::CatalogCache;
use crate::database::Shared;

pub use cancel::CancelFlag;

use block::Block;

/// Most times that a statement outside a transaction block is run again because another commit came
/// between.
const CONFLICT_RETRIES_MAX: u32 = 8;

/// A session with its transaction block. Dropping it in a block drops what the block wrote.
pub struct Session {
    shared: Arc<Shared>,
    catalog: CatalogCache,
    block: Block,
    cancel: Arc<CancelFlag>,
    copy: Option<copy_in::OpenCopy>,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>) -> Session {
        Session {
            shared,
            catalog: CatalogCache::default(),
            block: Block::None,
            cancel: Arc::default(),
            copy: None,
        }
    }

    /// The flag that stops the statement that is running, from wherever it is raised.
    pub fn cancel_flag(&self) -> Arc<CancelFlag> {
        Arc::clone(&self.cancel)
    }

    /// Whether a transaction block is open, failed ones included.
    pub fn in_transaction(&self) -> bool {
        !matches!(self.block, Block::None)
    }

    /// Runs one statement with parameters `$1`, `$2`, ...
    ///
    /// Several statements answer `42601`; an empty text answers an empty result.
    pub async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<ResultSet> {
        self.cancel.lower();
        let statements = parse(sql)?;
        match statements.as_slice() {
            [] => Ok(ResultSet::default()),
            [statement] => self.run(statement, parameters).await,
            _ => Err(Error::new(
                SqlState::SYNTAX_ERROR,
                "cannot insert multiple commands into a prepared statement",
            )),
        }
    }

    /// Runs any number of statements without parameters.
    ///
    /// Outside a transaction block they are one transaction, as in PostgreSQL's simple protocol: if
    /// one fails, none of them has happened. `BEGIN` among them makes an ordinary block of it.
    pub async fn execute_script(&mut self, sql: &str) -> Result<Vec<ResultSet>> {
        self.cancel.lower();
        let statements = parse(sql)?;
        let mut results = Vec::with_capacity(statements.len());
        if statements.len() > 1 && matches!(self.block, Block::None) {
            self.block = self.implicit_block();
        }
        for statement in &statements {
            results.push(self.run(statement, &[]).await?);
            let last_was_end = matches!(self.block, Block::None);
            if last_was_end && results.len() + 1 < statements.len() {
                self.block = self.implicit_block();
            }
        }
        self.end_implicit_block().await?;
        Ok(results)
    }

    async fn run(&mut self, parsed: &ParsedStatement, parameters: &[Value]) -> Result<ResultSet> {
        if self.copy.is_some() {
            return Err(copy_pending_error());
        }
        if let Some(result) = self.run_transaction_command(parsed).await? {
            return Ok(result);
        }
        match std::mem::replace(&mut self.block, Block::Failed) {
            Block::Failed => Err(block::failed_block_error()),
            Block::None => {
                self.block = Block::None;
                self.run_alone(parsed, parameters).await
            }
            Block::Open {
                mut transaction,
                implicit,
                now_us,
            } => match self
                .run_in(&mut transaction, parsed, parameters, now_us)
                .await
            {
                Ok(result) => {
                    self.block = Block::Open {
                        transaction,
                        implicit,
                        now_us,
                    };
                    Ok(result)
                }
                Err(error) => {
                    self.block = if implicit { Block::None } else { Block::Failed };
                    transaction.rollback().await?;
                    Err(error)
                }
            },
        }
    }

    fn implicit_block(&self) -> Block {
        Block::Open {
            transaction: Box::new(self.shared.store.begin()),
            implicit: true,
            now_us: self.shared.env.now_us(),
        }
    }

    /// Runs a statement as a transaction of its own, again when another commit came between.
    async fn run_alone(
        &mut self,
        parsed: &ParsedStatement,
        parameters: &[Value],
    ) -> Result<ResultSet> {
        let mut retries = 0;
        loop {
            let mut transaction = self.shared.store.begin();
            let now_us = self.shared.env.now_us();
            let result = match self
                .run_in(&mut transaction, parsed, parameters, now_us)
                .await
            {
                Ok(result) => result,
                Err(error) => {
                    transaction.rollback().await?;
                    return Err(error);
                }
            };
            match transaction.commit(self.shared.durability).await {
                Ok(_) => return Ok(result),
                Err(error)
                    if error.state() == SqlState::SERIALIZATION_FAILURE
                        && retries < CONFLICT_RETRIES_MAX =>
                {
                    retries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn run_in(
        &self,
        transaction: &mut varve_store::Transaction,
        parsed: &ParsedStatement,
        parameters: &[Value],
        now_us: i64,
    ) -> Result<ResultSet> {
        let catalog = self.catalog.get(transaction)?;
        let bound = bind(parsed, &catalog, &[])?;
        if let Statement::CopyFrom(_) = bound.statement {
            return Err(Error::unsupported("COPY FROM STDIN as a query").with_hint(
                "Give the data with copyFrom, or import a file with the shell's import command.",
            ));
        }
        let parameters = crate::parameters::typed_parameters(parameters, &bound.parameters)?;
        let run = run::Run {
            shared: &self.shared,
            catalog: &catalog,
            cancel: &self.cancel,
            parameters: &parameters,
            now_us,
        };
        run.statement(transaction, &bound.statement).await
    }
}

fn copy_pending_error() -> Error {
    Error::new(
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        "a COPY is waiting for its data",
    )
}
