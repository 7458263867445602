//! Conditions and marks of strings that are written with words.

use varve_ast::{Expr as Ast, Like, Name, ObjectName};
use varve_expr::Expr;
use varve_plan::build::operand::Operand;
use varve_plan::scope::error::located;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

/// Strings are ordered by their bytes in all of these.
const COLLATIONS: [&str; 5] = ["C", "POSIX", "default", "ucs_basic", "C.utf8"];

impl QueryBinder<'_> {
    /// `input [NOT] SIMILAR TO pattern [ESCAPE escape]`.
    pub fn similar(&mut self, like: &Like, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.at(like.operator);
        let input = self.expr(&like.operand, scope)?;
        let mut args = vec![self.expr(&like.pattern, scope)?];
        if let Some(escape) = &like.escape {
            args.push(self.expr(escape, scope)?);
        }
        let pattern = self.named("similar_to_escape", args, position)?;
        let operands = vec![input, Operand::Known(pattern)];
        let name = if like.is_negated { "!~" } else { "~" };
        Ok(Operand::Known(self.operator(name, operands, position)?))
    }

    /// `input COLLATE collation`.
    pub fn collate(
        &mut self,
        input: &Ast,
        collation: &ObjectName,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let operand = self.expr(input, scope)?;
        let expr: Expr = self.settle(operand)?;
        self.collation(collation, expr.logical_type(), position)?;
        Ok(Operand::Known(expr))
    }

    /// Refuses a collation that there is not, or that a type cannot have.
    pub fn collation(&self, name: &ObjectName, ty: LogicalType, position: u32) -> Result<()> {
        let Name {
            text, is_quoted, ..
        } = &name.name;
        let is_meant = |known: &str| match is_quoted {
            true => known == text,
            false => known.eq_ignore_ascii_case(text),
        };
        if !COLLATIONS.iter().any(|known| is_meant(known)) {
            return Err(located(unknown_collation(text), position));
        }
        if !ty.is_string() {
            let message = format!("collations are not supported by type {ty}");
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            return Err(located(error, position));
        }
        Ok(())
    }
}

/// What PostgreSQL knows on most machines is not supported; other names it does not know either.
fn unknown_collation(name: &str) -> Error {
    let is_language = |text: &str| matches!(text.len(), 2 | 3) && text.is_ascii();
    let language = name.split(['_', '-', '.', '@']).next().unwrap_or_default();
    if name != "unicode" && !is_language(language) {
        let message = format!("collation \"{name}\" for encoding \"UTF8\" does not exist");
        return Error::new(SqlState::UNDEFINED_OBJECT, message);
    }
    let message = format!("the collation \"{name}\" is not supported");
    let hint = "Strings are ordered by their bytes: the collations are \"C\", \"POSIX\" and \
                \"default\".";
    Error::new(SqlState::FEATURE_NOT_SUPPORTED, message).with_hint(hint)
}
