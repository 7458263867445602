//! BEGIN, COMMIT and ROLLBACK.

use varve_sql::{Catalog, ParsedStatement, Statement, bind};
use varve_store::Transaction;
use varve_types::{Error, Result, SqlState};

use super::Session;
use crate::{Notice, ResultSet};

/// Where a session stands.
pub(super) enum Block {
    /// Each statement is its own transaction.
    None,
    /// In a transaction block; `implicit` when a script of several statements opened it. Its
    /// `now()` is the time at which it began.
    Open {
        transaction: Box<Transaction>,
        implicit: bool,
        now_us: i64,
    },
    /// A statement of the block failed: only its end is accepted.
    Failed,
}

pub(super) fn failed_block_error() -> Error {
    Error::new(
        SqlState::IN_FAILED_SQL_TRANSACTION,
        "current transaction is aborted, commands ignored until end of transaction block",
    )
}

impl Session {
    /// Runs a statement that begins or ends a block; `None` for every other statement.
    pub(super) async fn run_transaction_command(
        &mut self,
        parsed: &ParsedStatement,
    ) -> Result<Option<ResultSet>> {
        if !parsed.is_transaction_command() {
            return Ok(None);
        }
        // One that does not bind fails as any other statement does, in its block if there is one.
        let Ok(bound) = bind(parsed, &Catalog::default(), &[]) else {
            return Ok(None);
        };
        let result = match bound.statement {
            Statement::Begin => self.begin_block(),
            Statement::Commit => self.commit_block().await?,
            Statement::Rollback => self.rollback_block().await?,
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    fn begin_block(&mut self) -> ResultSet {
        let mut result = ResultSet::command("BEGIN");
        match &mut self.block {
            Block::None => {
                let transaction = Box::new(self.shared.store.begin());
                self.block = Block::Open {
                    transaction,
                    implicit: false,
                    now_us: self.shared.env.now_us(),
                };
            }
            Block::Open { implicit, .. } if *implicit => *implicit = false,
            Block::Open { .. } | Block::Failed => result.notices.push(Notice::warning(
                SqlState::ACTIVE_SQL_TRANSACTION,
                "there is already a transaction in progress",
            )),
        }
        result
    }

    async fn commit_block(&mut self) -> Result<ResultSet> {
        match std::mem::replace(&mut self.block, Block::None) {
            Block::None => Ok(without_block("COMMIT")),
            Block::Failed => Ok(ResultSet::command("ROLLBACK")),
            Block::Open { transaction, .. } => {
                transaction.commit(self.shared.durability).await?;
                Ok(ResultSet::command("COMMIT"))
            }
        }
    }

    async fn rollback_block(&mut self) -> Result<ResultSet> {
        match std::mem::replace(&mut self.block, Block::None) {
            Block::None => Ok(without_block("ROLLBACK")),
            Block::Failed => Ok(ResultSet::command("ROLLBACK")),
            Block::Open { transaction, .. } => {
                transaction.rollback().await?;
                Ok(ResultSet::command("ROLLBACK"))
            }
        }
    }

    /// Commits the block that a script opened, if it is still open.
    pub(super) async fn end_implicit_block(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.block, Block::None) {
            Block::Open {
                transaction,
                implicit: true,
                ..
            } => {
                transaction.commit(self.shared.durability).await?;
            }
            other => self.block = other,
        }
        Ok(())
    }
}

fn without_block(command: &'static str) -> ResultSet {
    let mut result = ResultSet::command(command);
    result.notices.push(Notice::warning(
        SqlState::NO_ACTIVE_SQL_TRANSACTION,
        "there is no transaction in progress",
    ));
    result
}
