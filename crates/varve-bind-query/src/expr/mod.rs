//! Expressions.

pub mod array;
pub mod composite;
pub mod domain;
pub mod json_call;
pub mod literal;
pub mod open_literal;
pub mod operator;
pub mod record;
pub mod row;
pub mod subquery;
pub mod text;

use varve_ast::{
    Case, Cast, Expr as Ast, ExprKind, IntervalLiteral, Like, LikeKind, Literal, LiteralKind,
    ObjectName, TypedLiteral, When,
};
use varve_catalog::model::schema::DATABASE;
use varve_catalog::model::schema::RelationName;
use varve_catalog::text::interval::literal_modifier;
use varve_catalog::text::kept_text::Meaning;
use varve_expr::{Expr, common_type};
use varve_plan::build::array::RowsOf;
use varve_plan::build::compare::is_null;
use varve_plan::build::operand::{CastContext, Operand, literal, number};
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState, Value};

use crate::context::binder::QueryBinder;
use crate::context::scope::{ExprScope, count_sets, refuse_sets};
use crate::expr::row::row_of;

impl QueryBinder<'_> {
    /// An expression as a folded condition of a clause.
    pub fn filter(&mut self, ast: &Ast, scope: &mut ExprScope<'_>) -> Result<Expr> {
        let clause = scope.clause;
        let operand = self.expr(ast, scope)?;
        let expr = self.condition(operand, clause, self.at(ast.span))?;
        Ok(varve_expr::fold_condition(expr))
    }

    /// Any expression.
    pub fn expr(&mut self, ast: &Ast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let kib = match &ast.kind {
            ExprKind::Call(_) | ExprKind::Json(_) => 5,
            _ => 3,
        };
        self.take_stack(kib, self.at(ast.span))?;
        let sets = count_sets(scope);
        let operand = self.bound_expr(ast, scope);
        self.stack_kib -= kib;
        // What is not computed for each row cannot give rows.
        match &ast.kind {
            ExprKind::Case(_) => refuse_sets(scope, sets, "CASE")?,
            ExprKind::Call(call) if call.name.parts().any(|part| part.text == "coalesce") => {
                refuse_sets(scope, sets, "COALESCE")?;
            }
            _ => {}
        }
        operand
    }

    fn bound_expr(&mut self, ast: &Ast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.at(ast.span);
        self.meet_literal(ast);
        match &ast.kind {
            ExprKind::Null => Ok(Operand::Null),
            ExprKind::Default => {
                let message = "DEFAULT is not allowed in this context";
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                Err(located(error, position))
            }
            ExprKind::Literal(literal) => self.value(literal),
            ExprKind::TypedLiteral(typed) => self.typed_literal(typed),
            ExprKind::Interval(interval) => self.interval(interval, position),
            ExprKind::Parameter(number) => self.parameter(*number, position),
            ExprKind::Column(name) => self.named_column(name, scope),
            ExprKind::TableStar(name) => self.star_row(name, scope),
            ExprKind::Access { root, steps } => self.access(root, steps, scope),
            ExprKind::Prefix { operator, operand } => self.prefix(operator, operand, scope),
            ExprKind::Infix { .. } | ExprKind::And(..) | ExprKind::Or(..) => {
                self.infix_chain(ast, scope)
            }
            ExprKind::Call(call) => self.function(call, scope),
            ExprKind::Special(call) => self.special_call(call, position, scope),
            ExprKind::Json(json) => self.json_constructor(json, scope),
            ExprKind::Case(case) => self.case(case, scope),
            ExprKind::Cast(cast) => self.cast(cast, scope),
            ExprKind::Collate {
                operand,
                collation,
                operator,
            } => self.collate(operand, collation, self.at(*operator), scope),
            ExprKind::AtTimeZone {
                operand,
                zone,
                operator,
            } => self.at_time_zone(operand, zone, self.at(*operator), scope),
            ExprKind::Array(items) => self.array(items, None, position, scope),
            ExprKind::ArraySubquery(query) => {
                self.array_of_rows(query, RowsOf::Array, position, scope)
            }
            ExprKind::Row { fields, .. } => match self.context.reads_rows {
                true => self.written_row(fields, position, scope),
                false => self.row_value(fields, position, scope),
            },
            ExprKind::Subquery(query) => self.scalar_subquery(query, position, scope),
            _ => self.test(ast, scope),
        }
    }

    /// What is true or false: the conditions that are written with words.
    fn test(&mut self, ast: &Ast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        match &ast.kind {
            ExprKind::Not(operand) => self.not(operand, scope),
            ExprKind::IsNull {
                operand,
                is_negated,
            } => self.is_null(operand, *is_negated, scope),
            ExprKind::IsTruth {
                operand,
                truth,
                is_negated,
            } => self.is_truth(operand, *truth, *is_negated, scope),
            ExprKind::IsDistinct {
                left,
                right,
                is_negated,
                operator,
            } => self.is_distinct((left, right), *is_negated, self.at(*operator), scope),
            ExprKind::IsJson(test) => self.is_json(test, scope),
            ExprKind::InList {
                operand,
                items,
                is_negated,
                operator,
            } => match row_of(operand) {
                Some(_) => self.row_in_list(operand, items, *is_negated, scope),
                None => self.in_list((operand, items), *is_negated, self.at(*operator), scope),
            },
            ExprKind::InSubquery(test) => self.in_subquery(test, scope),
            ExprKind::Between(between) => self.between(between, scope),
            ExprKind::Like(like) => self.like(like, scope),
            ExprKind::Quantified(quantified) => self.quantified(quantified, scope),
            ExprKind::Exists(query) => self.exists(query, false, scope),
            ExprKind::IsNormalized { .. } => {
                Err(unsupported_at("IS NORMALIZED", self.at(ast.span)))
            }
            _ => Err(Error::internal("an expression of an unknown kind")),
        }
    }

    /// A column by its name, or what the name means beside columns.
    fn named_column(&mut self, name: &ObjectName, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.at(name.span());
        let column = &name.name.text;
        if name.qualifiers.is_empty() {
            return self.column(None, column, position, scope);
        }
        if let [function, argument] = name.qualifiers.as_slice() {
            let row = self.variable(Some(&function.text), &argument.text, position)?;
            if let Some(Operand::Known(row)) = row {
                return self.attribute(row, column, position, scope);
            }
        }
        if name.qualifiers.len() > 1 {
            self.use_name(position, || Meaning::Qualified);
        }
        let of = qualifier(name).map_err(|error| located(error, position))?;
        self.column(Some(&of), column, position, scope)
    }

    /// A number, string or truth value.
    pub fn value(&mut self, written: &Literal) -> Result<Operand> {
        let position = self.at(written.span);
        let truth = |truth| literal(Value::Boolean(truth), LogicalType::Boolean);
        Ok(match written.kind {
            LiteralKind::Number => {
                Operand::Known(number(&written.text).map_err(|error| located(error, position))?)
            }
            LiteralKind::Text => Operand::Text(written.text.clone(), position),
            LiteralKind::National => Operand::Known(literal(
                Value::Bpchar(written.text.as_str().into()),
                LogicalType::Bpchar,
            )),
            LiteralKind::True => Operand::Known(truth(true)),
            LiteralKind::False => Operand::Known(truth(false)),
            LiteralKind::Bits | LiteralKind::Hex => {
                return Err(unsupported_at("a literal of this kind", position));
            }
        })
    }

    /// `type 'text'`
    fn typed_literal(&mut self, typed: &TypedLiteral) -> Result<Operand> {
        let to = self.data_type(&typed.type_name)?;
        let input = self.value(&typed.literal)?;
        let cast = self.explicit_cast(input, to, self.at(typed.literal.span))?;
        Ok(Operand::Known(cast))
    }

    /// `INTERVAL 'text' fields`
    fn interval(&mut self, interval: &IntervalLiteral, position: u32) -> Result<Operand> {
        let input = self.value(&interval.literal)?;
        let to = (LogicalType::Interval, literal_modifier(interval));
        self.explicit_cast(input, to, position).map(Operand::Known)
    }

    /// `CAST(input AS type)`, `input::type`
    fn cast(&mut self, cast: &Cast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let to = self.data_type(&cast.type_name)?;
        let position = self.at(cast.operator);
        let input = match &cast.operand.kind {
            ExprKind::Array(items) if matches!(to.0, LogicalType::Array(_)) => {
                self.array(items, Some(to.0), position, scope)?
            }
            _ => self.expr(&cast.operand, scope)?,
        };
        let value = self.explicit_cast(input, to, position)?;
        self.as_domain(value, &cast.type_name).map(Operand::Known)
    }

    /// `operand AT TIME ZONE zone`
    fn at_time_zone(
        &mut self,
        operand: &Ast,
        zone: &Ast,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let operands = vec![self.expr(zone, scope)?, self.expr(operand, scope)?];
        self.named("timezone", operands, position)
            .map(Operand::Known)
    }

    /// `NOT input`
    fn not(&mut self, input: &Ast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        if let ExprKind::Exists(query) = &input.kind {
            return self.exists(query, true, scope);
        }
        let operand = self.expr(input, scope)?;
        let condition = self.condition(operand, "NOT", self.at(input.span))?;
        Ok(Operand::Known(Expr::Not(Box::new(condition))))
    }

    /// `input IS [NOT] NULL`
    fn is_null(
        &mut self,
        input: &Ast,
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        if row_of(input).is_some() {
            return self.row_is_null(input, negated, scope);
        }
        let operand = self.expr(input, scope)?;
        let value = self.settle(operand)?;
        is_null(value, negated, self.at(input.span)).map(Operand::Known)
    }

    /// `left IS [NOT] DISTINCT FROM right`
    fn is_distinct(
        &mut self,
        (left, right): (&Ast, &Ast),
        negated: bool,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        if row_of(left).is_some() || row_of(right).is_some() {
            return self.row_is_distinct((left, right), negated, position, scope);
        }
        let left = self.expr(left, scope)?;
        let right = self.expr(right, scope)?;
        let (left, right) = self.comparable("=", left, right, position)?;
        Ok(Operand::Known(Expr::Distinct {
            left: Box::new(left),
            right: Box::new(right),
            negated,
        }))
    }

    /// `input [NOT] LIKE pattern [ESCAPE escape]`, and its likes.
    fn like(&mut self, like: &Like, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let name = match (like.kind, like.is_negated) {
            (LikeKind::Like, false) => "~~",
            (LikeKind::Like, true) => "!~~",
            (LikeKind::Ilike, false) => "~~*",
            (LikeKind::Ilike, true) => "!~~*",
            (LikeKind::Similar, _) => return self.similar(like, scope),
        };
        let position = self.at(like.operator);
        let input = self.expr(&like.operand, scope)?;
        let mut pattern = self.expr(&like.pattern, scope)?;
        if let Some(escape) = &like.escape {
            let escape = self.expr(escape, scope)?;
            let escaped = self.named("like_escape", vec![pattern, escape], position)?;
            pattern = Operand::Known(escaped);
        }
        self.operator(name, vec![input, pattern], position)
            .map(Operand::Known)
    }

    fn case(&mut self, case: &Case, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let input = match &case.operand {
            Some(operand) => Some(self.expr(operand, scope)?),
            None => None,
        };
        let mut tests = Vec::with_capacity(case.whens.len());
        let mut results = Vec::with_capacity(case.whens.len() + 1);
        for When { condition, result } in &case.whens {
            let position = self.at(condition.span);
            let condition = self.expr(condition, scope)?;
            tests.push(match &input {
                None => self.condition(condition, "CASE/WHEN", position)?,
                Some(input) => {
                    self.comparison(CompareOp::Eq, input.clone(), condition, position)?
                }
            });
            results.push(self.expr(result, scope)?);
        }
        if let Some(otherwise) = &case.otherwise {
            results.push(self.expr(otherwise, scope)?);
            // Of types that convert into one another the first counts, and ELSE comes first.
            results.rotate_right(1);
        }
        let written = case.whens.iter().map(|when| &when.result);
        let places = self.places(&mut case.otherwise.iter().chain(written));
        let (results, ty) = self.unify(results, "CASE", &places)?;
        let mut results = results.into_iter();
        let otherwise = match case.otherwise {
            Some(_) => results.next().map(Box::new),
            None => None,
        };
        Ok(Operand::Known(Expr::Case {
            branches: tests.into_iter().zip(results).collect(),
            otherwise,
            ty,
        }))
    }

    /// Where expressions stand.
    pub fn places(&self, exprs: &mut dyn Iterator<Item = &Ast>) -> Vec<u32> {
        exprs.map(|expr| self.at(expr.span)).collect()
    }

    /// Operands in their common type; `what` wants them so.
    pub fn unify(
        &mut self,
        operands: Vec<Operand>,
        what: &str,
        places: &[u32],
    ) -> Result<(Vec<Expr>, LogicalType)> {
        let place = |at: usize| places.get(at).or(places.last()).copied().unwrap_or(0);
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let mismatch = |left: Option<LogicalType>, right: Option<LogicalType>, at: usize| {
            let shown = |ty: Option<LogicalType>| ty.map_or("unknown", LogicalType::name);
            let error = Error::new(
                SqlState::DATATYPE_MISMATCH,
                format!(
                    "{what} types {} and {} cannot be matched",
                    shown(left),
                    shown(right)
                ),
            );
            located(error, place(at))
        };
        let Some(common) = common_type(&types) else {
            let first = types.iter().flatten().next().copied();
            let differs = |ty: &Option<LogicalType>| common_type(&[first, *ty]).is_none();
            let at = types.iter().position(differs).unwrap_or(0);
            return Err(mismatch(first, types.get(at).copied().flatten(), at));
        };
        let mut converted = Vec::with_capacity(operands.len());
        for (at, operand) in operands.into_iter().enumerate() {
            let from = operand.ty();
            let expr = self.convert(operand, common, CastContext::Implicit, place(at))?;
            converted.push(expr.ok_or_else(|| mismatch(Some(common), from, at))?);
        }
        Ok((converted, common))
    }
}

/// The relation that the parts before a column's name mean.
fn qualifier(column: &ObjectName) -> Result<RelationName> {
    let (schema, table) = match column.qualifiers.as_slice() {
        [table] => (None, table),
        [schema, table] => (Some(schema), table),
        [database, schema, table] if database.text == DATABASE => (Some(schema), table),
        qualifiers => {
            let (state, what) = match qualifiers.len() {
                3 => (
                    SqlState::FEATURE_NOT_SUPPORTED,
                    "cross-database references are not implemented",
                ),
                _ => (
                    SqlState::SYNTAX_ERROR,
                    "improper qualified name (too many dotted names)",
                ),
            };
            let parts: Vec<&str> = column.parts().map(|part| part.text.as_str()).collect();
            return Err(Error::new(state, format!("{what}: {}", parts.join("."))));
        }
    };
    Ok(RelationName {
        schema: schema.map(|schema| schema.text.clone()),
        name: table.text.clone(),
    })
}
