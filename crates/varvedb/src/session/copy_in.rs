//! COPY ... FROM STDIN in three steps: begin, write as often as wanted, finish or abort.

use varve_exec::Cancel;
use varve_sql::{Statement, bind, parse};
use varve_store::Transaction;
use varve_types::{Error, Result, SqlState};

use super::Session;
use super::block::{Block, failed_block_error};
use crate::ResultSet;
use crate::copy::CopyIn;
use crate::pacer::Pacer;

/// A COPY of a session and the transaction that it writes to.
pub(super) struct OpenCopy {
    copy: CopyIn,
    transaction: Box<Transaction>,
    /// What becomes of the transaction after the COPY.
    block: After,
}

#[derive(Clone, Copy)]
enum After {
    /// The COPY is a transaction of its own.
    Commit,
    /// It belongs to an open block.
    Block { implicit: bool, now_us: i64 },
}

impl Session {
    /// Begins a `COPY table FROM STDIN` whose text comes by [`Session::copy_write`]. Until its end
    /// every other statement of the session answers `55000`.
    pub async fn copy_begin(&mut self, sql: &str) -> Result<()> {
        if self.copy.is_some() {
            return Err(super::copy_pending_error());
        }
        self.cancel.lower();
        let statements = parse(sql)?;
        let [statement] = statements.as_slice() else {
            return Err(Error::new(
                SqlState::SYNTAX_ERROR,
                "one COPY statement is expected",
            ));
        };
        let (transaction, block) = match std::mem::replace(&mut self.block, Block::Failed) {
            Block::Failed => return Err(failed_block_error()),
            Block::None => {
                self.block = Block::None;
                (Box::new(self.shared.store.begin()), After::Commit)
            }
            Block::Open {
                transaction,
                implicit,
                now_us,
            } => (transaction, After::Block { implicit, now_us }),
        };
        let bound = self
            .catalog
            .get(&transaction)
            .and_then(|catalog| bind(statement, &catalog, &[]));
        match bound.map(|bound| bound.statement) {
            Ok(Statement::CopyFrom(plan)) => {
                self.copy = Some(OpenCopy {
                    copy: CopyIn::new(plan),
                    transaction,
                    block,
                });
                Ok(())
            }
            Ok(_) => {
                transaction.rollback().await?;
                Err(Error::new(
                    SqlState::SYNTAX_ERROR,
                    "COPY ... FROM STDIN is expected",
                ))
            }
            Err(error) => {
                transaction.rollback().await?;
                Err(error)
            }
        }
    }

    /// Takes the next piece of the text; answers the rows taken so far. An error ends the COPY and
    /// undoes it.
    pub async fn copy_write(&mut self, bytes: &[u8]) -> Result<u64> {
        let mut open = self.copy.take().ok_or_else(no_copy_error)?;
        let mut pacer = Pacer::new(std::sync::Arc::clone(&self.shared.env));
        let written = match self.cancel.check() {
            Ok(()) => {
                open.copy
                    .write(&mut open.transaction, bytes, &mut pacer)
                    .await
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => {
                let rows = open.copy.rows();
                self.copy = Some(open);
                Ok(rows)
            }
            Err(error) => {
                open.transaction.rollback().await?;
                Err(error)
            }
        }
    }

    /// Takes the end of the text and, outside a block, commits.
    pub async fn copy_finish(&mut self) -> Result<ResultSet> {
        let mut open = self.copy.take().ok_or_else(no_copy_error)?;
        let rows = match open.copy.finish(&mut open.transaction).await {
            Ok(rows) => rows,
            Err(error) => {
                open.transaction.rollback().await?;
                return Err(error);
            }
        };
        match open.block {
            After::Commit => {
                open.transaction.commit(self.shared.durability).await?;
            }
            After::Block { implicit, now_us } => {
                self.block = Block::Open {
                    transaction: open.transaction,
                    implicit,
                    now_us,
                };
            }
        }
        Ok(ResultSet::changed("COPY", rows))
    }

    /// Ends the COPY and undoes it; nothing happens without one.
    pub async fn copy_abort(&mut self) -> Result<()> {
        match self.copy.take() {
            Some(open) => open.transaction.rollback().await,
            None => Ok(()),
        }
    }
}

fn no_copy_error() -> Error {
    Error::new(
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        "no COPY is waiting for data",
    )
}
