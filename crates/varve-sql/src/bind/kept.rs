//! What the names in a text mean that the catalogue keeps: noted while it is bound.

use std::sync::Arc;

use varve_ast::{Alias, BaseType, ObjectName, TypeName};
use varve_expr::{DEFAULT_LOCALE, Expr, Locale};
use varve_parser::ParsedStatement;
use varve_types::{Error, LogicalType, ObjectId, Result, SqlText, sql};

use crate::bind::Binder;
use crate::bind::data_type::type_name;
use crate::bind::names::folded_path;
use crate::bind::routine_body::row_variables;
use crate::bind::variables::{Variable, Variables};
use crate::bind::view::view_query;
use crate::catalog::TableDef;
use crate::following::names_of;
use crate::function_def::FunctionDef;
use crate::kept_text::{Meaning, NameUse};
use crate::plan::Query;
use crate::schema::{Catalog, Named};
use crate::scope::{Scope, UNNAMED};
use crate::view::{ViewDef, ViewRead};

impl Binder<'_> {
    /// Notes what a name means, unless it is one of another text than the statement's own.
    pub(crate) fn use_name(&self, at: u32, what: impl FnOnce() -> Meaning) {
        if let Some(uses) = self.uses.borrow_mut().as_mut()
            && core::ptr::eq(self.source, self.own_source)
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
    pub(crate) fn use_relation(
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
                .catalog
                .view_of(found)
                .map_or(found, |view| view.object);
            let columns = read.map(|read| read.columns.clone());
            Meaning::Relation {
                object,
                alias: alias.map_or(0, |alias| self.at(alias.name.span)),
                named: alias.map_or(0, |alias| alias.columns.len()),
                columns: columns.unwrap_or_else(|| self.catalog.named_columns(object)),
            }
        });
    }

    /// A column of the relation that the statement changes.
    pub(crate) fn use_changed(&self, names: &Scope, index: usize, at: u32) {
        let Some((table, name, _)) = names.column(index) else {
            return;
        };
        if let Some(object) = table.changed {
            let columns = self.catalog.named_columns(object).into_iter();
            let mut columns = columns.filter(|(_, known)| known == name);
            if let Some((column, _)) = columns.next() {
                self.use_name(at, || Meaning::Column(object, column));
            }
        }
    }

    /// A relation that is changed.
    pub(crate) fn use_target(&self, name: &ObjectName, object: ObjectId) {
        self.use_name(self.at(name.span()), || Meaning::Target(object));
    }

    /// A type, or arrays of one.
    pub(crate) fn use_type(&self, written: &TypeName) {
        if let BaseType::Named { name, .. } = &written.base
            && let Some(object) = self.catalog.type_called(&type_name(name))
        {
            self.use_name(self.at(name.span()), || Meaning::Type(object));
        }
    }

    /// `*` of these columns.
    pub(crate) fn use_star(&self, names: &Scope, star: impl Iterator<Item = usize>, at: u32) {
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
    pub(crate) fn use_literal(&self, text: &str, ty: LogicalType, at: u32) {
        match ty {
            LogicalType::Regclass => {
                let name = folded_path(text).ok();
                let named = name.and_then(|name| self.catalog.find(&name));
                let Some(Named::Table(object) | Named::View(object) | Named::Sequence(object)) =
                    named
                else {
                    return;
                };
                let view = self.catalog.view_of(object);
                let object = view.map_or(object, |view| view.object);
                self.use_name(at, || Meaning::Regclass(object));
            }
            LogicalType::Enum(id) => {
                let object = ObjectId(u64::from(id.0));
                let labels = self.catalog.types.get(&object).map(|def| &def.labels);
                let mut labels = labels.into_iter().flatten();
                if let Some((place, _)) = labels.find(|(_, label)| label == text) {
                    self.use_name(at, || Meaning::Label(object, *place));
                }
            }
            _ => {}
        }
    }
}

/// Binds under a locale with the names of a catalogue's types; with all of its names only where
/// that fails without, since they cost a copy of it.
fn bound_by<T>(catalog: &Catalog, bind: impl Fn(&Locale) -> Result<T>) -> Result<T> {
    let mut locale = Locale {
        enums: catalog.enums().cloned(),
        ..DEFAULT_LOCALE.clone()
    };
    bind(&locale).or_else(|_| {
        locale.names = Some(names_of(&Arc::new(catalog.clone())));
        bind(&locale)
    })
}

/// What the names in the query of a view mean; by what it reads where that is known.
pub(crate) fn uses_of_view(
    catalog: &Catalog,
    view: &Arc<ViewDef>,
    is_new: bool,
) -> Result<(Vec<NameUse>, Query)> {
    let parsed = view.parsed()?;
    let ast = view_query(&parsed)?;
    bound_by(catalog, |locale| {
        let mut binder = Binder::new(&parsed, catalog, &[], locale);
        binder.uses = Some(Vec::new()).into();
        binder.is_defining = true;
        if !is_new {
            binder.view = Some(Arc::clone(view));
        }
        let query = binder.query(ast, None)?;
        Ok((binder.uses.take().unwrap_or_default(), query))
    })
}

/// What the names in a statement of a function mean, or in a condition or default, with these
/// names for values.
pub(crate) fn uses_of_piece(
    catalog: &Catalog,
    piece: &ParsedStatement,
    variables: &Variables,
    defined: Option<&Arc<FunctionDef>>,
) -> Result<Vec<NameUse>> {
    let bound = bound_by(catalog, |locale| {
        let mut binder = Binder::new(piece, catalog, &[], locale);
        binder.uses = Some(Vec::new()).into();
        binder.is_defining = true;
        binder.defined = defined.cloned();
        binder.variables = Some(variables.clone());
        binder.parsed(&piece.statement, &piece.command)?;
        Ok(binder.uses.take().unwrap_or_default())
    });
    bound.map_err(Error::without_position)
}

/// The arguments of a function as names in its body.
pub(crate) fn argument_names(def: &FunctionDef) -> Variables {
    let inputs = def.inputs().enumerate();
    let values = inputs.map(|(index, argument)| Variable {
        qualifier: def.name.clone(),
        name: argument.name.clone(),
        is_plain: true,
        value: Expr::Parameter {
            index,
            ty: argument.ty,
        },
    });
    let values: Vec<Variable> = values.collect();
    let count = values.len();
    Variables::new(values, count)
}

/// The columns of a table as those of NEW and OLD.
pub(crate) fn row_names(table: &TableDef) -> Variables {
    let mut variables = row_variables(table, "new");
    variables.extend(row_variables(table, "old"));
    let values = variables.into_iter().enumerate();
    let values = values.map(|(index, variable)| Variable {
        qualifier: variable.qualifier,
        name: variable.name,
        is_plain: false,
        value: Expr::Parameter {
            index,
            ty: variable.ty,
        },
    });
    Variables::new(values.collect(), 0)
}
