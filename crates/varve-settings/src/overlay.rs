//! The settings of a session as functions of a statement see and change them.

use varve_types::{Result, Value};

use crate::all_settings;
use crate::modes::{Modes, OpenModes};
use crate::other;
use crate::{Configured, Scope, SessionSettings};

/// A copy of the settings, and what was changed in it.
#[derive(Debug)]
pub struct SettingsOverlay {
    /// The settings as the statement sees them.
    pub copy: SessionSettings,
    /// The modes of its transaction.
    pub modes: Modes,
    /// What the statement changed, in order.
    pub changes: Vec<Change>,
    /// The prepared statements, as `pg_prepared_statements` shows them.
    pub prepared: Vec<Vec<Value>>,
    /// The cursors, as `pg_cursors` shows them.
    pub cursors: Vec<Vec<Value>>,
}

/// A change of a setting.
#[derive(Debug)]
pub struct Change {
    /// The setting.
    pub name: String,
    /// Its new value; `None` is what it was at first.
    pub value: Option<String>,
    /// Whether it holds for the transaction only.
    pub local: bool,
}

impl SettingsOverlay {
    /// The value as SHOW gives it.
    pub fn get(&self, database: &dyn Configured, name: &str) -> Option<String> {
        let shown = self.look(database, |scope| crate::show(scope, name));
        shown.ok().map(|[_, value]| value)
    }

    /// Looks at the settings as SHOW sees them.
    fn look<T>(&self, database: &dyn Configured, at: impl FnOnce(&Scope<'_>) -> T) -> T {
        let mut modes = self.modes;
        at(&Scope {
            database,
            session: &mut self.copy.clone(),
            block: Some(OpenModes {
                modes: &mut modes,
                has_run: false,
                in_savepoint: false,
            }),
        })
    }

    /// The rows of a view.
    pub fn rows(&self, database: &dyn Configured, view: &str) -> Vec<Vec<Value>> {
        match view {
            "pg_cursors" => return self.cursors.clone(),
            "pg_prepared_statements" => return self.prepared.clone(),
            _ => {}
        }
        let rows = self.look(database, all_settings).into_iter().map(|line| {
            let kind = match line.value.as_str() {
                "on" | "off" => "bool",
                value if value.parse::<i64>().is_ok() => "integer",
                _ => "string",
            };
            let mut row = vec![Value::Null; 17];
            let known = [
                (0, line.name),
                (1, line.value),
                (4, line.description),
                (6, line.context.to_owned()),
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
    pub fn set(
        &mut self,
        database: &dyn Configured,
        name: &str,
        value: Option<&str>,
        local: bool,
    ) -> Result<String> {
        if other::is_other(name) {
            other::set(&mut self.copy.others, name, value)?;
        } else {
            let mut scope = Scope {
                database,
                session: &mut self.copy,
                block: None,
            };
            crate::find_settable(database, name)?.set(&mut scope, value)?;
        }
        self.changes.push(Change {
            name: name.to_owned(),
            value: value.map(str::to_owned),
            local,
        });
        Ok(self.get(database, name).unwrap_or_default())
    }
}
