//! DROP, and what depends on what is dropped.

use sqlparser::ast::{Ident, ObjectName};
use varve_types::{Error, LogicalType, ObjectId, Result, RowTypeId, SqlState, SqlText};

use crate::bind::Binder;
use crate::bind::names::undefined_schema;
use crate::bind::view::utility;
use crate::catalog::{ColumnDef, TableDef};
use crate::parse_utility::ObjectKind;
use crate::plan::Statement;
use crate::schema::{Catalog, Named, RelationName};
use crate::sequence::uses_sequence;
use crate::trigger_def::TriggerDef;
use crate::utility::{Dropped, Message, Utility};

/// Most objects that a notice lists, as in PostgreSQL.
const LISTED_MAX: usize = 100;

impl Binder<'_> {
    pub(crate) fn drop_objects(
        &mut self,
        kind: ObjectKind,
        names: &[ObjectName],
        if_exists: bool,
        cascade: bool,
    ) -> Result<Statement> {
        let mut asked = Vec::with_capacity(names.len());
        for name in names {
            let found = match kind {
                ObjectKind::Schema => self.dropped_schema(name),
                ObjectKind::Type | ObjectKind::Domain => self.dropped_type(kind, name),
                _ => self.dropped_relation(kind, name),
            };
            match found {
                Ok(Some(object)) if asked.contains(&object) => {}
                Ok(Some(object)) => asked.push(object),
                Ok(None) => {}
                Err(error) if if_exists && is_missing(&error) => {
                    let text = format!("{}, skipping", error.message());
                    self.messages.push(Message::new(error.state(), text));
                }
                Err(error) => return Err(error),
            }
        }
        self.drop_all(asked, cascade)
    }

    /// Drops objects with what depends on them.
    pub(crate) fn drop_all(&mut self, asked: Vec<Dropped>, cascade: bool) -> Result<Statement> {
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
            self.messages.push(message);
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
    pub(crate) fn with_dependents(
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
            self.messages.push(message);
        }
        Ok(all)
    }

    fn dropped_schema(&mut self, name: &ObjectName) -> Result<Option<Dropped>> {
        let RelationName { name: folded, .. } = self.relation_name(name)?;
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
        let written = self.relation_name(name)?;
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
        let written = self.relation_name(name)?;
        if let Some(schema) = &written.schema
            && self.catalog.schema(schema).is_none()
        {
            return Err(undefined_schema(schema));
        }
        if kind == ObjectKind::Table && self.system_view(&written).is_some() {
            self.writable_table(name)?;
        }
        let found = match self.find(&written) {
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
            Named::Sequence(_) | Named::Index(_) => return Err(wrong_kind(kind, found, &written)),
        };
        if is != kind {
            return Err(wrong_kind(kind, found, &written).with_hint(drop_hint(is)));
        }
        Ok(Some(dropped))
    }

    /// The name of a schema that is about to be created.
    pub(crate) fn new_schema_name(&self, ident: &Ident) -> Result<String> {
        let name = self.new_name(ident)?;
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

impl Catalog {
    /// What cannot be without an object, by age, and whether it is a part of it.
    fn dependents(&self, object: Dropped) -> Vec<(Dropped, bool)> {
        let mut found: Vec<(ObjectId, Dropped, bool)> = Vec::new();
        let readers = |object: ObjectId| {
            let readers = self.views.values().filter(move |view| view.reads(object));
            readers.map(|view| (view.object, Dropped::View(view.object), false))
        };
        let rows_of = |object: ObjectId| {
            let functions = self.functions.values();
            let functions = functions.filter(move |def| {
                let id = u32::try_from(object.0).unwrap_or(0);
                let row = LogicalType::Row(RowTypeId(id));
                def.names(&|ty| ty == row || Some(ty) == row.array())
            });
            functions.map(|def| (def.object, Dropped::Function(def.object), false))
        };
        let callers = |object: ObjectId| {
            let functions = self.functions.values();
            let functions = functions.filter(move |def| def.reads.contains(&object));
            functions.map(|def| (def.object, Dropped::Function(def.object), false))
        };
        let triggers = |is: &dyn Fn(&TriggerDef) -> bool, is_part: bool| {
            let all = self.triggers.values().flatten();
            let some = all.filter(|def| is(def));
            let some = some.map(|def| {
                let dropped = Dropped::Trigger(def.table, def.object);
                (def.object, dropped, is_part)
            });
            some.collect::<Vec<_>>()
        };
        if let Dropped::Table(object) | Dropped::View(object) = object {
            let columns = self.columns_of_rows(object);
            found.extend(columns.map(|(table, column)| {
                let dropped = Dropped::Column(table.object, column.id);
                (table.object, dropped, false)
            }));
        }
        match object {
            Dropped::Table(table) => {
                found.extend(triggers(&|def: &TriggerDef| def.table == table, true));
                found.extend(rows_of(table));
                found.extend(readers(table));
                found.extend(callers(table));
                let known = self.tables.get(&table);
                let is_part = known.is_some_and(|table| table.partitioning().is_some());
                let children = known.map_or(&[][..], |table| table.children()).iter();
                found.extend(children.map(|child| (*child, Dropped::Table(*child), is_part)));
                let keys = self.references_to(table);
                let keys = keys.filter(|(child, ..)| child.object != table);
                found.extend(
                    keys.map(|(child, at, _)| {
                        (child.object, Dropped::Key(child.object, at), false)
                    }),
                );
                let owned = self.sequences.values();
                let owned = owned.filter(|known| known.owner.is_some_and(|owner| owner.0 == table));
                found.extend(
                    owned.map(|known| (known.object, Dropped::Sequence(known.object), true)),
                );
            }
            Dropped::View(view) => {
                found.extend(triggers(&|def: &TriggerDef| def.table == view, true));
                found.extend(rows_of(view));
                found.extend(readers(view));
                found.extend(callers(view));
                let rows = self.views.get(&view).and_then(|view| view.rows());
                if let Some(rows) = rows {
                    found.push((rows, Dropped::Table(rows), true));
                }
            }
            Dropped::Sequence(sequence) => {
                for table in self.tables.values() {
                    for (at, column) in table.columns.iter().enumerate() {
                        let uses = |expr| uses_sequence(expr, sequence);
                        if column.default.as_ref().is_some_and(uses) {
                            found.push((table.object, Dropped::Default(table.object, at), false));
                        }
                    }
                }
                found.extend(readers(sequence));
                found.extend(callers(sequence));
            }
            Dropped::Schema(schema) => {
                for table in self.tables.values().filter(|table| table.schema == schema) {
                    let dropped = match self.view_of(table.object) {
                        Some(view) => Dropped::View(view.object),
                        None => Dropped::Table(table.object),
                    };
                    found.push((table.object, dropped, false));
                }
                let views = self.views.values();
                let views = views.filter(|view| view.schema == schema && !view.is_materialized());
                found.extend(views.map(|view| (view.object, Dropped::View(view.object), false)));
                let enums = self.types.values().map(|def| (def.schema, def.object));
                let domains = self.domains.values().map(|def| (def.schema, def.object));
                let types = enums.chain(domains).filter(|(of, _)| *of == schema);
                found.extend(types.map(|(_, object)| (object, Dropped::Type(object), false)));
                let functions = self.functions.values().filter(|def| def.schema == schema);
                found.extend(
                    functions.map(|def| (def.object, Dropped::Function(def.object), false)),
                );
                let sequences = self
                    .sequences
                    .values()
                    .filter(|known| known.schema == schema);
                let sequences = sequences.filter(|known| known.owner.is_none());
                found.extend(
                    sequences.map(|known| (known.object, Dropped::Sequence(known.object), false)),
                );
            }
            Dropped::Type(object) => {
                let ty = self.types.get(&object).and_then(|def| def.ty());
                let is_of =
                    |of: LogicalType| Some(of) == ty || ty.and_then(LogicalType::array) == Some(of);
                let domain = self.domains.get(&object);
                let domain = domain.map(|def| [def.oid(), def.array_oid()]);
                for table in self.tables.values() {
                    for (at, column) in table.columns.iter().enumerate() {
                        let own = table.domain_of(at);
                        let of_domain = own
                            .zip(domain)
                            .is_some_and(|(own, domain)| domain.contains(&own));
                        if !is_of(column.ty) && !of_domain {
                            continue;
                        }
                        let dropped = match self.view_of(table.object) {
                            Some(view) => Dropped::View(view.object),
                            None => Dropped::Column(table.object, column.id),
                        };
                        // Those of arrays come first.
                        let of_array = match domain {
                            Some([plain, _]) => own != Some(plain),
                            None => Some(column.ty) != ty,
                        };
                        let age = if of_array { ObjectId(0) } else { table.object };
                        found.push((age, dropped, false));
                    }
                }
                for view in self.views.values().filter(|view| !view.is_materialized()) {
                    if view.columns.iter().any(|column| is_of(column.ty)) {
                        found.push((view.object, Dropped::View(view.object), false));
                    }
                }
                for def in self.functions.values() {
                    if def.names(&is_of) || def.names_domain(object) {
                        found.push((def.object, Dropped::Function(def.object), false));
                    }
                }
                found.extend(readers(object));
                found.extend(callers(object));
                let domains = self.domains.values().filter(|def| is_of(def.base));
                found.extend(domains.map(|def| (def.object, Dropped::Type(def.object), false)));
            }
            Dropped::Function(function) => {
                found.extend(readers(function));
                found.extend(callers(function));
                found.extend(triggers(
                    &|def: &TriggerDef| def.function == function,
                    false,
                ));
            }
            Dropped::Trigger(..)
            | Dropped::Default(..)
            | Dropped::Column(..)
            | Dropped::Key(..) => {}
        }
        varve_sort::sort_by_key(&mut found, |(object, ..)| *object);
        let found = found.into_iter();
        found
            .map(|(_, dropped, is_part)| (dropped, is_part))
            .collect()
    }

    /// Whether something is a column with arrays of a type that is dropped.
    fn is_array_of(&self, column: Dropped, ty: Dropped) -> bool {
        let (Dropped::Column(table, id), Dropped::Type(ty)) = (column, ty) else {
            return false;
        };
        let table = self.tables.get(&table);
        let mut columns = table.iter().flat_map(|table| &table.columns);
        let of = columns.find(|column| column.id == id);
        let is_array = of.is_some_and(|column| matches!(column.ty, LogicalType::Array(_)));
        let domain = self.domains.get(&ty);
        let of_domain = domain.is_some_and(|def| of.is_some_and(|column| column.ty != def.base));
        of_domain || is_array && self.types.contains_key(&ty)
    }

    /// The columns whose values are rows of a relation, or arrays of them.
    pub(crate) fn columns_of_rows(
        &self,
        relation: ObjectId,
    ) -> impl Iterator<Item = (&TableDef, &ColumnDef)> {
        let id = u32::try_from(relation.0).ok();
        let row = id.map(|id| LogicalType::Row(RowTypeId(id)));
        let array = row.and_then(LogicalType::array);
        let is_of = move |ty| Some(ty) == row || Some(ty) == array;
        self.tables.values().flat_map(move |table| {
            let columns = table.columns.iter();
            let columns = columns.filter(move |column| is_of(column.ty));
            columns.map(move |column| (&**table, column))
        })
    }

    /// An object as messages name it.
    pub(crate) fn described(&self, object: Dropped) -> String {
        let name = |what: &str, schema: ObjectId, name: &str| {
            format!("{what} {}", self.shown_name(schema, name))
        };
        let described = match object {
            Dropped::Table(object) => {
                (self.tables.get(&object)).map(|table| name("table", table.schema, &table.name))
            }
            Dropped::View(object) => self.views.get(&object).map(|view| {
                let what = match view.is_materialized() {
                    true => "materialized view",
                    false => "view",
                };
                name(what, view.schema, &view.name)
            }),
            Dropped::Sequence(object) => (self.sequences.get(&object))
                .map(|sequence| name("sequence", sequence.schema, &sequence.name)),
            Dropped::Type(object) => {
                let domain = self.domains.get(&object);
                let domain = domain.map(|def| (def.schema, &def.name));
                let named = self.types.get(&object).map(|def| (def.schema, &def.name));
                let named = named.or(domain);
                named.map(|(schema, name)| format!("type {}", self.type_def_name(schema, name)))
            }
            Dropped::Function(object) => (self.functions.get(&object))
                .map(|def| format!("function {}", self.shown_function(def))),
            Dropped::Trigger(table, object) => {
                let mut known = self.triggers_of(table).iter();
                let name = known.find(|def| def.object == object).map(|def| &def.name);
                let of = match self.views.contains_key(&table) {
                    true => Dropped::View(table),
                    false => Dropped::Table(table),
                };
                let table = self.described(of);
                name.map(|name| format!("trigger {name} on {table}"))
            }
            Dropped::Schema(object) => Some(format!("schema {}", self.schema_name(object))),
            Dropped::Key(object, at) => self.tables.get(&object).and_then(|table| {
                let key = &table.foreign_keys.get(at)?.name;
                let table = self.shown_name(table.schema, &table.name);
                Some(format!("constraint {key} on table {table}"))
            }),
            Dropped::Column(object, id) => self.tables.get(&object).and_then(|table| {
                let mut columns = table.columns.iter();
                let column = &columns.find(|column| column.id == id)?.name;
                let table = self.shown_name(table.schema, &table.name);
                Some(format!("column {column} of table {table}"))
            }),
            Dropped::Default(object, at) => self.tables.get(&object).and_then(|table| {
                let column = &table.columns.get(at)?.name;
                let table = self.shown_name(table.schema, &table.name);
                Some(format!(
                    "default value for column {column} of table {table}"
                ))
            }),
        };
        described.unwrap_or_default()
    }

    /// The name of a relation, with its schema where it is not found without.
    pub(crate) fn shown_name(&self, schema: ObjectId, name: &str) -> SqlText {
        let plain = RelationName {
            schema: None,
            name: name.to_owned(),
        };
        let here = self.find_in(schema, name);
        if self.find(&plain) == here && here.is_some() {
            return SqlText::name(name);
        }
        SqlText::name_in(self.schema_name(schema), name)
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
pub(crate) fn cascades<'s>(dependents: impl Iterator<Item = &'s str>) -> Option<Message> {
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
