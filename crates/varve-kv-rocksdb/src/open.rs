//! Opening: what a folder is, whether its files are all there, and only then RocksDB.

use std::fs::TryLockError;
use std::path::Path;
use std::sync::Mutex;

use rocksdb::DB;
use varve_kv::KvError;

use crate::convert::{self, io_error};
use crate::files::Folder;
use crate::marker::{Found, Marker};
use crate::options::RocksOptions;
use crate::promise::{Promise, PromiseFile};
use crate::rocks_kv::Opened;
use crate::verify::{Holdings, corrupt, verify};

/// What a folder is.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// Holds nothing.
    New,
    Store(Marker),
    /// Holds a store whose making was cut short, to which nobody could write yet.
    BeingMade,
}

/// Opens the store in a folder, or makes one in a folder that is new.
pub(crate) fn open(path: &Path, options: &RocksOptions) -> Result<Opened, KvError> {
    let mut settings = options.to_rocksdb()?;
    if kind(path)? == Kind::New {
        Marker::announce(path).map_err(|error| io_error(&error))?;
    }
    let (mut file, promise) = lock(path)?;
    // Nobody else changes the folder from here on.
    let (kind, holdings) = inspect(path, promise)?;
    if let Some(holdings) = &holdings {
        holdings.cut_torn_ends().map_err(|error| io_error(&error))?;
    }
    let is_new = kind == Kind::New;
    let before = read_folder(path)?;
    settings.create_if_missing(is_new);
    let db = DB::open(&settings, path).map_err(|error| {
        before.remove_newer_files();
        convert::error(error)
    })?;
    let sequence = db.latest_sequence_number();
    if holdings.is_some_and(|there| sequence < there.sequence) {
        return Err(corrupt(format!(
            "RocksDB ends at write {sequence}, before acknowledged ones"
        )));
    }
    let marker = match kind {
        Kind::Store(marker) => marker,
        Kind::New | Kind::BeingMade => Marker::new(),
    };
    let folder = read_folder(path)?;
    let manifest = folder.current().map_err(|error| io_error(&error))?;
    let manifest = manifest.ok_or_else(|| corrupt("the file CURRENT is damaged"))?;
    let begun = file.begin(
        marker.store,
        sequence,
        (manifest, &folder.manifest(manifest)),
    );
    begun.map_err(|error| io_error(&error))?;
    if kind != Kind::Store(marker) {
        marker.write(path).map_err(|error| io_error(&error))?;
    }
    Ok(Opened {
        db,
        promises: Mutex::new(file),
    })
}

/// What a folder is and holds; an error where it is no sound store.
fn inspect(path: &Path, promise: Option<Promise>) -> Result<(Kind, Option<Holdings>), KvError> {
    let kind = kind(path)?;
    let holdings = match kind {
        Kind::New => None,
        Kind::Store(marker) => Some(verify_promised(path, marker, promise)?),
        Kind::BeingMade => Some(verify(&read_folder(path)?, promise.as_ref())?),
    };
    Ok((kind, holdings))
}

/// Why a store would not be opened because of damage; an error where it would not because of
/// something else.
pub(crate) fn refusal(path: &Path, promise: Option<Promise>) -> Result<Option<String>, KvError> {
    match inspect(path, promise) {
        Ok(_) => Ok(None),
        Err(KvError::Corrupt { message, .. }) => Ok(Some(message)),
        Err(error) => Err(error),
    }
}

fn read_folder(path: &Path) -> Result<Folder, KvError> {
    Folder::read(path).map_err(|error| io_error(&error))
}

fn kind(path: &Path) -> Result<Kind, KvError> {
    let folder = read_folder(path)?;
    match Marker::find(path).map_err(|error| io_error(&error))? {
        Found::Sound(marker) => Ok(Kind::Store(marker)),
        Found::BeingMade if folder.has_current => Ok(Kind::BeingMade),
        Found::BeingMade => Ok(Kind::New),
        Found::TooNew(format) => Err(KvError::Backend {
            message: format!("format_too_new: the folder has format {format}"),
        }),
        Found::Damaged => Err(corrupt("the file VARVE is damaged")),
        Found::Absent if folder.has_current => Err(corrupt("the file VARVE is missing")),
        Found::Absent if folder.has_data() => {
            Err(corrupt("the files VARVE and CURRENT are missing"))
        }
        Found::Absent => match folder.unknown.first() {
            None => Ok(Kind::New),
            Some(file) => Err(KvError::Backend {
                message: format!("the folder is no store's: it holds \"{file}\""),
            }),
        },
    }
}

pub(crate) fn lock(path: &Path) -> Result<(PromiseFile, Option<Promise>), KvError> {
    PromiseFile::lock(path).map_err(|error| match error {
        TryLockError::WouldBlock => KvError::Locked {
            message: "it is open in this process or another one".into(),
        },
        TryLockError::Error(error) => io_error(&error),
    })
}

fn verify_promised(
    path: &Path,
    marker: Marker,
    promise: Option<Promise>,
) -> Result<Holdings, KvError> {
    let promise = promise.filter(|promise| promise.store == marker.store);
    let promise = promise.ok_or_else(|| corrupt("the file PROMISE is missing or damaged"))?;
    verify(&read_folder(path)?, Some(&promise))
}
