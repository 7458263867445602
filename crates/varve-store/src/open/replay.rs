//! Replays the log into the memtable, the catalog and the deletion vectors.

use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_kv::Bytes;
use varve_types::{CommitSeq, RunId, TreeId, Value};

use crate::catalog::{Catalog, CatalogChange};
use crate::error::{Result, StoreError};
use crate::format::envelope::corrupt;
use crate::format::log::{self, Content, LogOp};
use crate::format::manifest::Manifest;
use crate::format::{keys, row};
use crate::ids::Ids;
use crate::memtable::{Memtable, RowTable};
use crate::run::{Run, Version};
use crate::store::Replayed;
use crate::tree::Tree;
use varve_codec::CodecError;

/// The state of a store while its log is replayed.
pub(crate) struct Replay<'a> {
    pub(crate) last: CommitSeq,
    pub(crate) version: Version,
    pub(crate) memtable: Memtable,
    pub(crate) catalog: Catalog,
    deletions_through: CommitSeq,
    ids: &'a Ids,
}

impl<'a> Replay<'a> {
    pub(crate) fn new(
        manifest: &Manifest,
        version: Version,
        catalog: Catalog,
        ids: &'a Ids,
    ) -> Replay<'a> {
        Replay {
            last: manifest.flushed,
            version,
            memtable: Memtable::default(),
            catalog,
            deletions_through: manifest.deletions_through,
            ids,
        }
    }

    /// What came of it.
    pub(crate) fn end(self) -> Replayed {
        Replayed {
            last: self.last,
            version: self.version,
            memtable: self.memtable,
            catalog: self.catalog,
        }
    }

    /// Replays the values of the log, which must be complete and without a gap.
    pub(crate) fn records(&mut self, values: &[(CommitSeq, u32, Bytes)]) -> Result<()> {
        let flushed = self.last;
        let mut parts = Vec::new();
        let mut next_part = 0;
        for (seq, part, value) in values {
            match log::open_value(*seq, *part, value)? {
                Content::Part { bytes, is_last } => {
                    if seq.0 != self.last.0 + 1 || *part != next_part {
                        return Err(self.missing(next_part));
                    }
                    next_part += 1;
                    parts.extend_from_slice(bytes);
                    if is_last {
                        self.record(*seq, &parts)?;
                        parts.clear();
                        next_part = 0;
                    }
                }
                Content::Records { first, records } => {
                    for (seq, record) in (first.0..).map(CommitSeq).zip(records) {
                        if seq <= flushed && self.last == flushed {
                            continue;
                        }
                        if seq.0 != self.last.0 + 1 || next_part > 0 {
                            return Err(self.missing(next_part));
                        }
                        self.record(seq, record)?;
                    }
                }
            }
        }
        if next_part > 0 {
            return Err(self.missing(next_part));
        }
        Ok(())
    }

    fn missing(&self, part: u32) -> StoreError {
        let key = keys::log(CommitSeq(self.last.0 + 1), part);
        StoreError::missing(&key)
    }

    fn record(&mut self, seq: CommitSeq, record: &[u8]) -> Result<()> {
        for op in log::decode(seq, record)? {
            self.op(seq, op)?;
        }
        self.last = seq;
        Ok(())
    }

    fn op(&mut self, seq: CommitSeq, op: LogOp<'_>) -> Result<()> {
        let malformed = |what| corrupt(&keys::log(seq, 0), CodecError::Malformed(what));
        match op {
            LogOp::Catalog(change) => {
                self.skip_ids(&change);
                let applied = self.catalog.apply(&change);
                applied.map_err(|_| malformed("tree schema"))?;
                self.catalog.version = seq.0;
            }
            LogOp::Insert {
                tree: id,
                schema_version,
                rows,
            } => {
                let tree = self.catalog.trees.get(&id).map(Arc::clone);
                let tree = tree.filter(|tree| tree.schema().version == schema_version);
                let tree = tree.ok_or_else(|| malformed("tree"))?;
                let mut tables = self.memtable.tables();
                let table = tables.entry(id).or_default();
                let before = table.bytes();
                for row in rows {
                    let key = self.key_of(&tree, row).map_err(malformed)?;
                    table.insert(&key, row, seq)?;
                }
                self.memtable.add_bytes(table.bytes() - before);
            }
            LogOp::DeleteKeys { tree, keys } => {
                let mut tables = self.memtable.tables();
                let mut table = tables.get_mut(&tree);
                for key in keys {
                    let table = table.as_deref_mut();
                    let deleted = table.is_some_and(|table| delete_key(table, seq, key));
                    // What is not here was flushed, with a deletion vector in the place of this
                    // delete.
                    if !deleted && seq > self.deletions_through {
                        return Err(malformed("deleted key"));
                    }
                }
            }
            LogOp::DeleteInRun { run, rows } => match self.run(run) {
                Some(run) => {
                    let end = rows.last().map_or(0, |range| u64::from(*range.end()) + 1);
                    if end > run.rows {
                        return Err(malformed("ordinal"));
                    }
                    let mut deleted = RoaringBitmap::new();
                    for range in rows {
                        deleted.insert_range(range);
                    }
                    run.deletion_vector.add(&deleted, seq);
                }
                None if seq <= self.deletions_through => {}
                None => return Err(malformed("run")),
            },
        }
        Ok(())
    }

    fn run(&self, run: RunId) -> Option<&Arc<Run>> {
        self.version.all_runs().find(|found| found.id == run)
    }

    /// The key of a row. Hidden row ids are not handed out again.
    fn key_of(&self, tree: &Tree, row: &[u8]) -> Result<Vec<u8>, &'static str> {
        let values = row::decode_values(tree.types(), row).map_err(|_| "row")?;
        let mut key = Vec::new();
        tree.put_key_of_values(&values, &mut key);
        if tree.has_row_id()
            && let Some(Value::Int8(id)) = values.first()
        {
            Ids::skip_to(&self.ids.row, id.cast_unsigned().saturating_add(1));
        }
        Ok(key)
    }

    fn skip_ids(&self, change: &CatalogChange) {
        let skip_tree = |tree: TreeId| Ids::skip_to(&self.ids.tree, tree.0.saturating_add(1));
        match change {
            CatalogChange::PutObject(id, ..) | CatalogChange::DeleteObject(id) => {
                Ids::skip_to(&self.ids.object, id.0.saturating_add(1));
            }
            CatalogChange::CreateTree(schema) => skip_tree(schema.tree),
            CatalogChange::DropTree(tree) => skip_tree(*tree),
        }
    }
}

fn delete_key(table: &mut RowTable, seq: CommitSeq, key: &[u8]) -> bool {
    let version = table.find(key, seq);
    version.is_some_and(|version| table.end(version, seq))
}
