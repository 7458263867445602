//! What the names in a text mean that the catalog keeps: noted while it is bound.

use varve_ast::{Alias, BaseType, ObjectName, TypeName};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::view::ViewRead;
use varve_catalog::text::kept_text::{Meaning, NameUse};
use varve_catalog::text::name::folded_path;
use varve_catalog::text::type_name::type_name;
use varve_plan::scope::tables::{Scope, UNNAMED};
use varve_types::{LogicalType, ObjectId, SqlText, sql};

use crate::context::binder::QueryBinder;

impl QueryBinder<'_> {
    /// Notes what a name means, unless it is one of another text than the statement's own.
    pub fn use_name(&self, at: u32, what: impl FnOnce() -> Meaning) {
        if let Some(uses) = self.outputs.uses.borrow_mut().as_mut()
            && core::ptr::eq(self.context.source, self.statement.own_source)
            && at > 0
        {
            let used = NameUse { at, what: what() };
            // What is bound twice is there once.
            if !uses.contains(&used) {
                uses.push(used);
            }
        }
    }

    /// A relation of FROM.
    pub fn use_relation(
        &self,
        (name, alias): (&ObjectName, Option<&Alias>),
        named: Named,
        read: Option<&ViewRead>,
    ) {
        let (Named::Table(found) | Named::View(found) | Named::Sequence(found)) = named else {
            return;
        };
        self.use_name(self.at(name.span()), || {
            let object = self
                .statement
                .catalog
                .view_of(found)
                .map_or(found, |view| view.object);
            let columns = read.map(|read| read.columns.clone());
            Meaning::Relation {
                object,
                alias: alias.map_or(0, |alias| self.at(alias.name.span)),
                named: alias.map_or(0, |alias| alias.columns.len()),
                columns: columns.unwrap_or_else(|| self.statement.catalog.named_columns(object)),
            }
        });
    }

    /// A column of the relation that the statement changes.
    pub fn use_changed(&self, names: &Scope, index: usize, at: u32) {
        let Some((table, name, _)) = names.column(index) else {
            return;
        };
        if let Some(object) = table.changed {
            let columns = self.statement.catalog.named_columns(object).into_iter();
            let mut columns = columns.filter(|(_, known)| known == name);
            if let Some((column, _)) = columns.next() {
                self.use_name(at, || Meaning::Column(object, column));
            }
        }
    }

    /// A relation that is changed.
    pub fn use_target(&self, name: &ObjectName, object: ObjectId) {
        self.use_name(self.at(name.span()), || Meaning::Target(object));
    }

    /// A type, or arrays of one.
    pub fn use_type(&self, written: &TypeName) {
        if let BaseType::Named { name, .. } = &written.base
            && let Some(object) = self.statement.catalog.type_called(&type_name(name))
        {
            self.use_name(self.at(name.span()), || Meaning::Type(object));
        }
    }

    /// `*` of these columns.
    pub fn use_star(&self, names: &Scope, star: impl Iterator<Item = usize>, at: u32) {
        let shown = |index| {
            let (table, column, _) = names.column(index)?;
            let column = SqlText::name(column);
            let same = names.tables.iter().filter(|one| one.name == table.name);
            match (table.name.starts_with(UNNAMED), same.count()) {
                (true, _) => Some(column),
                (false, 1) => Some(sql![SqlText::name(&table.name), ".", column]),
                (false, _) => None,
            }
        };
        let columns: Option<Vec<SqlText>> = star.map(shown).collect();
        if let Some(columns) = columns.filter(|columns| !columns.is_empty()) {
            self.use_name(at, || Meaning::Star(columns));
        }
    }

    /// A literal that names a relation, or is a label.
    pub fn use_literal(&self, text: &str, ty: LogicalType, at: u32) {
        match ty {
            LogicalType::Regclass => {
                let name = folded_path(text).ok();
                let named = name.and_then(|name| self.statement.catalog.find(&name));
                let Some(Named::Table(object) | Named::View(object) | Named::Sequence(object)) =
                    named
                else {
                    return;
                };
                let view = self.statement.catalog.view_of(object);
                let object = view.map_or(object, |view| view.object);
                self.use_name(at, || Meaning::Regclass(object));
            }
            LogicalType::Enum(id) => {
                let object = ObjectId(u64::from(id.0));
                let labels = self
                    .statement
                    .catalog
                    .types
                    .get(&object)
                    .map(|def| &def.labels);
                let mut labels = labels.into_iter().flatten();
                if let Some((place, _)) = labels.find(|(_, label)| label == text) {
                    self.use_name(at, || Meaning::Label(object, *place));
                }
            }
            _ => {}
        }
    }
}
