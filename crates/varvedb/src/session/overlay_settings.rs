//! The settings as functions of a statement see and change them.

use std::sync::Arc;

use varve_types::{ArrayValue, ElementType, Result, Value};

use super::Session;
use crate::shared::result_set::ResultSet;
use varve_settings::SettingsOverlay;
use varve_settings::modes::Modes;

impl Session {
    /// Lends the settings to a statement that asks for them.
    /// With `kept` also what their views show of its prepared statements and cursors.
    pub(crate) fn overlay_settings(&self, modes: Modes, kept: bool) {
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
    pub(crate) fn settle_settings(&mut self, mut result: Result<ResultSet>) -> Result<ResultSet> {
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
