//! CREATE VIEW.

use sqlparser::ast::CreateView;
use varve_types::{SqlText, sql};

use crate::names::{last, spelled};
use crate::scope::Writer;
use crate::script::{Fault, Result};
use crate::translator::Translator;

impl<'s> Translator<'s> {
    pub(crate) fn create_view(&mut self, view: &CreateView, at: u64) -> Result<()> {
        if view.materialized || view.temporary || view.to.is_some() {
            return Err(Fault::new(at, "a kind of view that has no counterpart"));
        }
        let name = spelled(last(&view.name)?);
        let mut writer = Writer::new(self.schema, self.dialect);
        let query = writer.query(&view.query).map_err(|fault| {
            Fault::new(fault.line, format!("the view {name}: {}", fault.message))
        })?;
        let columns: Vec<SqlText> = view.columns.iter().map(|c| writer.give(&c.name)).collect();
        let columns = match columns.is_empty() {
            true => SqlText::default(),
            false => sql![" (", SqlText::joined(&columns, ", "), ")"],
        };
        let head = if view.or_replace {
            "CREATE OR REPLACE VIEW "
        } else {
            "CREATE VIEW "
        };
        let text = sql![head, SqlText::name(&name), columns, " AS ", query];
        self.later.add_view(at, &name, writer.uses, text);
        Ok(())
    }
}
