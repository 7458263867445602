//! Looks for what the statements name that change nothing here.

use sqlparser::ast::{ObjectName, ObjectNamePart};
use varve_types::{Error, Result, SqlState};

use crate::bind::Binder;
use crate::bind::names::{fold_name, undefined_table};
use crate::bind::view::utility;
use crate::parse_upkeep::{Upkeep, UpkeepOf};
use crate::plan::Statement;
use crate::schema::Named;
use crate::utility::{Message, Utility};

impl Binder<'_> {
    pub(crate) fn upkeep(&mut self, upkeep: &Upkeep) -> Result<Statement> {
        match &upkeep.on {
            None => {}
            Some((UpkeepOf::Column, name)) => self.known_column(name)?,
            Some((of, name)) => self.known_relation(*of, name)?,
        }
        if let Some(notice) = upkeep.notice {
            let state = SqlState::SUCCESSFUL_COMPLETION;
            self.messages.push(Message::new(state, notice.to_owned()));
        }
        Ok(utility(Utility::Nothing))
    }

    fn known_relation(&mut self, of: UpkeepOf, name: &ObjectName) -> Result<()> {
        let folded = self.relation_name(name)?;
        let Some(found) = self.find(&folded) else {
            return match self.system_view(&folded).is_some() && of != UpkeepOf::Index {
                true => Ok(()),
                false => Err(undefined_table(&folded, 0)),
            };
        };
        let is = match found {
            Named::Table(table) if self.catalog.view_of(table).is_some() => {
                UpkeepOf::MaterializedView
            }
            Named::Table(_) => UpkeepOf::Table,
            Named::View(_) => UpkeepOf::View,
            Named::Sequence(_) => UpkeepOf::Sequence,
            Named::Index(_) => UpkeepOf::Index,
        };
        let has_rows = matches!(is, UpkeepOf::Table | UpkeepOf::MaterializedView);
        if is == of || of == UpkeepOf::Rows && has_rows {
            return Ok(());
        }
        let wanted = match of {
            UpkeepOf::Table => "a table",
            UpkeepOf::Index => "an index",
            UpkeepOf::View => "a view",
            UpkeepOf::MaterializedView => "a materialized view",
            UpkeepOf::Sequence => "a sequence",
            UpkeepOf::Rows | UpkeepOf::Column => "a table or materialized view",
        };
        let message = format!("\"{}\" is not {wanted}", folded.name);
        Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
    }

    /// `table.column`
    fn known_column(&mut self, name: &ObjectName) -> Result<()> {
        let Some((ObjectNamePart::Identifier(column), table)) = name.0.split_last() else {
            return Ok(());
        };
        let parts = table.iter().filter_map(ObjectNamePart::as_ident);
        let folded = crate::bind::names::relation_name(parts.map(fold_name).collect())?;
        let column = fold_name(column);
        let is_known = match self.find(&folded) {
            None if self.system_view(&folded).is_some() => true,
            None => return Err(undefined_table(&folded, 0)),
            Some(Named::Table(table)) => {
                let table = self.catalog.tables.get(&table);
                let mut columns = table.iter().flat_map(|table| &table.columns);
                columns.any(|known| known.name == column)
            }
            Some(Named::View(view)) => {
                let view = self.catalog.views.get(&view);
                let mut columns = view.iter().flat_map(|view| &view.columns);
                columns.any(|known| known.name == column)
            }
            Some(_) => true,
        };
        if is_known {
            return Ok(());
        }
        let message = format!(
            "column \"{column}\" of relation \"{}\" does not exist",
            folded.name
        );
        Err(Error::new(SqlState::UNDEFINED_COLUMN, message))
    }
}
