//! The settings of a session as functions of a statement see and change them.

use varve_types::{Result, Value};

use crate::settings::all_settings;
use crate::settings::modes::{Modes, OpenModes};
use crate::settings::other;
use crate::settings::{self, Scope, SessionSettings};
use crate::shared::Shared;

/// A copy of the settings, and what was changed in it.
#[derive(Debug)]
pub(crate) struct SettingsOverlay {
    pub copy: SessionSettings,
    pub modes: Modes,
    pub changes: Vec<Change>,
    /// The prepared statements and the cursors, as their views show them.
    pub prepared: Vec<Vec<Value>>,
    pub cursors: Vec<Vec<Value>>,
}

#[derive(Debug)]
pub(crate) struct Change {
    pub name: String,
    pub value: Option<String>,
    pub local: bool,
}

impl SettingsOverlay {
    /// The value as SHOW gives it.
    pub(crate) fn get(&self, shared: &Shared, name: &str) -> Option<String> {
        if other::is_other(name) {
            return other::show(&self.copy.others, name);
        }
        let setting = settings::find(name).ok()?;
        Some(self.look(shared, |scope| setting.show(scope)))
    }

    /// Looks at the settings as SHOW sees them.
    fn look<T>(&self, shared: &Shared, at: impl FnOnce(&Scope<'_>) -> T) -> T {
        let mut modes = self.modes;
        at(&Scope {
            shared,
            session: &mut self.copy.clone(),
            block: Some(OpenModes {
                modes: &mut modes,
                has_run: false,
                in_savepoint: false,
            }),
        })
    }

    /// The rows of a view.
    pub(crate) fn rows(&self, shared: &Shared, view: &str) -> Vec<Vec<Value>> {
        match view {
            "pg_cursors" => return self.cursors.clone(),
            "pg_prepared_statements" => return self.prepared.clone(),
            _ => {}
        }
        let rows = self.look(shared, all_settings).into_iter().map(|line| {
            let [name, value, description] = line;
            let kind = match value.as_str() {
                "on" | "off" => "bool",
                value if value.parse::<i64>().is_ok() => "integer",
                _ => "string",
            };
            let mut row = vec![Value::Null; 17];
            let known = [
                (0, name),
                (1, value),
                (4, description),
                (6, "user".to_owned()),
                (7, kind.to_owned()),
                (8, "session".to_owned()),
            ];
            for (at, text) in known {
                if let Some(cell) = row.get_mut(at) {
                    *cell = Value::text(text);
                }
            }
            if let Some(last) = row.last_mut() {
                *last = Value::Boolean(false);
            }
            row
        });
        rows.collect()
    }

    /// Changes a setting of the session, whose settings are read again after the statement.
    pub(crate) fn set(
        &mut self,
        shared: &Shared,
        name: &str,
        value: Option<&str>,
        local: bool,
    ) -> Result<String> {
        if other::is_other(name) {
            other::set(&mut self.copy.others, name, value)?;
        } else {
            let mut scope = Scope {
                shared,
                session: &mut self.copy,
                block: None,
            };
            settings::find(name)?.set(&mut scope, value)?;
        }
        self.changes.push(Change {
            name: name.to_owned(),
            value: value.map(str::to_owned),
            local,
        });
        Ok(self.get(shared, name).unwrap_or_default())
    }
}
