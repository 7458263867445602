//! The settings of a session as functions of a statement see and change them.

use std::sync::Arc;

use varve_types::{ArrayValue, ElementType, Result, Value};

use super::modes::{Modes, OpenModes};
use super::settings::{self, Scope, SessionSettings};
use super::show::all_settings;
use super::{Session, other_settings};
use crate::ResultSet;
use crate::database::Shared;

/// A copy of the settings, and what was changed in it.
#[derive(Debug)]
pub(crate) struct SettingsOverlay {
    copy: SessionSettings,
    modes: Modes,
    changes: Vec<Change>,
    /// The prepared statements and the cursors, as their views show them.
    prepared: Vec<Vec<Value>>,
    cursors: Vec<Vec<Value>>,
}

#[derive(Debug)]
struct Change {
    name: String,
    value: Option<String>,
    local: bool,
}

impl SettingsOverlay {
    /// The value as SHOW gives it.
    pub(crate) fn get(&self, shared: &Shared, name: &str) -> Option<String> {
        if other_settings::is_other(name) {
            return other_settings::show(&self.copy.others, name);
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
        if other_settings::is_other(name) {
            other_settings::set(&mut self.copy.others, name, value)?;
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

impl Session {
    /// Lends the settings to a statement that asks for them.
    /// With `kept` also what their views show of its prepared statements and cursors.
    pub(super) fn overlay_settings(&self, modes: Modes, kept: bool) {
        let prepared = self
            .prepared
            .iter()
            .filter(|_| kept)
            .map(|(name, (prepared, text))| {
                let types = prepared.parameter_types();
                let types = types.iter().map(|ty| Value::text(ty.to_string())).collect();
                vec![
                    Value::text(name.as_str()),
                    Value::text(Arc::clone(text)),
                    Value::Null,
                    Value::array(&ArrayValue::of(ElementType::Text, types)),
                    Value::Null,
                    Value::Boolean(true),
                ]
            });
        let _ = self.host.swap_settings(Some(SettingsOverlay {
            copy: self.settings.clone(),
            modes,
            changes: Vec::new(),
            prepared: prepared.collect(),
            cursors: match kept {
                true => self.cursors.rows(),
                false => Vec::new(),
            },
        }));
    }

    /// Makes the changes of a statement that asked for the settings; what is local to a statement
    /// on its own is gone.
    pub(super) fn settle_settings(&mut self, mut result: Result<ResultSet>) -> Result<ResultSet> {
        let Some(overlay) = self.host.swap_settings(None) else {
            return result;
        };
        let in_block = self.in_transaction();
        let changes = overlay.changes.into_iter();
        for change in changes.filter(|change| in_block || !change.local) {
            let Ok(result) = &mut result else {
                break;
            };
            self.set_named(&change.name, change.value.as_deref(), change.local)?;
            self.tell_unused(&change.name, &mut result.notices);
        }
        result
    }
}
