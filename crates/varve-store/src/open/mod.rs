//! Opening: take the epoch, read manifest and run heads, sweep what was never published, replay the
//! log.

mod replay;

use std::sync::Arc;

use varve_codec::CodecError;
use varve_kv::{Bytes, Durability, Entry, Guard, Key, Kv, KvError, Scan, ScanLimit, WriteBatch};
use varve_run::RunHead;
use varve_sort::{VecMap, VecSet};
use varve_types::{CommitSeq, Env, MemoryAccount, Reservation, RunId};

use crate::StoreSettings;
use crate::catalog::Catalog;
use crate::error::{Result, StoreError};
use crate::format::envelope::{self, Kind, corrupt, seal};
use crate::format::keys::{self, Found};
use crate::format::log::is_whole;
use crate::format::manifest::{Manifest, RunEntry};
use crate::format::{catalog, deletion_vector, intent};
use crate::ids::Ids;
use crate::run::{Run, Version, place_error};
use crate::store::{Epoch, Log, LogValue, Parts, State, Store};

pub(crate) use replay::Replay;

/// Log and intents are read in answers of about this size.
const SCAN_BYTES_MAX: u64 = 4 << 20;

impl Store {
    /// Opens a store, or makes one where there is none, and fences whoever had it open.
    ///
    /// `55006` where another opener came in between, `0A000` for a format that this version does
    /// not know, `XX001` naming the record where manifest, catalog or log are damaged. A damaged
    /// run only fails reads of its tree.
    pub async fn open(
        kv: Arc<dyn Kv>,
        env: Arc<dyn Env>,
        memory: Arc<dyn MemoryAccount>,
        settings: StoreSettings,
    ) -> Result<Arc<Store>> {
        let parts = open(kv, env, memory, settings).await?;
        Ok(Arc::new(Store::new(parts)))
    }
}

async fn open(
    kv: Arc<dyn Kv>,
    env: Arc<dyn Env>,
    memory: Arc<dyn MemoryAccount>,
    settings: StoreSettings,
) -> Result<Parts> {
    let epoch = take_epoch(&*kv, &*env).await?;
    // From here on nobody else commits, so that the calls that follow see one state.
    let found = read_records(&*kv).await?;
    let catalog = match found.manifest.catalog_version {
        0 => Catalog::default(),
        version => read_catalog(&*kv, version).await?,
    };
    let version = read_runs(&*kv, &found.manifest).await?;
    sweep(&*kv, &epoch, &found).await?;

    let ids = Ids::after(&found.manifest, &catalog);
    let mut replay = Replay::new(&found.manifest, version, catalog, &ids);
    replay.records(&found.log)?;
    let mut reservation = Reservation::new(Arc::clone(&memory));
    reservation.resize(replay.memtable.bytes())?;
    let mut log = Log::default();
    for (seq, part, value) in &found.log {
        log.add(LogValue {
            last: *seq,
            bytes: value.len() as u64,
            is_whole: *part == 0 && is_whole(value),
        });
    }
    let state = State::new(replay.end(), reservation, found.manifest, log);
    Ok(Parts {
        kv,
        env,
        memory,
        settings,
        ids,
        epoch,
        state,
    })
}

/// What manifest, intents and log were found to be.
pub(crate) struct Records {
    pub(crate) manifest: Manifest,
    intents: VecMap<u64, Vec<RunId>>,
    pub(crate) log: Vec<(CommitSeq, u32, Bytes)>,
}

/// Puts a new epoch in the place of the one found, after making sure that this version can read
/// what is there: a version too old must not fence one that can.
async fn take_epoch(kv: &dyn Kv, env: &dyn Env) -> Result<Epoch> {
    let gets = [keys::epoch(), keys::manifest()];
    let mut values = kv.get_many(&gets).await?;
    let manifest = values.pop().flatten();
    let found = values.pop().flatten();
    if let Some(manifest) = &manifest {
        Manifest::decode(manifest)?;
    }
    let number = match &found {
        Some(value) => decode_epoch(value)?.saturating_add(1),
        None => 1,
    };
    let mut payload = number.to_le_bytes().to_vec();
    // Two openers that come at once write different epochs, so that neither takes the other for
    // itself.
    payload.extend_from_slice(&env.random_u64().to_le_bytes());
    let key = keys::epoch();
    let value: Bytes = seal(Kind::Epoch, &key, &payload).into();
    let mut batch = WriteBatch::new();
    batch.put(key.clone(), Bytes::clone(&value));
    batch.guard(match found {
        Some(value) => Guard::Holds { key, value },
        None => Guard::Absent { key },
    });
    let mut is_last = false;
    loop {
        match kv.commit(batch.clone(), Durability::Strict).await {
            Ok(()) => break,
            // The guard makes the repeat of a commit that took effect harmless.
            Err(error) if error.outcome_is_unknown() && !is_last => {}
            Err(KvError::StorageFull) if !is_last => {
                let mut space = WriteBatch::new();
                space.delete(keys::reserve());
                space.guard = batch.guard.clone();
                let freed = kv.commit(space, Durability::Relaxed).await;
                freed?;
            }
            Err(error) => return Err(error.into()),
        }
        is_last = true;
    }
    Ok(Epoch { number, value })
}

pub(crate) fn decode_epoch(value: &[u8]) -> Result<u64> {
    let key = keys::epoch();
    let payload = envelope::open(Kind::Epoch, &key, value)?;
    match payload.split_first_chunk::<8>() {
        Some((number, nonce)) if nonce.len() == 8 => Ok(u64::from_le_bytes(*number)),
        _ => Err(corrupt(&key, CodecError::Malformed("length"))),
    }
}

async fn read_records(kv: &dyn Kv) -> Result<Records> {
    let mut scan = Scan::forward(keys::intents_and_log(), ScanLimit::bytes(SCAN_BYTES_MAX));
    let first = kv.read(&[keys::manifest()], Some(&scan)).await;
    let first = first?;
    let manifest = match first.values.into_iter().next().flatten() {
        Some(value) => Manifest::decode(&value)?,
        None => Manifest::empty(),
    };
    let mut records = Records {
        manifest,
        intents: VecMap::new(),
        log: Vec::new(),
    };
    let mut entries = first.entries;
    loop {
        let rest = scan.rest(&entries);
        for entry in entries {
            records.add(entry)?;
        }
        match rest {
            Some(rest) => scan = rest,
            None => return Ok(records),
        }
        entries = kv.scan(&scan).await?;
    }
}

impl Records {
    fn add(&mut self, (key, value): Entry) -> Result<()> {
        match keys::parse(&key) {
            Some(Found::Intent(id)) => {
                self.intents.insert(id, intent::decode(id, &value)?);
            }
            Some(Found::Log(seq, part)) => self.log.push((seq, part, value)),
            None => return Err(StoreError::corrupted("a key of the log is malformed")),
        }
        Ok(())
    }
}

pub(crate) async fn read_catalog(kv: &dyn Kv, version: u64) -> Result<Catalog> {
    let values = kv.get_many(&[keys::catalog(version)]).await;
    let values = values?;
    match values.into_iter().next().flatten() {
        Some(value) => catalog::decode(version, &value),
        None => Err(StoreError::corrupted(format!(
            "catalog {version} is missing"
        ))),
    }
}

/// Reads heads and deletion vectors. What cannot be read is remembered in its run.
pub(crate) async fn read_runs(kv: &dyn Kv, manifest: &Manifest) -> Result<Version> {
    let mut wanted: Vec<Key> = Vec::new();
    for entry in &manifest.runs {
        wanted.push(keys::head(entry.run));
        wanted.push(keys::deletion_vector(
            entry.run,
            entry.deletion_vector_version,
        ));
    }
    let values = match kv.get_many(&wanted).await {
        // One value that cannot be read fails the call: read one by one what can be.
        Err(KvError::Corrupt { .. }) => {
            let mut values = Vec::with_capacity(wanted.len());
            for key in &wanted {
                values.push(kv.get_many(core::slice::from_ref(key)).await);
            }
            values
        }
        Err(error) => return Err(error.into()),
        Ok(values) => values.into_iter().map(|value| Ok(vec![value])).collect(),
    };
    let mut values = values
        .into_iter()
        .map(|value| value.map(|value| value.into_iter().next().flatten()));
    let mut version = Version::default();
    for entry in &manifest.runs {
        let head = values.next().unwrap_or(Ok(None));
        let deletion_vector = values.next().unwrap_or(Ok(None));
        let found =
            read_run(*entry, head, deletion_vector).map_err(|error| place_error(entry.tree, error));
        version.set(Arc::new(Run::opened(*entry, found)));
    }
    Ok(version)
}

type Answer = Result<Option<Bytes>, KvError>;

fn read_run(
    entry: RunEntry,
    head: Answer,
    deletion_vector: Answer,
) -> Result<(Arc<RunHead>, roaring::RoaringBitmap)> {
    let missing = |key: &[u8]| StoreError::missing(key);
    let head = head?;
    let head = head.ok_or_else(|| missing(&keys::head(entry.run)))?;
    let head = RunHead::decode(entry.run, &head)?;
    if head.rows() != entry.rows {
        let message = format!("head of run {} is corrupt: number of rows", entry.run);
        return Err(StoreError::corrupted(message));
    }
    let folded = match entry.deletion_vector_version {
        0 => roaring::RoaringBitmap::new(),
        version => {
            let deletion_vector = deletion_vector?;
            let deletion_vector = deletion_vector
                .ok_or_else(|| missing(&keys::deletion_vector(entry.run, version)))?;
            deletion_vector::decode(entry.run, version, &deletion_vector)?
        }
    };
    Ok((Arc::new(head), folded))
}

/// Deletes pages that no manifest will ever list, and what is left in scratch space.
async fn sweep(kv: &dyn Kv, epoch: &Epoch, found: &Records) -> Result<()> {
    let listed = VecSet::from_iter(found.manifest.runs.iter().map(|entry| entry.run));
    let mut batch = WriteBatch::new();
    batch.guard(Guard::Holds {
        key: keys::epoch(),
        value: Bytes::clone(&epoch.value),
    });
    let unpublished = found.intents.values().flatten();
    let gone = unpublished.chain(&found.manifest.retired);
    for run in gone.filter(|run| !listed.contains(run)) {
        for range in keys::all_of_run(*run) {
            batch.delete_range(range);
        }
    }
    for id in found.intents.keys() {
        batch.delete(keys::intent(*id));
    }
    batch.delete_range(keys::all_scratch());
    let swept = match kv.commit(batch.clone(), Durability::Relaxed).await {
        Err(error) if error.outcome_is_unknown() => kv.commit(batch, Durability::Relaxed).await,
        answer => answer,
    };
    swept.map_err(StoreError::from)
}
