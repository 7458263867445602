//! The marker beside RocksDB's files, by which a damaged store is told from a new folder.
//!
//! `VARVE` is there from the moment on that the store can hold anything. Until then `VARVE.new`
//! is: a store that is being made holds nothing, so it can be made again.

use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::promise::PROMISE;
use crate::space::RESERVE;

pub(crate) const MARKER: &str = "VARVE";
const BEING_MADE: &str = "VARVE.new";
const FORMAT: u32 = 1;

/// Whether a file of a store's folder is one that this crate puts there.
pub(crate) fn is_ours(name: &str) -> bool {
    [MARKER, BEING_MADE, PROMISE, RESERVE].contains(&name)
}

/// What the marker tells of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    /// Tells the store from all others.
    pub(crate) store: u128,
}

/// What a folder's marker was found to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// There is none.
    Absent,
    /// Somebody began to make a store, which holds nothing yet.
    BeingMade,
    Sound(Marker),
    /// Of a later version.
    TooNew(u32),
    Damaged,
}

impl Marker {
    /// Of a new store.
    pub(crate) fn new() -> Marker {
        let random = || u128::from(RandomState::new().build_hasher().finish());
        Marker {
            store: random() << 64 | random(),
        }
    }

    pub(crate) fn find(folder: &Path) -> io::Result<Found> {
        match fs::read(folder.join(MARKER)) {
            Ok(bytes) => Ok(Marker::decode(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_being_made = folder.join(BEING_MADE).try_exists()?;
                Ok(if is_being_made {
                    Found::BeingMade
                } else {
                    Found::Absent
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Says that a store is being made in a folder, which it makes first.
    pub(crate) fn announce(folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        File::create(folder.join(BEING_MADE))?.sync_all()
    }

    /// Puts the marker in place, for good.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let new = folder.join(BEING_MADE);
        let mut file = File::create(&new)?;
        file.write_all(self.text().as_bytes())?;
        file.sync_all()?;
        fs::rename(new, folder.join(MARKER))?;
        sync_folder(folder)
    }

    /// Removes all that marks a folder as a store; what is not there is no error.
    pub(crate) fn remove(folder: &Path) -> io::Result<()> {
        for name in [MARKER, BEING_MADE, PROMISE, RESERVE] {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn text(&self) -> String {
        let text = format!("VarveDB store\nformat {FORMAT}\nid {:032x}\n", self.store);
        let sum = xxh3_64(text.as_bytes());
        format!("{text}check {sum:016x}\n")
    }

    fn decode(bytes: &[u8]) -> Found {
        let text = String::from_utf8_lossy(bytes);
        let (checked, sum) = match text
            .rfind("check ")
            .and_then(|at| text.split_at_checked(at))
        {
            Some((checked, sum)) => (checked, sum),
            None => return Found::Damaged,
        };
        if sum != format!("check {:016x}\n", xxh3_64(checked.as_bytes())) {
            return Found::Damaged;
        }
        let mut lines = checked.lines().skip(1);
        let format = lines.next().and_then(|line| line.strip_prefix("format "));
        let format = format.and_then(|number| number.parse::<u32>().ok());
        let store = lines.next().and_then(|line| line.strip_prefix("id "));
        let store = store.and_then(|digits| u128::from_str_radix(digits, 16).ok());
        match (format, store) {
            (Some(format), _) if format > FORMAT => Found::TooNew(format),
            (Some(_), Some(store)) => Found::Sound(Marker { store }),
            _ => Found::Damaged,
        }
    }
}

/// Makes the names in a folder durable, where the platform needs and allows that.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}
