//! Statements that were parsed and planned before, shared by all sessions of a database.
//!
//! A text that is known word by word is found by itself. Any other one is found by its shape, in
//! which literals are left open that nothing but their value may depend on: then the plan has a
//! parameter for each of them.
//!
//! Invariant: an answer or an error is the same with and without these caches. Where the literals
//! of a text are not just values for the plan of its shape, the text is parsed and planned itself.
//! A plan that runs fails without a place in the text, so no error tells of another text's places.

use std::sync::Arc;

use varve_bind::{bind, bind_open, with_names};
use varve_catalog::Catalog;
use varve_expr::Locale;
use varve_parser::{OpenLiteral, ParsedStatement, Shape, parse};
use varve_plan::{Bound, OpenUse, Statement};
use varve_settings::StatementCache;
use varve_system_views::Field;
use varve_types::{LogicalType, MemoryAccount, Result, Value};

use crate::shared::lru::Lru;

/// About what syntax trees, and what plans, take in memory at most.
const CACHE_BYTES_MAX: u64 = 8 << 20;

/// The syntax trees of a text.
pub(crate) type Parsed = Arc<[ParsedStatement]>;

/// What the parse cache knows of a text or a shape.
#[derive(Clone)]
pub(crate) enum Tree {
    /// All statements of a text.
    Text(Parsed),
    /// A statement of the shape.
    Shape(Arc<Template>),
    /// The plans of such statements depend on their literals.
    Closed,
}

/// A statement that stands for all of its shape.
pub(crate) struct Template {
    parsed: Parsed,
    literals: Vec<OpenLiteral>,
}

/// What is known of a text before it runs.
pub(crate) enum Known {
    Plan(Arc<Planned>),
    Tree(Parsed),
    /// Its literals are left open.
    Open(Box<OpenText>),
}

/// A text whose literals are left open, and what is known of its shape.
pub(crate) struct OpenText {
    shape: Shape,
    found: Found,
}

enum Found {
    Plan(Arc<Planned>),
    Template(Arc<Template>),
    /// Nothing: this is the tree of the text itself.
    Nothing(Parsed),
}

/// A plan with the values of the literals that it leaves open.
pub(crate) struct Filled {
    pub planned: Arc<Planned>,
    pub values: Option<Vec<Value>>,
}

/// The parse cache and the plan cache.
pub(crate) struct Statements {
    pub parsed: Lru<Tree>,
    pub plans: Lru<Arc<Planned>>,
}

/// A bound statement, and what it was bound for.
pub(crate) struct Planned {
    pub bound: Bound,
    /// The columns of its result.
    pub fields: Arc<[Field]>,
    /// The parameter types that were asked for.
    types: Box<[Option<LogicalType>]>,
    /// The settings that decided what a literal is.
    locale: Option<Locale>,
    /// What becomes of the literals that it leaves open.
    open: Box<[OpenUse]>,
}

fn lru<T: Clone>(cache: StatementCache, memory: &Arc<dyn MemoryAccount>) -> Lru<T> {
    Lru::new(
        cache.first_entries_max(),
        CACHE_BYTES_MAX,
        Arc::clone(memory),
    )
}

fn memory_bytes(parsed: &[ParsedStatement]) -> usize {
    parsed.iter().map(ParsedStatement::memory_bytes).sum()
}

impl From<Arc<Planned>> for Filled {
    fn from(planned: Arc<Planned>) -> Filled {
        Filled {
            planned,
            values: None,
        }
    }
}

impl Statements {
    pub fn new(memory: &Arc<dyn MemoryAccount>) -> Statements {
        Statements {
            parsed: lru(StatementCache::Parsed, memory),
            plans: lru(StatementCache::Plans, memory),
        }
    }

    /// What is known of a text. Its literals are left open only if it has no parameters, and plans
    /// are kept at all.
    pub fn find(&self, text: &str, has_parameters: bool) -> Result<Known> {
        if let Some(planned) = self.plans.get(text) {
            return Ok(Known::Plan(planned));
        }
        let may_open = !has_parameters && self.plans.entries_max() > 0;
        let Some(shape) = may_open.then(|| Shape::of(text)).flatten() else {
            return self.parse(text).map(Known::Tree);
        };
        let found = match self.plans.get(&shape.key) {
            Some(planned) => Found::Plan(planned),
            None => match self.template(text, &shape)? {
                Some(found) => found,
                None => return self.parse(text).map(Known::Tree),
            },
        };
        Ok(Known::Open(Box::new(OpenText { shape, found })))
    }

    /// A tree for a shape; `None` where its plans depend on its literals.
    fn template(&self, text: &str, shape: &Shape) -> Result<Option<Found>> {
        Ok(match self.parsed.get(&shape.key) {
            Some(Tree::Shape(template)) => {
                self.parsed.count(true);
                Some(Found::Template(template))
            }
            Some(Tree::Closed | Tree::Text(_)) => None,
            None => Some(Found::Nothing(self.parse_anew(text)?)),
        })
    }

    /// The statements of a text.
    pub fn parse(&self, text: &str) -> Result<Parsed> {
        let parsed = self.parse_anew(text)?;
        self.keep(text, &parsed);
        Ok(parsed)
    }

    /// The same, without keeping them.
    fn parse_anew(&self, text: &str) -> Result<Parsed> {
        let known = self.parsed.get(text);
        self.parsed.count(known.is_some());
        match known {
            Some(Tree::Text(parsed)) => Ok(parsed),
            _ => Ok(parse(text)?.into()),
        }
    }

    fn keep(&self, text: &str, parsed: &Parsed) {
        let tree = Tree::Text(Arc::clone(parsed));
        self.parsed.put(&text.into(), tree, memory_bytes(parsed));
    }

    /// The plan of a text whose literals are left open, with their values. `None` where the text
    /// has to be planned itself.
    pub fn plan_open(
        &self,
        text: &str,
        open: &OpenText,
        catalog: &Arc<Catalog>,
        locale: &Locale,
    ) -> Result<Option<Filled>> {
        let OpenText { shape, found } = open;
        let anew;
        let found = match found {
            Found::Plan(planned) if planned.holds(catalog, &[], locale) => {
                let filled = Planned::filled(planned, &shape.literals, catalog, locale);
                if filled.is_some() {
                    self.plans.count(true);
                    self.parsed.count(true);
                }
                return Ok(filled);
            }
            Found::Plan(_) => match self.template(text, shape)? {
                Some(found) => {
                    anew = found;
                    &anew
                }
                None => return Ok(None),
            },
            found => found,
        };
        let template = match found {
            Found::Template(template) => Arc::clone(template),
            Found::Nothing(parsed) => Arc::new(Template {
                parsed: Arc::clone(parsed),
                literals: shape.literals.clone(),
            }),
            Found::Plan(_) => return Ok(None),
        };
        let key: Arc<str> = shape.key.as_str().into();
        let Ok(planned) = Planned::open(&template, catalog, locale) else {
            // Planned by itself the text fails in its own words.
            return Ok(None);
        };
        let Some(planned) = planned.map(Arc::new) else {
            self.parsed.put(&key, Tree::Closed, 0);
            return Ok(None);
        };
        let bytes = memory_bytes(&template.parsed);
        self.plans.put(&key, Arc::clone(&planned), bytes);
        self.parsed.put(&key, Tree::Shape(template), bytes);
        let filled = Planned::filled(&planned, &shape.literals, catalog, locale);
        if filled.is_some() {
            self.plans.count(false);
        }
        Ok(filled)
    }

    /// The tree of a text that is to be planned itself after all.
    pub fn tree_of(&self, text: &str, open: &OpenText) -> Result<Parsed> {
        match &open.found {
            Found::Nothing(parsed) => {
                self.keep(text, parsed);
                Ok(Arc::clone(parsed))
            }
            Found::Plan(_) | Found::Template(_) => self.parse(text),
        }
    }
}

impl Planned {
    /// Binds a statement.
    pub fn new(
        parsed: &ParsedStatement,
        catalog: &Arc<Catalog>,
        types: &[Option<LogicalType>],
        locale: &Locale,
    ) -> Result<Planned> {
        let bound = bind(parsed, catalog, types, locale)?;
        let fields = bound.statement.fields().into();
        Ok(Planned {
            locale: bound.reads_locale.then(|| locale.clone()),
            bound,
            fields,
            types: types.into(),
            open: Box::default(),
        })
    }

    /// Binds a statement for all of its shape; `None` where its plan depends on its literals.
    fn open(
        template: &Template,
        catalog: &Arc<Catalog>,
        locale: &Locale,
    ) -> Result<Option<Planned>> {
        let Some(parsed) = template.parsed.first() else {
            return Ok(None);
        };
        let Some((bound, uses)) = bind_open(parsed, catalog, locale, &template.literals)? else {
            return Ok(None);
        };
        let planned = Planned {
            locale: bound.reads_locale.then(|| locale.clone()),
            fields: bound.statement.fields().into(),
            bound,
            types: Box::default(),
            open: uses.into(),
        };
        Ok(Some(planned).filter(Planned::is_reusable))
    }

    /// The plan with the values of literals; `None` where one is no mere value.
    fn filled(
        planned: &Arc<Planned>,
        literals: &[OpenLiteral],
        catalog: &Arc<Catalog>,
        locale: &Locale,
    ) -> Option<Filled> {
        let locale = with_names(catalog, locale);
        let value = |used: &OpenUse| used.value(&literals.get(used.literal)?.written, &locale);
        let values = planned
            .open
            .iter()
            .map(value)
            .collect::<Option<Vec<Value>>>()?;
        Some(Filled {
            planned: Arc::clone(planned),
            values: Some(values),
        })
    }

    /// Whether it is what binding again would give.
    pub fn holds(&self, catalog: &Catalog, types: &[Option<LogicalType>], locale: &Locale) -> bool {
        let settings = self.locale.as_ref();
        *self.types == *types
            && settings.is_none_or(|settings| settings.has_settings_of(locale))
            && self.bound.found.holds(catalog)
    }

    /// Whether it may be run again: other statements are rare, or change what they were bound to.
    pub fn is_reusable(&self) -> bool {
        matches!(
            self.bound.statement,
            Statement::Query(_)
                | Statement::Insert(_)
                | Statement::Update(_)
                | Statement::Delete(_)
                | Statement::Merge(_)
        )
    }
}
