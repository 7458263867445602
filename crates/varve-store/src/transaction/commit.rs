//! Commit: validate, one log record, one KV commit, then the same in memory.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::{Arc, Mutex};

use varve_kv::{Durability, LARGE_VALUE_BYTES, WriteBatch};
use varve_types::{CommitSeq, Result, SqlState, TreeId};

use crate::catalogue::{Catalogue, CatalogueChange};
use crate::format::log::{self, LogOp};
use crate::publication::Publication;
use crate::read::{OWN_SEQ, lock_own};
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::transaction::own::Own;
use crate::transaction::spill::Spill;
use crate::transaction::validate::{Deletes, validate};

/// What one KV commit carries, and what follows from it in memory.
struct Prepared {
    seq: CommitSeq,
    deletes: Deletes,
    batch: WriteBatch,
    durability: Durability,
    log_values: u32,
    publication: Option<Publication>,
}

pub(super) async fn commit(
    snapshot: Arc<Snapshot>,
    own: &Mutex<Own>,
    mut spill: Option<Spill>,
    durability: Durability,
) -> Result<CommitSeq> {
    let store = Arc::clone(&snapshot.store);
    if let Some(spill) = &mut spill {
        spill.write_buffers(own).await?;
        spill.finish(own, None).await?;
    }
    let _turn = store.take_turn().await;
    store.state().check_usable()?;
    let buffer_bytes = lock_own(own).buffer_bytes();
    store.flush_if_due(buffer_bytes).await?;

    let mut prepared = {
        let mut state = store.state();
        let own = lock_own(own);
        match prepare(&mut state, &snapshot, &own, spill.as_ref(), durability) {
            Ok(prepared) => prepared,
            Err(error) => {
                if error.state() == SqlState::SERIALIZATION_FAILURE {
                    state.counters.conflicts += 1;
                }
                return Err(error);
            }
        }
    };
    let batch = core::mem::take(&mut prepared.batch);
    if let Err(error) = store.write_change(batch, prepared.durability).await {
        // What was booked for the rows is not needed after all.
        let mut state = store.state();
        let bytes = state.memtable.bytes();
        let _ = state.memtable_bytes.resize(bytes);
        return Err(error);
    }
    if let Some(spill) = &mut spill {
        spill.set_published();
    }
    let seq = prepared.seq;
    let published = prepared.publication.is_some();
    {
        let mut state = store.state();
        let mut own = lock_own(own);
        apply(&mut state, &mut own, prepared);
    }
    if published {
        drop(snapshot);
        // The commit stands; pages that could not be deleted now are deleted later.
        let _ = store.reap().await;
    }
    Ok(seq)
}

/// Decides whether the commit may happen, and puts it together.
fn prepare(
    state: &mut State,
    snapshot: &Snapshot,
    own: &Own,
    spill: Option<&Spill>,
    durability: Durability,
) -> Result<Prepared> {
    let deletes = validate(state, snapshot, own)?;
    let seq = CommitSeq(state.last.0.saturating_add(1));
    let values = log::encode(seq, &operations(own, &deletes));
    let bytes = state.memtable.bytes().saturating_add(own.buffer_bytes());
    let store = &snapshot.store;
    store.reserve(&mut state.memtable_bytes, bytes)?;

    let is_large = values
        .iter()
        .any(|(_, value)| value.len() >= LARGE_VALUE_BYTES);
    let mut batch = WriteBatch::new();
    let log_values = u32::try_from(values.len()).unwrap_or(u32::MAX);
    for (key, value) in values {
        batch.put(key, value);
    }
    let publication = publication(state, own, spill).map(|mut publication| {
        publication.write(store, state, seq, &mut batch);
        publication
    });
    if let Some(spill) = spill {
        spill.end_intent(&mut batch);
    }
    // Large values of relaxed commits may get lost singly, with later commits in place.
    let durability = if is_large || publication.is_some() {
        Durability::Strict
    } else {
        durability
    };
    Ok(Prepared {
        seq,
        deletes,
        batch,
        durability,
        log_values,
        publication,
    })
}

/// The operations of the log record.
fn operations<'a>(own: &'a Own, deletes: &'a Deletes) -> Vec<LogOp<'a>> {
    let mut ops: Vec<LogOp<'a>> = own.changes.iter().cloned().map(LogOp::Catalogue).collect();
    for (tree, versions) in &deletes.versions {
        ops.push(LogOp::DeleteKeys {
            tree: *tree,
            keys: versions.iter().map(|(_, key)| key.as_slice()).collect(),
        });
    }
    for (run, rows) in &deletes.rows {
        ops.push(LogOp::Mark {
            run: *run,
            ordinals: rows.iter().collect(),
        });
    }
    let dropped = dropped_trees(own);
    for (id, tree) in own.trees.iter().filter(|(id, _)| !dropped.contains(id)) {
        let alive = tree.buffer.ascend(Bound::Unbounded, OWN_SEQ);
        let rows: Vec<&[u8]> = alive.filter_map(|(_, row)| tree.buffer.row(row)).collect();
        if !rows.is_empty() {
            ops.push(LogOp::Insert {
                tree: *id,
                schema_version: tree.tree.schema().version,
                rows,
            });
        }
    }
    ops
}

fn dropped_trees(own: &Own) -> BTreeSet<TreeId> {
    let dropped = own.changes.iter().filter_map(|change| match change {
        CatalogueChange::DropTree(tree) => Some(*tree),
        _ => None,
    });
    dropped.collect()
}

/// What the commit changes in the list of runs, if anything.
fn publication(state: &State, own: &Own, spill: Option<&Spill>) -> Option<Publication> {
    let dropped = dropped_trees(own);
    let mut publication = Publication::new(state);
    let mut changed = spill.is_some();
    for run in own.trees.values().flat_map(|own| &own.runs) {
        publication.version.set(Arc::clone(run));
    }
    for tree in dropped {
        for run in publication.version.runs(tree).to_vec() {
            publication.remove_run(&run);
            changed = true;
        }
    }
    changed.then_some(publication)
}

/// Makes the commit visible to new snapshots.
fn apply(state: &mut State, own: &mut Own, prepared: Prepared) {
    let seq = prepared.seq;
    let remember = state.has_other_snapshots();
    if let Some(publication) = prepared.publication {
        publication.install(state);
    }
    for (run, rows) in &prepared.deletes.rows {
        if let Some(run) = state.version.all_runs().find(|found| found.id == *run) {
            run.marks.add(rows.iter(), seq);
        }
    }
    let memtable = Arc::clone(&state.memtable);
    let mut tables = memtable.tables();
    for (tree, versions) in &prepared.deletes.versions {
        if let Some(table) = tables.get_mut(tree) {
            for (version, _) in versions {
                table.end(*version, seq);
            }
        }
    }
    let dropped = dropped_trees(own);
    for (id, tree) in own.trees.iter().filter(|(id, _)| !dropped.contains(id)) {
        let table = tables.entry(*id).or_default();
        let before = table.bytes();
        for (key, version) in tree.buffer.ascend(Bound::Unbounded, OWN_SEQ) {
            if let Some(row) = tree.buffer.row(version) {
                table.insert(key, row, seq);
                if remember && !tree.tree.has_row_id() {
                    state.recent.add_key(*id, key, seq);
                }
            }
        }
        memtable.add_bytes(table.bytes() - before);
        let ranges = tree.runs.iter().filter_map(|run| run.key_range());
        for (first, last) in ranges.filter(|_| remember && !tree.tree.has_row_id()) {
            state.recent.add_range(*id, first, last, seq);
        }
    }
    drop(tables);
    if let Some(catalogue) = own.catalogue.take() {
        let mut catalogue = Catalogue::clone(&catalogue);
        catalogue.version = seq.0;
        state.catalogue = Arc::new(catalogue);
    }
    let bytes = state.memtable.bytes();
    // No more than was booked before the commit.
    let _ = state.memtable_bytes.resize(bytes);
    state.log_values = state.log_values.saturating_add(prepared.log_values);
    state.last = seq;
    state.counters.commits += 1;
}
