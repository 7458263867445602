//! Up to which of RocksDB's sequences commits were acknowledged: what a log that lost records
//! cannot tell itself.
//!
//! The file is written over after each commit, in one piece smaller than a sector and without a
//! sync of its own. While the machine runs, also after the process was killed, it says up to where
//! commits were written; after a power cut, up to where they were synced, as far as it came to the
//! disk itself.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 8 | magic `VARVESEQ` |
//! | 8 | 16 | the store, as its marker names it |
//! | 24 | 16 | the start of the machine |
//! | 40 | 8 | last sequence written |
//! | 48 | 8 | last sequence synced |
//! | 56 | 8 | number of the MANIFEST |
//! | 64 | 8 | its bytes |
//! | 72 | 8 | xxh3-64 of what is before |

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

/// The name of the file.
pub(crate) const PROMISE: &str = "PROMISE";
const MAGIC: [u8; 8] = *b"VARVESEQ";
const BYTES: usize = 80;
const CHECKED_BYTES: usize = BYTES - 8;

/// What was acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Promise {
    pub(crate) store: u128,
    /// Which start of the machine `written` holds for; 0 where the platform does not tell.
    pub(crate) boot: u128,
    pub(crate) written: u64,
    pub(crate) synced: u64,
    pub(crate) manifest: u64,
    pub(crate) manifest_bytes: u64,
}

impl Promise {
    /// The last sequence that must be there now.
    pub(crate) fn sequence(&self) -> u64 {
        let is_same_boot = self.boot != 0 && self.boot == boot();
        if is_same_boot {
            self.written.max(self.synced)
        } else {
            self.synced
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend(MAGIC);
        bytes.extend(self.store.to_le_bytes());
        bytes.extend(self.boot.to_le_bytes());
        for number in [
            self.written,
            self.synced,
            self.manifest,
            self.manifest_bytes,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        let sum = xxh3_64(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Promise> {
        let (checked, sum) = bytes.split_at_checked(CHECKED_BYTES)?;
        let (magic, rest) = checked.split_first_chunk::<8>()?;
        let (store, rest) = rest.split_first_chunk::<16>()?;
        let (boot, rest) = rest.split_first_chunk::<16>()?;
        let (numbers, _) = rest.as_chunks::<8>();
        let [written, synced, manifest, manifest_bytes] = *numbers.first_chunk::<4>()?;
        let is_sound = *magic == MAGIC && sum == xxh3_64(checked).to_le_bytes();
        is_sound.then_some(Promise {
            store: u128::from_le_bytes(*store),
            boot: u128::from_le_bytes(*boot),
            written: u64::from_le_bytes(written),
            synced: u64::from_le_bytes(synced),
            manifest: u64::from_le_bytes(manifest),
            manifest_bytes: u64::from_le_bytes(manifest_bytes),
        })
    }
}

/// The file of a store. Who has it open has the store: it is locked until it is dropped.
pub(crate) struct PromiseFile {
    file: File,
    promise: Promise,
    /// The MANIFEST that is in use, to know how long it is.
    manifest: Option<File>,
}

impl PromiseFile {
    /// The file, which is made if it is missing, and what it says: `None` where that is not what
    /// was written.
    pub(crate) fn lock(folder: &Path) -> Result<(PromiseFile, Option<Promise>), TryLockError> {
        let options = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join(PROMISE));
        let mut file = options.map_err(TryLockError::Error)?;
        file.try_lock()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(TryLockError::Error)?;
        let found = Promise::decode(&bytes);
        let locked = PromiseFile {
            file,
            promise: found.unwrap_or_default(),
            manifest: None,
        };
        Ok((locked, found))
    }

    /// Promises, durably, what an open found.
    pub(crate) fn begin(
        &mut self,
        store: u128,
        sequence: u64,
        manifest: (u64, &Path),
    ) -> io::Result<()> {
        let (number, path) = manifest;
        self.manifest = Some(File::open(path)?);
        self.promise = Promise {
            store,
            boot: boot(),
            written: sequence,
            synced: sequence,
            manifest: number,
            manifest_bytes: 0,
        };
        self.write()?;
        self.file.set_len(BYTES as u64)?;
        self.file.sync_all()
    }

    /// Notes that commits up to a sequence are acknowledged.
    pub(crate) fn raise(&mut self, sequence: u64, is_synced: bool) -> io::Result<()> {
        self.promise.written = sequence;
        if is_synced {
            self.promise.synced = sequence;
        }
        self.write()
    }

    /// Makes the last promise durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn write(&mut self) -> io::Result<()> {
        if let Some(manifest) = &self.manifest {
            self.promise.manifest_bytes = manifest.metadata()?.len();
        }
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&self.promise.encode())
    }
}

impl Drop for PromiseFile {
    /// A child process that is being started has a copy of the file for a moment, and with it the
    /// lock: closing the file would not end it.
    fn drop(&mut self) {
        // Where it cannot be ended, closing the file ends it.
        let _ = self.file.unlock();
    }
}

/// A number that changes when the machine starts anew; 0 where the platform does not tell.
fn boot() -> u128 {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    u128::from_str_radix(&id.trim().replace('-', ""), 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Promise;

    #[test]
    fn every_changed_byte_is_noticed() {
        let promise = Promise {
            store: 1 << 100,
            boot: 7,
            written: 5,
            synced: 4,
            manifest: 3,
            manifest_bytes: 200,
        };
        let bytes = promise.encode();
        assert_eq!(Promise::decode(&bytes), Some(promise));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(Promise::decode(&damaged), None);
        }
        assert_eq!(Promise::decode(&bytes[..79]), None);
        assert_eq!(promise.sequence(), 4, "another start of the machine");
    }
}
