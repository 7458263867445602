//! Looks for what the statements name that change nothing here.

use sqlparser::ast::ObjectName;
use varve_types::{Error, Result, SqlState};

use crate::bind::Binder;
use crate::bind::names::undefined_table;
use crate::bind::view::utility;
use crate::parse_upkeep::{Upkeep, UpkeepOf};
use crate::plan::Statement;
use crate::schema::Named;
use crate::utility::{Message, Utility};

impl Binder<'_> {
    pub(crate) fn upkeep(&mut self, upkeep: &Upkeep) -> Result<Statement> {
        match &upkeep.on {
            None => {}
            Some((of, name)) => {
                self.known_relation(*of, name)?;
            }
        }
        if let Some(notice) = upkeep.notice {
            self.messages.push(Message::notice(notice.to_owned()));
        }
        Ok(utility(Utility::Nothing))
    }

    /// What has the name, and that without its schema; `None` for a system view.
    pub(crate) fn known_relation(
        &mut self,
        of: UpkeepOf,
        name: &ObjectName,
    ) -> Result<Option<(Named, String)>> {
        let folded = self.relation_name(name)?;
        let Some(found) = self.find(&folded) else {
            return match self.system_view(&folded).is_some() && of != UpkeepOf::Index {
                true => Ok(None),
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
            return Ok(Some((found, folded.name)));
        }
        let wanted = match of {
            UpkeepOf::Table => "a table",
            UpkeepOf::Index => "an index",
            UpkeepOf::View => "a view",
            UpkeepOf::MaterializedView => "a materialized view",
            UpkeepOf::Sequence => "a sequence",
            UpkeepOf::Rows => "a table or materialized view",
        };
        let message = format!("\"{}\" is not {wanted}", folded.name);
        Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
    }
}
