//! Plans, and what they hold for.

use std::sync::Arc;

use varve_bind::{bind, bind_open, with_names};
use varve_catalog::Catalog;
use varve_expr::Locale;
use varve_parser::{OpenLiteral, ParsedStatement};
use varve_plan::{Bound, OpenUse, Statement};
use varve_system_views::Field;
use varve_types::{LogicalType, Result, Value};

use crate::shared::statements::Parsed;

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

/// A statement that stands for all of its shape.
pub(crate) struct Template {
    pub parsed: Parsed,
    pub literals: Vec<OpenLiteral>,
}

/// A plan with the values of the literals that it leaves open.
pub(crate) struct Filled {
    pub planned: Arc<Planned>,
    pub values: Option<Vec<Value>>,
}

impl From<Arc<Planned>> for Filled {
    fn from(planned: Arc<Planned>) -> Filled {
        Filled {
            planned,
            values: None,
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
    pub fn open(
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
    pub fn filled(
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
