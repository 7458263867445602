//! Commit: validate, one log record each, one KV commit, then the same in memory.

use std::ops::Bound;
use std::sync::Arc;

use varve_kv::{KvError, WriteBatch};
use varve_types::{Broken, CommitSeq, Failure, Invariant};

use crate::catalog::CatalogChange;
use crate::error::{Result, StoreError};
use crate::format::log::{self, LogOp, Record};
use crate::store::{
    Accepted, Deletes, Group, LogValue, Member, Publication, Spill, State, Store, Work, put_records,
};
use crate::transaction::group_writes::GroupWrites;
use crate::transaction::lock_rows::{GroupRowLocks, deleted_rows};
use crate::transaction::validate::validate;
use crate::write_set::{WRITE_SET_SEQ, WriteSet, lock_write_set};
use crate::{CommitDurability, Durability};

/// What became of those who wanted to commit together.
#[derive(Default)]
pub(super) struct Prepared {
    pub(super) refused: Vec<(Member, StoreError)>,
    /// Those whose writes meet others of the group: they are judged by what became of these.
    pub(super) later: Vec<Member>,
    pub(super) group: Option<Group>,
}

/// Commits what a transaction wrote.
pub(super) async fn commit(mut work: Work) -> Result<CommitSeq> {
    lock_write_set(&work.write_set).check_usable()?;
    if let Some(spill) = &mut work.spill {
        spill.write_buffers(&work.write_set).await?;
        spill.finish(&work.write_set, None).await?;
    }
    if lock_write_set(&work.write_set).is_empty() {
        return Ok(work.snapshot.seq);
    }
    let store = Arc::clone(&work.snapshot.store);
    store.commit(work).await
}

/// Decides who may commit, and puts the KV commit together. The caller holds the commit lock.
pub(super) fn prepare(store: &Store, members: Vec<Member>, is_nearly_full: bool) -> Prepared {
    let mut prepared = Prepared::default();
    let mut writes = (members.len() > 1).then(GroupWrites::default);
    let row_locks = |member: &Member| !lock_write_set(&member.work.write_set).row_locks.is_empty();
    let mut row_locks =
        (writes.is_some() && members.iter().any(row_locks)).then(GroupRowLocks::default);
    let mut state = store.state();
    let state = &mut *state;
    let mut seq = state.last;
    let mut bytes = state.memtables().bytes();
    let mut accepted: Vec<(Member, Accepted)> = Vec::with_capacity(members.len());
    for member in members {
        let write_set = lock_write_set(&member.work.write_set);
        let deletes = match checked(state, &member.work, &write_set, is_nearly_full) {
            Ok(deletes) => deletes,
            Err(error) => {
                drop(write_set);
                prepared.refused.push((member, error));
                continue;
            }
        };
        let goes_with_row_locks = row_locks.as_mut().is_none_or(|row_locks| {
            let deleted = deleted_rows(&member.work.snapshot, &write_set);
            row_locks.admit(&deleted, &deletes.row_locks)
        });
        let goes = goes_with_row_locks
            && writes
                .as_mut()
                .is_none_or(|writes| writes.admit(&write_set, &deletes));
        if !goes {
            drop(write_set);
            prepared.later.push(member);
            continue;
        }
        let with_own = bytes.saturating_add(write_set.buffer_bytes());
        if let Err(error) = store.reserve(&mut state.memtable_bytes, with_own) {
            drop(write_set);
            prepared.refused.push((member, error));
            continue;
        }
        let ops = operations(&write_set, &deletes);
        let record = match ops.and_then(|ops| log::encode_record(&ops)) {
            Ok(record) => record,
            Err(broken) => {
                drop(write_set);
                prepared.refused.push((member, broken.into()));
                continue;
            }
        };
        bytes = with_own;
        seq = CommitSeq(seq.0 + 1);
        let publication = publication(state, &write_set, member.work.spill.as_ref(), seq);
        drop(write_set);
        let next = Accepted {
            seq,
            deletes,
            record: Some(Record { seq, bytes: record }),
            publication,
        };
        accepted.push((member, next));
    }
    if !accepted.is_empty() {
        match write(store, state, &mut accepted) {
            Ok(written) => prepared.group = Some(group(written, accepted)),
            Err(broken) => refuse_all(&mut prepared, accepted, broken),
        }
    }
    prepared
}

/// What a transaction deletes, if there is room for its rows and nothing that it read has changed.
fn checked(
    state: &mut State,
    work: &Work,
    write_set: &WriteSet,
    is_nearly_full: bool,
) -> Result<Deletes> {
    if is_nearly_full && write_set.adds_rows() {
        return Err(KvError::StorageFull.into());
    }
    validate(state, &work.snapshot, write_set).inspect_err(|error| {
        if error.failure() == Some(Failure::Conflict) {
            state.counters.conflicts += 1;
        }
    })
}

/// Refuses all who would have gone with a commit that cannot be made.
fn refuse_all(prepared: &mut Prepared, accepted: Vec<(Member, Accepted)>, broken: Broken) {
    let members = accepted.into_iter().map(|(member, _)| member);
    let refused = members.map(|member| (member, broken.into()));
    prepared.refused.extend(refused);
}

/// What a KV commit stores.
struct Written {
    batch: WriteBatch,
    values: Vec<LogValue>,
    durability: Durability,
}

/// One KV commit for all of these.
fn write(
    store: &Store,
    state: &State,
    accepted: &mut [(Member, Accepted)],
) -> Result<Written, Broken> {
    let wanted = accepted.iter().map(|(member, _)| member.work.durability);
    let wanted = wanted.max().unwrap_or(CommitDurability::Strict);
    let mut batch = WriteBatch::new();
    let mut values = Vec::new();
    let mut durability = Durability::Relaxed;
    let publishes = accepted.iter().any(|(_, next)| next.publication.is_some());
    if wanted != CommitDurability::Async || publishes {
        let mut records = state.log.waiting().to_vec();
        records.extend(
            accepted
                .iter_mut()
                .filter_map(|(_, next)| next.record.take()),
        );
        if wanted == CommitDurability::Strict || publishes {
            durability = Durability::Strict;
        }
        (values, durability) = put_records(&records, durability, &mut batch)?;
    }
    for (member, next) in accepted {
        if let Some(publication) = &mut next.publication {
            publication.write(store, state, next.seq, &mut batch)?;
        }
        if let Some(spill) = &member.work.spill {
            spill.end_intent(&mut batch);
        }
    }
    Ok(Written {
        batch,
        values,
        durability,
    })
}

fn group(written: Written, accepted: Vec<(Member, Accepted)>) -> Group {
    let adds_rows = accepted
        .iter()
        .any(|(member, _)| lock_write_set(&member.work.write_set).adds_rows());
    Group {
        batch: written.batch,
        durability: written.durability,
        values: written.values,
        accepted,
        adds_rows,
        was_tried: false,
    }
}

/// The operations of the log record.
fn operations<'a>(write_set: &'a WriteSet, deletes: &'a Deletes) -> Result<Vec<LogOp<'a>>, Broken> {
    let mut ops: Vec<LogOp<'a>> = write_set
        .changes
        .iter()
        .cloned()
        .map(LogOp::Catalog)
        .collect();
    for ((_, tree), versions) in &deletes.versions {
        ops.push(LogOp::DeleteKeys {
            tree: *tree,
            keys: versions.iter().map(|(_, key)| key.as_slice()).collect(),
        });
    }
    for ((_, run), rows) in &deletes.rows {
        ops.push(LogOp::DeleteInRun {
            run: *run,
            rows: log::ranges(rows),
        });
    }
    let dropped = write_set.dropped_trees();
    for (id, tree) in write_set
        .trees
        .iter()
        .filter(|(id, _)| !dropped.contains(id))
    {
        let alive = tree.buffer.ascend(Bound::Unbounded, WRITE_SET_SEQ);
        let rows = alive.map(|(_, row)| tree.buffer.row(row).or_broken("row to log"));
        let rows: Vec<&[u8]> = rows.collect::<Result<_, _>>()?;
        if !rows.is_empty() {
            ops.push(LogOp::Insert {
                tree: *id,
                schema_version: write_set.schema_version(*id, &tree.tree),
                rows,
            });
        }
    }
    Ok(ops)
}

/// What the commit changes in the list of runs, if anything.
fn publication(
    state: &State,
    write_set: &WriteSet,
    spill: Option<&Spill>,
    seq: CommitSeq,
) -> Option<Publication> {
    let dropped = write_set.dropped_trees();
    let drops_runs = dropped
        .iter()
        .any(|tree| !state.version.runs(*tree).is_empty());
    if spill.is_none() && !drops_runs {
        return None;
    }
    let mut publication = Publication::new(state);
    for tree in write_set.trees.values() {
        for run in &tree.runs {
            publication.version.set(if tree.tree.index().is_some() {
                let seq = write_set.entries_seq.unwrap_or(seq);
                Arc::new(run.with_entries_seq(seq))
            } else {
                Arc::clone(run)
            });
        }
    }
    for tree in dropped {
        for run in publication.version.runs(tree).to_vec() {
            publication.remove_run(&run);
        }
    }
    Some(publication)
}

/// Notes the rows of runs that a commit deletes; tells whether one of the runs is to be written
/// again.
fn delete_rows(state: &State, deletes: &Deletes, seq: CommitSeq) -> bool {
    let mut wears_runs = false;
    for ((tree, run), rows) in &deletes.rows {
        if let Some(run) = state.version.run(*tree, *run) {
            run.deletion_vector.add(rows, seq);
            wears_runs |= run.is_worn();
        }
    }
    wears_runs
}

/// Makes a commit visible to new snapshots; tells whether it leaves a run that is to be written
/// again. After an error the state must not be used.
pub(super) fn apply(state: &mut State, work: &Work, accepted: Accepted) -> Result<bool, Broken> {
    let seq = accepted.seq;
    let mut write_set = lock_write_set(&work.write_set);
    let write_set = &mut *write_set;
    let remember = state.has_other_snapshots() && write_set.entries_seq.is_none();
    if let Some(publication) = accepted.publication {
        publication.install(state);
    }
    let wears_runs = delete_rows(state, &accepted.deletes, seq);
    if state.has_other_snapshots() && !accepted.deletes.row_locks.is_empty() {
        state.row_locks.add(seq, accepted.deletes.row_locks);
    }
    for tree in write_set.written_trees() {
        state.written.insert(tree, seq);
    }
    let memtables = state.memtables();
    for ((slot, tree), versions) in &accepted.deletes.versions {
        let Some(memtable) = memtables.get(*slot) else {
            continue;
        };
        if let Some(table) = memtable.tables().get_mut(tree) {
            for (version, _) in versions {
                table.end(*version, seq);
            }
        }
    }
    let memtable = memtables.active;
    let mut tables = memtable.tables();
    let dropped = write_set.dropped_trees();
    for (id, tree) in write_set
        .trees
        .iter()
        .filter(|(id, _)| !dropped.contains(id))
    {
        let mut rows = tree
            .buffer
            .ascend(Bound::Unbounded, WRITE_SET_SEQ)
            .peekable();
        if rows.peek().is_some() {
            let table = tables.entry(*id).or_default();
            let before = table.bytes();
            for (key, version) in rows {
                let row = tree.buffer.row(version).or_broken("row of a commit")?;
                table.insert(key, row, seq)?;
                state.counters.row_bytes += row.len() as u64;
                if let Some(key) = tree.tree.conflict_key(key, row).filter(|_| remember) {
                    state.recent.add_key(*id, key, seq);
                }
            }
            memtable.add_bytes(table.bytes() - before);
        }
        let ranges = tree.runs.iter().filter_map(|run| run.key_range());
        let ranges = ranges.filter_map(|(first, last)| tree.tree.conflict_range(first, last));
        for (first, last) in ranges.filter(|_| remember) {
            state.recent.add_range(*id, first, last, seq);
        }
    }
    drop(tables);
    note_reliance(state, write_set, seq);
    if let Some(mut catalog) = write_set.catalog.take() {
        Arc::make_mut(&mut catalog).version = seq.0;
        state.catalog = catalog;
    }
    state.last = seq;
    state.counters.commits += 1;
    Ok(wears_runs)
}

/// Notes the objects of the catalog that rows of a commit rely on, and forgets those that it
/// deletes.
fn note_reliance(state: &mut State, write_set: &WriteSet, seq: CommitSeq) {
    for object in &write_set.relied_on {
        state.relied_on.insert(*object, seq);
    }
    for change in &write_set.changes {
        if let CatalogChange::DeleteObject(object) = change {
            state.relied_on.remove(object);
        }
    }
}
