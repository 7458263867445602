//! Space on the disk: how much is free, and a reserve that is given up when nothing is.
//!
//! RocksDB needs space to open a store, to write down what frees space, and to give space back. So
//! a store says that the disk is nearly full while there is still some for that. Where somebody
//! else takes that too, the reserve goes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The file that only takes space.
pub(crate) const RESERVE: &str = "RESERVE";
const RESERVE_BYTES: u64 = 8 << 20;
/// With less than this beside what compactions need and what RocksDB has yet to write to tables,
/// the disk is nearly full.
const SPARE_BYTES: u64 = 16 << 20;
/// More than this is rarely merged at once, by RocksDB or by the store above.
const COMPACTION_BYTES_MAX: u64 = 256 << 20;
/// The reserve is made, or made again, where it takes only a part of what is free.
const FREE_BYTES_FOR_RESERVE: u64 = RESERVE_BYTES + 2 * SPARE_BYTES;

/// The disk of a store.
#[derive(Debug)]
pub(crate) struct Disk {
    folder: PathBuf,
}

impl Disk {
    pub(crate) fn new(folder: &Path) -> Disk {
        Disk {
            folder: folder.to_owned(),
        }
    }

    /// Whether what is free is needed for what RocksDB holds in memory, for a compaction, which
    /// writes before it deletes what it read, and for giving space back.
    pub(crate) fn is_nearly_full(&self, unflushed_bytes: u64, tables_bytes: u64) -> bool {
        let needed = needed_bytes(unflushed_bytes, tables_bytes);
        self.free_bytes().is_some_and(|free| free < needed)
    }

    /// Whether the disk may soon be nearly full.
    pub(crate) fn is_short(&self, unflushed_bytes: u64, tables_bytes: u64) -> bool {
        let needed = needed_bytes(unflushed_bytes, tables_bytes);
        let free = self.free_bytes();
        free.is_some_and(|free| free < needed.saturating_mul(2))
    }

    /// Makes the reserve if it is missing and there is space enough. It can do without.
    pub(crate) fn make_reserve(&self) {
        let path = self.folder.join(RESERVE);
        let has_space = self
            .free_bytes()
            .is_some_and(|free| free > FREE_BYTES_FOR_RESERVE);
        if has_space && !path.exists() && File::create(&path).and_then(fill).is_err() {
            let _ = fs::remove_file(path);
        }
    }

    /// Gives the reserve up; whether there was one.
    pub(crate) fn give_up_reserve(&self) -> bool {
        fs::remove_file(self.folder.join(RESERVE)).is_ok()
    }

    /// `None` where the platform does not tell.
    #[cfg(unix)]
    fn free_bytes(&self) -> Option<u64> {
        let found = rustix::fs::statvfs(&self.folder).ok()?;
        found.f_bavail.checked_mul(found.f_frsize)
    }

    #[cfg(not(unix))]
    fn free_bytes(&self) -> Option<u64> {
        None
    }
}

fn needed_bytes(unflushed_bytes: u64, tables_bytes: u64) -> u64 {
    let compaction_bytes = tables_bytes.min(COMPACTION_BYTES_MAX);
    (SPARE_BYTES + compaction_bytes).saturating_add(unflushed_bytes)
}

/// Takes the space of the reserve, also where the file system would leave out zeros.
#[cfg(target_os = "linux")]
fn fill(file: File) -> std::io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    Ok(fallocate(file, FallocateFlags::empty(), 0, RESERVE_BYTES)?)
}

#[cfg(not(target_os = "linux"))]
fn fill(file: File) -> std::io::Result<()> {
    file.set_len(RESERVE_BYTES)
}
