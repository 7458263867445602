//! Statements that were parsed and planned before, shared by all sessions of a database.

use std::sync::Arc;

use varve_bind::bind;
use varve_catalog::Catalog;
use varve_expr::Locale;
use varve_parser::{ParsedStatement, parse};
use varve_plan::{Bound, Statement};
use varve_settings::StatementCache;
use varve_system_views::Field;
use varve_types::{LogicalType, MemoryAccount, Result};

use crate::shared::lru::Lru;

/// About what syntax trees, and what plans, take in memory at most.
const CACHE_BYTES_MAX: u64 = 8 << 20;

/// The syntax trees of a text.
pub(crate) type Parsed = Arc<[ParsedStatement]>;

/// The parse cache and the plan cache.
pub(crate) struct Statements {
    pub parsed: Lru<Parsed>,
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
}

fn lru<T: Clone>(cache: StatementCache, memory: &Arc<dyn MemoryAccount>) -> Lru<T> {
    Lru::new(
        cache.first_entries_max(),
        CACHE_BYTES_MAX,
        Arc::clone(memory),
    )
}

impl Statements {
    pub fn new(memory: &Arc<dyn MemoryAccount>) -> Statements {
        Statements {
            parsed: lru(StatementCache::Parsed, memory),
            plans: lru(StatementCache::Plans, memory),
        }
    }

    /// The statements of a text.
    pub fn parse(&self, text: &str) -> Result<Parsed> {
        let known = self.parsed.get(text);
        self.parsed.count(known.is_some());
        if let Some(parsed) = known {
            return Ok(parsed);
        }
        let parsed: Parsed = parse(text)?.into();
        let bytes = parsed.iter().map(ParsedStatement::memory_bytes).sum();
        self.parsed.put(&text.into(), Arc::clone(&parsed), bytes);
        Ok(parsed)
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
