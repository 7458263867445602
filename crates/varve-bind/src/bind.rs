//! A statement and what was found out while it was bound.

use std::sync::Arc;

use varve_bind_query::context::binder::QueryBinder;
use varve_bind_query::context::variables::Variables;
use varve_catalog::model::catalog::Catalog;
use varve_expr::Locale;
use varve_parser::{OpenLiteral, ParsedStatement};
use varve_plan::OpenUse;
use varve_plan::plan::statement::source_of;
use varve_plan::plan::{Bound, Statement};
use varve_types::{Error, LogicalType, Result, SqlState, meter};

use crate::binder::StatementBinder;
use crate::following::names_of;

/// Resolves the names and types of a statement against a catalog.
///
/// `parameter_types` fixes the types of the first parameters; where it has `None` or ends, the
/// type follows from the parameter's place. Literals mean what they mean in `locale`.
pub fn bind(
    statement: &ParsedStatement,
    catalog: &Arc<Catalog>,
    parameter_types: &[Option<LogicalType>],
    locale: &Locale,
) -> Result<Bound> {
    bind_with(statement, catalog, parameter_types, locale, None)
}

/// As [`bind`], with parameters in the places of literals: those that `open` lists, if the plan is
/// the same whatever they are. The answer says what becomes of each.
pub fn bind_open(
    statement: &ParsedStatement,
    catalog: &Arc<Catalog>,
    locale: &Locale,
    open: &[OpenLiteral],
) -> Result<Option<(Bound, Vec<OpenUse>)>> {
    let locale = &with_names(catalog, locale);
    let mut binder = QueryBinder::new(statement, catalog, &[], locale);
    binder.statement.open = open;
    let (mut bound, opened) = bind_by(binder, statement)?;
    let plan = source_of(&mut bound.statement);
    let is_same = plan.is_some_and(|plan| !plan.may_miss_partial_index());
    let is_shared = is_same && !bound.has_calls() && bound.messages.is_empty();
    Ok(opened.filter(|_| is_shared).map(|opened| (bound, opened)))
}

/// As [`bind`], with names that stand for more than columns.
pub fn bind_with(
    statement: &ParsedStatement,
    catalog: &Arc<Catalog>,
    parameter_types: &[Option<LogicalType>],
    locale: &Locale,
    variables: Option<Variables>,
) -> Result<Bound> {
    let locale = &with_names(catalog, locale);
    let mut binder = QueryBinder::new(statement, catalog, parameter_types, locale);
    binder.context.variables = variables.map(Arc::new);
    bind_by(binder, statement).map(|(bound, _)| bound)
}

/// Binds a statement; also says what became of its open literals, if all are left open.
fn bind_by(
    binder: QueryBinder<'_>,
    statement: &ParsedStatement,
) -> Result<(Bound, Option<Vec<OpenUse>>)> {
    let catalog = binder.statement.catalog;
    let mut binder = StatementBinder::new(binder);
    let bound = binder.parsed(&statement.statement, &statement.command);
    let StatementBinder {
        query: mut binder,
        outside_block,
    } = binder;
    let bound = bound.and_then(|bound| binder.with_changes(bound));
    meter::refusal()?;
    let bound = bound.map_err(|error| catalog.named_types(error))?;
    if !binder.outputs.calls.is_empty() || binder.outputs.has_pending_calls {
        check_calls(&bound)?;
    }
    let opened = binder.are_open();
    let opened = opened.then(|| core::mem::take(&mut binder.outputs.open));
    let parameters = binder
        .outputs
        .parameters
        .into_iter()
        .zip(1..)
        .map(|(ty, number)| {
            ty.ok_or_else(|| {
                Error::new(
                    SqlState::INDETERMINATE_DATATYPE,
                    format!("could not determine data type of parameter ${number}"),
                )
            })
        })
        .collect::<Result<Vec<LogicalType>>>()?;
    let bound = Bound {
        statement: bound,
        parameters,
        reads_locale: binder.outputs.reads_locale,
        reads_settings: binder.outputs.reads_settings,
        outside_block,
        calls: binder.outputs.calls,
        has_pending_calls: binder.outputs.has_pending_calls,
        found: binder.outputs.found.into_inner(),
        messages: binder.outputs.messages,
    };
    Ok((bound, opened))
}

/// Refuses statements before which no function can run.
pub fn check_calls(statement: &Statement) -> Result<()> {
    match statement {
        Statement::Query(_)
        | Statement::Call(_)
        | Statement::Insert(_)
        | Statement::Update(_)
        | Statement::Delete(_)
        | Statement::Merge(_) => Ok(()),
        _ => Err(Error::unsupported(
            "a function in PL/pgSQL, or of several statements, in this statement",
        )),
    }
}

/// The locale with the names of a catalog.
pub fn with_names(catalog: &Arc<Catalog>, locale: &Locale) -> Locale {
    Locale {
        enums: catalog.enums().cloned(),
        names: Some(names_of(catalog)),
        ..locale.clone()
    }
}
