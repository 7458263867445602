//! The settings of a session as functions of a statement see and change them.

use varve_types::Result;

use super::Session;
use super::modes::{Modes, OpenModes};
use super::other_settings;
use super::settings::{self, Scope, SessionSettings};
use crate::database::Shared;

/// A copy of the settings, and what was changed in it.
#[derive(Debug)]
pub(crate) struct LentSettings {
    copy: SessionSettings,
    modes: Modes,
    changes: Vec<Change>,
}

#[derive(Debug)]
struct Change {
    name: String,
    value: Option<String>,
    local: bool,
}

impl LentSettings {
    /// The value as SHOW gives it.
    pub(crate) fn get(&self, shared: &Shared, name: &str) -> Option<String> {
        if other_settings::is_other(name) {
            return other_settings::show(&self.copy.others, name);
        }
        let setting = settings::find(name).ok()?;
        let mut modes = self.modes;
        Some(setting.show(&Scope {
            shared,
            session: &mut self.copy.clone(),
            block: Some(OpenModes {
                modes: &mut modes,
                has_run: false,
                in_savepoint: false,
            }),
        }))
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
    pub(super) fn lend_settings(&self, modes: Modes) {
        let _ = self.host.swap_settings(Some(LentSettings {
            copy: self.settings.clone(),
            modes,
            changes: Vec::new(),
        }));
    }

    /// Makes the changes of a statement that asked for the settings; what is local to a statement
    /// on its own is gone.
    pub(super) fn settle_settings(&mut self, succeeded: bool) -> Result<()> {
        let Some(lent) = self.host.swap_settings(None) else {
            return Ok(());
        };
        let in_block = self.in_transaction();
        let changes = lent.changes.into_iter().filter(|_| succeeded);
        for change in changes.filter(|change| in_block || !change.local) {
            self.set_named(&change.name, change.value.as_deref(), change.local)?;
        }
        Ok(())
    }
}
