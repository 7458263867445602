//! The constructors of SQL/JSON, IS JSON, and subscripts of jsonb.

use sqlparser::ast::{
    AccessExpr, DataType, Expr as Ast, Function as AstFunction, FunctionArg, FunctionArgExpr,
    FunctionArgOperator, FunctionArgumentClause, FunctionArguments, JsonKeyUniqueness,
    JsonNullClause, JsonPredicateType, OrderByExpr, Subscript,
};
use varve_expr::{Expr, fold};
use varve_parser::marker::{FORMAT_JSON, JSON_ROWS, UNIQUE_KEYS};
use varve_types::{Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::bind::aggregate::AggregateSyntax;
use crate::bind::array::{RowsOf, form};
use crate::bind::expr::ExprScope;
use crate::bind::literal::{CastContext, Operand, literal};
use crate::bind::names::simple_name;
use crate::bind::{Binder, located, unsupported_at};

const JSON: LogicalType = LogicalType::Json;
const JSONB: LogicalType = LogicalType::Jsonb;

/// A constructor as it is written.
#[derive(Default)]
struct Constructor<'a> {
    keys: Vec<&'a Ast>,
    values: Vec<&'a Ast>,
    /// ABSENT ON NULL, or NULL ON NULL.
    absent: Option<bool>,
    unique: bool,
    returning: Option<&'a DataType>,
    order: &'a [OrderByExpr],
}

/// The parts of a call; `None` for one of the function `json_object(text[])`.
fn constructor(args: &FunctionArguments) -> Option<Constructor<'_>> {
    let FunctionArguments::List(list) = args else {
        return None;
    };
    let mut parts = Constructor::default();
    for arg in &list.args {
        match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => parts.values.push(value),
            FunctionArg::ExprNamed {
                name: Ast::Identifier(name),
                operator: FunctionArgOperator::RightArrow,
                ..
            } if name.value == UNIQUE_KEYS => parts.unique = true,
            FunctionArg::ExprNamed {
                name,
                arg: FunctionArgExpr::Expr(value),
                operator: FunctionArgOperator::Colon | FunctionArgOperator::Value,
            } => {
                parts.keys.push(name);
                parts.values.push(value);
            }
            _ => return None,
        }
    }
    for clause in &list.clauses {
        match clause {
            FunctionArgumentClause::JsonNullClause(clause) => {
                parts.absent = Some(matches!(clause, JsonNullClause::AbsentOnNull));
            }
            FunctionArgumentClause::JsonReturningClause(returning) => {
                parts.returning = Some(&returning.data_type);
            }
            FunctionArgumentClause::OrderBy(keys) => parts.order = keys,
            _ => return None,
        }
    }
    Some(parts)
}

impl Binder<'_> {
    /// A call of a constructor, or of a form that only they have; `None` for any other call.
    pub(crate) fn json_constructor(
        &mut self,
        name: &str,
        ast: &AstFunction,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Option<Operand>> {
        if name == FORMAT_JSON {
            return self.format_json(ast, position, scope).map(Some);
        }
        let is_object = match name {
            "json_object" | "json_objectagg" => true,
            "json_array" | "json_arrayagg" => false,
            _ => return Ok(None),
        };
        let Some(parts) = constructor(&ast.args) else {
            return Ok(None);
        };
        let keyed = parts.keys.len() == parts.values.len();
        if is_object != keyed && !parts.values.is_empty() {
            return Ok(None);
        }
        let made = if name.ends_with("agg") {
            self.json_aggregate(is_object, &parts, ast, position, scope)?
        } else if let [Ast::Function(rows)] = parts.values.as_slice()
            && simple_name(&rows.name).as_deref() == Some(JSON_ROWS)
            && let FunctionArguments::Subquery(query) = &rows.args
        {
            let position = self.source.name(&rows.name);
            let name = aggregate_name(&parts, is_object, self.returns_jsonb(&parts)?);
            self.array_of_rows(query, RowsOf::Json(name), position, scope)?
        } else {
            self.json_value(is_object, &parts, position, scope)?
        };
        self.returned(made, &parts, position).map(Some)
    }

    /// `JSON_OBJECT`, `JSON_ARRAY`.
    fn json_value(
        &mut self,
        is_object: bool,
        parts: &Constructor<'_>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut is_jsonb = self.returns_jsonb(parts)?;
        let mut args = Vec::with_capacity(parts.values.len() * 2 + 2);
        let mut keys = parts.keys.iter();
        for value in &parts.values {
            if let Some(key) = keys.next() {
                let key = self.expr(key, scope)?;
                args.push(self.settle(key)?);
            }
            let value = self.expr(value, scope)?;
            is_jsonb |= parts.returning.is_none() && value.ty() == Some(JSONB);
            args.push(self.settle(value)?);
        }
        let absent = parts.absent.unwrap_or(!is_object);
        let flags = i32::from(absent) + 2 * i32::from(parts.unique);
        let ty = if is_jsonb { JSONB } else { JSON };
        args.insert(0, literal(Value::Int4(flags), LogicalType::Int4));
        args.insert(0, literal(Value::Null, ty));
        let name = if is_object {
            "\0json object"
        } else {
            "\0json array"
        };
        form(name, Some(ty), args, position).map(Operand::Known)
    }

    /// `JSON_OBJECTAGG`, `JSON_ARRAYAGG`.
    fn json_aggregate(
        &mut self,
        is_object: bool,
        parts: &Constructor<'_>,
        ast: &AstFunction,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut is_jsonb = self.returns_jsonb(parts)?;
        if let ([Ast::Identifier(_) | Ast::CompoundIdentifier(_)], None) =
            (parts.values.as_slice(), parts.returning)
        {
            // What a column is of decides; what is wrong with it is told below.
            let mut probe = ExprScope::plain(scope.names, "aggregate");
            for value in &parts.values {
                let operand = self.expr(value, &mut probe);
                is_jsonb |= operand.is_ok_and(|operand| operand.ty() == Some(JSONB));
            }
        }
        let name = aggregate_name(parts, is_object, is_jsonb);
        let mut args = parts.keys.clone();
        args.extend(&parts.values);
        let filter = ast.filter.as_deref();
        if let Some(over) = &ast.over {
            return self.window_call(name, &args, filter, over, position, scope);
        }
        let call = AggregateSyntax {
            name,
            args: &args,
            star: false,
            distinct: false,
            order: parts.order,
            within_group: false,
            filter,
            position,
        };
        self.aggregate(call, scope)
    }

    fn returns_jsonb(&self, parts: &Constructor<'_>) -> Result<bool> {
        Ok(match parts.returning {
            Some(returning) => self.data_type(returning, 0)?.0 == JSONB,
            None => false,
        })
    }

    /// What was made in the type of RETURNING.
    fn returned(
        &mut self,
        made: Operand,
        parts: &Constructor<'_>,
        position: u32,
    ) -> Result<Operand> {
        let Some(returning) = parts.returning else {
            return Ok(made);
        };
        let to = self.data_type(returning, position)?;
        if to.0 == LogicalType::Bytea {
            let text = (LogicalType::Text, TypeMod::NONE);
            let text = self.explicit_cast(made, text, position)?;
            let encoding = Operand::Text("utf8".to_owned(), position);
            let bytes = self.named("convert_to", vec![Operand::Known(text), encoding], position)?;
            return Ok(Operand::Known(bytes));
        }
        self.explicit_cast(made, to, position).map(Operand::Known)
    }

    /// A value with FORMAT JSON.
    fn format_json(
        &mut self,
        ast: &AstFunction,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let parts = constructor(&ast.args).unwrap_or_default();
        let [value, encoding @ ..] = parts.values.as_slice() else {
            return Err(Error::internal("FORMAT JSON without a value"));
        };
        let place = self.source.expr(value);
        let operand = self.expr(value, scope)?;
        let ty = operand.ty().unwrap_or(LogicalType::Text);
        let wrong = |message: &str| {
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            Err(located(error, place))
        };
        if ty != LogicalType::Bytea && !encoding.is_empty() {
            return wrong("JSON ENCODING clause is only allowed for bytea input type");
        }
        let text = match ty {
            JSON | JSONB => return Ok(operand),
            LogicalType::Bytea => {
                let mut args = vec![operand];
                args.push(match encoding.first() {
                    Some(encoding) => self.expr(encoding, scope)?,
                    None => Operand::Text("utf8".to_owned(), position),
                });
                Operand::Known(self.named("convert_from", args, position)?)
            }
            ty if ty.is_string() => operand,
            _ => return wrong("cannot use non-string types with explicit FORMAT JSON clause"),
        };
        let to = (JSON, TypeMod::NONE);
        self.explicit_cast(text, to, place).map(Operand::Known)
    }

    /// `x IS [NOT] JSON`.
    pub(crate) fn is_json(
        &mut self,
        input: &Ast,
        kind: Option<&JsonPredicateType>,
        unique: Option<&JsonKeyUniqueness>,
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.source.expr(input);
        let operand = self.expr(input, scope)?;
        let value = self.settle(operand)?;
        let ty = value.logical_type();
        if !ty.is_string() && !matches!(ty, JSON | JSONB | LogicalType::Bytea) {
            let message = format!("cannot use type {ty} in IS JSON predicate");
            return Err(Error::new(SqlState::DATATYPE_MISMATCH, message));
        }
        let kind = match kind {
            None | Some(JsonPredicateType::Value) => 0,
            Some(JsonPredicateType::Object) => 1,
            Some(JsonPredicateType::Array) => 2,
            Some(JsonPredicateType::Scalar) => 3,
        };
        let unique = matches!(unique, Some(JsonKeyUniqueness::WithUniqueKeys));
        let wanted = Value::Int4(kind + 4 * i32::from(unique));
        let args = vec![value, literal(wanted, LogicalType::Int4)];
        let test = form("\0is json", None, args, position)?;
        Ok(Operand::Known(match negated {
            true => Expr::Not(Box::new(test)),
            false => test,
        }))
    }

    /// The steps that subscripts of a jsonb value are: integers, or text.
    pub(crate) fn json_steps(
        &mut self,
        subscripts: &[AccessExpr],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Expr>> {
        let mut steps = Vec::with_capacity(subscripts.len());
        for subscript in subscripts {
            let index = match subscript {
                AccessExpr::Subscript(Subscript::Index { index }) => index,
                AccessExpr::Subscript(Subscript::Slice {
                    lower_bound,
                    upper_bound,
                    ..
                }) => {
                    let bound = upper_bound.as_ref().or(lower_bound.as_ref());
                    let place = bound.map_or(position, |bound| self.source.expr(bound));
                    let message = "jsonb subscript does not support slices";
                    let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
                    return Err(located(error, place));
                }
                AccessExpr::Dot(_) => return Err(unsupported_at("a field of jsonb", position)),
            };
            let place = self.source.expr(index);
            let operand = self.expr(index, scope)?;
            let from = operand.ty();
            let to = match from {
                Some(LogicalType::Int2 | LogicalType::Int4) => LogicalType::Int4,
                Some(ty) if !ty.is_string() => {
                    let message = format!("subscript type {ty} is not supported");
                    let hint = "jsonb subscript must be coercible to either integer or text.";
                    let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
                    return Err(located(error, place).with_hint(hint));
                }
                _ => LogicalType::Text,
            };
            let step = self.convert(operand, to, CastContext::Implicit, place)?;
            steps.extend(step.map(fold));
        }
        Ok(steps)
    }

    /// `json['key'][0]`.
    pub(crate) fn json_subscript(
        &mut self,
        base: Operand,
        subscripts: &[AccessExpr],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut args = vec![base];
        for step in self.json_steps(subscripts, position, scope)? {
            let text = (LogicalType::Text, TypeMod::NONE);
            let step = self.explicit_cast(Operand::Known(step), text, position)?;
            args.push(Operand::Known(step));
        }
        let reached = self.named("jsonb_extract_path", args, position)?;
        Ok(Operand::Known(fold(reached)))
    }
}

/// The aggregate that a constructor is.
fn aggregate_name(parts: &Constructor<'_>, is_object: bool, is_jsonb: bool) -> &'static str {
    let absent = parts.absent.unwrap_or(!is_object);
    match (is_object, parts.unique, absent, is_jsonb) {
        (false, _, false, false) => "json_agg",
        (false, _, false, true) => "jsonb_agg",
        (false, _, true, false) => "json_agg_strict",
        (false, _, true, true) => "jsonb_agg_strict",
        (true, false, false, false) => "json_object_agg",
        (true, false, false, true) => "jsonb_object_agg",
        (true, false, true, false) => "json_object_agg_strict",
        (true, false, true, true) => "jsonb_object_agg_strict",
        (true, true, false, false) => "json_object_agg_unique",
        (true, true, false, true) => "jsonb_object_agg_unique",
        (true, true, true, false) => "json_object_agg_unique_strict",
        (true, true, true, true) => "jsonb_object_agg_unique_strict",
    }
}
