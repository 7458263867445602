//! What can be read of a store's files, without RocksDB and without changing a byte of them: to
//! see what is damaged, to read on where RocksDB stops, and to build a store that is sound.
//!
//! All tables are read block by block, all logs record by record. Of each key the write with the
//! greatest sequence holds.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use varve_kv::{
    Bytes, Direction, Durability, Entry, GuardOutcome, Key, KeyRange, Kv, KvError, LocalFuture,
    ReadResult, Scan, ScanLimit, Write as KvWrite, WriteBatch,
};

use crate::convert::io_error;
use crate::files::{Batch, Folder, Found, LogReader, Manifest, Op, Table, Write};
use crate::open::{lock, refusal};
use crate::promise::{PROMISE, Promise, PromiseFile};
use crate::verify::Listing;

/// What is wrong with the files of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong with single files, a sentence each.
    pub files: Vec<String>,
    /// Why open would refuse the store, if it would.
    pub refusal: Option<String>,
}

impl Damage {
    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        *self == Damage::default()
    }
}

/// Where the value of a key is.
#[derive(Clone)]
enum Place {
    /// At an offset of a file.
    File {
        file: usize,
        offset: u64,
        bytes: usize,
    },
    /// Written to this handle, or from a log.
    Held(Bytes),
}

/// The entries of a store that can be read. What is committed to it is kept in memory and gone
/// with it.
pub struct SalvagedKv {
    files: Vec<PathBuf>,
    entries: Mutex<BTreeMap<Key, Place>>,
    /// Keeps others from opening the store until this is closed.
    lock: Mutex<Option<PromiseFile>>,
}

/// The last write of a key.
struct Last {
    sequence: u64,
    /// `None` where it was deleted.
    place: Option<Place>,
}

#[derive(Default)]
struct Reading {
    files: Vec<PathBuf>,
    keys: BTreeMap<Key, Last>,
    /// Deleted ranges: sequence, first key, end.
    ranges: Vec<(u64, Key, Key)>,
    damage: Damage,
}

impl SalvagedKv {
    /// Reads all files of a store, which nobody else may have open, and tells what is damaged.
    pub fn read(folder: impl AsRef<Path>) -> Result<(SalvagedKv, Damage), KvError> {
        let path = folder.as_ref();
        let has_lock = path.join(PROMISE).exists();
        let lock = has_lock.then(|| lock(path)).transpose()?;
        let promise = lock.as_ref().and_then(|(_, promise)| *promise);
        let refusal = refusal(path, promise)?;
        let folder = Folder::read(path).map_err(|error| io_error(&error))?;
        let listed = listed(&folder, promise.as_ref())?;
        let read = Reading::of_folder(&folder, listed.as_ref(), refusal);
        let read = read.map_err(|error| io_error(&error))?;
        let (mut entries, ranges) = (read.keys, read.ranges);
        for (sequence, first, end) in ranges {
            if first >= end {
                continue;
            }
            for (_, last) in entries.range_mut(first..end) {
                if last.sequence < sequence {
                    last.place = None;
                }
            }
        }
        let entries = entries.into_iter();
        let entries = entries.filter_map(|(key, last)| Some((key, last.place?)));
        let kv = SalvagedKv {
            files: read.files,
            entries: Mutex::new(entries.collect()),
            lock: Mutex::new(lock.map(|(file, _)| file)),
        };
        Ok((kv, read.damage))
    }

    /// The next entries behind a key, of about so many bytes; none are left where it is empty.
    pub(crate) fn entries_after(
        &self,
        after: Option<&Key>,
        bytes_max: u64,
    ) -> Result<Vec<Entry>, KvError> {
        let mut start = after.cloned().unwrap_or_default();
        if after.is_some() {
            start.push(0);
        }
        let limit = ScanLimit::bytes(bytes_max);
        self.scan_now(&Scan::forward(KeyRange::from(start), limit))
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<Key, Place>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn value(&self, place: &Place) -> Result<Bytes, KvError> {
        match place {
            Place::Held(value) => Ok(Bytes::clone(value)),
            Place::File {
                file,
                offset,
                bytes,
            } => {
                let path = self.files.get(*file).ok_or(KvError::Closed)?;
                let value = read_at(path, *offset, *bytes).map_err(|error| io_error(&error))?;
                Ok(value.into())
            }
        }
    }

    fn get(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, KvError> {
        let entries = self.entries();
        let values = keys.iter().map(|key| entries.get(key));
        values
            .map(|place| place.map(|place| self.value(place)).transpose())
            .collect()
    }

    fn scan_now(&self, scan: &Scan) -> Result<Vec<Entry>, KvError> {
        if scan.range.is_empty() {
            return Ok(Vec::new());
        }
        let entries = self.entries();
        let range = entries.range(bounds(&scan.range));
        match scan.direction {
            Direction::Forward => self.take(range, scan),
            Direction::Reverse => self.take(range.rev(), scan),
        }
    }

    fn take<'a>(
        &self,
        range: impl Iterator<Item = (&'a Key, &'a Place)>,
        scan: &Scan,
    ) -> Result<Vec<Entry>, KvError> {
        let mut found: Vec<Entry> = Vec::new();
        let mut bytes = 0_u64;
        for (key, place) in range {
            let value = self.value(place)?;
            bytes = bytes
                .saturating_add(key.len() as u64)
                .saturating_add(value.len() as u64);
            found.push((key.clone(), value));
            if scan.limit.is_reached(found.len() as u64, bytes) {
                break;
            }
        }
        Ok(found)
    }

    fn commit_now(&self, batch: &WriteBatch) -> Result<(), KvError> {
        if let Some(guard) = &batch.guard {
            let key = guard.key().clone();
            let found = self.get(std::slice::from_ref(&key))?.pop().flatten();
            match batch.check_guard(found.as_deref()) {
                GuardOutcome::Apply => {}
                GuardOutcome::AlreadyApplied => return Ok(()),
                GuardOutcome::Mismatch => return Err(KvError::GuardMismatch { key, found }),
            }
        }
        let mut entries = self.entries();
        for write in &batch.writes {
            match write {
                KvWrite::Put { key, value } => {
                    entries.insert(key.clone(), Place::Held(Bytes::clone(value)));
                }
                KvWrite::Delete { key } => drop(entries.remove(key)),
                KvWrite::DeleteRange(range) => entries.retain(|key, _| !range.contains(key)),
            }
        }
        Ok(())
    }
}

/// The caller has excluded empty ranges.
fn bounds(range: &KeyRange) -> (std::ops::Bound<Key>, std::ops::Bound<Key>) {
    use std::ops::Bound;
    let end = range.end.clone().map_or(Bound::Unbounded, Bound::Excluded);
    (Bound::Included(range.start.clone()), end)
}

fn read_at(path: &Path, offset: u64, bytes: usize) -> io::Result<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut value = vec![0; bytes];
    file.read_exact(&mut value)?;
    Ok(value)
}

impl Reading {
    fn of_folder(
        folder: &Folder,
        listed: Option<&Manifest>,
        refusal: Option<String>,
    ) -> io::Result<Reading> {
        let mut reading = Reading::default();
        reading.damage.refusal = refusal;
        for number in &folder.tables {
            // Tables that are not listed are what a compaction left or did not finish.
            if listed.is_none_or(|listed| listed.tables.contains(number)) {
                reading.table(folder.table(*number))?;
            }
        }
        for number in &folder.logs {
            if listed.is_none_or(|listed| *number >= listed.log_number) {
                reading.log(&folder.log(*number), *number)?;
            }
        }
        Ok(reading)
    }

    fn note(&mut self, damage: String) {
        self.damage.files.push(damage);
    }

    fn table(&mut self, path: PathBuf) -> io::Result<()> {
        let bytes = std::fs::read(&path)?;
        let table = Table::read(&bytes);
        if let Some(at) = table.damage {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            self.note(format!("the file {name} is damaged at byte {at}"));
        }
        let file = self.files.len();
        self.files.push(path);
        for write in table.writes {
            let offset = |value: &[u8]| value.as_ptr().addr() - bytes.as_ptr().addr();
            let place = |value: &[u8]| Place::File {
                file,
                offset: offset(value) as u64,
                bytes: value.len(),
            };
            self.write(write, place);
        }
        Ok(())
    }

    fn log(&mut self, path: &Path, number: u64) -> io::Result<()> {
        let bytes = std::fs::read(path)?;
        let mut damage = None;
        for (at, found) in LogReader::new(&bytes) {
            let writes = match &found {
                Found::Record(record) => Batch::read(record).and_then(Batch::writes),
                Found::Damage => None,
            };
            match writes {
                Some(writes) => {
                    for write in writes {
                        self.write(write, |value| Place::Held(value.into()));
                    }
                }
                None => damage = damage.or(Some(at)),
            }
        }
        // What is left of a write that never ended is at the end of a log, and no damage: whether
        // it was acknowledged is told by the promise.
        if let (Some(at), true) = (damage, self.damage.refusal.is_some()) {
            self.note(format!("the file {number:06}.log is damaged at byte {at}"));
        }
        Ok(())
    }

    fn write(&mut self, write: Write<'_>, place: impl Fn(&[u8]) -> Place) {
        let sequence = write.sequence;
        let place = match write.op {
            Op::Put(value) => Some(place(value)),
            Op::Delete => None,
            Op::DeleteTo(end) => {
                self.ranges.push((sequence, write.key, end.to_vec()));
                return;
            }
        };
        let last = Last { sequence, place };
        match self.keys.get_mut(&write.key) {
            Some(known) if known.sequence > sequence => {}
            Some(known) => *known = last,
            None => drop(self.keys.insert(write.key, last)),
        }
    }
}

/// What the MANIFEST lists, if that is all there was.
fn listed(folder: &Folder, promise: Option<&Promise>) -> Result<Option<Manifest>, KvError> {
    match Listing::read(folder, promise) {
        // What cannot be read told what became of the tables that are missing.
        Ok(listing) if listing.is_torn && listing.missing_tables(folder).next().is_some() => {
            Ok(None)
        }
        Ok(listing) => Ok(Some(listing.manifest)),
        Err(KvError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Kv for SalvagedKv {
    fn get_many<'a>(
        &'a self,
        keys: &'a [Key],
    ) -> LocalFuture<'a, Result<Vec<Option<Bytes>>, KvError>> {
        Box::pin(async move { self.get(keys) })
    }

    fn scan<'a>(&'a self, scan: &'a Scan) -> LocalFuture<'a, Result<Vec<Entry>, KvError>> {
        Box::pin(async move { self.scan_now(scan) })
    }

    fn read<'a>(
        &'a self,
        gets: &'a [Key],
        scan: Option<&'a Scan>,
    ) -> LocalFuture<'a, Result<ReadResult, KvError>> {
        Box::pin(async move {
            Ok(ReadResult {
                values: self.get(gets)?,
                entries: scan.map_or(Ok(Vec::new()), |scan| self.scan_now(scan))?,
            })
        })
    }

    fn commit(
        &self,
        batch: WriteBatch,
        _durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move { self.commit_now(&batch) })
    }

    fn close(&self) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async {
            *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
            Ok(())
        })
    }
}

impl fmt::Debug for SalvagedKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SalvagedKv").finish_non_exhaustive()
    }
}
