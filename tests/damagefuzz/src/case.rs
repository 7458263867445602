//! One damage.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use crate::store::{LATE_ROWS, RUN_ROWS_MAX};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// A byte is combined with a mask.
    Flip {
        /// Where.
        at: u64,
        /// Its bits that change.
        mask: u8,
    },
    /// The file ends before.
    Cut {
        /// What is left.
        bytes: u64,
    },
    /// The file is gone.
    Remove,
}

/// A file and what is done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The name of the file.
    pub file: String,
    /// What is done.
    pub harm: Harm,
}

impl Case {
    /// Does it to the store in a folder.
    pub fn apply(&self, folder: &Path) -> io::Result<()> {
        let path = folder.join(&self.file);
        match self.harm {
            Harm::Remove => fs::remove_file(path),
            Harm::Cut { bytes } => fs::OpenOptions::new()
                .write(true)
                .open(path)?
                .set_len(bytes),
            Harm::Flip { at, mask } => {
                let mut contents = fs::read(&path)?;
                let byte = usize::try_from(at).ok().and_then(|at| contents.get_mut(at));
                if let Some(byte) = byte {
                    *byte ^= mask;
                }
                fs::write(path, contents)
            }
        }
    }
}

impl Case {
    /// How many rows it may cost at most.
    pub fn rows_lost_max(&self) -> u64 {
        let is_table = self.file.ends_with(".sst");
        let is_log = self.file.ends_with(".log");
        match self.harm {
            Harm::Flip { .. } if is_table => RUN_ROWS_MAX,
            Harm::Flip { .. } if is_log => LATE_ROWS,
            Harm::Cut { .. } | Harm::Remove if is_table || is_log => u64::MAX,
            Harm::Flip { .. } | Harm::Cut { .. } | Harm::Remove => 0,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.harm {
            Harm::Flip { at, mask } => write!(f, "{} flip {at} {mask:#04x}", self.file),
            Harm::Cut { bytes } => write!(f, "{} cut {bytes}", self.file),
            Harm::Remove => write!(f, "{} remove", self.file),
        }
    }
}

/// The cases of a store's files: each is removed, cut and flipped at so many places.
pub fn cases(
    folder: &Path,
    places: u64,
    chance: &mut impl FnMut(u64) -> u64,
) -> io::Result<Vec<Case>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() {
            names.push((name, entry.metadata()?.len()));
        }
    }
    names.sort();
    let mut cases = Vec::new();
    for (file, bytes) in names {
        let case = |harm| Case {
            file: file.clone(),
            harm,
        };
        cases.push(case(Harm::Remove));
        if bytes == 0 {
            continue;
        }
        let every = places >= bytes;
        for place in 0..places.min(bytes) {
            let at = if every { place } else { chance(bytes) };
            let mask = 1 << chance(8);
            cases.push(case(Harm::Flip { at, mask }));
            if place % 4 == 0 {
                cases.push(case(Harm::Cut { bytes: at }));
            }
        }
    }
    Ok(cases)
}
