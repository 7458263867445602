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
use crate::shared::prepared::Prepared;
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
        let filled = match task {
            Task::Parsed(parsed, text) => self.plan_of_script(parsed, text, &catalog)?,
            Task::Text(text, known) => self.plan_of_text(text, known, &catalog)?,
            Task::Prepared(prepared) => self.plan_prepared(prepared, &catalog)?.into(),
        };
        Ok((filled, catalog))
    }

    /// Of a statement of a script, which has places in the script.
    fn plan_of_script(
        &self,
        parsed: &ParsedStatement,
        text: &str,
        catalog: &Arc<Catalog>,
    ) -> Result<Filled> {
        let statements = &self.shared.statements;
        if let Some(open) = statements.open(text)? {
            let locale = &self.settings.locale;
            if let Some(filled) = statements.plan_open(text, &open, catalog, locale)? {
                return Ok(filled);
            }
        }
        self.new_plan(parsed, catalog, &[]).map(Filled::from)
    }

    fn plan_of_text(&self, text: &str, known: &Known, catalog: &Arc<Catalog>) -> Result<Filled> {
        let statements = &self.shared.statements;
        let locale = &self.settings.locale;
        let parsed = match known {
            Known::Plan(planned) if planned.holds(catalog, &[], locale) => {
                statements.plans.count(true);
                statements.parsed.count(true);
                return Ok(Arc::clone(planned).into());
            }
            Known::Open(open) => match statements.plan_open(text, open, catalog, locale)? {
                Some(filled) => return Ok(filled),
                None => statements.tree_of(text, open)?,
            },
            Known::Plan(_) => statements.parse(text)?,
            Known::Tree(parsed) => Arc::clone(parsed),
        };
        statements.plans.count(false);
        let parsed = parsed.first().ok_or_else(no_statement_error)?;
        let planned = self.new_plan(parsed, catalog, &[])?;
        if planned.is_reusable() {
            let bytes = parsed.memory_bytes();
            statements
                .plans
                .put(&text.into(), Arc::clone(&planned), bytes);
        }
        Ok(planned.into())
    }

    fn plan_prepared(&self, prepared: &Prepared, catalog: &Arc<Catalog>) -> Result<Arc<Planned>> {
        let known = prepared.planned();
        if known.is_reusable() && known.holds(catalog, prepared.types(), &self.settings.locale) {
            return Ok(known);
        }
        let parsed = prepared.parsed().first().ok_or_else(no_statement_error)?;
        let planned = self.new_plan(parsed, catalog, prepared.types())?;
        if planned.is_reusable() {
            prepared.set_planned(Arc::clone(&planned));
        }
        Ok(planned)
    }

    pub(super) fn new_plan(
        &self,
        parsed: &ParsedStatement,
        catalog: &Arc<Catalog>,
        types: &[Option<LogicalType>],
    ) -> Result<Arc<Planned>> {
        let unread;
        let mut catalog = catalog;
        if parsed.makes_function() && !other::checks_bodies(&self.settings.others) {
            let mut changed = Catalog::clone(catalog);
            changed.takes_bodies_unread = true;
            unread = Arc::new(changed);
            catalog = &unread;
        }
        Planned::new(parsed, catalog, types, &self.settings.locale).map(Arc::new)
    }
}
