//! The constructors of SQL/JSON, IS JSON, and subscripts of jsonb.

use varve_ast::{Access, ExprKind, JsonConstructor, JsonKind, JsonNulls, JsonPredicate, JsonValue};
use varve_expr::{Expr, fold};
use varve_plan::build::array::{RowsOf, form};
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::context::arguments::AggregateSyntax;
use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

const JSON: LogicalType = LogicalType::Json;
const JSONB: LogicalType = LogicalType::Jsonb;

impl QueryBinder<'_> {
    /// `JSON_OBJECT`, `JSON_ARRAY`, `JSON_OBJECTAGG`, `JSON_ARRAYAGG`.
    pub fn json_constructor(
        &mut self,
        json: &JsonConstructor,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let around = core::mem::replace(&mut self.context.reads_rows, true);
        let made = self.json_made(json, scope);
        self.context.reads_rows = around;
        made
    }

    fn json_made(&mut self, json: &JsonConstructor, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.at(json.call.name.span());
        let name = json.call.name.name.text.as_str();
        let is_object = is_object(json);
        if (json.entries.iter()).any(|entry| entry.key.is_some() != is_object) {
            return Err(unsupported_at("this clause among arguments", position));
        }
        let made = if name.ends_with("agg") {
            self.json_aggregate(json, position, scope)?
        } else if let Some(query) = &json.query {
            let position = self.at(query.span);
            if json.query_format.is_some() {
                return Err(unsupported_at("a subquery as an argument", position));
            }
            let name = aggregate_name(json, self.returns_jsonb(json)?);
            self.array_of_rows(query, RowsOf::Json(name), position, scope)?
        } else {
            self.json_value(json, position, scope)?
        };
        self.as_returning(made, json, position)
    }

    /// `JSON_OBJECT`, `JSON_ARRAY`.
    fn json_value(
        &mut self,
        json: &JsonConstructor,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut is_jsonb = self.returns_jsonb(json)?;
        let mut args = Vec::with_capacity(json.entries.len() * 2 + 2);
        for entry in &json.entries {
            if let Some(key) = &entry.key {
                let key = self.expr(key, scope)?;
                args.push(self.settle(key)?);
            }
            let value = self.json_operand(&entry.value, scope)?;
            is_jsonb |= json.returning.is_none() && value.ty() == Some(JSONB);
            args.push(self.settle(value)?);
        }
        let flags = i32::from(leaves_nulls_out(json)) + 2 * i32::from(json.unique_keys.is_some());
        let ty = if is_jsonb { JSONB } else { JSON };
        args.insert(0, literal(Value::Int4(flags), LogicalType::Int4));
        args.insert(0, literal(Value::Null, ty));
        let name = match is_object(json) {
            true => "\0json object",
            false => "\0json array",
        };
        form(name, Some(ty), args, position).map(Operand::Known)
    }

    /// `JSON_OBJECTAGG`, `JSON_ARRAYAGG`.
    fn json_aggregate(
        &mut self,
        json: &JsonConstructor,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut is_jsonb = self.returns_jsonb(json)?;
        if let ([entry], None) = (json.entries.as_slice(), &json.returning)
            && entry.value.format.is_none()
            && matches!(entry.value.value.kind, ExprKind::Column(_))
        {
            // What a column is of decides; what is wrong with it is told below.
            let mut probe = ExprScope::plain(scope.names, "aggregate");
            let operand = self.expr(&entry.value.value, &mut probe);
            is_jsonb |= operand.is_ok_and(|operand| operand.ty() == Some(JSONB));
        }
        let call = AggregateSyntax {
            name: aggregate_name(json, is_jsonb),
            args: &[],
            entries: &json.entries,
            call: &json.call,
            position,
        };
        match &json.call.over {
            Some(over) => self.window_call(&call, over, scope),
            None => self.aggregate(&call, scope),
        }
    }

    fn returns_jsonb(&self, json: &JsonConstructor) -> Result<bool> {
        Ok(match &json.returning {
            Some(returning) => self.data_type(returning)?.0 == JSONB,
            None => false,
        })
    }

    /// What was made in the type of RETURNING.
    fn as_returning(
        &mut self,
        made: Operand,
        json: &JsonConstructor,
        position: u32,
    ) -> Result<Operand> {
        let Some(returning) = &json.returning else {
            return Ok(made);
        };
        let to = self.data_type(returning)?;
        if to.0 == LogicalType::Bytea {
            let text = (LogicalType::Text, TypeMod::NONE);
            let text = self.explicit_cast(made, text, position)?;
            let encoding = Operand::Text("utf8".to_owned(), position);
            let bytes = self.named("convert_to", vec![Operand::Known(text), encoding], position)?;
            return Ok(Operand::Known(bytes));
        }
        self.explicit_cast(made, to, position).map(Operand::Known)
    }

    /// A value of JSON, with FORMAT JSON or not.
    pub fn json_operand(
        &mut self,
        written: &JsonValue,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let operand = self.expr(&written.value, scope)?;
        let Some((encoding, format)) = written.format else {
            return Ok(operand);
        };
        let place = self.at(written.value.span);
        let position = self.at(format);
        let ty = operand.ty().unwrap_or(LogicalType::Text);
        let wrong = |message: &str| {
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            Err(located(error, place))
        };
        if ty != LogicalType::Bytea && encoding.is_some() {
            return wrong("JSON ENCODING clause is only allowed for bytea input type");
        }
        let text = match ty {
            JSON | JSONB => return Ok(operand),
            LogicalType::Bytea => {
                let encoding = encoding.unwrap_or("utf8").to_owned();
                let args = vec![operand, Operand::Text(encoding, position)];
                Operand::Known(self.named("convert_from", args, position)?)
            }
            ty if ty.is_string() => operand,
            _ => return wrong("cannot use non-string types with explicit FORMAT JSON clause"),
        };
        let to = (JSON, TypeMod::NONE);
        self.explicit_cast(text, to, place).map(Operand::Known)
    }

    /// `x IS [NOT] JSON`.
    pub fn is_json(&mut self, test: &JsonPredicate, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.at(test.operand.span);
        let operand = self.expr(&test.operand, scope)?;
        let value = self.settle(operand)?;
        let ty = value.logical_type();
        if !ty.is_string() && !matches!(ty, JSON | JSONB | LogicalType::Bytea) {
            let message = format!("cannot use type {ty} in IS JSON predicate");
            return Err(Error::new(SqlState::DATATYPE_MISMATCH, message));
        }
        let kind = match test.kind {
            None | Some(JsonKind::Value) => 0,
            Some(JsonKind::Object) => 1,
            Some(JsonKind::Array) => 2,
            Some(JsonKind::Scalar) => 3,
        };
        let wanted = Value::Int4(kind + 4 * i32::from(test.unique_keys));
        let args = vec![value, literal(wanted, LogicalType::Int4)];
        let is_json = form("\0is json", None, args, position)?;
        Ok(Operand::Known(match test.is_negated {
            true => Expr::Not(Box::new(is_json)),
            false => is_json,
        }))
    }

    /// The steps that subscripts of a jsonb value are: integers, or text.
    pub fn json_steps(
        &mut self,
        subscripts: &[Access],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Expr>> {
        let mut steps = Vec::with_capacity(subscripts.len());
        for subscript in subscripts {
            let index = match subscript {
                Access::Index(index) => index,
                Access::Slice { lower, upper } => {
                    let bound = upper.as_ref().or(lower.as_ref());
                    let place = bound.map_or(position, |bound| self.at(bound.span));
                    let message = "jsonb subscript does not support slices";
                    let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
                    return Err(located(error, place));
                }
                Access::Field(_) | Access::Star(_) => {
                    return Err(unsupported_at("a field of jsonb", position));
                }
            };
            let place = self.at(index.span);
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
    pub fn json_subscript(
        &mut self,
        base: Operand,
        subscripts: &[Access],
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

/// Whether a constructor makes an object, else an array.
fn is_object(json: &JsonConstructor) -> bool {
    json.call.name.name.text.starts_with("json_object")
}

/// ABSENT ON NULL, which is how arrays are made unless something else is said.
fn leaves_nulls_out(json: &JsonConstructor) -> bool {
    match json.nulls {
        Some(nulls) => nulls == JsonNulls::Absent,
        None => !is_object(json),
    }
}

/// The aggregate that a constructor is.
fn aggregate_name(json: &JsonConstructor, is_jsonb: bool) -> &'static str {
    let absent = leaves_nulls_out(json);
    match (
        is_object(json),
        json.unique_keys.is_some(),
        absent,
        is_jsonb,
    ) {
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
