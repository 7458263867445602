//! Encrypted stores: what stands between a database and its backend.

use std::sync::Arc;

use varve_kv::Kv;
use varve_kv_encrypted::{EncryptedKv, Encryption, EncryptionKey, OpenError};
use varve_store::StoreError;
use varve_types::{Error, Failure, Result, SqlState};

use crate::database::Database;

const HOW_TO_ENCRYPT: &str =
    "Open it without a key. To encrypt its data, copy them to a new database that has one.";

impl Database {
    /// Puts another key in the place of the one that opens the database. No data is written anew,
    /// and who has the old key and an old copy of the store can still read that copy.
    ///
    /// A database that is not encrypted answers `55000`.
    pub async fn change_encryption_key(&self, encryption: &Encryption) -> Result<()> {
        check(encryption)?;
        let Some(encrypted) = &self.shared.encrypted else {
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            return Err(
                Error::new(state, "the database is not encrypted").with_hint(HOW_TO_ENCRYPT)
            );
        };
        let changed = encrypted.change_key(encryption).await;
        Ok(changed.map_err(StoreError::from)?)
    }
}

/// The backend as a store uses it. Nothing is written where the key and what is stored do not fit
/// together.
pub(crate) async fn unlock(
    kv: Arc<dyn Kv>,
    encryption: Option<&Encryption>,
) -> Result<(Arc<dyn Kv>, Option<Arc<EncryptedKv>>)> {
    if let Some(encryption) = encryption {
        check(encryption)?;
    }
    let opened = varve_kv_encrypted::open(&kv, encryption).await;
    let encrypted = opened.map_err(refusal)?;
    let kv = match &encrypted {
        Some(encrypted) => Arc::clone(encrypted) as Arc<dyn Kv>,
        None => kv,
    };
    Ok((kv, encrypted))
}

fn check(encryption: &Encryption) -> Result<()> {
    match encryption.user_key() {
        EncryptionKey::Passphrase(text) if text.is_empty() => {
            let state = SqlState::INVALID_PARAMETER_VALUE;
            Err(Error::new(state, "the passphrase is empty"))
        }
        EncryptionKey::Passphrase(_) | EncryptionKey::Given(_) => Ok(()),
    }
}

fn refusal(error: OpenError) -> Error {
    let what = |is_passphrase: bool| match is_passphrase {
        true => "passphrase",
        false => "key",
    };
    match error {
        OpenError::NoKey { is_passphrase } => {
            let what = what(is_passphrase);
            let message = format!("the database is encrypted, and no {what} was given");
            Error::new(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, message)
                .with_hint(format!("Open it with its {what}."))
        }
        OpenError::WrongKey { is_passphrase } => {
            let what = what(is_passphrase);
            let message = format!("the {what} is not that of the database");
            Error::new(SqlState::INVALID_PASSWORD, message).with_hint(format!(
                "Nothing was changed. Without its {what} it cannot be read."
            ))
        }
        OpenError::OtherKind { is_passphrase } => {
            let (wanted, given) = (what(is_passphrase), what(!is_passphrase));
            let message =
                format!("the database is encrypted by a {wanted}, and a {given} was given");
            Error::new(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, message)
                .with_hint(format!("Open it with its {wanted}."))
        }
        OpenError::NotEncrypted => {
            let message = "the database is not encrypted, and a key for it was given";
            Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
                .with_hint(HOW_TO_ENCRYPT)
        }
        OpenError::TooNew(version) => {
            let message = format!("format_too_new: the encryption header has format {version}");
            Error::failed(Failure::FormatTooNew, message)
                .with_hint("Open it with the version that wrote it, or a later one.")
        }
        OpenError::Damaged => Error::corrupted("the encryption header and its copy are corrupt")
            .with_hint("Without them nothing can be read: restore the database from a backup."),
        OpenError::Kv(error) => StoreError::from(error).into(),
    }
}
