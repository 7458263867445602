//! Settings that are given when the database is opened: those of the store, and of the backend
//! below it, which says itself which it has.

use varve_store::{KvSetting, KvSettingValue};
use varve_types::{Error, Result, SqlState};

use crate::bytes::show_bytes;
use crate::list::find;
use crate::{Configured, Scope, Setting, Shown, other, unknown};

/// When they may be changed, in PostgreSQL's words.
pub(crate) const AT_OPEN: &str = "postmaster";

/// The name and the value of any setting, as SHOW gives them.
pub fn show(scope: &Scope<'_>, name: &str) -> Result<[String; 2]> {
    if other::is_other(name) {
        let value = other::show(&scope.session.others, name);
        return Ok([name.to_owned(), value.ok_or_else(|| unknown(name))?]);
    }
    match named(scope.database, name) {
        Some(setting) => Ok([setting.name.to_owned(), text(setting.value)]),
        None => find(name).map(|setting| [setting.name.to_owned(), setting.show(scope)]),
    }
}

/// The setting of a name, in any case, if it can be changed while the database is open.
pub fn find_settable(database: &dyn Configured, name: &str) -> Result<&'static Setting> {
    match named(database, name) {
        Some(setting) => Err(given_at_open(setting.name)),
        None => find(name),
    }
}

/// `55P02`
pub(crate) fn given_at_open(name: &str) -> Error {
    let message = format!("parameter \"{name}\" cannot be changed now");
    Error::new(SqlState::CANT_CHANGE_RUNTIME_PARAM, message)
        .with_hint("It is given when the database is opened.")
}

/// All those of the backend.
pub(crate) fn all(database: &dyn Configured) -> impl Iterator<Item = Shown> {
    database.backend().into_iter().map(|setting| Shown {
        name: setting.name.to_owned(),
        value: text(setting.value),
        description: setting.description.to_owned(),
        context: AT_OPEN,
    })
}

fn named(database: &dyn Configured, name: &str) -> Option<KvSetting> {
    let mut all = database.backend().into_iter();
    all.find(|setting| setting.name.eq_ignore_ascii_case(name))
}

fn text(value: KvSettingValue) -> String {
    match value {
        KvSettingValue::Bytes(bytes) => show_bytes(bytes),
        KvSettingValue::Count(count) => count.to_string(),
        KvSettingValue::Switch(true) => "on".to_owned(),
        KvSettingValue::Switch(false) => "off".to_owned(),
    }
}
