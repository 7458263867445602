//! The plan that a statement runs by: one that is known, or a new one.

use std::sync::Arc;

use varve_catalog::Catalog;
use varve_parser::ParsedStatement;
use varve_settings::other;
use varve_store::Transaction;
use varve_types::{LogicalType, Result};

use super::request::Task;
use super::{Session, no_statement_error};
use crate::shared::planned::{Filled, Planned};
use crate::shared::statements::Known;

impl Session {
    /// The plan of a statement for the tables that a transaction sees.
    pub(super) fn plan(
        &mut self,
        transaction: &Transaction,
        task: &Task<'_>,
    ) -> Result<(Filled, Arc<Catalog>)> {
        let catalog = self
            .catalog
            .borrow_mut()
            .get(transaction, &self.settings.search_path)?;
        let new = |parsed: &ParsedStatement, types: &[Option<LogicalType>]| {
            let others = &self.settings.others;
            if parsed.makes_function() && !other::checks_bodies(others) {
                let mut catalog = Catalog::clone(&catalog);
                catalog.takes_bodies_unread = true;
                let catalog = Arc::new(catalog);
                return Planned::new(parsed, &catalog, types, &self.settings.locale).map(Arc::new);
            }
            Planned::new(parsed, &catalog, types, &self.settings.locale).map(Arc::new)
        };
        let statements = &self.shared.statements;
        let planned = match task {
            Task::Parsed(parsed) => new(parsed, &[])?,
            Task::Text(text, known) => {
                let parsed = match known {
                    Known::Plan(planned) if planned.holds(&catalog, &[], &self.settings.locale) => {
                        statements.plans.count(true);
                        statements.parsed.count(true);
                        return Ok((Arc::clone(planned).into(), catalog));
                    }
                    Known::Open(open) => {
                        let locale = &self.settings.locale;
                        match statements.plan_open(text, open, &catalog, locale)? {
                            Some(filled) => return Ok((filled, catalog)),
                            None => statements.tree_of(text, open)?,
                        }
                    }
                    Known::Plan(_) => statements.parse(text)?,
                    Known::Tree(parsed) => Arc::clone(parsed),
                };
                statements.plans.count(false);
                let parsed = parsed.first().ok_or_else(no_statement_error)?;
                let planned = new(parsed, &[])?;
                if planned.is_reusable() {
                    let bytes = parsed.memory_bytes();
                    let text = Arc::from(*text);
                    statements.plans.put(&text, Arc::clone(&planned), bytes);
                }
                planned
            }
            Task::Prepared(prepared) => {
                let known = prepared.planned();
                if known.is_reusable()
                    && known.holds(&catalog, prepared.types(), &self.settings.locale)
                {
                    return Ok((known.into(), catalog));
                }
                let parsed = prepared.parsed().first().ok_or_else(no_statement_error)?;
                let planned = new(parsed, prepared.types())?;
                if planned.is_reusable() {
                    prepared.set_planned(Arc::clone(&planned));
                }
                planned
            }
        };
        Ok((planned.into(), catalog))
    }
}
