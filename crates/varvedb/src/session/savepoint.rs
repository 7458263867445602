//! SAVEPOINT, RELEASE and ROLLBACK TO.

use varve_dml::Deferred;
use varve_store::SavepointId;
use varve_types::{Error, Result, SqlState};

use super::Session;
use super::block::{Block, OpenBlock, failed_block_error, no_block_error};
use crate::shared::result_set::ResultSet;
use varve_settings::SessionSettings;
use varve_settings::modes::Modes;

/// A savepoint of a block. Names may be used again: the newest counts.
pub(super) struct Savepoint {
    name: String,
    id: SavepointId,
    /// The modes of the transaction, which are for the time until its end.
    modes: Modes,
    /// The settings in force, and those after a commit.
    settings: (SessionSettings, SessionSettings),
    /// What was to be checked later.
    deferred: Box<Deferred>,
    /// How many advisory locks the transaction had for its own time.
    locks: usize,
}

impl Session {
    pub(super) fn savepoint(&mut self, name: &str) -> Result<ResultSet> {
        let open = match &mut self.block {
            Block::Failed { .. } => return Err(failed_block_error()),
            Block::Open(open) if !open.implicit => open,
            _ => return Err(no_block_error("SAVEPOINT")),
        };
        let id = open.txn.store.savepoint();
        open.savepoints.push(Savepoint {
            name: name.to_owned(),
            id,
            modes: open.modes,
            settings: (self.settings.clone(), open.settings_after.clone()),
            deferred: Box::new(open.txn.deferred.clone()),
            locks: self.host.locks_of_transaction(),
        });
        Ok(ResultSet::command("SAVEPOINT"))
    }

    pub(super) fn release(&mut self, name: &str) -> Result<ResultSet> {
        let open = match &mut self.block {
            Block::Failed { .. } => return Err(failed_block_error()),
            Block::Open(open) if !open.implicit => open,
            _ => return Err(no_block_error("RELEASE SAVEPOINT")),
        };
        let (at, id) = find(open, name)?;
        open.txn.store.release(id)?;
        if let Some(savepoint) = open.savepoints.get(at) {
            open.modes = savepoint.modes;
        }
        open.savepoints.truncate(at);
        self.cursors.release(at);
        Ok(ResultSet::command("RELEASE"))
    }

    /// Goes back to a savepoint, also from a failed block, which is open again then. The savepoint
    /// stays, those after it are gone.
    pub(super) fn rollback_to(&mut self, name: &str) -> Result<ResultSet> {
        let block = match &mut self.block {
            Block::Open(open) if !open.implicit => Some(open),
            Block::Failed { kept, .. } => kept.as_mut(),
            Block::None | Block::Open(_) => return Err(no_block_error("ROLLBACK TO SAVEPOINT")),
        };
        let open = block.ok_or_else(|| no_savepoint_error(name))?;
        let (at, id) = find(open, name)?;
        open.savepoints.truncate(at + 1);
        open.txn.store.rollback_to(id)?;
        self.cursors.roll_back(Some(at));
        if let Some(savepoint) = open.savepoints.last() {
            let (now, after) = savepoint.settings.clone();
            self.settings = now;
            open.modes = savepoint.modes;
            open.settings_after = after;
            open.txn.deferred = Deferred::clone(&savepoint.deferred);
            self.host.release_locks(savepoint.locks);
        }
        self.block = match std::mem::replace(&mut self.block, Block::lost()) {
            Block::Failed {
                kept: Some(open), ..
            } => Block::Open(open),
            other => other,
        };
        Ok(ResultSet::command("ROLLBACK"))
    }
}

/// Where the newest savepoint of a name is.
fn find(open: &OpenBlock, name: &str) -> Result<(usize, SavepointId)> {
    let savepoints = open.savepoints.iter().enumerate();
    let mut named = savepoints.filter(|(_, savepoint)| savepoint.name == name);
    let last = named.next_back();
    last.map(|(at, savepoint)| (at, savepoint.id))
        .ok_or_else(|| no_savepoint_error(name))
}

fn no_savepoint_error(name: &str) -> Error {
    Error::new(
        SqlState::INVALID_SAVEPOINT_SPECIFICATION,
        format!("savepoint \"{name}\" does not exist"),
    )
}
