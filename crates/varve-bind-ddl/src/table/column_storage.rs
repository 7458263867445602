//! `STORAGE` and `COMPRESSION` of a column.

use varve_ast::{ColumnConstraint, ColumnConstraintKind, Name};
use varve_catalog::model::table::ColumnDef;
use varve_system_views::length_of;
use varve_types::{Compression, Error, LogicalType, NoCompression, Result, SqlState, StorageMode};

use crate::binder::DdlBinder;
use crate::table::storage::{listed, nearest};

/// PostgreSQL's storage types, which say whether large values are compressed and moved apart.
const POSTGRES_MODES: [&str; 4] = ["plain", "main", "external", "extended"];
/// PostgreSQL's own compression method.
const POSTGRES_COMPRESSION: &str = "pglz";

impl DdlBinder<'_, '_> {
    /// `STORAGE` of a column. PostgreSQL's own words change nothing and get a notice.
    pub fn column_mode(&mut self, mode: &Name, column: &mut ColumnDef) -> Result<()> {
        let (text, ty) = (mode.text.as_str(), column.ty);
        if !is_among(&POSTGRES_MODES, text) {
            let mode = mode_of(text)?;
            if !mode.suits(ty) {
                return Err(unsuited(ty, "storage", &mode.name().to_ascii_uppercase()));
            }
            column.storage.mode = mode;
            return Ok(());
        }
        if length_of(ty) != -1 && !text.eq_ignore_ascii_case("plain") {
            let message = format!("column data type {ty} can only have storage PLAIN");
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        column.storage.mode = StorageMode::Default;
        self.note_storage(&format!("STORAGE {text} of column \"{}\"", column.name));
        Ok(())
    }

    /// `COMPRESSION` of a column. PostgreSQL's own method changes nothing and gets a notice.
    pub fn column_compression(&mut self, method: &Name, column: &mut ColumnDef) -> Result<()> {
        let (text, ty) = (method.text.as_str(), column.ty);
        if !text.eq_ignore_ascii_case(POSTGRES_COMPRESSION) {
            let compression = compression_of(text)?;
            if !compression.suits(ty) {
                return Err(unsuited(ty, "compression", compression.name()));
            }
            column.storage.compression = compression;
            return Ok(());
        }
        if length_of(ty) != -1 {
            let message = format!("column data type {ty} does not support compression");
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        column.storage.compression = Compression::Auto;
        self.note_storage(&format!("COMPRESSION {text} of column \"{}\"", column.name));
        Ok(())
    }

    /// What is said of the storage of a new column.
    pub fn column_storage(
        &mut self,
        said: &[ColumnConstraint],
        column: &mut ColumnDef,
    ) -> Result<()> {
        for one in said {
            match &one.kind {
                ColumnConstraintKind::Storage(mode) => self.column_mode(mode, column)?,
                ColumnConstraintKind::Compression(method) => {
                    self.column_compression(method, column)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn mode_of(text: &str) -> Result<StorageMode> {
    let named = |mode: &StorageMode| mode.name().eq_ignore_ascii_case(text);
    let found = StorageMode::ALL.into_iter().find(named);
    found.ok_or_else(|| {
        let known = StorageMode::ALL.map(StorageMode::name);
        let known: Vec<&str> = known.into_iter().chain(POSTGRES_MODES).collect();
        unknown("storage type", text, &known)
    })
}

/// A method by its name; `default` is `auto`.
fn compression_of(text: &str) -> Result<Compression> {
    if text.eq_ignore_ascii_case("default") {
        return Ok(Compression::Auto);
    }
    text.parse().map_err(|reason| match reason {
        NoCompression::Name => {
            let known = Compression::ALL.map(Compression::name);
            unknown("compression method", text, &known)
        }
        reason => no_level(text, reason),
    })
}

/// `22023` for a level that a method does not have.
pub fn no_level(text: &str, reason: NoCompression) -> Error {
    let message = format!("invalid compression method \"{text}\"");
    let hint = match reason {
        NoCompression::Level => "Only zstd has levels.",
        _ => "Levels of zstd are 1 to 19: zstd(9).",
    };
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message).with_hint(hint)
}

fn unknown(what: &str, text: &str, known: &[&str]) -> Error {
    let message = format!("invalid {what} \"{text}\"");
    let hint = match nearest(text, known) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => format!("Valid values are {}.", listed(known)),
    };
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message).with_hint(hint)
}

fn unsuited(ty: LogicalType, what: &str, value: &str) -> Error {
    let message = format!("column data type {ty} does not support {what} {value}");
    Error::new(SqlState::FEATURE_NOT_SUPPORTED, message)
}

fn is_among(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text))
}
