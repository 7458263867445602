//! The state after one commit, held fast while others commit.

use std::sync::{Arc, OnceLock};

use roaring::RoaringBitmap;
use varve_sort::VecMap;
use varve_types::{CommitSeq, Invariant, RunId, TreeId};

use crate::catalog::Catalog;
use crate::error::{Result, StoreError};
use crate::export::contents::{Contents, Deletions, RunContents, deletions_bytes, hash};
use crate::format::{catalog, keys};
use crate::ids::Ids;
use crate::run::Run;
use crate::store::{State, Store};

/// So many run heads are read at a time.
const HEADS_AT_ONCE: usize = 32;

/// The runs of one moment, which stay as long as this lives.
pub(super) struct Pinned {
    pub(super) seq: CommitSeq,
    pub(super) catalog: Arc<Catalog>,
    /// Those with living rows, ordered by tree and run.
    pub(super) runs: Vec<Arc<Run>>,
    next_object: u64,
    next_tree: u64,
    next_row: u64,
}

impl Pinned {
    fn new(state: &State) -> Pinned {
        let manifest = &state.manifest;
        Pinned {
            seq: state.last,
            catalog: Arc::clone(&state.catalog),
            runs: state.version.all_runs().cloned().collect(),
            next_object: manifest.next_object,
            next_tree: manifest.next_tree,
            next_row: manifest.next_row,
        }
    }

    /// The deleted rows of a run.
    pub(super) fn deleted(&self, run: &Run) -> Result<RoaringBitmap> {
        let mut deleted = RoaringBitmap::new();
        let end = u32::try_from(run.rows).or_broken("rows of a run")?;
        run.deletion_vector.collect(0, end, self.seq, &mut deleted);
        Ok(deleted)
    }

    /// Adds runs, and puts all in order but those without a living row.
    fn complete(&mut self, flushed: &[Arc<Run>]) {
        let seq = self.seq;
        let runs = self.runs.iter().chain(flushed);
        let alive = runs.filter(|run| run.deletion_vector.count(seq) < run.rows);
        let alive = alive.map(|run| ((run.tree, run.id), Arc::clone(run)));
        let ordered: VecMap<(TreeId, RunId), Arc<Run>> = VecMap::from_iter(alive);
        self.runs = ordered.values().cloned().collect();
    }
}

impl Store {
    /// Pins the newest state, all of it in runs. Others may commit meanwhile.
    pub(super) async fn pin_in_runs(self: &Arc<Store>) -> Result<Pinned> {
        // Content that pinned runs refer to is not swept or merged until what is flushed is known.
        let _compacting = self.compacting.lock().await;
        let flushed = Arc::new(OnceLock::new());
        let mut pinned = loop {
            {
                let _commit_lock = self.take_commit_lock().await;
                let mut state = self.state();
                state.check_usable()?;
                if state.frozen.is_none() {
                    let mut pinned = Pinned::new(&state);
                    state.freeze();
                    let Some(frozen) = &mut state.frozen else {
                        pinned.complete(&[]);
                        return Ok(pinned);
                    };
                    frozen.awaited_runs = Arc::downgrade(&flushed);
                    pinned.next_object = Ids::peek(&self.ids.object);
                    pinned.next_tree = Ids::peek(&self.ids.tree);
                    pinned.next_row = Ids::peek(&self.ids.row);
                    break pinned;
                }
            }
            // Of an earlier commit.
            self.help_to_flush().await?;
        };
        self.help_to_flush().await?;
        pinned.complete(flushed.get().or_broken("runs of a flush")?);
        Ok(pinned)
    }

    /// Lists what is pinned.
    pub(super) async fn contents(&self, pinned: &Pinned) -> Result<Contents> {
        let catalog_version = pinned.catalog.version;
        let mut contents = Contents {
            seq: pinned.seq,
            catalog_version,
            catalog_hash: match catalog_version {
                0 => 0,
                _ => hash(&catalog::encode(&pinned.catalog)),
            },
            next_object: pinned.next_object,
            next_tree: pinned.next_tree,
            next_row: pinned.next_row,
            runs: Vec::new(),
        };
        for runs in pinned.runs.chunks(HEADS_AT_ONCE) {
            let keys: Vec<_> = runs.iter().map(|run| keys::head(run.id)).collect();
            let heads = self.get_many(&keys).await?;
            for ((run, key), head) in runs.iter().zip(&keys).zip(heads) {
                run.head()?;
                let head = head.ok_or_else(|| run.place_error(StoreError::missing(key)))?;
                contents.runs.push(listed(pinned, run, &head)?);
            }
        }
        Ok(contents)
    }
}

fn listed(pinned: &Pinned, run: &Run, head: &[u8]) -> Result<RunContents> {
    let deleted = pinned.deleted(run)?;
    let deletions = match deleted.len() {
        0 => None,
        rows => Some(Deletions {
            rows,
            hash: hash(&deletions_bytes(&deleted)?),
        }),
    };
    Ok(RunContents {
        tree: run.tree,
        run: run.id,
        rows: run.rows,
        bytes: run.bytes,
        entries_seq: run.entries_seq,
        head_hash: hash(head),
        deletions,
    })
}
