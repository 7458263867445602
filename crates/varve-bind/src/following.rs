//! Definitions with texts: made so that their names are whole, shown with the names that what they
//! use has now, and changed where that gets another name.

use std::collections::BTreeSet;
use std::sync::Arc;

use varve_bind_dml::through::updatable_columns;
use varve_bind_query::context::variables::Variables as Values;
use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::function_def::{FunctionDef, ParsedBody};
use varve_catalog::model::schema::RelationName;
use varve_catalog::model::trigger_def::TriggerDef;
use varve_catalog::model::view::{ParsedView, ViewDef, ViewRead};
use varve_catalog::text::kept_text::{Meaning, NameUse, Names, Variables, written};
use varve_catalog::text::sql_source::source;
use varve_expr::NamesRef;
use varve_parser::parse;
use varve_system_views::{CatalogNames, ShownTexts};
use varve_types::{Error, ObjectId, Result, SqlText, Value};

use crate::kept::{argument_names, row_names, uses_of_piece, uses_of_view};

/// How many characters stand before the text of an expression where it is bound.
const SELECT: &str = "SELECT ";

/// A definition whose text has changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// A view.
    View(ViewDef),
    /// A function.
    Function(FunctionDef),
    /// A trigger.
    Trigger(TriggerDef),
}

/// What the names in an expression mean.
fn uses_of_expression(catalog: &Catalog, text: &str, values: Values) -> Result<Vec<NameUse>> {
    let parsed = parse(&format!("{SELECT}{text}"))?.pop();
    let parsed = parsed.ok_or_else(|| Error::internal("a text without an expression"))?;
    let uses = uses_of_piece(catalog, &parsed, &values, None)?;
    let before = u32::try_from(SELECT.len()).unwrap_or(0);
    // It is no column of a result that could have a name.
    let uses = uses.into_iter().filter(|one| one.what != Meaning::Naming);
    let moved = uses.map(|one| NameUse {
        at: one.at.saturating_sub(before),
        what: one.what,
    });
    Ok(moved.collect())
}

/// What the names in the body of a function mean.
fn uses_of_body(catalog: &Catalog, def: &Arc<FunctionDef>) -> Result<Vec<NameUse>> {
    let mut all = Vec::new();
    let values = argument_names(def);
    for piece in &def.code()?.pieces {
        all.extend(uses_of_piece(
            catalog,
            &piece.statement,
            &values,
            Some(def),
        )?);
    }
    Ok(all)
}

/// What the names in the condition of a trigger mean.
fn uses_of_condition(catalog: &Catalog, def: &TriggerDef) -> Result<Vec<NameUse>> {
    match (&def.condition, catalog.tables.get(&def.table)) {
        (Some(text), Some(table)) => uses_of_expression(catalog, text, row_names(table)),
        _ => Ok(Vec::new()),
    }
}

/// The objects that uses name.
fn objects(uses: &[NameUse]) -> BTreeSet<ObjectId> {
    uses.iter().filter_map(NameUse::object).collect()
}

/// The names of a catalog as kept texts have them.
fn whole<'c>(catalog: &'c Catalog, variables: Variables<'c>) -> Names<'c> {
    Names {
        catalog,
        whole: true,
        aliases: true,
        variables,
    }
}

/// The same as definitions show them.
fn shown(catalog: &Catalog) -> Names<'_> {
    Names {
        catalog,
        whole: false,
        aliases: true,
        variables: Variables::None,
    }
}

/// A view whose text has names as they are in a catalog; what these mean is known.
fn with_names(view: &ViewDef, uses: &[NameUse], catalog: &Catalog) -> ViewDef {
    let names = Names {
        aliases: false,
        ..whole(catalog, Variables::None)
    };
    let mut reads: Vec<ViewRead> = Vec::new();
    for one in uses {
        let Some(object) = one.object() else {
            continue;
        };
        let (written, columns) = match &one.what {
            Meaning::Relation { columns, .. } => {
                let named = catalog.name_of(object);
                let named = named.map(|(schema, name)| RelationName {
                    schema: Some(catalog.schema_name(schema).to_owned()),
                    name: name.to_owned(),
                });
                let Some(named) = named else {
                    continue;
                };
                (named, columns.clone())
            }
            // No text can name it so.
            _ => (RelationName::unqualified(""), Vec::new()),
        };
        let read = ViewRead {
            written,
            object,
            columns,
        };
        if !reads.contains(&read) {
            reads.push(read);
        }
    }
    ViewDef {
        text: written(&view.text, uses, names).into_string(),
        reads,
        parsed: ParsedView::default(),
        ..view.clone()
    }
}

/// A new view, whose text means the same whatever the search path is. One whose text with
/// whole names is not the same query is refused: it would be another one after a dump.
pub fn whole_view(catalog: &Catalog, view: ViewDef) -> Result<ViewDef> {
    let (uses, before) = uses_of_view(catalog, &Arc::new(view.clone()), true)?;
    let named = with_names(&view, &uses, catalog);
    let differs =
        Error::unsupported("a view whose text cannot name its objects with their schemas")
            .with_hint("Give relations aliases of their own, and columns their qualifiers.");
    match uses_of_view(catalog, &Arc::new(named.clone()), false) {
        Ok((_, after)) if after.plan.types() == before.plan.types() => Ok(named),
        // A limit that was reached says nothing about names.
        Err(error) if error.state().is_limit() => Err(error),
        _ => Err(differs),
    }
}

/// A new function, whose texts mean the same whatever the search path is.
pub fn whole_function(catalog: &Catalog, mut def: FunctionDef) -> Result<FunctionDef> {
    let mut reads = BTreeSet::new();
    for argument in &mut def.arguments {
        let Some(default) = &mut argument.default else {
            continue;
        };
        let uses = uses_of_expression(catalog, default, Values::default())?;
        reads.extend(objects(&uses));
        *default = written(default, &uses, whole(catalog, Variables::None)).into_string();
    }
    if def.is_atomic && !def.is_polymorphic() {
        let uses = uses_of_body(catalog, &Arc::new(def.clone()))?;
        reads.extend(objects(&uses));
        let variables = Variables::Arguments(&def.name);
        let body = written(&def.body, &uses, whole(catalog, variables));
        def.body = body.into_string();
        def.parsed = ParsedBody::default();
    }
    reads.remove(&def.object);
    def.reads = reads.into_iter().collect();
    Ok(def)
}

/// A new trigger, whose condition means the same whatever the search path is.
pub fn whole_trigger(catalog: &Catalog, mut def: TriggerDef) -> Result<TriggerDef> {
    let uses = uses_of_condition(catalog, &def)?;
    if let Some(text) = &mut def.condition {
        *text = written(text, &uses, whole(catalog, Variables::None)).into_string();
        def.parsed = ParsedBody::default();
    }
    Ok(def)
}

/// Binds kept texts for the views of the catalog.
#[derive(Debug)]
struct BoundTexts;

impl ShownTexts for BoundTexts {
    fn view(&self, catalog: &Catalog, view: &Arc<ViewDef>) -> SqlText {
        match uses_of_view(catalog, view, false) {
            Ok((uses, _)) => written(&view.text, &uses, shown(catalog)),
            Err(_) => source(&view.text),
        }
    }

    fn default(&self, catalog: &Catalog, text: &str) -> SqlText {
        match uses_of_expression(catalog, text, Values::default()) {
            Ok(uses) => written(text, &uses, shown(catalog)),
            Err(_) => source(text),
        }
    }

    fn body(&self, catalog: &Catalog, def: &FunctionDef) -> SqlText {
        match uses_of_body(catalog, &Arc::new(def.clone())) {
            Ok(uses) => written(&def.body, &uses, shown(catalog)),
            Err(_) => source(&def.body),
        }
    }

    fn condition(&self, catalog: &Catalog, def: &TriggerDef) -> Option<SqlText> {
        let text = def.condition.as_ref()?;
        Some(match uses_of_condition(catalog, def) {
            Ok(uses) => written(text, &uses, shown(catalog)),
            Err(_) => source(text),
        })
    }

    fn updatable_columns(&self, catalog: &Catalog, view: &Arc<ViewDef>) -> Option<Vec<bool>> {
        updatable_columns(catalog, view)
    }
}

/// What a catalog tells while expressions are evaluated.
pub fn names_of(catalog: &Arc<Catalog>) -> NamesRef {
    NamesRef(Arc::new(CatalogNames {
        catalog: Arc::clone(catalog),
        texts: &BoundTexts,
    }))
}

/// The rows of a view of the catalog.
pub fn catalog_rows(view: u16, catalog: &Catalog) -> Vec<Vec<Value>> {
    varve_system_views::catalog_rows(view, catalog, &BoundTexts)
}

/// Whether some definition has a text that names may have to follow.
fn has_texts(catalog: &Catalog) -> bool {
    let mut functions = catalog.functions.values();
    let mut triggers = catalog.triggers.values().flatten();
    !catalog.views.is_empty()
        || functions.any(|def| !def.reads.is_empty())
        || triggers.any(|def| def.condition.is_some())
}

/// The objects that have another name, or parts with other names, than in another catalog.
fn renamed(before: &Catalog, after: &Catalog) -> BTreeSet<ObjectId> {
    let relations = before.tables.keys().chain(before.views.keys());
    let relations = relations.chain(before.sequences.keys());
    let named = relations
        .chain(before.types.keys())
        .chain(before.domains.keys());
    let labels = |catalog: &Catalog, object: &ObjectId| {
        let def = catalog.types.get(object);
        def.map(|def| def.labels.clone())
    };
    let whole = |catalog: &Catalog, object: &ObjectId| {
        let (schema, name) = catalog.name_of(*object)?;
        Some((catalog.schema_name(schema).to_owned(), name.to_owned()))
    };
    let is_other = |object: &&ObjectId| {
        whole(after, object).is_some_and(|now| Some(now) != whole(before, object))
            || before.named_columns(**object) != after.named_columns(**object)
            || labels(before, object) != labels(after, object)
    };
    let mut found: BTreeSet<ObjectId> = named.filter(is_other).copied().collect();
    for def in before.functions.values() {
        let now = after.functions.get(&def.object);
        let name = |catalog: &Catalog, def: &FunctionDef| {
            (catalog.schema_name(def.schema).to_owned(), def.name.clone())
        };
        if now.is_some_and(|now| name(after, now) != name(before, def)) {
            found.insert(def.object);
        }
    }
    found
}

/// The definitions whose texts name what another statement gave other names, with these; `after` is
/// the catalog behind that. `0A000` where a text cannot follow.
pub fn followed(before: &Catalog, after: &Catalog) -> Result<Vec<Followed>> {
    if !has_texts(before) {
        return Ok(Vec::new());
    }
    let renamed = renamed(before, after);
    if renamed.is_empty() {
        return Ok(Vec::new());
    }
    let names = |uses: &[NameUse]| !objects(uses).is_disjoint(&renamed);
    let mut found = Vec::new();
    let mut now = after.clone();
    for view in before.views.values() {
        let Some(kept) = after.views.get(&view.object) else {
            continue;
        };
        let Ok((uses, _)) = uses_of_view(before, view, false) else {
            continue;
        };
        if names(&uses) {
            let view = with_names(kept, &uses, after);
            now.add_view(Arc::new(view.clone()));
            found.push(Followed::View(view));
        }
    }
    for def in before.functions.values() {
        let Some(kept) = after.functions.get(&def.object) else {
            continue;
        };
        let own = renamed.contains(&def.object);
        if own || def.reads.iter().any(|object| renamed.contains(object)) {
            let def = followed_function(before, after, def, kept)?;
            now.add_function(Arc::new(def.clone()));
            found.push(Followed::Function(def));
        }
    }
    for def in before.triggers.values().flatten() {
        let uses = uses_of_condition(before, def).unwrap_or_default();
        let kept = after.triggers_of(def.table).iter();
        let kept = kept.into_iter().find(|kept| kept.object == def.object);
        let (Some(kept), Some(text)) = (kept, &def.condition) else {
            continue;
        };
        if renamed.contains(&def.table) || names(&uses) {
            let columns = before.named_columns(def.table);
            let names = whole(after, Variables::Columns(def.table, &columns));
            found.push(Followed::Trigger(TriggerDef {
                condition: Some(written(text, &uses, names).into_string()),
                parsed: ParsedBody::default(),
                ..TriggerDef::clone(kept)
            }));
        }
    }
    for one in &found {
        one.check(&now)?;
    }
    Ok(found)
}

/// A function with the names that what it uses has in another catalog.
fn followed_function(
    before: &Catalog,
    after: &Catalog,
    def: &Arc<FunctionDef>,
    kept: &FunctionDef,
) -> Result<FunctionDef> {
    let mut changed = kept.clone();
    changed.parsed = ParsedBody::default();
    for argument in &mut changed.arguments {
        let Some(default) = &mut argument.default else {
            continue;
        };
        let uses = uses_of_expression(before, default, Values::default())?;
        *default = written(default, &uses, whole(after, Variables::None)).into_string();
    }
    if def.is_atomic && !def.is_polymorphic() {
        let uses = uses_of_body(before, def)?;
        let names = whole(after, Variables::Arguments(&kept.name));
        changed.body = written(&def.body, &uses, names).into_string();
    }
    Ok(changed)
}

impl Followed {
    /// Refuses what would not be what it was.
    fn check(&self, catalog: &Catalog) -> Result<()> {
        let (checked, what) = match self {
            Followed::View(view) => {
                let columns = view.columns.iter().map(|column| column.ty);
                let columns: Vec<_> = columns.collect();
                let bound = uses_of_view(catalog, &Arc::new(view.clone()), false);
                let is_same = bound.map(|(_, query)| query.plan.types() == columns);
                (is_same, format!("view \"{}\"", view.name))
            }
            Followed::Function(def) => {
                let bound = match def.is_atomic && !def.is_polymorphic() {
                    true => uses_of_body(catalog, &Arc::new(def.clone())).map(|_| true),
                    false => Ok(true),
                };
                (bound, format!("function \"{}\"", def.name))
            }
            Followed::Trigger(def) => {
                let bound = uses_of_condition(catalog, def).map(|_| true);
                (bound, format!("trigger \"{}\"", def.name))
            }
        };
        match checked {
            Ok(true) => Ok(()),
            _ => {
                let what = format!("another name for what {what} uses in such a way");
                let hint = "Drop it first, and make it again with the new name.";
                Err(Error::unsupported(what).with_hint(hint))
            }
        }
    }
}
