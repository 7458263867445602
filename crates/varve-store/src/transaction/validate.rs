//! Whether a transaction may commit, and what its log record says. First committer wins.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_types::{ColumnBuilder, Error, Result, RunId, SqlState, TreeId};

use crate::catalogue::Catalogue;
use crate::format::row::Projection;
use crate::memtable::RowTable;
use crate::read::{OWN_SEQ, builders, decode_version};
use crate::run::RunTrace;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::transaction::own::Own;
use crate::tree::Tree;

/// Deletes in terms of what is there now.
#[derive(Default)]
pub(super) struct Deletes {
    /// Versions of the memtable, with their keys.
    pub(super) versions: BTreeMap<TreeId, Vec<(u32, Vec<u8>)>>,
    /// Rows of runs, own ones included.
    pub(super) rows: BTreeMap<RunId, RoaringBitmap>,
}

/// Compares a transaction with everything that was committed since its snapshot.
pub(super) fn validate(state: &State, snapshot: &Snapshot, own: &Own) -> Result<Deletes> {
    let catalogue_changed = state.catalogue.version != snapshot.catalogue.version;
    if !own.changes.is_empty() && catalogue_changed {
        return Err(conflict("the catalogue was changed by a concurrent commit"));
    }
    check_trees(state, own)?;
    check_inserts(state, snapshot, own)?;
    let mut deletes = Deletes::default();
    for (tree, versions) in &own.dead_versions {
        let shape = tree_of(state, own, *tree)?;
        if Arc::ptr_eq(&state.memtable, &snapshot.memtable) {
            let keys = keys_of_versions(state, shape, versions)?;
            deletes.versions.insert(*tree, keys);
            continue;
        }
        // A flush since the snapshot moved the rows to a run.
        for version in versions {
            let place = snapshot.memtable.flushed_to(*tree, version);
            let (run, ordinal) = place.ok_or_else(row_conflict)?;
            let (run, ordinal) = row_now(state, run, ordinal)?;
            deletes.rows.entry(run).or_default().insert(ordinal);
        }
    }
    for (run, dead) in &own.dead_rows {
        let Some(seen) = snapshot.version.run(dead.tree, *run) else {
            // One that the transaction spilled: nobody else knows it.
            let rows = deletes.rows.entry(*run).or_default();
            *rows |= &*dead.ordinals;
            continue;
        };
        for ordinal in &*dead.ordinals {
            let (run, ordinal) = row_now(state, &seen.pin.trace, ordinal)?;
            deletes.rows.entry(run).or_default().insert(ordinal);
        }
    }
    Ok(deletes)
}

/// `40001`
pub(super) fn conflict(message: &str) -> Error {
    Error::new(
        SqlState::SERIALIZATION_FAILURE,
        format!("could not serialize access: {message}"),
    )
}

fn row_conflict() -> Error {
    conflict("a row was changed by a concurrent commit")
}

/// Where a row of a run is that the snapshot saw; it must still be alive.
fn row_now(state: &State, seen: &Arc<RunTrace>, ordinal: u32) -> Result<(RunId, u32)> {
    let (run, ordinal) = seen.row_now(ordinal).ok_or_else(row_conflict)?;
    match state.version.run(run.tree, run.id) {
        Some(run) if !run.marks.is_dead_now(ordinal) => Ok((run.id, ordinal)),
        _ => Err(row_conflict()),
    }
}

/// The tree after this transaction's own changes; dropped by it, its rows need no deleting.
fn tree_of<'a>(state: &'a State, own: &'a Own, tree: TreeId) -> Result<&'a Arc<Tree>> {
    let catalogue: &Catalogue = own.catalogue.as_ref().unwrap_or(&state.catalogue);
    let shape = catalogue.trees.get(&tree);
    shape.ok_or_else(|| conflict("a table was dropped by a concurrent commit"))
}

fn check_trees(state: &State, own: &Own) -> Result<()> {
    if own.catalogue.is_some() {
        return Ok(());
    }
    let dead = own.dead_rows.values().map(|dead| dead.tree);
    for tree in own.trees.keys().copied().chain(dead) {
        tree_of(state, own, tree)?;
    }
    Ok(())
}

fn check_inserts(state: &State, snapshot: &Snapshot, own: &Own) -> Result<()> {
    let taken = || conflict("a key was inserted by a concurrent commit");
    for (id, own) in &own.trees {
        if own.tree.has_row_id() {
            continue;
        }
        for (key, _) in own.buffer.ascend(Bound::Unbounded, OWN_SEQ) {
            if state.recent.has_key(*id, key, snapshot.seq) {
                return Err(taken());
            }
        }
        for (first, last) in own.runs.iter().filter_map(|run| run.key_range()) {
            if state.recent.has_range(*id, first, last, snapshot.seq) {
                return Err(taken());
            }
        }
    }
    Ok(())
}

fn keys_of_versions(
    state: &State,
    tree: &Tree,
    versions: &RoaringBitmap,
) -> Result<Vec<(u32, Vec<u8>)>> {
    let tables = state.memtable.tables();
    let table = tables.get(&tree.schema().tree);
    let table = table.ok_or_else(row_conflict)?;
    let mut keys = Vec::new();
    for version in versions {
        if !table
            .version(version)
            .is_some_and(|version| version.is_alive())
        {
            return Err(row_conflict());
        }
        keys.push((version, key_of_version(table, tree, version)?));
    }
    Ok(keys)
}

fn key_of_version(table: &RowTable, tree: &Tree, version: u32) -> Result<Vec<u8>> {
    let projection = Projection::new(tree.key(), tree.types().len());
    let mut outputs = builders(tree, tree.key(), 1);
    decode_version(table, tree, version, &projection, &mut outputs)?;
    let mut key = Vec::new();
    for output in outputs.into_iter().map(ColumnBuilder::finish) {
        varve_types::encode_key_value(&output.value(0), &mut key);
    }
    Ok(key)
}
