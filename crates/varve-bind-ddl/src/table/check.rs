//! Expressions that a table's definition holds: defaults, generated columns, CHECK constraints.

use varve_ast::{Expr as Ast, ExprKind, Name};
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::expr_codec::{self, depth};
use varve_catalog::model::index_expression::is_immutable;
use varve_catalog::model::table::{CheckDef, ColumnDef, Filled, TableDef, made_name};
use varve_expr::Expr;
use varve_expr::walk::{for_each_child, for_each_column, without_positions};
use varve_plan::build::operand::Operand;
use varve_plan::build::table::target_scope;
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState, TypeMod};

use crate::binder::DdlBinder;

/// Longest expression of a definition as it is stored.
const EXPRESSION_BYTES_MAX: usize = 32 << 10;

impl DdlBinder<'_, '_> {
    /// Refuses what a column has already.
    pub fn once(
        &self,
        is_there: bool,
        what: &str,
        column: &str,
        table: &str,
        position: u32,
    ) -> Result<()> {
        if is_there {
            let many = match what.starts_with("both") {
                true => "",
                false => "multiple ",
            };
            // As PostgreSQL words it.
            let specified = match what.ends_with("specifications") {
                true => "",
                false => " specified",
            };
            let message =
                format!("{many}{what}{specified} for column \"{column}\" of table \"{table}\"");
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        }
        Ok(())
    }

    /// The DEFAULT of a column.
    pub fn default_of(&mut self, ast: &Ast, column: &ColumnDef) -> Result<Option<Expr>> {
        let names = Scope::default();
        let mut scope = ExprScope::plain(&names, "DEFAULT expressions");
        let position = self.query.at(ast.span);
        let operand = self.query.expr(ast, &mut scope).map_err(|error| {
            let is_name = matches!(ast.kind, ExprKind::Column(_));
            if is_name || error.state() == SqlState::UNDEFINED_COLUMN {
                let message = "cannot use column reference in DEFAULT expression";
                let place = error.position().unwrap_or(position);
                return located(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message), place);
            }
            error
        })?;
        let from = operand.ty();
        // What the column's length makes of a value is not shown.
        let operand = match operand {
            text @ Operand::Text(..)
                if column.ty.is_string() || column.ty == LogicalType::Numeric =>
            {
                Operand::Known(self.query.explicit_cast(
                    text,
                    (column.ty, TypeMod::NONE),
                    position,
                )?)
            }
            other => other,
        };
        let expr = self.query.assign_as_written(operand, column, position);
        let expr = expr.map_err(|error| match (error.state(), from) {
            (SqlState::DATATYPE_MISMATCH, Some(from)) => {
                let message = format!(
                    "column \"{}\" is of type {} but default expression is of type {from}",
                    column.name, column.ty
                );
                Error::new(SqlState::DATATYPE_MISMATCH, message)
                    .with_hint("You will need to rewrite or cast the expression.")
            }
            _ => error,
        })?;
        let expr = self.stored(as_shown(expr), position)?;
        let is_null = matches!(&expr, Expr::Literal { value, .. } if value.is_null());
        Ok((!is_null).then_some(expr))
    }

    /// What a generated column is computed by.
    pub fn generated_by(
        &mut self,
        ast: &Ast,
        table: &TableDef,
        column: &ColumnDef,
    ) -> Result<Expr> {
        let position = self.query.at(ast.span);
        let names = target_scope(table, None);
        let mut scope = ExprScope::plain(&names, "column generation expressions");
        let operand = self.query.expr(ast, &mut scope)?;
        for (used, position) in &scope.uses {
            let used = table.columns.get(*used);
            if let Some(used) = used.filter(|used| used.filled == Filled::Generated) {
                let message = format!(
                    "cannot use generated column \"{}\" in column generation expression",
                    used.name
                );
                let error = Error::new(SqlState::INVALID_OBJECT_DEFINITION, message)
                    .with_detail("A generated column cannot reference another generated column.");
                return Err(located(error, *position));
            }
        }
        let expr = self.query.assign(operand, column, position)?;
        if !is_immutable(&expr) {
            let message = "generation expression is not immutable";
            return Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
        }
        self.stored(expr, position)
    }

    /// A CHECK constraint; `others` have names already.
    pub fn check_constraint(
        &mut self,
        table: &TableDef,
        name: Option<&Name>,
        ast: &Ast,
        others: &[CheckDef],
    ) -> Result<CheckDef> {
        let position = self.query.at(ast.span);
        let names = target_scope(table, None);
        let mut scope = ExprScope::plain(&names, "check constraints");
        let operand = self.query.expr(ast, &mut scope)?;
        let expr = varve_expr::fold(self.query.condition(operand, "CHECK", position)?);
        let expr = self.stored(expr, position)?;
        let name = match name {
            Some(ident) => self.query.new_name(ident)?,
            None => {
                let mut columns = Vec::new();
                for_each_column(&expr, &mut |column| {
                    if !columns.contains(&column) {
                        columns.push(column);
                    }
                });
                let column = match columns.as_slice() {
                    [column] => table.given_name(*column),
                    _ => String::new(),
                };
                let taken = |name: &str| {
                    others.iter().any(|other| other.name == name) || table.has_constraint(name)
                };
                free([&table.name, &column], "check", &taken)
            }
        };
        Ok(CheckDef { name, expr })
    }

    /// An expression as the catalog keeps it.
    pub fn stored(&self, mut expr: Expr, position: u32) -> Result<Expr> {
        if has_parameter(&expr) {
            let message = "there is no parameter $1";
            let error = Error::new(SqlState::UNDEFINED_PARAMETER, message);
            return Err(located(error, position));
        }
        without_positions(&mut expr);
        let mut bytes = Vec::new();
        let fits = depth(&expr) <= expr_codec::DEPTH_MAX
            && expr_codec::put_expr(&mut bytes, &expr).is_ok()
            && bytes.len() <= EXPRESSION_BYTES_MAX;
        if !fits {
            let message = "this expression is too complex for a table's definition";
            let error = Error::new(SqlState::STATEMENT_TOO_COMPLEX, message);
            return Err(located(error, position));
        }
        Ok(expr)
    }
}

/// A name made of others, with a number behind it if it is taken.
pub fn free(of: [&str; 2], label: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut name = made_name(of, label);
    let mut number = 0;
    while taken(&name) {
        number += 1;
        name = made_name(of, &format!("{label}{number}"));
    }
    name
}

/// A default as it is kept: as it is written, which the catalog shows; a number below zero is a
/// plain value.
fn as_shown(expr: Expr) -> Expr {
    let folded = varve_expr::fold(expr.clone());
    if matches!(&folded, Expr::Literal { value, .. } if value.is_null()) {
        return folded;
    }
    match expr {
        Expr::Cast {
            input,
            to,
            modifier,
            explicit: false,
            position,
        } => Expr::Cast {
            input: Box::new(as_shown(*input)),
            to,
            modifier,
            explicit: false,
            position,
        },
        Expr::Call { function, args, .. }
            if matches!(args.as_slice(), [Expr::Literal { .. }])
                && function.is_operator()
                && function.name() == "-" =>
        {
            folded
        }
        other => other,
    }
}

fn has_parameter(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Parameter { .. });
    for_each_child(expr, &mut |child| found |= has_parameter(child));
    found
}
