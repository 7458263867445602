//! Carries out statements that have no plan.

use varve_ast::{Command, ObjectName, TransactionModes, VacuumExtent};
use varve_catalog::{Catalog, Deferral, RelationName, qualified_name};
use varve_dml::Constraint;
use varve_types::{Error, Notice, Result, SqlState, TreeId};

use super::Session;
use super::block::{Block, failed_block_error};
use crate::shared::result_set::ResultSet;
use varve_settings::modes::OpenModes;
use varve_settings::other::{self, Others};
use varve_settings::{self as settings, SETTINGS, Scope, Setting};

impl Session {
    /// Runs a command. An error fails the block, as that of any other statement.
    pub(super) async fn run_command(&mut self, command: &Command) -> Result<ResultSet> {
        let result = match command {
            Command::Begin(modes) => Ok(self.begin_block(*modes)),
            Command::Commit { chain } => self.commit_block(*chain).await,
            Command::Rollback { chain } => self.rollback_block(*chain).await,
            Command::RollbackTo(name) => self.rollback_to(name),
            _ if matches!(self.block, Block::Failed { .. }) => Err(failed_block_error()),
            Command::Savepoint(name) => self.savepoint(name),
            Command::Release(name) => self.release(name),
            Command::SetTransaction(modes) => self.set_transaction(*modes),
            Command::SetCharacteristics(modes) => Ok(self.set_characteristics(*modes)),
            Command::SetConstraints { names, deferred } => {
                self.set_constraints(names.as_deref(), *deferred).await
            }
            Command::Set { name, value, local } => {
                let mut result = ResultSet::command("SET");
                let before = self.settings.clone();
                let set = self.set_named(name, value.as_deref(), *local);
                if *local && !self.in_transaction() {
                    self.settings = before;
                    result.notices.push(outside_block("SET LOCAL"));
                }
                if set.is_ok() {
                    self.tell_unused(name, &mut result.notices);
                }
                set.map(|()| result)
            }
            Command::Reset(Some(name)) => {
                let reset = self.set_named(name, None, false);
                reset.map(|()| ResultSet::command("RESET"))
            }
            Command::Reset(None) => self.reset_all(),
            Command::Show(name) => self.show(name.as_deref()),
            Command::Vacuum {
                extent,
                tables,
                workers,
                unused,
            } => {
                let done = self.rewrite("VACUUM", *extent, tables, *workers).await;
                done.map(|result| self.with_unused(result, unused))
            }
            Command::Compress { tables, workers } => {
                let extent = VacuumExtent::Compress;
                self.rewrite("COMPRESS", extent, tables, *workers).await
            }
            Command::Fetch {
                name,
                direction,
                is_move,
            } => self.fetch(name, *direction, *is_move),
            Command::Close(name) => self.close_cursor(name.as_deref()),
            Command::Deallocate(name) => self.deallocate(name.as_deref()),
            Command::Discard(what) => self.discard(*what).await,
            Command::Checkpoint => match self.shared.store.flush().await {
                Ok(()) => Ok(ResultSet::command("CHECKPOINT")),
                Err(error) => Err(error.into()),
            },
        };
        match result {
            Ok(result) => Ok(result),
            Err(error) => self.fail_block(error).await,
        }
    }

    /// What settings are read from and written to.
    pub(super) fn scope(&mut self) -> Scope<'_> {
        Scope {
            database: &*self.shared,
            session: &mut self.settings,
            block: match &mut self.block {
                Block::Open(open) => Some(OpenModes {
                    modes: &mut open.modes,
                    has_run: open.has_run,
                    in_savepoint: !open.savepoints.is_empty(),
                }),
                Block::None | Block::Failed { .. } => None,
            },
        }
    }

    /// Adds a notice, where the session wants them.
    fn tell(&self, notices: &mut Vec<Notice>, text: String) {
        let notice = Notice::info(SqlState::SUCCESSFUL_COMPLETION, text);
        if other::wants(&self.settings.others, notice.severity) {
            notices.push(notice);
        }
    }

    /// The result of a command that was given options of which nothing comes.
    fn with_unused(&self, mut result: ResultSet, unused: &[String]) -> ResultSet {
        if !unused.is_empty() {
            let text = format!("options of which nothing comes here: {}", unused.join(", "));
            self.tell(&mut result.notices, text);
        }
        result
    }

    /// Tells of a setting that was changed, where that changes nothing else.
    pub(super) fn tell_unused(&self, name: &str, notices: &mut Vec<Notice>) {
        if other::is_unused(&self.settings.others, name) {
            let text = format!("parameter \"{name}\" is accepted and changes nothing here");
            self.tell(notices, text);
        }
    }

    /// Sets or resets a setting by its name.
    pub(super) fn set_named(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<()> {
        if !other::is_other(name) {
            return self.set(settings::find_settable(&*self.shared, name)?, value, local);
        }
        other::set(&mut self.settings.others, name, value)?;
        if let Block::Open(open) = &mut self.block {
            let after = &mut open.settings_after.others;
            // A setting of a prefix that was local once is known from then on, and empty.
            let is_new = name.contains('.') && !after.contains_key(name);
            match local {
                false => other::set(after, name, value)?,
                true if is_new => other::set(after, name, Some(""))?,
                true => {}
            }
        }
        Ok(())
    }

    fn set(&mut self, setting: &Setting, value: Option<&str>, local: bool) -> Result<()> {
        setting.set(&mut self.scope(), value)?;
        if !local && let Block::Open(open) = &mut self.block {
            // The same for the time after the commit, when what is local is forgotten.
            setting.set(
                &mut Scope {
                    database: &*self.shared,
                    session: &mut open.settings_after,
                    block: None,
                },
                value,
            )?;
        }
        Ok(())
    }

    pub(super) fn reset_all(&mut self) -> Result<ResultSet> {
        for setting in SETTINGS.iter().filter(|setting| setting.is_of_session()) {
            self.set(setting, None, false)?;
        }
        self.settings.others = Others::default();
        if let Block::Open(open) = &mut self.block {
            open.settings_after.others = Others::default();
        }
        Ok(ResultSet::command("RESET"))
    }

    fn set_transaction(&mut self, modes: TransactionModes) -> Result<ResultSet> {
        let mut result = ResultSet::command("SET");
        if !self.in_transaction() {
            result.notices.push(outside_block("SET TRANSACTION"));
        }
        if let Some(open) = &mut self.scope().block {
            open.change(modes)?;
        }
        Ok(result)
    }

    fn set_characteristics(&mut self, modes: TransactionModes) -> ResultSet {
        self.settings.modes = self.settings.modes.with(modes);
        if let Block::Open(open) = &mut self.block {
            open.settings_after.modes = open.settings_after.modes.with(modes);
        }
        ResultSet::command("SET")
    }

    async fn set_constraints(
        &mut self,
        names: Option<&[String]>,
        deferred: bool,
    ) -> Result<ResultSet> {
        let catalog = match &self.block {
            Block::Open(open) => self
                .catalog
                .borrow_mut()
                .get(&open.txn.store, &self.settings.search_path)?,
            _ => self
                .catalog
                .borrow_mut()
                .get(&self.shared.store.begin(), &self.settings.search_path)?,
        };
        let constraints = names
            .map(|names| constraints(&catalog, names))
            .transpose()?;
        let mut result = ResultSet::command("SET CONSTRAINTS");
        match &mut self.block {
            Block::Open(open) => {
                open.txn.deferred.set(constraints.as_deref(), deferred);
                if !deferred {
                    return self.check_now(constraints.as_deref(), result).await;
                }
            }
            _ => result.notices.push(outside_block("SET CONSTRAINTS")),
        }
        Ok(result)
    }

    /// Checks what the open block has put off of some constraints, or of all.
    async fn check_now(
        &mut self,
        constraints: Option<&[Constraint]>,
        result: ResultSet,
    ) -> Result<ResultSet> {
        match std::mem::replace(&mut self.block, Block::lost()) {
            Block::Open(mut open) => {
                let checked = self.check_deferred(&mut open.txn, constraints, open.now_us);
                let checked = checked.await;
                self.block = Block::Open(open);
                checked.map(|()| result)
            }
            other => {
                self.block = other;
                Ok(result)
            }
        }
    }

    /// Gives the space of deleted rows back, and writes rows anew that are to be stored otherwise.
    async fn rewrite(
        &mut self,
        command: &'static str,
        extent: VacuumExtent,
        tables: &[ObjectName],
        workers: Option<u32>,
    ) -> Result<ResultSet> {
        let tables: Vec<RelationName> = tables.iter().map(qualified_name).collect::<Result<_>>()?;
        if self.in_transaction() {
            return Err(Error::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                format!("{command} cannot run inside a transaction block"),
            ));
        }
        let catalog = self
            .catalog
            .borrow_mut()
            .get(&self.shared.store.begin(), &self.settings.search_path)?;
        let tree = |name: &RelationName| {
            let table = catalog.table_named(name);
            table.map(|table| table.tree).ok_or_else(|| {
                let message = format!("relation \"{name}\" does not exist");
                Error::new(SqlState::UNDEFINED_TABLE, message)
            })
        };
        let trees: Vec<TreeId> = tables.iter().map(tree).collect::<Result<_>>()?;
        let each: Vec<Option<TreeId>> = match trees.is_empty() {
            true => vec![None],
            false => trees.iter().copied().map(Some).collect(),
        };
        let parallel = self.shared.env.parallel(workers);
        let full = extent != VacuumExtent::Deleted;
        for tree in each {
            let parallel = parallel.clone();
            self.shared.store.vacuum_on(tree, full, parallel).await?;
        }
        let mut result = ResultSet::command(command);
        if extent == VacuumExtent::Compress {
            result.notices = self.compress_values(trees).await?;
        }
        if let Some(workers) = workers.filter(|workers| *workers > 1 && parallel.is_none()) {
            let text = format!("{workers} workers are asked for, and there is one thread here");
            self.tell(&mut result.notices, text);
        }
        Ok(result)
    }
}

/// The constraints with these names, all of which must be deferrable.
fn constraints(catalog: &Catalog, names: &[String]) -> Result<Vec<Constraint>> {
    let mut found = Vec::new();
    for name in names {
        let before = found.len();
        for table in catalog.tables.values() {
            let indexes = table.indexes.iter();
            let mut index = indexes.filter(|index| index.is_constraint && index.name == *name);
            let index = index.next();
            let index = index.map(|index| (index.deferral, Constraint::Index(index.tree)));
            let key = table.foreign_keys.iter().find(|key| key.name == *name);
            let key = key.map(|key| {
                (
                    key.deferral,
                    Constraint::Key(table.object, key.name.clone()),
                )
            });
            let never = || {
                let is_other = table.checks.iter().any(|check| check.name == *name)
                    || !table.primary_key.is_empty() && table.key_name() == *name;
                is_other.then(|| (Deferral::Never, Constraint::Index(table.tree)))
            };
            match index.or(key).or_else(never) {
                None => {}
                Some((Deferral::Never, _)) => {
                    let message = format!("constraint \"{name}\" is not deferrable");
                    return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
                }
                Some((_, constraint)) => found.push(constraint),
            }
        }
        if found.len() == before {
            let message = format!("constraint \"{name}\" does not exist");
            return Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
        }
    }
    Ok(found)
}

fn outside_block(command: &str) -> Notice {
    Notice::warning(
        SqlState::NO_ACTIVE_SQL_TRANSACTION,
        &format!("{command} can only be used in transaction blocks"),
    )
}
