//! One export on its way into a store.

use std::collections::VecDeque;
use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_codec::ByteReader;
use varve_kv::{Bytes, Key, KvError, WriteBatch};
use varve_run::{CheckedValue, RunHead};
use varve_sort::VecMap;
use varve_types::{CommitSeq, Invariant, RunId};

use crate::Durability;
use crate::error::{Result, StoreErrorKind};
use crate::export::contents::{Contents, Deletions, Part, RunContents, hash};
use crate::export::import::Base;
use crate::export::record_kind::RecordKind;
use crate::export::records::damaged;
use crate::format::manifest::{Manifest, RunEntry};
use crate::format::{catalog, deletion_vector, intent, keys};
use crate::ids::Ids;
use crate::store::{Orphan, Store};

/// Writes what an export has under an intent, and publishes it at its end.
pub(super) struct Incoming {
    store: Arc<Store>,
    contents: Contents,
    /// What the store holds before.
    before: Option<Contents>,
    /// What is still to come.
    parts: VecDeque<Part>,
    /// The run whose values come.
    values: Option<Values>,
    intent: u64,
    /// The runs that are new to the store.
    new_runs: Vec<RunId>,
    /// Whether an intent, and values with it, may be stored.
    may_be_stored: bool,
    pending: WriteBatch,
    pending_bytes: u64,
    /// Goes into the publishing commit.
    published_with: WriteBatch,
    /// The deletion vectors that came: the version that each is stored under.
    versions: VecMap<RunId, u64>,
}

/// A run whose values come one after the other.
struct Values {
    run: RunId,
    next: u32,
    end: u32,
    /// Of head and values so far.
    bytes: u64,
    listed_bytes: u64,
}

impl Incoming {
    /// Looks whether the export fits the store.
    pub(super) async fn begin(
        store: &Arc<Store>,
        base: Option<Base>,
        contents: Contents,
    ) -> Result<Incoming> {
        let (is_empty, is_in_runs) = {
            let state = store.state();
            let is_empty = state.manifest.number == 0 && state.last == CommitSeq(0);
            (is_empty, state.last == state.manifest.flushed)
        };
        let before = match base {
            None if is_empty => None,
            None => return Err(StoreErrorKind::NotEmpty.into()),
            Some(base) => {
                let found = store.state().last;
                let other = StoreErrorKind::OtherBase {
                    wanted: base.seq,
                    found,
                };
                if !is_in_runs || is_empty {
                    return Err(other.into());
                }
                let pinned = store.pin_in_runs().await?;
                let before = store.contents(&pinned).await?;
                if before.hash() != base.hash {
                    return Err(other.into());
                }
                Some(before)
            }
        };
        if contents.catalog_version == 0 && !contents.runs.is_empty() {
            return Err(damaged("a run is of no tree of the catalog"));
        }
        let parts = contents.parts(before.as_ref());
        let new_runs = parts.iter().filter_map(|part| match part {
            Part::Run(at) => contents.runs.get(*at).map(|run| run.run),
            Part::Catalog | Part::Deletions(_) => None,
        });
        Ok(Incoming {
            store: Arc::clone(store),
            new_runs: new_runs.collect(),
            parts: parts.into(),
            contents,
            before,
            values: None,
            intent: Ids::next(&store.ids.intent),
            may_be_stored: false,
            pending: WriteBatch::new(),
            pending_bytes: 0,
            published_with: WriteBatch::new(),
            versions: VecMap::new(),
        })
    }

    /// Bytes that wait to be written.
    pub(super) fn held_bytes(&self) -> u64 {
        self.pending_bytes + self.published_with.bytes()
    }

    /// Takes a record, which must be the next one.
    pub(super) async fn take(&mut self, kind: RecordKind, payload: &[u8]) -> Result<()> {
        if let Some(values) = self.values.take() {
            return match kind {
                RecordKind::Value => self.value(values, payload).await,
                _ => Err(damaged(format_args!(
                    "values of run {} are missing",
                    values.run
                ))),
            };
        }
        match (self.parts.pop_front(), kind) {
            (Some(Part::Catalog), RecordKind::Catalog) => self.catalog(payload),
            (Some(Part::Run(at)), RecordKind::Head) => self.head(at, payload).await,
            (Some(Part::Deletions(at)), RecordKind::Deletions) => self.deletions(at, payload).await,
            _ => Err(damaged("a record is not what its list of contents says")),
        }
    }

    fn catalog(&mut self, value: &[u8]) -> Result<()> {
        let version = self.contents.catalog_version;
        if hash(value) != self.contents.catalog_hash {
            return Err(damaged("the catalog is another one"));
        }
        let decoded = catalog::decode(version, value)?;
        let is_known = |run: &RunContents| decoded.tree(run.tree).is_some();
        if !self.contents.runs.iter().all(is_known) {
            return Err(damaged("a run is of no tree of the catalog"));
        }
        let value: Bytes = value.into();
        if let Some(before) = &self.before {
            let old = before.catalog_version;
            self.published_with.delete(keys::catalog(old));
            self.published_with.delete(keys::catalog_copy(old));
        }
        self.published_with
            .put(keys::catalog(version), Bytes::clone(&value));
        self.published_with.put(keys::catalog_copy(version), value);
        Ok(())
    }

    fn listed(&self, at: usize) -> Result<RunContents> {
        Ok(self
            .contents
            .runs
            .get(at)
            .copied()
            .or_broken("run of an import")?)
    }

    async fn head(&mut self, at: usize, payload: &[u8]) -> Result<()> {
        let listed = self.listed(at)?;
        let run = listed.run;
        let (ids, value) = ids::<1>(payload)?;
        if ids != [run.0] || hash(value) != listed.head_hash {
            return Err(damaged(format_args!(
                "the head of run {run} is another one"
            )));
        }
        let head = RunHead::decode(run, value)?;
        if head.rows() != listed.rows {
            return Err(damaged(format_args!(
                "the head of run {run}: number of rows"
            )));
        }
        self.put(keys::head(run), value.into()).await?;
        let values = Values {
            run,
            next: 0,
            end: head.values(),
            bytes: value.len() as u64,
            listed_bytes: listed.bytes,
        };
        self.set_values(values)
    }

    async fn value(&mut self, mut values: Values, payload: &[u8]) -> Result<()> {
        let (run, number) = (values.run, values.next);
        let (ids, value) = ids::<2>(payload)?;
        if ids != [run.0, u64::from(number)] {
            let what = format_args!("value {number} of run {run} is not where it should be");
            return Err(damaged(what));
        }
        let value: Bytes = value.into();
        CheckedValue::check(run, number, Bytes::clone(&value))?;
        values.next += 1;
        values.bytes += value.len() as u64;
        self.put(keys::run_value(run, number), value).await?;
        self.set_values(values)
    }

    /// Goes on with a run, or ends it with its last value.
    fn set_values(&mut self, values: Values) -> Result<()> {
        if values.next < values.end {
            self.values = Some(values);
        } else if values.bytes != values.listed_bytes {
            return Err(damaged(format_args!("run {} has other bytes", values.run)));
        }
        Ok(())
    }

    async fn deletions(&mut self, at: usize, payload: &[u8]) -> Result<()> {
        let listed = self.listed(at)?;
        let run = listed.run;
        let other = || damaged(format_args!("the deleted rows of run {run} are others"));
        let (ids, value) = ids::<1>(payload)?;
        if ids != [run.0] {
            return Err(other());
        }
        let deleted = RoaringBitmap::deserialize_from(value).map_err(|_| other())?;
        let found = Deletions {
            rows: deleted.len(),
            hash: hash(value),
        };
        let is_within = deleted
            .max()
            .is_none_or(|last| u64::from(last) < listed.rows);
        if listed.deletions != Some(found) || !is_within {
            return Err(other());
        }
        let old = self.version_before(run);
        let version = old.map_or(1, |old| old + 1);
        let value = deletion_vector::encode(run, version, &deleted)?;
        let key = keys::deletion_vector(run, version);
        self.versions.insert(run, version);
        if self.new_runs.contains(&run) {
            return self.put(key, value.into()).await;
        }
        if let Some(old) = old.filter(|old| *old > 0) {
            self.published_with.delete(keys::deletion_vector(run, old));
        }
        self.published_with.put(key, value);
        Ok(())
    }

    /// The version of the deletion vector that the store holds of a run.
    fn version_before(&self, run: RunId) -> Option<u64> {
        let state = self.store.state();
        let mut runs = state.manifest.runs.iter();
        let found = runs.find(|entry| entry.run == run);
        found.map(|entry| entry.deletion_vector_version)
    }

    async fn put(&mut self, key: Key, value: Bytes) -> Result<()> {
        let bytes = (key.len() + value.len()) as u64;
        if self.pending_bytes + bytes > self.store.settings.write_batch_bytes_max {
            self.write_pending().await?;
        }
        self.pending_bytes += bytes;
        self.pending.put(key, value);
        Ok(())
    }

    async fn write_pending(&mut self) -> Result<()> {
        if self.pending.writes.is_empty() {
            return Ok(());
        }
        if self.store.is_nearly_full().await {
            return Err(KvError::StorageFull.into());
        }
        let mut batch = core::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        if !self.may_be_stored {
            let value = intent::encode(self.intent, &self.new_runs);
            batch.put(keys::intent(self.intent), value);
        }
        self.may_be_stored = true;
        let written = self.store.write_any(batch, Durability::Strict, true).await;
        Ok(written?)
    }

    /// The export is complete: one commit makes it the store's contents.
    pub(super) async fn publish(&mut self) -> Result<()> {
        if self.values.is_some() || !self.parts.is_empty() {
            return Err(damaged("records are missing"));
        }
        self.write_pending().await?;
        let mut batch = core::mem::take(&mut self.published_with);
        let manifest = self.manifest();
        let value: Bytes = manifest.encode()?.into();
        batch.put(keys::manifest(), Bytes::clone(&value));
        batch.put(keys::manifest_copy(), value);
        batch.delete(keys::intent(self.intent));
        for run in self.gone() {
            for range in keys::all_of_run(run) {
                batch.delete_range(range);
            }
        }
        let _commit_lock = self.store.take_commit_lock().await;
        self.store.write_change(batch, Durability::Strict).await
    }

    fn manifest(&self) -> Manifest {
        let contents = &self.contents;
        let last = contents.runs.iter().map(|run| run.run.0).max();
        let next_run = Ids::peek(&self.store.ids.run).max(last.map_or(1, |last| last + 1));
        let entry = |run: &RunContents| RunEntry {
            tree: run.tree,
            run: run.run,
            rows: run.rows,
            bytes: run.bytes,
            deletion_vector_version: match run.deletions {
                None => 0,
                Some(_) => {
                    let came = self.versions.get(&run.run).copied();
                    came.or_else(|| self.version_before(run.run)).unwrap_or(0)
                }
            },
            deleted_rows: run.deletions.map_or(0, |deletions| deletions.rows),
            entries_seq: run.entries_seq,
        };
        let number = self.store.state().manifest.number + 1;
        Manifest {
            number,
            catalog_version: contents.catalog_version,
            flushed: contents.seq,
            deletions_through: contents.seq,
            next_run,
            next_object: contents.next_object,
            next_tree: contents.next_tree,
            next_row: contents.next_row,
            runs: contents.runs.iter().map(entry).collect(),
            retired: Vec::new(),
        }
    }

    /// The runs that the store holds, and the export does not list.
    fn gone(&self) -> Vec<RunId> {
        let before = self.before.iter().flat_map(|before| &before.runs);
        let gone = before.filter(|run| self.contents.run(run.tree, run.run).is_none());
        gone.map(|run| run.run).collect()
    }

    /// Deletes what was written.
    pub(super) async fn undo(&mut self) {
        if !self.may_be_stored {
            return;
        }
        self.store.state().add_orphan(Orphan {
            intent: self.intent,
            runs: core::mem::take(&mut self.new_runs),
        });
        let _commit_lock = self.store.take_commit_lock().await;
        // What cannot be deleted now is deleted by the next open.
        let _ = self.store.reap().await;
    }
}

/// The numbers that a payload begins with, and the rest.
fn ids<const N: usize>(payload: &[u8]) -> Result<([u64; N], &[u8])> {
    let mut reader = ByteReader::new(payload);
    let mut ids = [0; N];
    for id in &mut ids {
        *id = reader.varint().map_err(damaged)?;
    }
    Ok((ids, reader.rest()))
}
