//! Whether a transaction may commit, and what its log record says. First committer wins.

use std::ops::Bound;
use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_sort::VecMap;
use varve_types::{
    ColumnBuilder, IndexState, Invariant, RunId, SortKey, TreeId, Uniqueness,
    encode_ordered_key_value,
};

use crate::catalog::{Catalog, CatalogChange};
use crate::error::{Result, StoreError, StoreErrorKind};
use crate::format::row::Projection;
use crate::memtable::{Memtable, RowTable, builders, decode_version};
use crate::run::RunTrace;
use crate::store::{Deletes, KeyedVersion, Snapshot, State};
use crate::transaction::lock_rows::deleted_rows;
use crate::tree::Tree;
use crate::write_set::{RowLocks, WRITE_SET_SEQ, WriteSet};

/// Compares a transaction with everything that was committed since its snapshot.
pub(super) fn validate(
    state: &State,
    snapshot: &Snapshot,
    write_set: &WriteSet,
) -> Result<Deletes> {
    let catalog_changed = state.catalog.version != snapshot.catalog.version;
    if !write_set.changes.is_empty() && catalog_changed {
        return Err(conflict("the catalog was changed by a concurrent commit"));
    }
    check_trees(state, snapshot, write_set)?;
    check_objects(state, snapshot, write_set)?;
    check_indexes(state, snapshot, write_set)?;
    check_inserts(state, snapshot, write_set)?;
    let mut deletes = Deletes {
        row_locks: check_row_locks(state, snapshot, write_set)?,
        ..Deletes::default()
    };
    let dropped = write_set.dropped_trees();
    let dead = write_set.dead_versions.iter();
    let memtables = state.memtables();
    for ((slot, tree), versions) in dead.filter(|((_, tree), _)| !dropped.contains(tree)) {
        let shape = tree_of(state, write_set, *tree)?;
        let memtable = snapshot.memtables.get(*slot).ok_or_else(row_conflict)?;
        if let Some(slot) = memtables.slot_of(memtable) {
            let keys = keys_of_versions(memtable, shape, versions)?;
            deletes.versions.insert((slot, *tree), keys);
            continue;
        }
        // A flush since the snapshot moved the rows to runs.
        let mut places: VecMap<RunId, (&Arc<RunTrace>, RoaringBitmap)> = VecMap::new();
        for version in versions {
            let place = memtable.flushed_to(*tree, version);
            let (run, ordinal) = place.ok_or_else(row_conflict)?;
            let place = places.entry(run.id);
            let place = place.or_insert_with(|| (run, RoaringBitmap::new()));
            place.1.insert(ordinal);
        }
        for (run, rows) in places.values() {
            rows_now(state, run, rows, &mut deletes)?;
        }
    }
    let dead = write_set.dead_rows.iter();
    for (run, dead) in dead.filter(|(_, dead)| !dropped.contains(&dead.tree)) {
        match snapshot.version.run(dead.tree, *run) {
            Some(seen) => rows_now(state, &seen.trace, &dead.ordinals, &mut deletes)?,
            // One that the transaction spilled: nobody else knows it.
            None => deletes.add(dead.tree, *run, &dead.ordinals),
        }
    }
    Ok(deletes)
}

/// Locked rows must still be there, and nobody may have locked what this transaction deletes or
/// locks.
fn check_row_locks(state: &State, snapshot: &Snapshot, write_set: &WriteSet) -> Result<RowLocks> {
    if state.row_locks.is_empty() && write_set.row_locks.is_empty() {
        return Ok(RowLocks::default());
    }
    let row_locks = write_set
        .row_locks
        .now(&state.version)
        .ok_or_else(row_conflict)?;
    let deleted = deleted_rows(snapshot, write_set);
    if state.row_locks.forbid(snapshot.seq, &deleted, &row_locks) {
        return Err(conflict("a row was locked by a concurrent commit"));
    }
    Ok(row_locks)
}

/// `40001`
pub(super) fn conflict(cause: &'static str) -> StoreError {
    StoreErrorKind::Conflict(cause).into()
}

fn row_conflict() -> StoreError {
    conflict("a row was changed by a concurrent commit")
}

/// Adds rows of a run that the snapshot saw to the deletes, where they are now; they must still be
/// alive.
fn rows_now(
    state: &State,
    seen: &Arc<RunTrace>,
    rows: &RoaringBitmap,
    deletes: &mut Deletes,
) -> Result<()> {
    if seen.forward.get().is_none() {
        check_alive(state, seen, rows)?;
        deletes.add(seen.tree, seen.id, rows);
        return Ok(());
    }
    let mut moved: VecMap<RunId, (&Arc<RunTrace>, RoaringBitmap)> = VecMap::new();
    for ordinal in rows {
        let (run, ordinal) = seen.row_now(ordinal).ok_or_else(row_conflict)?;
        let place = moved.entry(run.id);
        let place = place.or_insert_with(|| (run, RoaringBitmap::new()));
        place.1.insert(ordinal);
    }
    for (run, rows) in moved.values() {
        check_alive(state, run, rows)?;
        deletes.add(run.tree, run.id, rows);
    }
    Ok(())
}

fn check_alive(state: &State, run: &RunTrace, rows: &RoaringBitmap) -> Result<()> {
    match state.version.run(run.tree, run.id) {
        Some(run) if run.deletion_vector.all_alive_now(rows) => Ok(()),
        _ => Err(row_conflict()),
    }
}

/// The tree after this transaction's own changes; dropped by it, its rows need no deleting.
fn tree_of<'a>(state: &'a State, write_set: &'a WriteSet, tree: TreeId) -> Result<&'a Arc<Tree>> {
    let catalog: &Catalog = write_set.catalog.as_ref().unwrap_or(&state.catalog);
    let shape = catalog.tree(tree);
    shape.ok_or_else(|| conflict("a table was dropped by a concurrent commit"))
}

fn check_trees(state: &State, snapshot: &Snapshot, write_set: &WriteSet) -> Result<()> {
    for tree in &write_set.guarded {
        let written = state.written.get(tree);
        if written.is_some_and(|written| *written > snapshot.seq) {
            return Err(conflict("a table was changed while it was altered"));
        }
    }
    for tree in write_set.watched.iter().flatten() {
        let written = state.written.get(tree);
        if written.is_some_and(|written| *written > snapshot.seq) {
            let message = "a table that was read was changed by a concurrent commit";
            return Err(conflict(message));
        }
    }
    if write_set.catalog.is_some() {
        return Ok(());
    }
    let dead = write_set.dead_rows.values().map(|dead| dead.tree);
    for tree in write_set.trees.keys().copied().chain(dead) {
        let version = tree_of(state, write_set, tree)?.schema().version;
        let seen = snapshot.catalog.trees.get(&tree);
        if seen.is_some_and(|seen| seen.schema().version != version) {
            return Err(conflict("a table was altered by a concurrent commit"));
        }
    }
    Ok(())
}

/// What rows rely on is there still in the version that they knew, and what is deleted or gets
/// another version was relied on by no rows that the snapshot lacks.
fn check_objects(state: &State, snapshot: &Snapshot, write_set: &WriteSet) -> Result<()> {
    let catalog: &Catalog = write_set.catalog.as_ref().unwrap_or(&state.catalog);
    let known = |object| snapshot.catalog.objects.get(object).map(|known| known.0);
    for object in &write_set.relied_on {
        let Some((version, _)) = catalog.objects.get(object) else {
            let message = "an object that rows rely on was dropped by a concurrent commit";
            return Err(conflict(message));
        };
        // Its own change is no conflict, and beside it nobody else can have changed the catalog.
        let is_other = known(object).is_some_and(|known| known != *version);
        if is_other && write_set.catalog.is_none() {
            let message = "an object that rows rely on was changed by a concurrent commit";
            return Err(conflict(message));
        }
    }
    for change in &write_set.changes {
        let object = match change {
            CatalogChange::DeleteObject(object) => object,
            CatalogChange::PutObject(object, version, _)
                if known(object).is_some_and(|known| known != *version) =>
            {
                object
            }
            _ => continue,
        };
        if let Some(seq) = state.relied_on.get(object)
            && *seq > snapshot.seq
        {
            let message = "rows that rely on an object came by a concurrent commit";
            return Err(conflict(message));
        }
    }
    Ok(())
}

/// Whoever writes to a table maintains each of its indexes, and whoever makes an index knows each
/// row of the table.
fn check_indexes(state: &State, snapshot: &Snapshot, write_set: &WriteSet) -> Result<()> {
    for change in &write_set.changes {
        if let CatalogChange::CreateTree(schema) = change
            && let SortKey::Index(index) = &schema.key
            && index.state == IndexState::Valid
        {
            // Of an index that was building, all that was written to it was seen to be unique.
            let building = snapshot.catalog.trees.contains_key(&schema.tree);
            let source = if building { schema.tree } else { index.of };
            let written = state.written.get(&source);
            if written.is_some_and(|written| *written > snapshot.seq) {
                return Err(conflict("a table was changed while its index was made"));
            }
        }
    }
    if state.catalog.version == snapshot.catalog.version {
        return Ok(());
    }
    let written = write_set.written_trees();
    let missed = |(id, tree): (&TreeId, &Arc<Tree>)| {
        let of = tree.index().map(|index| index.of);
        of.is_some_and(|of| written.contains(&of)) && !snapshot.catalog.trees.contains_key(id)
    };
    if state.catalog.trees.iter().any(missed) {
        return Err(conflict("an index was created by a concurrent commit"));
    }
    // Entries that were checked before the index was filled may be there twice now.
    let is = |tree: &Tree, state| {
        let index = tree.index();
        index.is_some_and(|index| index.state == state && index.uniqueness != Uniqueness::None)
    };
    let unchecked = |(id, tree): (&TreeId, &Arc<Tree>)| {
        let seen = snapshot.catalog.trees.get(id);
        write_set.trees.contains_key(id)
            && is(tree, IndexState::Valid)
            && seen.is_some_and(|seen| is(seen, IndexState::Building))
    };
    if state.catalog.trees.iter().any(unchecked) {
        return Err(conflict(
            "a unique index was completed by a concurrent commit",
        ));
    }
    Ok(())
}

fn check_inserts(state: &State, snapshot: &Snapshot, write_set: &WriteSet) -> Result<()> {
    if write_set.entries_seq.is_some() {
        // What others have written to an index counts more than what it lacked.
        return Ok(());
    }
    let taken = || conflict("a key was inserted by a concurrent commit");
    for (id, write_set) in &write_set.trees {
        for (key, version) in write_set.buffer.ascend(Bound::Unbounded, WRITE_SET_SEQ) {
            let row = write_set.buffer.row(version).or_broken("row to check")?;
            let Some(key) = write_set.tree.conflict_key(key, row) else {
                continue;
            };
            if state.recent.has_key(*id, key, snapshot.seq) {
                return Err(taken());
            }
        }
        let ranges = write_set.runs.iter().filter_map(|run| run.key_range());
        let ranges = ranges.filter_map(|(first, last)| write_set.tree.conflict_range(first, last));
        for (first, last) in ranges {
            if state.recent.has_range(*id, first, last, snapshot.seq) {
                return Err(taken());
            }
        }
    }
    Ok(())
}

fn keys_of_versions(
    memtable: &Memtable,
    tree: &Tree,
    versions: &RoaringBitmap,
) -> Result<Vec<KeyedVersion>> {
    let tables = memtable.tables();
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
    let columns = outputs.into_iter().map(ColumnBuilder::finish);
    for (at, column) in columns.enumerate() {
        encode_ordered_key_value(&column.value(0), tree.order(at), &mut key);
    }
    Ok(key)
}
