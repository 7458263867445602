//! Building a sound store from what can be read of a damaged one.
//!
//! The new store is made in `repair.new`, a folder in the store's own. Once it is whole, which its
//! marker tells, the old files move to `damaged-N`, then the new ones to their place, the marker
//! last. A repair that was interrupted goes on from where it was; meanwhile open finds files
//! missing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rocksdb::{DB, WriteOptions};
use varve_kv::{Key, KvError};

use crate::convert::{self, io_error};
use crate::files::Folder;
use crate::marker::{MARKER, Marker, sync_folder};
use crate::open::open;
use crate::options::RocksOptions;
use crate::reclaim::HeldRanges;
use crate::salvage::{Damage, SalvagedKv};

const NEW: &str = "repair.new";
/// In the new folder, from when on the old files are aside.
const IS_ASIDE: &str = "old-files-are-aside";
/// Entries are copied in batches of about so many bytes.
const BATCH_BYTES_MAX: u64 = 4 << 20;

/// What a rebuild did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// What was wrong.
    pub damage: Damage,
    /// The folder where the old files are.
    pub aside: PathBuf,
}

/// Puts a sound store in the place of a damaged one; `None` where nothing is damaged. Nobody has
/// the store open.
pub(crate) fn rebuild(path: &Path) -> Result<Option<Rebuilt>, KvError> {
    let new = path.join(NEW);
    // Nobody opens the store as long as this lives.
    let (salvaged, mut damage) = SalvagedKv::read(path)?;
    if new.join(MARKER).exists() {
        damage = Damage {
            files: Vec::new(),
            refusal: Some("a repair was interrupted".to_owned()),
        };
    } else if damage.is_empty() {
        return Ok(None);
    } else {
        build(&new, &salvaged)?;
    }
    let aside = exchange(path, &new).map_err(|error| io_error(&error))?;
    Ok(Some(Rebuilt { damage, aside }))
}

/// Makes the new store, from nothing.
fn build(new: &Path, salvaged: &SalvagedKv) -> Result<(), KvError> {
    let is_there = new.try_exists().map_err(|error| io_error(&error))?;
    if is_there {
        fs::remove_dir_all(new).map_err(|error| io_error(&error))?;
    }
    fs::create_dir_all(new).map_err(|error| io_error(&error))?;
    // Opened under another name, so that its marker is not there before all entries are.
    let building = new.join("files");
    let opened = open(&building, &RocksOptions::default())?;
    copy(&opened.db, salvaged)?;
    opened.close(&HeldRanges::default())?;
    let moved = move_files(&building, new, |name| name != MARKER)
        .and_then(|()| fs::rename(building.join(MARKER), new.join(MARKER)))
        .and_then(|()| fs::remove_dir(&building))
        .and_then(|()| sync_folder(new));
    moved.map_err(|error| io_error(&error))
}

fn copy(db: &DB, salvaged: &SalvagedKv) -> Result<(), KvError> {
    let mut options = WriteOptions::default();
    // Nothing of it counts before it is flushed whole.
    options.disable_wal(true);
    let mut after: Option<Key> = None;
    loop {
        let entries = salvaged.entries_after(after.as_ref(), BATCH_BYTES_MAX)?;
        let Some((last, _)) = entries.last() else {
            return db.flush().map_err(convert::error);
        };
        after = Some(last.clone());
        let mut batch = rocksdb::WriteBatch::default();
        for (key, value) in &entries {
            batch.put(key, value);
        }
        db.write_opt(batch, &options).map_err(convert::error)?;
    }
}

/// Puts the old files aside and the new ones in their place.
fn exchange(path: &Path, new: &Path) -> io::Result<PathBuf> {
    let is_aside = new.join(IS_ASIDE).exists();
    let aside = folder_aside(path, is_aside)?;
    if !is_aside {
        if !path.join(MARKER).exists() {
            // Without one, and without the files that go now, the folder would be taken for new.
            Marker::new().write(path)?;
        }
        fs::copy(path.join(MARKER), aside.join(MARKER))?;
        let unknown = Folder::read(path)?.unknown;
        let is_known = |name: &str| unknown.iter().all(|file| file != name);
        move_files(path, &aside, |name| name != MARKER && is_known(name))?;
        sync_folder(&aside)?;
        fs::File::create(new.join(IS_ASIDE))?.sync_all()?;
        sync_folder(new)?;
    }
    move_files(new, path, |name| name != MARKER && name != IS_ASIDE)?;
    sync_folder(path)?;
    fs::rename(new.join(MARKER), path.join(MARKER))?;
    sync_folder(path)?;
    fs::remove_dir_all(new)?;
    Ok(aside)
}

/// The folder for the old files: the one that a repair began, else one that is not there yet.
fn folder_aside(path: &Path, is_begun: bool) -> io::Result<PathBuf> {
    let folder = |number: u32| path.join(format!("damaged-{number}"));
    let mut number = 1;
    while folder(number).try_exists()? {
        number += 1;
    }
    if is_begun && number > 1 {
        return Ok(folder(number - 1));
    }
    fs::create_dir(folder(number))?;
    Ok(folder(number))
}

/// Moves files of a folder, but not its folders.
fn move_files(from: &Path, to: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_file = entry.file_type()?.is_file();
        if is_file && name.to_str().is_some_and(&is_wanted) {
            fs::rename(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}
