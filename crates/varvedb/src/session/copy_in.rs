//! COPY ... FROM STDIN in three steps: begin, write as often as wanted, finish or abort.

use varve_bind::bind;
use varve_copy::{CopyIn, CopyTarget};
use varve_dml::StatementRunner;
use varve_parser::{ParsedStatement, parse};
use varve_plan::{CopyPlan, Statement};
use varve_store::{BulkLoad, BulkLoadOptions, Transaction};
use varve_types::meter::{self, Cancel, metered};
use varve_types::{Error, Failure, LocalFuture, Notice, Pacer, Result, SqlState};

use super::Session;
use super::block::{Block, OpenBlock, failed_block_error};
use super::run::{Run, read_only_error};
use crate::shared::result_set::ResultSet;
use varve_settings::Durability;

/// A COPY of a session and the transaction that it writes to.
pub(super) struct OpenCopy {
    copy: CopyIn,
    /// What functions had to say meanwhile.
    notices: Vec<Notice>,
    target: Target,
    /// Whether the COPY began the block that it writes to.
    is_own: bool,
}

enum Target {
    /// The COPY is all that happens.
    Load(Box<BulkLoad>),
    /// It belongs to an open block.
    Block(Box<OpenBlock>),
}

impl Target {
    /// Where rows go; `run` fires triggers.
    #[inline]
    fn rows<'a>(&'a mut self, run: Option<&'a Run<'a>>) -> CopyTarget<'a> {
        match self {
            Target::Load(load) => CopyTarget::Load(load),
            Target::Block(open) => {
                let runner = run.map(|run| -> &dyn StatementRunner { run });
                CopyTarget::Transaction(&mut open.txn, runner)
            }
        }
    }
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
        match std::mem::replace(&mut self.block, Block::lost()) {
            failed @ Block::Failed { .. } => {
                self.block = failed;
                Err(failed_block_error())
            }
            Block::None => {
                self.block = Block::None;
                self.copy_alone(statement).await
            }
            Block::Open(open) => {
                let read_only = open.modes.read_only;
                let locale = self.locale_in(&open.txn.store, open.now_us);
                let plan = self.copy_plan(&open.txn.store, statement, read_only);
                match plan.await.and_then(|plan| Ok((plan, locale?))) {
                    Ok((plan, locale)) => {
                        let copy =
                            CopyIn::new(plan, self.host.clone(), self.cancel.clone(), locale);
                        let target = Target::Block(Box::new(open));
                        self.copy = Some(OpenCopy {
                            copy,
                            notices: Vec::new(),
                            target,
                            is_own: false,
                        });
                        Ok(())
                    }
                    Err(error) => self.fail(open, error).await,
                }
            }
        }
    }

    /// Begins a COPY outside a block: a load where nothing else has to happen, else a block of its
    /// own.
    async fn copy_alone(&mut self, statement: &ParsedStatement) -> Result<()> {
        let transaction = self.shared.store.begin();
        let read_only = self.settings.modes.read_only;
        let plan = self.copy_plan(&transaction, statement, read_only).await?;
        let locale = self.locale_in(&transaction, self.shared.env.now_us())?;
        let copy = CopyIn::new(plan, self.host.clone(), self.cancel.clone(), locale);
        let is_own = !copy.is_alone();
        let target = if is_own {
            let mut open = self.open_block(true);
            open.txn.store = transaction;
            Target::Block(Box::new(open))
        } else {
            let options = BulkLoadOptions {
                sync_at_end: self.settings.durability == Durability::Strict,
                ..BulkLoadOptions::default()
            };
            Target::Load(Box::new(transaction.into_bulk_load(copy.tree(), options)?))
        };
        self.copy = Some(OpenCopy {
            copy,
            notices: Vec::new(),
            target,
            is_own,
        });
        Ok(())
    }

    async fn copy_plan(
        &mut self,
        transaction: &Transaction,
        statement: &ParsedStatement,
        read_only: bool,
    ) -> Result<Box<CopyPlan>> {
        let catalog = self
            .catalog
            .borrow_mut()
            .get(transaction, &self.settings.search_path)?;
        self.host.enter(transaction, &catalog).await?;
        match bind(statement, &catalog, &[], &self.settings.locale)?.statement {
            Statement::CopyFrom(_) if read_only => Err(read_only_error("COPY FROM")),
            Statement::CopyFrom(plan) => Ok(plan),
            _ => Err(Error::new(
                SqlState::SYNTAX_ERROR,
                "COPY ... FROM STDIN is expected",
            )),
        }
    }

    /// Undoes a COPY that failed, and with it the block that it belongs to.
    async fn fail_copy<T>(&mut self, target: Target, error: Error) -> Result<T> {
        match target {
            Target::Load(load) => {
                load.abort().await?;
                Err(error)
            }
            Target::Block(open) => self.fail(*open, error).await,
        }
    }

    /// Takes the next piece of the text; answers the rows taken so far. An error ends the COPY and
    /// undoes it.
    pub async fn copy_write(&mut self, bytes: &[u8]) -> Result<u64> {
        let mut open = self.copy.take().ok_or_else(no_copy_error)?;
        let mut pacer = Pacer::new(&self.shared.env);
        let written = match self.cancel.check() {
            Ok(()) => {
                let copied = self.copied(&mut open, Some(bytes), &mut pacer);
                metered(self.meter(), copied).await
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => {
                let rows = open.copy.rows();
                self.copy = Some(open);
                Ok(rows)
            }
            Err(error) => self.fail_copy(open.target, error).await,
        }
    }

    /// Takes a piece of the text, or its end.
    fn copied<'a>(
        &'a self,
        open: &'a mut OpenCopy,
        bytes: Option<&'a [u8]>,
        pacer: &'a mut Pacer,
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.copied_rows(open, bytes, pacer))
    }

    async fn copied_rows(
        &self,
        open: &mut OpenCopy,
        bytes: Option<&[u8]>,
        pacer: &mut Pacer,
    ) -> Result<()> {
        let OpenCopy { copy, target, .. } = open;
        let catalog = self.host.catalog();
        let locale = copy.locale().clone();
        let run = match target {
            Target::Block(open) if copy.fires_triggers() => {
                Some(self.run_with(&catalog, &locale, &[], open.scope()))
            }
            _ => None,
        };
        let mut target = target.rows(run.as_ref());
        let taken = match bytes {
            Some(bytes) => copy.write(&mut target, bytes, pacer).await,
            None => copy.finish(&mut target).await,
        };
        open.notices
            .append(&mut run.map_or_else(Vec::new, |run| run.notices.take()));
        meter::refusal().and(taken)
    }

    /// Takes the end of the text and, outside a block, commits.
    pub async fn copy_finish(&mut self) -> Result<ResultSet> {
        let mut open = self.copy.take().ok_or_else(no_copy_error)?;
        let mut pacer = Pacer::new(&self.shared.env);
        let copied = metered(self.meter(), self.copied(&mut open, None, &mut pacer));
        if let Err(error) = copied.await {
            return self.fail_copy(open.target, error).await;
        }
        let durability = self.settings.durability.of_commit();
        match open.target {
            Target::Load(load) => {
                let mut transaction = self.shared.store.begin();
                let kept = self.host.keep_sequences(&mut transaction, durability).await;
                if let Err(error) = kept {
                    return self.fail_copy(Target::Load(load), error).await;
                }
                let finished = load.finish().await;
                finished.map_err(|error| open.copy.name_error(error))?;
            }
            Target::Block(mut block) => {
                let transaction = &mut block.txn.store;
                let kept = self.host.keep_sequences(transaction, durability).await;
                if let Err(error) = kept {
                    return self.fail(*block, error).await;
                }
                block.has_run = true;
                let is_own = open.is_own;
                self.block = Block::Open(*block);
                if is_own {
                    self.end_implicit_block().await?;
                }
            }
        }
        let mut result = ResultSet::changed("COPY", open.copy.rows());
        result.notices = open.notices;
        Ok(result)
    }

    /// Gives a COPY up without waiting: what it stored is deleted later, a block that it belongs to
    /// has failed.
    pub(crate) fn drop_copy(&mut self) {
        self.copy = None;
    }

    /// Ends the COPY and undoes it; nothing happens without one.
    pub async fn copy_abort(&mut self) -> Result<()> {
        let Some(open) = self.copy.take() else {
            return Ok(());
        };
        match open.target {
            Target::Load(load) => Ok(load.abort().await?),
            Target::Block(open) => {
                let aborted = Error::failed(Failure::Canceled, "the COPY was aborted");
                // The block fails as if the COPY had; that it was wanted is no error.
                let failed: Result<()> = self.fail(*open, aborted.clone()).await;
                failed.or_else(|error| if error == aborted { Ok(()) } else { Err(error) })
            }
        }
    }
}

fn no_copy_error() -> Error {
    Error::new(
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        "no COPY is waiting for data",
    )
}
