//! All settings, by name, and as SHOW ALL and `pg_settings` list them.

use varve_types::{Error, Result, SqlState};

use crate::{SETTINGS, Scope, Setting, backend, other};

/// The setting of a name, in any case, unless it is the backend's.
pub(crate) fn find(name: &str) -> Result<&'static Setting> {
    let found = SETTINGS
        .iter()
        .find(|setting| setting.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| unknown(name))
}

/// `42704`
pub fn unknown(name: &str) -> Error {
    let message = format!("unrecognized configuration parameter \"{name}\"");
    Error::new(SqlState::UNDEFINED_OBJECT, message)
}

/// A setting as it is listed.
pub struct Shown {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// What it does.
    pub description: String,
    /// When it may be changed, in PostgreSQL's words.
    pub context: &'static str,
}

/// All settings in the order of the names.
pub fn all_settings(scope: &Scope<'_>) -> Vec<Shown> {
    let line = |setting: &Setting| Shown {
        name: setting.name.to_owned(),
        value: setting.show(scope),
        description: setting.description.to_owned(),
        context: setting.context(),
    };
    let mut lines: Vec<Shown> = SETTINGS.iter().map(line).collect();
    let others = other::all(&scope.session.others);
    lines.extend(others.map(|(name, value)| Shown {
        name: name.to_owned(),
        value,
        description: "Kept, and changes nothing".to_owned(),
        context: "user",
    }));
    lines.extend(backend::all(scope.database));
    lines.sort_by_cached_key(|line| line.name.to_ascii_lowercase());
    lines
}

#[cfg(test)]
mod tests {
    use crate::SETTINGS;

    #[test]
    fn settings_are_listed_by_name() {
        let folded = |at: usize| SETTINGS[at].name.to_ascii_lowercase();
        for at in 1..SETTINGS.len() {
            assert!(folded(at - 1) < folded(at), "{}", folded(at));
        }
    }
}
