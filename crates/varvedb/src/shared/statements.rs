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

use varve_catalog::Catalog;
use varve_expr::Locale;
use varve_parser::{ParsedStatement, Shape, parse};
use varve_settings::StatementCache;
use varve_types::{MemoryAccount, Result};

use crate::shared::lru::Lru;
use crate::shared::planned::{Filled, Planned, Template};

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

/// The parse cache and the plan cache.
pub(crate) struct Statements {
    pub parsed: Lru<Tree>,
    pub plans: Lru<Arc<Planned>>,
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
        let open = match has_parameters {
            true => None,
            false => self.open(text)?,
        };
        match open {
            Some(open) => Ok(Known::Open(Box::new(open))),
            None => self.parse(text).map(Known::Tree),
        }
    }

    /// A text whose literals are left open; `None` where none may be, or plans are not kept.
    pub fn open(&self, text: &str) -> Result<Option<OpenText>> {
        let may_open = self.plans.entries_max() > 0;
        let Some(shape) = may_open.then(|| Shape::of(text)).flatten() else {
            return Ok(None);
        };
        let found = match self.plans.get(&shape.key) {
            Some(planned) => Some(Found::Plan(planned)),
            None => self.template(text, &shape)?,
        };
        Ok(found.map(|found| OpenText { shape, found }))
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
