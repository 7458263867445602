//! What the names in the texts of functions and triggers mean.

use std::sync::Arc;

use varve_bind_query::context::binder::QueryBinder;
use varve_bind_query::context::variables::{Variable, Variables, row_variables};
use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::table::TableDef;
use varve_catalog::model::view::ViewDef;
use varve_catalog::text::kept_text::NameUse;
use varve_expr::{DEFAULT_LOCALE, Expr, Locale, Parameter};
use varve_parser::ParsedStatement;
use varve_plan::plan::Query;
use varve_plan::scope::syntax::view_query;
use varve_types::{Error, Result};

use crate::binder::StatementBinder;
use crate::following::names_of;

/// What the names in a statement of a function mean, or in a condition or default, with these
/// names for values.
pub fn uses_of_piece(
    catalog: &Catalog,
    piece: &ParsedStatement,
    variables: &Variables,
    defined: Option<&Arc<FunctionDef>>,
) -> Result<Vec<NameUse>> {
    let bound = bound_by(catalog, |locale| {
        let mut binder = QueryBinder::new(piece, catalog, &[], locale);
        binder.outputs.uses = Some(Vec::new()).into();
        binder.context.is_defining = true;
        binder.context.defined = defined.cloned();
        binder.context.variables = Some(Arc::new(variables.clone()));
        let mut binder = StatementBinder::new(binder);
        binder.parsed(&piece.statement, &piece.command)?;
        Ok(binder.query.outputs.uses.take().unwrap_or_default())
    });
    bound.map_err(Error::without_position)
}

/// The arguments of a function as names in its body.
pub fn argument_names(def: &FunctionDef) -> Variables {
    let inputs = def.inputs().enumerate();
    let values = inputs.map(|(index, argument)| Variable {
        qualifier: def.name.clone(),
        name: argument.name.clone(),
        is_plain: true,
        value: Expr::Parameter {
            parameter: Parameter::Given(index),
            ty: argument.ty,
        },
    });
    let values: Vec<Variable> = values.collect();
    let count = values.len();
    Variables::new(values, count)
}

/// The columns of a table as those of NEW and OLD.
pub fn row_names(table: &TableDef) -> Variables {
    let mut variables = row_variables(table, "new");
    variables.extend(row_variables(table, "old"));
    let values = variables.into_iter().enumerate();
    let values = values.map(|(index, variable)| Variable {
        qualifier: variable.qualifier,
        name: variable.name,
        is_plain: false,
        value: Expr::Parameter {
            parameter: Parameter::Given(index),
            ty: variable.ty,
        },
    });
    Variables::new(values.collect(), 0)
}

/// Binds under a locale with the names of a catalog's types; with all of its names only where
/// that fails without, since they cost a copy of it.
pub fn bound_by<T>(catalog: &Catalog, bind: impl Fn(&Locale) -> Result<T>) -> Result<T> {
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
pub fn uses_of_view(
    catalog: &Catalog,
    view: &Arc<ViewDef>,
    is_new: bool,
) -> Result<(Vec<NameUse>, Query)> {
    let parsed = view.parsed()?;
    let ast = view_query(&parsed)?;
    bound_by(catalog, |locale| {
        let mut binder = QueryBinder::new(&parsed, catalog, &[], locale);
        binder.outputs.uses = Some(Vec::new()).into();
        binder.context.is_defining = true;
        if !is_new {
            binder.context.view = Some(Arc::clone(view));
        }
        let query = binder.query(ast, None)?;
        Ok((binder.outputs.uses.take().unwrap_or_default(), query))
    })
}
