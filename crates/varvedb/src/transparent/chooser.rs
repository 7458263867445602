//! The expression that chooses dictionaries.

use std::sync::Arc;

use varve_catalog::text::sql_source::source;
use varve_catalog::{Catalog, TableDef};
use varve_expr::walk::is_volatile;
use varve_expr::{DEFAULT_LOCALE, EvalContext, Expr, Locale, evaluate};
use varve_parser::parse;
use varve_plan::{Bound, Plan, Statement};
use varve_types::{
    Batch, ColumnId, ColumnRef, Error, Result, SqlState, SqlText, StorageMode, Value, sql,
};

use super::config::whole_name;
use crate::shared::planned::Planned;

/// What stands before the expression in the query that it is bound as.
const BEFORE: &str = "SELECT (";

/// An expression over the columns of a table that gives text.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    expr: Expr,
    /// The columns that it reads, by their places in its input.
    reads: Vec<ColumnId>,
}

impl Chooser {
    /// Binds the text of one for a table.
    pub fn new(catalog: &Arc<Catalog>, table: &TableDef, text: &str) -> Result<Chooser> {
        let query = sql![
            BEFORE,
            source(text),
            "\n)::text FROM ONLY ",
            whole_name(catalog, table),
        ];
        let refused = |error: Error| refused_at(error, text);
        // What is no token at all would be left out of the query.
        parse(&[BEFORE, text, "\n)"].concat()).map_err(refused)?;
        let parsed = parse(query.as_str()).map_err(refused)?;
        let [parsed] = parsed.as_slice() else {
            return Err(refused(no_expression()));
        };
        let planned = Planned::new(parsed, catalog, &[], &DEFAULT_LOCALE).map_err(refused)?;
        chooser_of(planned.bound, table).map_err(refused)
    }

    /// The columns that it reads.
    pub fn reads(&self) -> &[ColumnId] {
        &self.reads
    }

    /// The text of it in a query of the table's rows.
    pub fn sql(text: &str) -> SqlText {
        sql!["(", source(text), "\n)::text"]
    }

    /// The keys of rows, of which the columns are given that it reads. A row that it fails on has
    /// none.
    pub fn keys(&self, columns: Vec<ColumnRef>, rows: usize, locale: &Locale) -> Vec<Value> {
        let context = EvalContext {
            params: varve_expr::Parameters::NONE,
            outer: &[],
            locale,
            host: None,
        };
        let batch = Batch::new(columns, rows);
        if let Ok(keys) = evaluate(&self.expr, &batch, &context) {
            return (0..rows).map(|row| keys.value(row)).collect();
        }
        let key = |row| {
            let key = evaluate(&self.expr, &batch.slice(row, 1), &context);
            key.map_or(Value::Null, |key| key.value(0))
        };
        (0..rows).map(key).collect()
    }
}

fn chooser_of(bound: Bound, table: &TableDef) -> Result<Chooser> {
    let asks_session = bound.has_calls() || bound.reads_settings;
    let Statement::Query(query) = bound.statement else {
        return Err(no_expression());
    };
    if query.fields.len() != 1 || !bound.parameters.is_empty() {
        return Err(no_expression());
    }
    let (input, expr) = match query.plan {
        Plan::Project { input, mut exprs } => (*input, exprs.pop()),
        plan => (plan, None),
    };
    let scan = match input {
        Plan::Scan(scan) if scan.predicates.is_empty() => scan,
        other => return Err(not_of_a_row(&other)),
    };
    let first = scan.types.first();
    let expr = expr.or_else(|| {
        Some(Expr::Column {
            index: 0,
            ty: *first?,
        })
    });
    let expr = expr.ok_or_else(no_expression)?;
    if is_volatile(&expr) {
        return Err(refusal("volatile functions"));
    }
    if asks_session {
        return Err(refusal("functions that ask the session or run statements"));
    }
    let mut reads = Vec::with_capacity(scan.columns.len());
    for at in scan.columns {
        let column = table.columns.get(at).ok_or_else(no_expression)?;
        if column.storage.mode == StorageMode::ContentAddressed {
            return Err(refusal("content-addressed columns"));
        }
        reads.push(column.id);
    }
    Ok(Chooser { expr, reads })
}

/// Why a plan is none of one row after another.
fn not_of_a_row(plan: &Plan) -> Error {
    match plan {
        Plan::Aggregate { .. } => refusal("aggregate functions"),
        Plan::Join(_) | Plan::With(_) => refusal("subqueries"),
        Plan::Append { .. } | Plan::SetOperation(_) => no_expression(),
        _ => refusal("window functions, functions that return sets, or subqueries"),
    }
}

fn refusal(what: &str) -> Error {
    let message = format!("{what} are not allowed");
    let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
    error.with_hint("It is an expression over the columns of one row.")
}

fn no_expression() -> Error {
    Error::new(SqlState::SYNTAX_ERROR, "it is no expression")
}

/// The error with its place in the expression.
fn refused_at(error: Error, text: &str) -> Error {
    let before = u32::try_from(BEFORE.len()).unwrap_or_default();
    let message = format!("dict_chooser: {}", error.message());
    let at = error
        .position()
        .map(|position| position.saturating_sub(before));
    let error = error.without_position().with_message(message);
    match at {
        Some(at) if error.fields().detail.is_none() => {
            error.with_detail(format!("At character {at} of the expression: {text}"))
        }
        _ => error,
    }
}
