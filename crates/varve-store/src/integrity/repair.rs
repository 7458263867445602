//! Makes a damaged store one that opens: records from their copies, the log without its bad
//! records, runs without what cannot be read.

use std::sync::Arc;

use varve_kv::{Bytes, Durability, Guard, Key, Kv, KvError, Scan, ScanLimit, WriteBatch};
use varve_sort::VecSet;
use varve_types::{CommitSeq, Env, Failure, MemoryAccount, RunId};

use crate::catalog::Catalog;
use crate::error::{Result, StoreError, StoreErrorKind};
use crate::format::keys::{self, Found};
use crate::format::log::{self, Content};
use crate::format::manifest::Manifest;
use crate::format::{catalog, intent};
use crate::ids::Ids;
use crate::integrity::readable;
use crate::integrity::reapply::Later;
use crate::open::{Replay, read_catalog, read_runs};
use crate::store::Store;
use crate::{RepairReport, StoreSettings};

/// Records are read in answers of about this size.
const SCAN_BYTES_MAX: u64 = 4 << 20;

impl Store {
    /// Opens a store after putting right what can be: a damaged manifest or catalog comes from
    /// its copy, commits behind a damaged one of the log are applied again, and of each damaged run
    /// the readable rows go to a new one. Damaged runs are kept under quarantine, listed by
    /// [`Store::quarantined_runs`]. A sound store is opened as it is.
    ///
    /// `XX001` where a record and its copy are both damaged, else the errors of [`Store::open`].
    pub async fn repair(
        kv: Arc<dyn Kv>,
        env: Arc<dyn Env>,
        memory: Arc<dyn MemoryAccount>,
        settings: StoreSettings,
    ) -> Result<(Arc<Store>, RepairReport)> {
        let mut report = RepairReport::default();
        let manifest = restore_manifest(&*kv, &mut report).await?;
        let catalog = restore_catalog(&*kv, &manifest, &mut report).await?;
        let later = end_log_before_damage(&*kv, &manifest, catalog, &mut report).await?;
        sweep_unlisted(&*kv, &manifest).await?;
        let store = Store::open(kv, env, memory, settings).await?;
        let damaged = store.check().await?.damaged_runs();
        {
            let _commit_lock = store.take_commit_lock().await;
            for run in damaged {
                report.runs.extend(store.salvage(run).await?);
            }
        }
        let reapplied = store.reapply(&later).await?;
        report.commits_kept_after = reapplied.commits;
        report.reapplied_trees = reapplied.trees.iter().copied().collect();
        Ok((store, report))
    }

    /// The runs that repairs put aside, whose values still take space.
    pub async fn quarantined_runs(&self) -> Result<Vec<RunId>> {
        quarantined(&*self.kv).await
    }

    /// Deletes the runs that repairs put aside.
    pub async fn drop_quarantined(&self) -> Result<()> {
        let runs = self.quarantined_runs().await?;
        let _commit_lock = self.take_commit_lock().await;
        let mut batch = WriteBatch::new();
        for run in runs {
            for range in keys::all_of_run(run) {
                batch.delete_range(range);
            }
            batch.delete(keys::quarantine(run));
        }
        let deleted = self.write(batch, Durability::Relaxed).await;
        deleted.map_err(StoreError::from)
    }
}

/// A commit that happens only while nobody opens the store meanwhile.
async fn write(kv: &dyn Kv, mut batch: WriteBatch) -> Result<()> {
    let key = keys::epoch();
    batch.guard(match readable(kv, &key).await? {
        Some(value) => Guard::Holds { key, value },
        None => Guard::Absent { key },
    });
    let written = kv.commit(batch, Durability::Strict).await;
    written.map_err(StoreError::from)
}

/// The sound one of a record and its copy, after making the other like it.
async fn restore<T>(
    kv: &dyn Kv,
    key: Key,
    copy: Key,
    decode: impl Fn(&[u8]) -> Result<T>,
    report: &mut RepairReport,
) -> Result<T> {
    let values = [readable(kv, &key).await?, readable(kv, &copy).await?];
    let decoded = values.iter().map(|value| match value {
        Some(value) => decode(value),
        None => Err(StoreError::missing(&key)),
    });
    let decoded: Vec<Result<T>> = decoded.collect();
    let mut batch = WriteBatch::new();
    let mut sound = None;
    for (at, (value, decoded)) in values.iter().zip(decoded).enumerate() {
        match (value, decoded) {
            (Some(value), Ok(found)) if sound.is_none() => sound = Some((at, value, found)),
            (_, Ok(_)) => {}
            (_, Err(error)) if error.failure() == Some(Failure::FormatTooNew) => {
                return Err(error);
            }
            (_, Err(_)) => {}
        }
    }
    let Some((at, value, found)) = sound else {
        return Err(StoreErrorKind::BothCorrupt(keys::describe(&key)).into());
    };
    let other = values.get(1 - at).and_then(Option::as_ref);
    if other != Some(value) {
        let damaged = if at == 0 { copy } else { key };
        report.restored.push(keys::describe(&damaged));
        batch.put(damaged, Bytes::clone(value));
        write(kv, batch).await?;
    }
    Ok(found)
}

async fn restore_manifest(kv: &dyn Kv, report: &mut RepairReport) -> Result<Manifest> {
    let epoch = readable(kv, &keys::epoch()).await?;
    if let Some(epoch) = &epoch
        && crate::open::decode_epoch(epoch).is_err()
    {
        // Whoever wrote it is fenced off by its absence.
        let mut batch = WriteBatch::new();
        batch.delete(keys::epoch());
        let deleted = kv.commit(batch, Durability::Strict).await;
        deleted?;
        report.restored.push(keys::describe(&keys::epoch()));
    }
    let (key, copy) = (keys::manifest(), keys::manifest_copy());
    let is_new = readable(kv, &key).await?.is_none() && readable(kv, &copy).await?.is_none();
    if is_new {
        return Ok(Manifest::empty());
    }
    restore(kv, key, copy, Manifest::decode, report).await
}

async fn restore_catalog(
    kv: &dyn Kv,
    manifest: &Manifest,
    report: &mut RepairReport,
) -> Result<Catalog> {
    let version = manifest.catalog_version;
    if version == 0 {
        return Ok(Catalog::default());
    }
    let (key, copy) = (keys::catalog(version), keys::catalog_copy(version));
    let decode = |value: &[u8]| catalog::decode(version, value);
    restore(kv, key, copy, decode, report).await?;
    read_catalog(kv, version).await
}

/// Takes the log away from the first record on that cannot be replayed, and intents that cannot be
/// read: what they list is swept as unlisted. Answers the records behind that can be read.
async fn end_log_before_damage(
    kv: &dyn Kv,
    manifest: &Manifest,
    catalog: Catalog,
    report: &mut RepairReport,
) -> Result<Vec<Later>> {
    let mut log = Vec::new();
    let mut batch = WriteBatch::new();
    let mut all_read = true;
    let mut scan = Scan::forward(keys::intents_and_log(), ScanLimit::bytes(SCAN_BYTES_MAX));
    loop {
        let entries = match kv.scan(&scan).await {
            Ok(entries) => entries,
            Err(KvError::Corrupt { .. }) if scan.limit != ScanLimit::entries(1) => {
                // One by one up to the value that cannot be read.
                scan.limit = ScanLimit::entries(1);
                continue;
            }
            Err(KvError::Corrupt { .. }) => {
                all_read = false;
                break;
            }
            Err(error) => return Err(error.into()),
        };
        let rest = scan.rest(&entries);
        for (key, value) in entries {
            match keys::parse(&key) {
                Some(Found::Log(seq, part)) => log.push((seq, part, value)),
                Some(Found::Intent(id)) if intent::decode(id, &value).is_ok() => {}
                _ => drop(batch.delete(key)),
            }
        }
        match rest {
            Some(rest) => scan = rest,
            None => break,
        }
    }
    let version = read_runs(kv, manifest).await?;
    let ids = Ids::after(manifest, &catalog);
    let mut replay = Replay::new(manifest, version, catalog, &ids);
    let replayed = replay.records(&log);
    if replayed.is_err() || !all_read {
        let first_lost = CommitSeq(replay.last.0.saturating_add(1));
        batch.delete_range(keys::log_from(first_lost));
        report.first_commit_lost = Some(first_lost.0);
        let lost = log.iter().filter(|(seq, ..)| *seq >= first_lost).count();
        report.log_values_lost = lost as u64 + u64::from(!all_read);
    }
    let later = match report.first_commit_lost {
        Some(first_lost) => later_records(&log, CommitSeq(first_lost)),
        None => Vec::new(),
    };
    if !batch.is_empty() {
        write(kv, batch).await?;
    }
    Ok(later)
}

/// The records from a commit on of which every part can be read.
fn later_records(log: &[(CommitSeq, u32, Bytes)], from: CommitSeq) -> Vec<Later> {
    let mut later = Vec::new();
    // The record that is being put together, and its next part.
    let mut begun: Option<(CommitSeq, u32, Vec<u8>)> = None;
    for (seq, part, value) in log.iter().filter(|(seq, ..)| *seq >= from) {
        match log::open_value(*seq, *part, value) {
            Ok(Content::Part { bytes, is_last }) => {
                let fits =
                    |(of, next, _): &mut (CommitSeq, u32, Vec<u8>)| of == seq && next == part;
                let known = begun.take_if(fits).map(|(.., bytes)| bytes);
                let Some(mut record) = known.or((*part == 0).then(Vec::new)) else {
                    continue;
                };
                record.extend_from_slice(bytes);
                if is_last {
                    later.push(Later { seq: *seq, record });
                } else {
                    begun = Some((*seq, part.saturating_add(1), record));
                }
            }
            Ok(Content::Records { first, records }) => {
                let records = (first.0..).map(CommitSeq).zip(records);
                let records = records.filter(|(seq, _)| *seq >= from);
                later.extend(records.map(|(seq, record)| Later {
                    seq,
                    record: record.to_vec(),
                }));
            }
            Err(_) => {}
        }
    }
    later
}

async fn quarantined(kv: &dyn Kv) -> Result<Vec<RunId>> {
    let scan = Scan::forward(keys::all_quarantine(), ScanLimit::NONE);
    let entries = kv.scan(&scan).await?;
    Ok(entries
        .iter()
        .filter_map(|(key, _)| keys::run_of(key))
        .collect())
}

/// Deletes values of runs that neither the manifest lists nor a repair put aside.
async fn sweep_unlisted(kv: &dyn Kv, manifest: &Manifest) -> Result<()> {
    let mut kept = VecSet::from_iter(manifest.runs.iter().map(|entry| entry.run));
    kept.extend(quarantined(kv).await?);
    let mut gone = VecSet::new();
    for kind in 0..keys::kinds_of_runs_from(RunId(0)).len() {
        let mut next = Some(RunId(0));
        while let Some(first) = next {
            let ranges = keys::kinds_of_runs_from(first);
            let Some(range) = ranges.into_iter().nth(kind) else {
                break;
            };
            let found = match kv.scan(&Scan::forward(range, ScanLimit::entries(1))).await {
                Ok(entries) => entries.first().and_then(|(key, _)| keys::run_of(key)),
                Err(KvError::Corrupt { key: Some(key), .. }) => keys::run_of(&key),
                Err(KvError::Corrupt { key: None, .. }) => None,
                Err(error) => return Err(error.into()),
            };
            let Some(found) = found else { break };
            if !kept.contains(&found) {
                gone.insert(found);
            }
            next = found.0.checked_add(1).map(RunId);
        }
    }
    if gone.is_empty() {
        return Ok(());
    }
    let mut batch = WriteBatch::new();
    for range in gone.iter().flat_map(|run| keys::all_of_run(*run)) {
        batch.delete_range(range);
    }
    write(kv, batch).await
}
