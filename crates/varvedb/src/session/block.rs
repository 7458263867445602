//! Transaction blocks: BEGIN, COMMIT, ROLLBACK, savepoints, and what an error does to them.

use varve_ast::TransactionModes;
use varve_dml::StatementTxn;
use varve_types::{Error, LocalFuture, Notice, Result, SqlState};

use super::after_commit::AfterCommit;
use super::savepoint::Savepoint;
use super::{Scope, Session};
use crate::shared::result_set::ResultSet;
use varve_settings::SessionSettings;
use varve_settings::modes::Modes;

/// Where a session stands.
pub(super) enum Block {
    /// Each statement is its own transaction.
    None,
    /// In a transaction block.
    Open(OpenBlock),
    /// A statement of the block failed: only its end is accepted, or the way back to a savepoint,
    /// if there is one.
    Failed {
        kept: Option<OpenBlock>,
        /// Of the block that failed, for `ROLLBACK AND CHAIN`.
        modes: Modes,
    },
}

impl Block {
    /// What is left if the call that has taken the block is dropped.
    pub(super) fn lost() -> Block {
        Block::Failed {
            kept: None,
            modes: Modes::default(),
        }
    }
}

/// A block that is open.
pub(super) struct OpenBlock {
    pub txn: Box<StatementTxn>,
    /// Opened by a script of several statements.
    pub implicit: bool,
    /// When it began.
    pub now_us: i64,
    pub modes: Modes,
    /// Whether a statement has run.
    pub has_run: bool,
    /// The oldest first.
    pub savepoints: Vec<Savepoint>,
    /// What becomes of the session's settings if it is rolled back.
    settings_before: SessionSettings,
    /// And if it commits: without what was set for the transaction only.
    pub settings_after: SessionSettings,
}

impl OpenBlock {
    pub(super) fn scope(&self) -> Scope {
        Scope {
            now_us: self.now_us,
            modes: self.modes,
            is_alone: false,
            savepoints: self.savepoints.len(),
        }
    }
}

pub(super) fn failed_block_error() -> Error {
    Error::new(
        SqlState::IN_FAILED_SQL_TRANSACTION,
        "current transaction is aborted, commands ignored until end of transaction block",
    )
}

/// `25P01` for a statement that needs a block.
pub(super) fn no_block_error(command: &str) -> Error {
    Error::new(
        SqlState::NO_ACTIVE_SQL_TRANSACTION,
        format!("{command} can only be used in transaction blocks"),
    )
}

impl Session {
    pub(super) fn open_block(&self, implicit: bool) -> OpenBlock {
        OpenBlock {
            txn: Box::new(StatementTxn::new(self.shared.store.begin())),
            implicit,
            now_us: self.shared.env.now_us(),
            modes: self.settings.modes,
            has_run: false,
            savepoints: Vec::new(),
            settings_before: self.settings.clone(),
            settings_after: self.settings.clone(),
        }
    }

    /// An error of a statement that did not come to run fails the block, as any other.
    pub(super) async fn fail_block<T>(&mut self, error: Error) -> Result<T> {
        match std::mem::replace(&mut self.block, Block::lost()) {
            Block::Open(open) => self.fail(open, error).await,
            other => {
                self.block = other;
                Err(error)
            }
        }
    }

    /// Ends a block in which a statement failed, as far as the error does; answers the error.
    pub(super) async fn fail<T>(&mut self, open: OpenBlock, error: Error) -> Result<T> {
        let modes = open.modes;
        if !open.implicit && !open.savepoints.is_empty() {
            self.block = Block::Failed {
                kept: Some(open),
                modes,
            };
            return Err(error);
        }
        self.block = if open.implicit {
            Block::None
        } else {
            Block::Failed { kept: None, modes }
        };
        self.settings = open.settings_before;
        self.cursors.roll_back(None);
        self.host.release_locks(0);
        open.txn.store.rollback().await?;
        Err(error)
    }

    pub(super) fn begin_block(&mut self, modes: TransactionModes) -> ResultSet {
        let mut result = ResultSet::command("BEGIN");
        match &mut self.block {
            Block::None => {
                let mut open = self.open_block(false);
                open.modes = open.modes.with(modes);
                self.block = Block::Open(open);
            }
            Block::Open(open) if open.implicit => {
                open.implicit = false;
                open.modes = open.modes.with(modes);
            }
            Block::Open(_) | Block::Failed { .. } => result.notices.push(Notice::warning(
                SqlState::ACTIVE_SQL_TRANSACTION,
                "there is already a transaction in progress",
            )),
        }
        result
    }

    pub(super) fn commit_block(&mut self, chain: bool) -> LocalFuture<'_, Result<ResultSet>> {
        Box::pin(self.end_block(chain))
    }

    async fn end_block(&mut self, chain: bool) -> Result<ResultSet> {
        match std::mem::replace(&mut self.block, Block::None) {
            Block::None if chain => Err(no_block_error("COMMIT AND CHAIN")),
            Block::None => Ok(without_block("COMMIT")),
            failed @ Block::Failed { .. } => self.rollback(failed, chain).await,
            Block::Open(mut open) => {
                let durability = self.settings.durability.of_commit();
                let checked = self.check_deferred(&mut open.txn, None, open.now_us);
                let mut checked = checked.await;
                if checked.is_ok() {
                    checked = self.end_temporary(&mut open.txn.store).await;
                }
                self.settings = open.settings_before;
                if let Err(error) = checked {
                    self.cursors.roll_back(None);
                    self.host.release_locks(0);
                    open.txn.store.rollback().await?;
                    return Err(error);
                }
                let after = AfterCommit::of(&self.shared, &open.txn.store)?;
                let committed = open.txn.store.commit(durability).await;
                self.host.release_locks(0);
                if let Err(error) = committed {
                    self.cursors.roll_back(None);
                    return Err(error.into());
                }
                self.cursors.commit();
                self.settings = open.settings_after;
                self.chain(chain, open.modes);
                let mut result = ResultSet::command("COMMIT");
                if after.is_needed() {
                    self.follow_commit(after, &mut result).await;
                }
                Ok(result)
            }
        }
    }

    pub(super) async fn rollback_block(&mut self, chain: bool) -> Result<ResultSet> {
        match std::mem::replace(&mut self.block, Block::None) {
            Block::None if chain => Err(no_block_error("ROLLBACK AND CHAIN")),
            Block::None => Ok(without_block("ROLLBACK")),
            block => self.rollback(block, chain).await,
        }
    }

    async fn rollback(&mut self, block: Block, chain: bool) -> Result<ResultSet> {
        let (open, modes) = match block {
            Block::None => (None, self.settings.modes),
            Block::Open(open) => {
                let modes = open.modes;
                (Some(open), modes)
            }
            Block::Failed { kept, modes } => (kept, modes),
        };
        self.cursors.roll_back(None);
        self.host.release_locks(0);
        if let Some(open) = open {
            self.settings = open.settings_before;
            open.txn.store.rollback().await?;
        }
        self.chain(chain, modes);
        Ok(ResultSet::command("ROLLBACK"))
    }

    fn chain(&mut self, chain: bool, modes: Modes) {
        if chain {
            let mut open = self.open_block(false);
            open.modes = modes;
            self.block = Block::Open(open);
        }
    }

    /// Commits the block that a script opened, if it is still open.
    pub(super) async fn end_implicit_block(&mut self) -> Result<()> {
        if matches!(&self.block, Block::Open(open) if open.implicit) {
            self.commit_block(false).await?;
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
