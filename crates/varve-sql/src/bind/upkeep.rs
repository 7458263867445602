//! Looks for what the statements name that change nothing here.

use sqlparser::ast::{Ident, ObjectName};
use varve_types::{Error, Result, SqlState};

use crate::bind::Binder;
use crate::bind::names::{fold_name, undefined_schema, undefined_table};
use crate::bind::view::utility;
use crate::parse_grant::RoleOrder;
use crate::parse_upkeep::{Upkeep, UpkeepOf};
use crate::pg_catalog::OWNER;
use crate::plan::Statement;
use crate::schema::Named;
use crate::utility::{Message, Utility};

impl Binder<'_> {
    pub(crate) fn upkeep(&mut self, upkeep: &Upkeep) -> Result<Statement> {
        for (of, name) in &upkeep.on {
            match of {
                UpkeepOf::Schema => {
                    let name = self.relation_name(name)?.name;
                    let found = self.catalog.schema(&name);
                    found.ok_or_else(|| undefined_schema(&name))?;
                }
                of => {
                    self.known_relation(*of, name)?;
                }
            }
        }
        for role in &upkeep.roles {
            self.order_role(upkeep.order, role.as_ref())?;
        }
        let system = match upkeep.order {
            RoleOrder::Reassign => Some("reassign ownership of"),
            RoleOrder::DropOwned => Some("drop"),
            _ => None,
        };
        if let Some(what) = system {
            let message = format!(
                "cannot {what} objects owned by role {OWNER} because they are required by the \
                 database system"
            );
            let state = SqlState::DEPENDENT_OBJECTS_STILL_EXIST;
            return Err(Error::new(state, message));
        }
        self.outside_block = upkeep.outside_block;
        if let Some(notice) = upkeep.notice {
            self.messages.push(Message::notice(notice.to_owned()));
        }
        Ok(utility(Utility::Nothing))
    }

    /// What becomes of a role that a statement names.
    fn order_role(&mut self, order: RoleOrder, role: Option<&Ident>) -> Result<()> {
        let name = role.map_or_else(|| OWNER.to_owned(), fold_name);
        if name != OWNER {
            let message = format!("role \"{name}\" does not exist");
            let state = SqlState::UNDEFINED_OBJECT;
            match order {
                RoleOrder::Note => self.note_role(role),
                RoleOrder::DropIfExists => {
                    let text = format!("{message}, skipping");
                    self.messages.push(Message::new(state, text));
                }
                _ => return Err(Error::new(state, message)),
            }
            return Ok(());
        }
        match order {
            RoleOrder::Drop | RoleOrder::DropIfExists => {
                let message = "current user cannot be dropped";
                Err(Error::new(SqlState::OBJECT_IN_USE, message))
            }
            RoleOrder::Alter => Err(Error::unsupported("ALTER ROLE")),
            _ => Ok(()),
        }
    }

    /// Tells of a role that is not there and to which something was to be given.
    pub(crate) fn note_role(&mut self, role: Option<&Ident>) {
        let name = role.map(fold_name).filter(|name| name != OWNER);
        if let Some(name) = name {
            let text = format!(
                "role \"{name}\" does not exist: \"{OWNER}\" owns everything and may do everything"
            );
            self.messages.push(Message::notice(text));
        }
    }

    /// OWNER TO of what has no other actions.
    pub(crate) fn same_owner(&mut self, role: Option<&Ident>) -> Statement {
        self.note_role(role);
        utility(Utility::Nothing)
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
        let any = of == UpkeepOf::Relation;
        if any || is == of || of == UpkeepOf::Rows && has_rows {
            return Ok(Some((found, folded.name)));
        }
        let wanted = match of {
            UpkeepOf::Table => "a table",
            UpkeepOf::Index => "an index",
            UpkeepOf::View => "a view",
            UpkeepOf::MaterializedView => "a materialized view",
            UpkeepOf::Sequence => "a sequence",
            UpkeepOf::Relation | UpkeepOf::Schema => "a relation",
            UpkeepOf::Rows => "a table or materialized view",
        };
        let message = format!("\"{}\" is not {wanted}", folded.name);
        Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
    }
}
