//! Conditions and marks of strings that are written with words.

use sqlparser::ast::{Expr as Ast, ObjectName};
use varve_types::{Error, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::literal::Operand;
use crate::bind::{Binder, located};
use varve_expr::Expr;

/// Strings are ordered by their bytes in all of these.
const COLLATIONS: [&str; 5] = ["C", "POSIX", "default", "ucs_basic", "C.utf8"];

impl Binder<'_> {
    /// `input [NOT] SIMILAR TO pattern [ESCAPE escape]`.
    pub(crate) fn similar(
        &mut self,
        input: &Ast,
        pattern: &Ast,
        escape: Option<&Ast>,
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.source.before(self.source.expr(pattern));
        let input = self.expr(input, scope)?;
        let mut args = vec![self.expr(pattern, scope)?];
        if let Some(escape) = escape {
            args.push(self.expr(escape, scope)?);
        }
        let pattern = self.named("similar_to_escape", args, position)?;
        let operands = vec![input, Operand::Known(pattern)];
        let name = if negated { "!~" } else { "~" };
        Ok(Operand::Known(self.operator(name, operands, position)?))
    }

    /// `input COLLATE collation`.
    pub(crate) fn collate(
        &mut self,
        input: &Ast,
        collation: &ObjectName,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.source.expr(input);
        let operand = self.expr(input, scope)?;
        let name = collation.0.last().and_then(|part| part.as_ident());
        let name = name.map_or("", |name| name.value.as_str());
        if !COLLATIONS.contains(&name) {
            let message = format!("the collation \"{name}\" is not supported");
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            let hint = "Strings are ordered by their bytes: the collations are \"C\", \"POSIX\" and \
                        \"default\".";
            return Err(located(error, position).with_hint(hint));
        }
        let expr: Expr = self.settle(operand)?;
        let ty = expr.logical_type();
        if !ty.is_string() {
            let message = format!("collations are not supported by type {ty}");
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            return Err(located(error, position));
        }
        Ok(Operand::Known(expr))
    }
}
