//! DROP, and what depends on what is dropped.

use varve_ast::{DropObjects, Name, ObjectKind, ObjectName};
use varve_catalog::model::catalog::{Catalog, Named};
use varve_catalog::model::schema::RelationName;
use varve_catalog::text::name::undefined_schema;
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Dropped, Message, Utility};
use varve_types::{Error, Result, SqlState};

use crate::binder::DdlBinder;

/// Most objects that a notice lists, as in PostgreSQL.
const LISTED_MAX: usize = 100;

impl DdlBinder<'_, '_> {
    pub(crate) fn drop_objects(&mut self, drop: &DropObjects) -> Result<Statement> {
        let DropObjects {
            kind,
            names,
            if_exists,
            is_cascade,
        } = drop;
        let mut asked = Vec::with_capacity(names.len());
        for name in names {
            let found = match kind {
                ObjectKind::Schema => self.dropped_schema(name),
                ObjectKind::Type | ObjectKind::Domain => self.dropped_type(*kind, name),
                _ => self.dropped_relation(*kind, name),
            };
            match found {
                Ok(Some(object)) if asked.contains(&object) => {}
                Ok(Some(object)) => asked.push(object),
                Ok(None) => {}
                Err(error) if *if_exists && is_missing(&error) => {
                    let text = format!("{}, skipping", error.message());
                    self.query
                        .outputs
                        .messages
                        .push(Message::new(error.state(), text));
                }
                Err(error) => return Err(error),
            }
        }
        self.drop_all(asked, *is_cascade)
    }

    /// Drops objects with what depends on them.
    pub fn drop_all(&mut self, asked: Vec<Dropped>, cascade: bool) -> Result<Statement> {
        let mut drops = Drops {
            catalog: self.catalog,
            all: asked.clone(),
            lines: Vec::new(),
        };
        for object in &asked {
            drops.add_dependents(*object);
        }
        let Drops { mut all, lines, .. } = drops;
        if !lines.is_empty() && !cascade {
            let what = match asked.as_slice() {
                [object] => self.catalog.described(*object),
                _ => "desired object(s)".to_owned(),
            };
            let message = format!("cannot drop {what} because other objects depend on it");
            let message = match asked.len() {
                1 => message,
                _ => message.replace(" on it", " on them"),
            };
            let shown = lines
                .iter()
                .map(|(dependent, on)| format!("{dependent} depends on {on}"));
            let error = Error::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, message);
            return Err(error
                .with_detail(listed(shown))
                .with_hint("Use DROP ... CASCADE to drop the dependent objects too."));
        }
        if let Some(message) = cascades(lines.iter().map(|(dependent, _)| dependent.as_str())) {
            self.query.outputs.messages.push(message);
        }
        let changes = self.without_columns(&mut all)?;
        Ok(utility(if !changes.is_empty() {
            Utility::DropColumns(changes, all)
        } else if all.is_empty() {
            Utility::Nothing
        } else {
            Utility::Drop(all)
        }))
    }

    /// Objects that depend on a part of a table, with what depends on them.
    pub fn with_dependents(
        &mut self,
        direct: Vec<Dropped>,
        (what, on): (&str, &str),
        cascade: bool,
    ) -> Result<Vec<Dropped>> {
        let mut drops = Drops {
            catalog: self.catalog,
            all: direct.clone(),
            lines: Vec::new(),
        };
        for object in direct {
            let shown = self.catalog.described(object);
            drops.lines.push((shown, on.to_owned()));
            drops.add_dependents(object);
        }
        let Drops { all, lines, .. } = drops;
        if !lines.is_empty() && !cascade {
            return Err(depended_on(what, &lines));
        }
        if let Some(message) = cascades(lines.iter().map(|(dependent, _)| dependent.as_str())) {
            self.query.outputs.messages.push(message);
        }
        Ok(all)
    }

    fn dropped_schema(&mut self, name: &ObjectName) -> Result<Option<Dropped>> {
        let RelationName { name: folded, .. } = self.query.relation_name(name)?;
        match self.catalog.schema(&folded) {
            Some(schema) => Ok(Some(Dropped::Schema(schema))),
            None => Err(undefined_schema(&folded)),
        }
    }

    pub(crate) fn dropped_type(
        &mut self,
        kind: ObjectKind,
        name: &ObjectName,
    ) -> Result<Option<Dropped>> {
        let written = self.query.relation_name(name)?;
        if let Some(domain) = self.catalog.domain_named(&written) {
            return Ok(Some(Dropped::Type(domain.object)));
        }
        match self.catalog.enum_named(&written) {
            Some(_) if kind == ObjectKind::Domain => {
                let message = format!("\"{written}\" is not a domain");
                Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
            }
            Some(def) => Ok(Some(Dropped::Type(def.object))),
            None => {
                let message = format!("type \"{written}\" does not exist");
                Err(Error::new(SqlState::UNDEFINED_OBJECT, message))
            }
        }
    }

    /// A relation that is dropped; `None` where the schema is missing.
    fn dropped_relation(&mut self, kind: ObjectKind, name: &ObjectName) -> Result<Option<Dropped>> {
        let written = self.query.relation_name(name)?;
        if let Some(schema) = &written.schema
            && self.catalog.schema(schema).is_none()
        {
            return Err(undefined_schema(schema));
        }
        if kind == ObjectKind::Table && self.query.system_view(&written).is_some() {
            self.query.writable_table(name)?;
        }
        let found = match self.query.find(&written) {
            None => {
                let what = kind.shown();
                let message = format!("{what} \"{}\" does not exist", written.name);
                return Err(Error::new(SqlState::UNDEFINED_TABLE, message));
            }
            Some(found) => found,
        };
        let (is, dropped) = match found {
            Named::Table(table) => match self.catalog.view_of(table) {
                Some(view) => (ObjectKind::MaterializedView, Dropped::View(view.object)),
                None => (ObjectKind::Table, Dropped::Table(table)),
            },
            Named::View(view) => (ObjectKind::View, Dropped::View(view)),
            Named::Chunk(chunk) => (ObjectKind::Table, Dropped::Chunk(chunk)),
            Named::Sequence(_) | Named::Index(_) => return Err(wrong_kind(kind, found, &written)),
        };
        if is != kind {
            return Err(wrong_kind(kind, found, &written).with_hint(drop_hint(is)));
        }
        Ok(Some(dropped))
    }

    /// The name of a schema that is about to be created.
    pub fn new_schema_name(&self, name: &Name) -> Result<String> {
        let name = self.query.new_name(name)?;
        if name.starts_with("pg_") {
            let message = format!("unacceptable schema name \"{name}\"");
            let error = Error::new(SqlState::RESERVED_NAME, message);
            let detail = "The prefix \"pg_\" is reserved for system schemas.";
            return Err(error.with_detail(detail));
        }
        Ok(name)
    }
}

/// The objects that are to be dropped, growing.
struct Drops<'c> {
    catalog: &'c Catalog,
    all: Vec<Dropped>,
    /// What goes with them: a dependent, and what it depends on.
    lines: Vec<(String, String)>,
}

impl Drops<'_> {
    /// Adds what depends on an object, and so on. Dependents come in the order of their age.
    fn add_dependents(&mut self, object: Dropped) {
        // No recursion: the chain of views may be long.
        let mut waiting = vec![object];
        while let Some(object) = waiting.pop() {
            let mut dependents = self.catalog.dependents(object);
            dependents.retain(|(dependent, _)| match dependent {
                // What is part of a table goes with it.
                Dropped::Key(table, _) | Dropped::Default(table, _) | Dropped::Column(table, _)
                    if self.all.contains(&Dropped::Table(*table)) =>
                {
                    false
                }
                dependent => !self.all.contains(dependent),
            });
            for (dependent, is_part) in &dependents {
                self.all.push(*dependent);
                if !is_part {
                    let shown = self.catalog.described(*dependent);
                    let mut on = self.catalog.described(object);
                    if let Dropped::Function(_) | Dropped::Column(..) = dependent
                        && let Some((_, name)) = on.split_once(' ')
                        && !matches!(object, Dropped::Schema(_))
                    {
                        // It has the row type of the relation.
                        on = format!("type {name}");
                    }
                    if self.catalog.is_array_of(*dependent, object) {
                        on.push_str("[]");
                    }
                    self.lines.push((shown, on));
                }
            }
            waiting.extend(dependents.iter().rev().map(|(dependent, _)| *dependent));
        }
    }
}

fn depended_on(what: &str, lines: &[(String, String)]) -> Error {
    let message = format!("cannot drop {what} because other objects depend on it");
    let shown = lines
        .iter()
        .map(|(dependent, on)| format!("{dependent} depends on {on}"));
    Error::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, message)
        .with_detail(listed(shown))
        .with_hint("Use DROP ... CASCADE to drop the dependent objects too.")
}

fn is_missing(error: &Error) -> bool {
    let state = error.state();
    state == SqlState::UNDEFINED_TABLE
        || state == SqlState::UNDEFINED_OBJECT
        || state == SqlState::INVALID_SCHEMA_NAME
}

/// `42809`
fn wrong_kind(kind: ObjectKind, found: Named, name: &RelationName) -> Error {
    let what = match kind {
        ObjectKind::MaterializedView => "materialized view",
        other => other.shown(),
    };
    let message = format!("\"{}\" is not a {what}", name.name);
    let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
    match found {
        Named::Sequence(_) => error.with_hint("Use DROP SEQUENCE to remove a sequence."),
        Named::Index(_) => error.with_hint("Use DROP INDEX to remove an index."),
        _ => error,
    }
}

fn drop_hint(is: ObjectKind) -> &'static str {
    match is {
        ObjectKind::View => "Use DROP VIEW to remove a view.",
        ObjectKind::MaterializedView => "Use DROP MATERIALIZED VIEW to remove a materialized view.",
        _ => "Use DROP TABLE to remove a table.",
    }
}

/// Lines, as far as they are shown.
fn listed(lines: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = lines.collect();
    let mut shown = all.iter().take(LISTED_MAX).cloned().collect::<Vec<_>>();
    if let Some(rest) = all.len().checked_sub(LISTED_MAX).filter(|rest| *rest > 0) {
        let objects = if rest == 1 { "object" } else { "objects" };
        shown.push(format!(
            "and {rest} other {objects} (see server log for list)"
        ));
    }
    shown.join("\n")
}

/// The notice of what goes with what is dropped.
pub fn cascades<'s>(dependents: impl Iterator<Item = &'s str>) -> Option<Message> {
    let all: Vec<&str> = dependents.collect();
    match all.as_slice() {
        [] => None,
        [one] => Some(Message::notice(format!("drop cascades to {one}"))),
        several => {
            let lines = several
                .iter()
                .map(|line| format!("drop cascades to {line}"));
            let text = format!("drop cascades to {} other objects", several.len());
            Some(Message {
                detail: Some(listed(lines)),
                ..Message::notice(text)
            })
        }
    }
}
