//! Expressions.

use sqlparser::ast::{
    CaseWhen, CastKind, Expr as Ast, Ident, NamedWindowDefinition, ObjectNamePart,
    Value as AstValue,
};
use varve_expr::{Expr, common_type};
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::bind::array::quantified_pattern;
use crate::bind::interval::literal_modifier;
use crate::bind::literal::{CastContext, Operand, literal, number};
use crate::bind::names::fold_name;
use crate::bind::operator::Infix;
use crate::bind::row::{is_null, row_of};
use crate::bind::set_function::{count_sets, refuse_sets};
use crate::bind::subquery::Subquery;
use crate::bind::window::WindowUse;
use crate::bind::{Binder, located, unsupported_at};
use crate::kept_text::Meaning;
use crate::pg_catalog::DATABASE;
use crate::plan::{AggregateCall, SetCall};
use crate::schema::RelationName;
use crate::scope::Scope;

/// What an expression may use, and what it was seen to use.
#[derive(Debug)]
pub(crate) struct ExprScope<'a> {
    pub(crate) names: &'a Scope,
    /// The clause, for errors about aggregates: `WHERE`, `JOIN conditions`.
    pub(crate) clause: &'static str,
    /// The aggregates called so far; `None` where they are not allowed.
    pub(crate) aggregates: Option<Vec<AggregateCall>>,
    /// Columns used outside aggregates, with their positions.
    pub(crate) uses: Vec<(usize, u32)>,
    /// The subqueries met so far; `None` where they are not supported.
    pub(crate) subqueries: Option<Vec<Subquery>>,
    /// The calls of window functions; `None` where they are not allowed.
    pub(crate) windows: Option<Vec<WindowUse>>,
    /// The windows that have names.
    pub(crate) window_definitions: &'a [NamedWindowDefinition],
    /// The calls of set-returning functions; `None` where they are not allowed.
    pub(crate) sets: Option<Vec<SetCall>>,
    /// The arguments of each `grouping()`.
    pub(crate) groupings: Vec<(Vec<Expr>, u32)>,
}

impl<'a> ExprScope<'a> {
    /// A clause that allows no aggregates.
    pub(crate) fn plain(names: &'a Scope, clause: &'static str) -> ExprScope<'a> {
        ExprScope {
            names,
            clause,
            aggregates: None,
            uses: Vec::new(),
            subqueries: None,
            windows: None,
            window_definitions: &[],
            sets: None,
            groupings: Vec::new(),
        }
    }

    /// A clause that allows subqueries but no aggregates.
    pub(crate) fn with_subqueries(names: &'a Scope, clause: &'static str) -> ExprScope<'a> {
        ExprScope {
            subqueries: Some(Vec::new()),
            ..ExprScope::plain(names, clause)
        }
    }

    /// The subqueries met so far.
    pub(crate) fn take_subqueries(&mut self) -> Vec<Subquery> {
        self.subqueries.take().unwrap_or_default()
    }
}

/// What stands in parentheses, however many there are.
fn inside(mut ast: &Ast) -> &Ast {
    while let Ast::Nested(inner) = ast {
        ast = inner;
    }
    ast
}

fn is_coalesce(part: &ObjectNamePart) -> bool {
    part.as_ident()
        .is_some_and(|name| name.value.eq_ignore_ascii_case("coalesce"))
}

impl Binder<'_> {
    /// An expression as a folded condition of a clause.
    pub(crate) fn filter(&mut self, ast: &Ast, scope: &mut ExprScope<'_>) -> Result<Expr> {
        let clause = scope.clause;
        let operand = self.expr(ast, scope)?;
        let expr = self.condition(operand, clause, self.source.expr(ast))?;
        Ok(varve_expr::fold_condition(expr))
    }

    /// Any expression.
    pub(crate) fn expr(&mut self, ast: &Ast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let ast = inside(ast);
        let kib = match ast {
            Ast::Function(_) => 5,
            _ => 3,
        };
        self.take_stack(kib, self.source.expr(ast))?;
        let sets = count_sets(scope);
        let operand = self.bound_expr(ast, scope);
        self.stack_kib -= kib;
        // What is not computed for each row cannot give rows.
        match ast {
            Ast::Case { .. } => refuse_sets(scope, sets, "CASE")?,
            Ast::Function(call) if call.name.0.iter().any(is_coalesce) => {
                refuse_sets(scope, sets, "COALESCE")?;
            }
            _ => {}
        }
        operand
    }

    fn bound_expr(&mut self, ast: &Ast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let known = |expr| Ok(Operand::Known(expr));
        if let Some(fields) = row_of(ast) {
            let position = self.source.expr(ast);
            return match self.reads_rows {
                true => self.written_row(&fields, position, scope),
                false => self.row_value(&fields, position, scope),
            };
        }
        match ast {
            Ast::Identifier(ident)
                if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("default") =>
            {
                let message = "DEFAULT is not allowed in this context";
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                Err(located(error, self.source.ident(ident)))
            }
            Ast::Identifier(ident) => {
                self.column(None, &fold_name(ident), self.source.ident(ident), scope)
            }
            Ast::CompoundIdentifier(parts) => match parts.as_slice() {
                [function, argument, field]
                    if let Some(Operand::Known(row)) = self.variable(
                        Some(&fold_name(function)),
                        &fold_name(argument),
                        self.source.ident(function),
                    )? =>
                {
                    let position = self.source.ident(function);
                    self.attribute(row, &fold_name(field), position, scope)
                }
                [only] => self.column(None, &fold_name(only), self.source.ident(only), scope),
                [first, .., column] => {
                    let position = self.source.ident(first);
                    if parts.len() > 2 {
                        self.use_name(position, || Meaning::Qualified);
                    }
                    let of = qualifier(parts).map_err(|error| located(error, position))?;
                    self.column(Some(&of), &fold_name(column), position, scope)
                }
                [] => Err(Error::internal("a name without parts")),
            },
            Ast::QualifiedWildcard(name, _) => self.star_row(name, scope),
            Ast::Value(value) => self.value(&value.value, self.source.expr(ast)),
            Ast::BinaryOp { .. } => self.infix_chain(ast, scope),
            Ast::UnaryOp { op, expr } => self.prefix(*op, expr, scope),
            Ast::IsNull(input) | Ast::IsNotNull(input) if row_of(input).is_some() => {
                self.row_is_null(input, matches!(ast, Ast::IsNotNull(_)), scope)
            }
            Ast::IsNull(input) | Ast::IsNotNull(input) => {
                let position = self.source.expr(input);
                let input = self.expr(input, scope)?;
                let input = self.settle(input)?;
                known(is_null(input, matches!(ast, Ast::IsNotNull(_)), position)?)
            }
            Ast::IsUnknown(input) | Ast::IsNotUnknown(input) => {
                let position = self.source.expr(input);
                let input = self.expr(input, scope)?;
                known(Expr::IsNull {
                    input: Box::new(self.condition(input, "IS UNKNOWN", position)?),
                    negated: matches!(ast, Ast::IsNotUnknown(_)),
                })
            }
            Ast::IsTrue(input) => self.is_truth(input, true, false, scope),
            Ast::IsNotTrue(input) => self.is_truth(input, true, true, scope),
            Ast::IsFalse(input) => self.is_truth(input, false, false, scope),
            Ast::IsNotFalse(input) => self.is_truth(input, false, true, scope),
            Ast::IsDistinctFrom(left, right) | Ast::IsNotDistinctFrom(left, right)
                if row_of(left).is_some() || row_of(right).is_some() =>
            {
                let negated = matches!(ast, Ast::IsNotDistinctFrom(..));
                self.row_is_distinct(left, right, negated, scope)
            }
            Ast::IsDistinctFrom(left, right) | Ast::IsNotDistinctFrom(left, right) => {
                let position = self.source.before(self.source.expr(right));
                let left = self.expr(left, scope)?;
                let right = self.expr(right, scope)?;
                let (left, right) = self.comparable("=", left, right, position)?;
                known(Expr::Distinct {
                    left: Box::new(left),
                    right: Box::new(right),
                    negated: matches!(ast, Ast::IsNotDistinctFrom(..)),
                })
            }
            Ast::InList {
                expr,
                list,
                negated,
            } if row_of(expr).is_some() => self.row_in_list(expr, list, *negated, scope),
            Ast::InList {
                expr,
                list,
                negated,
            } => self.in_list(expr, list, *negated, scope),
            Ast::Between {
                expr,
                negated,
                low,
                high,
            } => self.between(expr, low, high, *negated, scope),
            Ast::Like {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            }
            | Ast::ILike {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            } => {
                let name = match (ast, negated) {
                    (Ast::Like { .. }, false) => "~~",
                    (Ast::Like { .. }, true) => "!~~",
                    (_, false) => "~~*",
                    (_, true) => "!~~*",
                };
                let quantified = quantified_pattern(pattern);
                if let Some((array, all)) = quantified.or(any.then_some((pattern, false))) {
                    let op = Infix::Function(name);
                    return self.any_element(expr, op, array, all, scope);
                }
                self.like(name, expr, pattern, escape_char.as_deref(), scope)
            }
            Ast::SimilarTo {
                negated,
                expr,
                pattern,
                escape_char,
            } => self.similar(expr, pattern, escape_char.as_deref(), *negated, scope),
            Ast::Collate { expr, collation } => self.collate(expr, collation, scope),
            Ast::Cast {
                kind: kind @ (CastKind::Cast | CastKind::DoubleColon),
                expr,
                data_type,
                format,
            } => {
                let of_type = self.source.cast_type(format.as_ref());
                let to = self.data_type(data_type, of_type)?;
                // Before the type stands `::`, before the operand CAST.
                let position = match kind {
                    CastKind::DoubleColon => self.source.before(of_type),
                    _ => self.source.before(self.source.expr(expr)),
                };
                let input = match expr.as_ref() {
                    Ast::Array(array) if matches!(to.0, LogicalType::Array(_)) => {
                        self.array(&array.elem, Some(to.0), position, scope)?
                    }
                    other => self.expr(other, scope)?,
                };
                let value = self.explicit_cast(input, to, position)?;
                known(self.as_domain(value, data_type)?)
            }
            Ast::Array(array) => {
                let position = self.source.expr(ast);
                self.array(&array.elem, None, position, scope)
            }
            Ast::CompoundFieldAccess { root, access_chain } => {
                self.access(root, access_chain, scope)
            }
            Ast::TypedString(typed) => {
                let position = self.source.expr(ast);
                let to = self.data_type(&typed.data_type, position)?;
                let input = self.value(&typed.value.value, position)?;
                known(self.explicit_cast(input, to, position)?)
            }
            Ast::Subquery(query) => self.scalar_subquery(query, scope),
            Ast::Exists { subquery, negated } => self.exists(subquery, *negated, scope),
            Ast::InSubquery {
                expr,
                subquery,
                negated,
            } => self.in_subquery(expr, subquery, *negated, scope),
            Ast::AnyOp {
                left,
                compare_op,
                right,
                is_some: _,
            } => self.quantified(left, compare_op, right, false, scope),
            Ast::AllOp {
                left,
                compare_op,
                right,
            } => self.quantified(left, compare_op, right, true, scope),
            Ast::IsJson {
                expr,
                kind,
                unique_keys,
                negated,
            } => self.is_json(expr, kind.as_ref(), unique_keys.as_ref(), *negated, scope),
            Ast::Interval(interval) => {
                let position = self.source.expr(ast);
                let modifier =
                    literal_modifier(interval).map_err(|error| located(error, position))?;
                let input = self.expr(&interval.value, scope)?;
                let to = (LogicalType::Interval, modifier);
                known(self.explicit_cast(input, to, position)?)
            }
            Ast::Case {
                case_token: _,
                end_token: _,
                operand,
                conditions,
                else_result,
            } => self.case(
                operand.as_deref(),
                conditions,
                else_result.as_deref(),
                scope,
            ),
            Ast::Function(function) => self.function(function, scope),
            Ast::Extract { .. }
            | Ast::Ceil { .. }
            | Ast::Floor { .. }
            | Ast::Position { .. }
            | Ast::Substring { .. }
            | Ast::Overlay { .. }
            | Ast::Trim { .. }
            | Ast::AtTimeZone { .. } => self.keyword_function(ast, scope),
            other => Err(unsupported_at(feature_name(other), self.source.expr(other))),
        }
    }

    /// A literal or parameter.
    pub(crate) fn value(&mut self, value: &AstValue, position: u32) -> Result<Operand> {
        Ok(match value {
            AstValue::Number(digits, false) => {
                Operand::Known(number(digits).map_err(|error| located(error, position))?)
            }
            AstValue::SingleQuotedString(text)
            | AstValue::EscapedStringLiteral(text)
            | AstValue::UnicodeStringLiteral(text) => Operand::Text(text.clone(), position),
            AstValue::NationalStringLiteral(text) => Operand::Known(literal(
                Value::Bpchar(text.as_str().into()),
                LogicalType::Bpchar,
            )),
            AstValue::DollarQuotedString(text) => Operand::Text(text.value.clone(), position),
            AstValue::Boolean(truth) => {
                Operand::Known(literal(Value::Boolean(*truth), LogicalType::Boolean))
            }
            AstValue::Null => Operand::Null,
            AstValue::Placeholder(name) => return self.parameter(name, position),
            _ => return Err(unsupported_at("a literal of this kind", position)),
        })
    }

    fn like(
        &mut self,
        name: &str,
        input: &Ast,
        pattern: &Ast,
        escape: Option<&Ast>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.source.before(self.source.expr(pattern));
        let input = self.expr(input, scope)?;
        let mut pattern = self.expr(pattern, scope)?;
        if let Some(escape) = escape {
            let escape = self.expr(escape, scope)?;
            let escaped = self.named("like_escape", vec![pattern, escape], position)?;
            pattern = Operand::Known(escaped);
        }
        Ok(Operand::Known(self.operator(
            name,
            vec![input, pattern],
            position,
        )?))
    }

    fn case(
        &mut self,
        operand: Option<&Ast>,
        conditions: &[CaseWhen],
        otherwise: Option<&Ast>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let input = match operand {
            Some(operand) => Some(self.expr(operand, scope)?),
            None => None,
        };
        let mut tests = Vec::with_capacity(conditions.len());
        let mut results = Vec::with_capacity(conditions.len() + 1);
        for CaseWhen { condition, result } in conditions {
            let position = self.source.expr(condition);
            let condition = self.expr(condition, scope)?;
            tests.push(match &input {
                None => self.condition(condition, "CASE/WHEN", position)?,
                Some(input) => {
                    let op = varve_types::CompareOp::Eq;
                    self.comparison(op, input.clone(), condition, position)?
                }
            });
            results.push(self.expr(result, scope)?);
        }
        let has_otherwise = otherwise.is_some();
        if let Some(otherwise) = otherwise {
            results.push(self.expr(otherwise, scope)?);
            // Of types that convert into one another the first counts, and ELSE comes first.
            results.rotate_right(1);
        }
        let written = conditions.iter().map(|when| &when.result);
        let mut written = otherwise.into_iter().chain(written);
        let places = self.places(&mut written);
        let (results, ty) = self.unify(results, "CASE", &places)?;
        let mut results = results.into_iter();
        let otherwise = if has_otherwise {
            results.next().map(Box::new)
        } else {
            None
        };
        Ok(Operand::Known(Expr::Case {
            branches: tests.into_iter().zip(results).collect(),
            otherwise,
            ty,
        }))
    }

    /// Where expressions stand.
    pub(crate) fn places(&self, exprs: &mut dyn Iterator<Item = &Ast>) -> Vec<u32> {
        exprs.map(|expr| self.source.expr(expr)).collect()
    }

    /// Operands in their common type; `what` wants them so.
    pub(crate) fn unify(
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

/// What an unsupported expression is called.
fn feature_name(ast: &Ast) -> &'static str {
    match ast {
        Ast::RLike { .. } => "RLIKE",
        Ast::JsonAccess { .. } | Ast::IsJson { .. } => "JSON access",
        Ast::Interval(_) => "interval with fields",
        Ast::Tuple(_) | Ast::Struct { .. } => "a row value",
        Ast::GroupingSets(_) | Ast::Cube(_) | Ast::Rollup(_) => "GROUPING SETS, CUBE or ROLLUP",
        Ast::IsNormalized { .. } => "IS NORMALIZED",
        Ast::Wildcard(_) | Ast::QualifiedWildcard(..) => "* in an expression",
        Ast::Cast { .. } | Ast::Convert { .. } => "this form of conversion",
        _ => "this expression",
    }
}

/// The relation that the parts before a column's name mean.
fn qualifier(parts: &[Ident]) -> Result<RelationName> {
    let parts: Vec<String> = parts.iter().map(fold_name).collect();
    let (schema, name) = match parts.as_slice() {
        [table, _] => (None, table),
        [schema, table, _] => (Some(schema), table),
        [database, schema, table, _] if database == DATABASE => (Some(schema), table),
        path => {
            let (state, what) = match path.len() {
                4 => (
                    SqlState::FEATURE_NOT_SUPPORTED,
                    "cross-database references are not implemented",
                ),
                _ => (
                    SqlState::SYNTAX_ERROR,
                    "improper qualified name (too many dotted names)",
                ),
            };
            return Err(Error::new(state, format!("{what}: {}", path.join("."))));
        }
    };
    Ok(RelationName {
        schema: schema.cloned(),
        name: name.clone(),
    })
}
