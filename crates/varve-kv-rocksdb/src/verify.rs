//! Whether all that was acknowledged is still there, told before RocksDB changes a file: it would
//! take the part of a log before damage for the whole of it, and delete tables that a cut MANIFEST
//! no longer lists.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;

use varve_kv::KvError;

use crate::convert::io_error;
use crate::files::{Batch, Folder, Found, LogReader, Manifest};
use crate::promise::Promise;

/// What the files hold.
#[derive(Debug)]
pub(crate) struct Holdings {
    /// Commits up to this sequence are there.
    pub(crate) sequence: u64,
    /// What is left of writes that never ended: files, and where they are sound up to.
    torn: Vec<(PathBuf, u64)>,
}

impl Holdings {
    /// Cuts off what is left of writes that never ended. RocksDB would skip most of that by itself,
    /// but reads without end where it looks like the record of a recycled log.
    pub(crate) fn cut_torn_ends(&self) -> io::Result<()> {
        for (file, sound_bytes) in &self.torn {
            let file = OpenOptions::new().write(true).open(file)?;
            file.set_len(*sound_bytes)?;
            file.sync_all()?;
        }
        Ok(())
    }
}

/// Compares the files with what was promised; `None` for a store whose making was cut short, whose
/// log must be sound up to its last record.
pub(crate) fn verify(folder: &Folder, promise: Option<&Promise>) -> Result<Holdings, KvError> {
    let (manifest, mut torn) = current_manifest(folder, promise)?;
    let log = LogState::read(folder, &manifest).map_err(|error| io_error(&error))?;
    let sequence = manifest.last_sequence.max(log.next.saturating_sub(1));
    // After a power cut the log may have gaps, where writes were not promised to be on disk.
    let is_missing = match promise {
        Some(promise) => promise.sequence() > sequence,
        None => log.has_gap,
    };
    if is_missing {
        let place = log.damage.map_or(String::new(), |(number, at)| {
            format!(": {number:06}.log is damaged at byte {at}")
        });
        let first = sequence.saturating_add(1);
        return Err(corrupt(format!(
            "acknowledged commits are missing from write {first} on{place}"
        )));
    }
    torn.extend(
        log.damage
            .map(|(number, at)| (folder.log(number), at as u64)),
    );
    Ok(Holdings { sequence, torn })
}

pub(crate) fn corrupt(message: impl Display) -> KvError {
    KvError::Corrupt {
        key: None,
        message: message.to_string(),
    }
}

/// The MANIFEST in use, whose tables are all there, and its end if that is torn.
fn current_manifest(
    folder: &Folder,
    promise: Option<&Promise>,
) -> Result<(Manifest, Vec<(PathBuf, u64)>), KvError> {
    let listing = Listing::read(folder, promise)?;
    if let Some(table) = listing.missing_tables(folder).next() {
        return Err(corrupt(format!("the file {table:06}.sst is missing")));
    }
    let torn = listing.is_torn.then(|| {
        let file = folder.manifest(listing.number);
        (file, listing.manifest.sound_bytes as u64)
    });
    Ok((listing.manifest, torn.into_iter().collect()))
}

/// The MANIFEST in use.
pub(crate) struct Listing {
    number: u64,
    pub(crate) manifest: Manifest,
    /// Whether something follows that cannot be read and was not promised.
    pub(crate) is_torn: bool,
}

impl Listing {
    /// An error where it has not all that was promised.
    pub(crate) fn read(folder: &Folder, promise: Option<&Promise>) -> Result<Listing, KvError> {
        if !folder.has_current {
            return Err(corrupt("the file CURRENT is missing"));
        }
        let number = folder.current().map_err(|error| io_error(&error))?;
        let number = number.ok_or_else(|| corrupt("the file CURRENT is damaged"))?;
        if !folder.manifests.contains(&number) {
            return Err(corrupt(format!("the file MANIFEST-{number:06} is missing")));
        }
        let bytes = std::fs::read(folder.manifest(number)).map_err(|error| io_error(&error))?;
        let manifest = Manifest::read(&bytes);
        let promised = promise.filter(|promise| promise.manifest == number);
        let promised_bytes = promised.map_or(0, |promise| promise.manifest_bytes);
        let is_cut = (manifest.sound_bytes as u64) < promised_bytes;
        // An open makes a newer one, then removes the one before it.
        let is_old = promise.is_some_and(|promise| promise.manifest > number);
        if manifest.has_gap || is_cut || is_old {
            return Err(corrupt(format!("the file MANIFEST-{number:06} is damaged")));
        }
        Ok(Listing {
            number,
            is_torn: manifest.sound_bytes < bytes.len(),
            manifest,
        })
    }

    /// The tables that are listed and not there.
    pub(crate) fn missing_tables<'a>(&'a self, folder: &'a Folder) -> impl Iterator<Item = u64> {
        let listed = self.manifest.tables.iter().copied();
        listed.filter(|table| folder.tables.binary_search(table).is_err())
    }
}

/// What the logs that are still needed hold.
struct LogState {
    /// The sequence after the last commit that is there with all before it.
    next: u64,
    /// The first damage: number of the log, and where in it.
    damage: Option<(u64, usize)>,
    /// Whether a commit is there behind one that is not.
    has_gap: bool,
}

impl LogState {
    fn read(folder: &Folder, manifest: &Manifest) -> io::Result<LogState> {
        let mut state = LogState {
            next: 0,
            damage: None,
            has_gap: false,
        };
        let needed = folder.logs.iter().copied();
        for number in needed.filter(|number| *number >= manifest.log_number) {
            let bytes = std::fs::read(folder.log(number))?;
            for (at, found) in LogReader::new(&bytes) {
                let batch = match &found {
                    Found::Record(record) => Batch::read(record),
                    Found::Damage => None,
                };
                match batch {
                    Some(batch) => state.add(&batch, manifest.last_sequence),
                    None => state.damage = state.damage.or(Some((number, at))),
                }
            }
        }
        Ok(state)
    }

    fn add(&mut self, batch: &Batch, in_tables: u64) {
        // RocksDB notes where it ended a damaged log by a batch without writes.
        if batch.count == 0 || self.has_gap {
            return;
        }
        let expected = if self.next == 0 {
            in_tables.saturating_add(1)
        } else {
            self.next
        };
        if batch.sequence > expected {
            self.has_gap = true;
        } else {
            self.next = self.next.max(batch.sequence.saturating_add(batch.count));
        }
    }
}
