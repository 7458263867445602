//! Statements that look at tables, or change nothing here: what they name must be there.

use varve_ast::{Analyze, LockTable, Name, NamedKind, NoOp, ObjectName, RoleOrder};
use varve_bind_dml::binder::DmlBinder;
use varve_catalog::model::catalog::Named;
use varve_catalog::text::name::{undefined_schema, undefined_table};
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Message, Utility};
use varve_system_views::OWNER;
use varve_types::{Error, Result, SqlState};

use crate::binder::DdlBinder;

impl DdlBinder<'_, '_> {
    /// A statement that keeps the database in order.
    pub fn no_op_statement(&mut self, statement: &varve_ast::Utility) -> Result<Statement> {
        match statement {
            varve_ast::Utility::Truncate(truncate) => DmlBinder::new(self.query).truncate(truncate),
            varve_ast::Utility::Analyze(tables) => self.analyze(tables),
            varve_ast::Utility::LockTable(lock) => self.lock_table(lock),
            varve_ast::Utility::Copy(copy) => DmlBinder::new(self.query).copy(copy),
            varve_ast::Utility::Do(block) => self.anonymous_block(block),
            varve_ast::Utility::Call(_) => Err(Error::internal("CALL defines nothing")),
            varve_ast::Utility::NoOp(no_op) => self.no_op(no_op),
        }
    }

    fn lock_table(&mut self, lock: &LockTable) -> Result<Statement> {
        for name in &lock.tables {
            self.lockable(name)?;
        }
        let text = "LOCK TABLE locks nothing: of two transactions that change the same row the \
                    second gets 40001";
        self.query
            .outputs
            .messages
            .push(Message::notice(text.to_owned()));
        Ok(utility(Utility::LockTable))
    }

    fn lockable(&self, name: &ObjectName) -> Result<()> {
        let name = self.query.relation_name(name)?;
        match self.query.find(&name) {
            None => Err(undefined_table(&name, 0)),
            Some(Named::Table(table)) if self.catalog.view_of(table).is_none() => Ok(()),
            Some(Named::View(_)) => Ok(()),
            Some(_) => {
                let message = format!("\"{}\" is not a table or view", name.name);
                Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
            }
        }
    }

    fn analyze(&mut self, tables: &[Analyze]) -> Result<Statement> {
        for Analyze { table, columns } in tables {
            self.analyzable(table, columns)?;
        }
        Ok(utility(Utility::Analyze))
    }

    fn analyzable(&self, name: &ObjectName, columns: &[Name]) -> Result<()> {
        let name = self.query.relation_name(name)?;
        let Some(named) = self.query.find(&name) else {
            return Err(undefined_table(&name, 0));
        };
        let Named::Table(table) = named else {
            // PostgreSQL passes over them too.
            return Ok(());
        };
        let Some(table) = self.catalog.tables.get(&table) else {
            return Ok(());
        };
        for (at, Name { text: column, .. }) in columns.iter().enumerate() {
            if !table.columns.iter().any(|known| known.name == *column) {
                let message = format!(
                    "column \"{column}\" of relation \"{}\" does not exist",
                    table.name
                );
                return Err(Error::new(SqlState::UNDEFINED_COLUMN, message));
            }
            if columns.iter().take(at).any(|before| before.text == *column) {
                let message = format!(
                    "column \"{column}\" of relation \"{}\" appears more than once",
                    table.name
                );
                return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
            }
        }
        Ok(())
    }

    /// A statement that changes nothing.
    fn no_op(&mut self, no_op: &NoOp) -> Result<Statement> {
        let NoOp {
            on,
            roles,
            order,
            outside_block,
            notice,
        } = no_op;
        for (kind, name) in on {
            match kind {
                NamedKind::Schema => {
                    let name = self.query.relation_name(name)?.name;
                    let found = self.catalog.schema(&name);
                    found.ok_or_else(|| undefined_schema(&name))?;
                }
                kind => {
                    self.known_relation(*kind, name)?;
                }
            }
        }
        for role in roles {
            self.order_role(*order, role.as_ref())?;
        }
        let system = match order {
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
        self.outside_block = *outside_block;
        if let Some(notice) = notice {
            self.query
                .outputs
                .messages
                .push(Message::notice((*notice).to_owned()));
        }
        Ok(utility(Utility::Nothing))
    }

    /// What becomes of a role that a statement names.
    fn order_role(&mut self, order: RoleOrder, role: Option<&Name>) -> Result<()> {
        let name = role.map_or(OWNER, |role| &role.text);
        if name != OWNER {
            let message = format!("role \"{name}\" does not exist");
            let state = SqlState::UNDEFINED_OBJECT;
            match order {
                RoleOrder::Note => self.note_role(role),
                RoleOrder::DropIfExists => {
                    let text = format!("{message}, skipping");
                    self.query.outputs.messages.push(Message::new(state, text));
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
    pub fn note_role(&mut self, role: Option<&Name>) {
        let name = role.map(|role| role.text.as_str());
        let name = name.filter(|name| *name != OWNER);
        if let Some(name) = name {
            let text = format!(
                "role \"{name}\" does not exist: \"{OWNER}\" owns everything and may do everything"
            );
            self.query.outputs.messages.push(Message::notice(text));
        }
    }

    /// OWNER TO of what has no other actions.
    pub fn same_owner(&mut self, role: Option<&Name>) -> Statement {
        self.note_role(role);
        utility(Utility::Nothing)
    }

    /// What has the name, and that without its schema; `None` for a system view.
    pub fn known_relation(
        &mut self,
        kind: NamedKind,
        name: &ObjectName,
    ) -> Result<Option<(Named, String)>> {
        let folded = self.query.relation_name(name)?;
        let Some(found) = self.query.find(&folded) else {
            return match self.query.system_view(&folded).is_some() && kind != NamedKind::Index {
                true => Ok(None),
                false => Err(undefined_table(&folded, 0)),
            };
        };
        let is = match found {
            Named::Table(table) if self.catalog.view_of(table).is_some() => {
                NamedKind::MaterializedView
            }
            Named::Table(_) | Named::Chunk(_) => NamedKind::Table,
            Named::View(_) => NamedKind::View,
            Named::Sequence(_) => NamedKind::Sequence,
            Named::Index(_) => NamedKind::Index,
        };
        let has_rows = matches!(is, NamedKind::Table | NamedKind::MaterializedView);
        let any = kind == NamedKind::Relation;
        if any || is == kind || kind == NamedKind::Rows && has_rows {
            return Ok(Some((found, folded.name)));
        }
        let wanted = match kind {
            NamedKind::Table => "a table",
            NamedKind::Index => "an index",
            NamedKind::View => "a view",
            NamedKind::MaterializedView => "a materialized view",
            NamedKind::Sequence => "a sequence",
            NamedKind::Relation | NamedKind::Schema => "a relation",
            NamedKind::Rows => "a table or materialized view",
        };
        let message = format!("\"{}\" is not {wanted}", folded.name);
        Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
    }
}
