//! Passphrases of encrypted databases. They come from a file or the environment, never from the
//! command line, which every user of the machine can read.

use std::path::{Path, PathBuf};

use pollster::block_on;
use varve_types::SqlState;
use varvedb::{Database, Encryption};

use crate::opening::Opening;
use crate::place::Place;
use crate::{message, open};

/// Where the passphrase is, if no file is named.
pub const VARIABLE: &str = "VARVE_PASSPHRASE";
/// Where the new passphrase is, if no file is named.
pub const NEW_VARIABLE: &str = "VARVE_NEW_PASSPHRASE";

/// The passphrase in a file, without the end of its line, or else in a variable; `None` where there
/// is neither.
pub fn read(file: Option<&Path>, variable: &str) -> Result<Option<Encryption>, String> {
    let text = match file {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            let text = text.strip_suffix('\n').unwrap_or(&text);
            text.strip_suffix('\r').unwrap_or(text).to_owned()
        }
        None => match std::env::var(variable) {
            Ok(text) => text,
            Err(std::env::VarError::NotPresent) => return Ok(None),
            Err(error) => return Err(format!("cannot read {variable}: {error}")),
        },
    };
    Ok(Some(Encryption::passphrase(text)))
}

/// Gives all databases of a place another passphrase. One that has it already, because an earlier
/// run was cut short, stays as it is.
pub fn change(path: &Path, with: &Opening, new_file: Option<&PathBuf>) -> Result<(), String> {
    let new = read(new_file.map(PathBuf::as_path), NEW_VARIABLE)?;
    let new = new.ok_or_else(|| {
        format!("no new passphrase was given: use --new-passphrase-file, or {NEW_VARIABLE}")
    })?;
    if with.encryption.is_none() {
        return Err(format!(
            "no passphrase was given: use --passphrase-file, or {VARIABLE}"
        ));
    }
    open::check_is_folder(path)?;
    let place = Place::new(path, with.clone());
    for name in place.names() {
        let Some(folder) = place.folder_of(&name) else {
            continue;
        };
        let changed = match open::unworded(&folder, with)? {
            Ok(database) => change_one(&database, &new)?,
            Err(error) if error.state() == SqlState::INVALID_PASSWORD => {
                // Tells of the passphrase that was given, if this one does not fit either.
                let opened = open::unworded(&folder, &with.with_encryption(&new))?;
                close(&opened.map_err(|_| message::of(&error))?)?;
                "had the new passphrase already"
            }
            Err(error) if error.state() == SqlState::UNDEFINED_FILE => "does not exist",
            Err(error) => return Err(message::of(&error)),
        };
        message::print(&format!("{name}: {changed}"))?;
    }
    Ok(())
}

fn change_one(database: &Database, new: &Encryption) -> Result<&'static str, String> {
    let changed = block_on(database.change_encryption_key(new));
    let closed = close(database);
    changed.map_err(|error| message::of(&error)).and(closed)?;
    Ok("has the new passphrase")
}

fn close(database: &Database) -> Result<(), String> {
    block_on(database.close()).map_err(|error| message::of(&error))
}
