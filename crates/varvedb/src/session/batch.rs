//! Several statements as one, without the language's own blocks.

use super::request::Request;
use varve_ast::{Command, TransactionModes};
use varve_types::{Error, Failure, Result, SqlState};

use super::block::{Block, failed_block_error};
use super::{CONFLICT_RETRIES_MAX, Session, copy_pending_error};

/// The savepoint of a batch in a block; no statement can write this name.
const BATCH: &str = "\0batch";

/// A batch that failed: nothing of it has happened.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchError {
    /// Which statement failed, counted from 0; the number of statements where the commit did.
    pub index: usize,
    /// Why.
    pub error: Error,
}

impl Session {
    /// Runs statements without parameters in one transaction: all of them happen or none. Answers
    /// how many rows they have inserted, updated and deleted in all.
    ///
    /// In a transaction block they belong to it, and an error leaves it as it was before them. No
    /// statement may begin or end a block itself.
    pub async fn execute_batch<S: AsRef<str>>(
        &mut self,
        statements: &[S],
    ) -> Result<u64, BatchError> {
        self.begin_call();
        let mut retries = 0;
        loop {
            let in_block = self.in_transaction();
            match self.try_batch(statements).await {
                Err(failed)
                    if failed.error.failure() == Some(Failure::Conflict)
                        && !in_block
                        && retries < CONFLICT_RETRIES_MAX =>
                {
                    retries += 1;
                }
                result => return result,
            }
        }
    }

    async fn try_batch<S: AsRef<str>>(&mut self, statements: &[S]) -> Result<u64, BatchError> {
        let at = |index| move |error| BatchError { index, error };
        if self.copy.is_some() {
            return Err(at(0)(copy_pending_error()));
        }
        let in_block = match self.block {
            Block::None => {
                self.begin_block(TransactionModes::default());
                false
            }
            Block::Open(_) => {
                self.savepoint(BATCH).map_err(at(0))?;
                true
            }
            Block::Failed { .. } => return Err(at(0)(failed_block_error())),
        };
        let mut rows: u64 = 0;
        let mut failed = None;
        for (index, sql) in statements.iter().enumerate() {
            match self.run_of_batch(sql.as_ref()).await {
                Ok(more) => rows = rows.saturating_add(more),
                Err(error) => {
                    failed = Some(BatchError { index, error });
                    break;
                }
            }
        }
        let index = failed
            .as_ref()
            .map_or(statements.len(), |failed| failed.index);
        match (failed, in_block) {
            (None, true) => self.release(BATCH).map_err(at(index))?,
            (None, false) => self.commit_block(false).await.map_err(at(index))?,
            (Some(failed), true) => {
                self.rollback_to(BATCH).map_err(at(index))?;
                self.release(BATCH).map_err(at(index))?;
                return Err(failed);
            }
            (Some(failed), false) => {
                self.rollback_block(false).await.map_err(at(index))?;
                return Err(failed);
            }
        };
        Ok(rows)
    }

    async fn run_of_batch(&mut self, sql: &str) -> Result<u64> {
        let task = match self.task(sql, false) {
            Ok(Some(task)) => task,
            Ok(None) => return Ok(0),
            Err(error) => return self.fail_block(error).await,
        };
        let refused = match task.command() {
            Some(Command::Begin(_)) => Some("BEGIN"),
            Some(Command::Commit { .. }) => Some("COMMIT"),
            Some(Command::Rollback { .. } | Command::RollbackTo(_)) => Some("ROLLBACK"),
            Some(Command::Savepoint(_)) => Some("SAVEPOINT"),
            Some(Command::Release(_)) => Some("RELEASE SAVEPOINT"),
            _ => None,
        };
        if let Some(command) = refused {
            let error = Error::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                format!("{command} cannot be part of a batch"),
            );
            return self.fail_block(error).await;
        }
        let result = self.run(Request::new(task, &[])).await?;
        Ok(result.affected_rows.unwrap_or(0))
    }
}
