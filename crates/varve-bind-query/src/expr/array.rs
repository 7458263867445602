//! Arrays: constructors, subscripts, and comparisons with their elements.

use varve_ast::{Access, Expr as Ast, ExprKind, Quantifier, Query as AstQuery};
use varve_catalog::model::table::ColumnDef;
use varve_expr::{Expr, fold, resolve_operator};
use varve_plan::build::array::{RowsOf, form, gathered};
use varve_plan::build::compare::{Infix, comparison_type, undefined_operator};
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::plan::{Field, Plan, Query};
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{
    ARRAY_DIMENSIONS_MAX, ArrayValue, CompareOp, Error, LogicalType, Result, SqlState, TypeMod,
    Value,
};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

/// The type of what is assigned to a part of a value.
pub fn part_type(ty: LogicalType, subscripts: &[Access]) -> LogicalType {
    match ty {
        LogicalType::Array(element) if !subscripts.is_empty() && !has_slice(subscripts) => {
            element.logical()
        }
        whole => whole,
    }
}

fn has_slice(subscripts: &[Access]) -> bool {
    let slice = |access: &Access| matches!(access, Access::Slice { .. });
    subscripts.iter().any(slice)
}

fn int4(number: i32) -> Expr {
    literal(Value::Int4(number), LogicalType::Int4)
}

/// A part of a column that is assigned.
pub struct AssignedPart<'a> {
    /// The column.
    pub column: &'a ColumnDef,
    /// Where in its value.
    pub subscripts: &'a [Access],
    /// Where it stands in the text.
    pub position: u32,
}

impl QueryBinder<'_> {
    /// `ARRAY[...]`, of a type where a cast gives one.
    pub fn array(
        &mut self,
        items: &[Ast],
        target: Option<LogicalType>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut operands = Vec::with_capacity(items.len());
        let mut is_stack = false;
        for item in items {
            let operand = match &item.kind {
                ExprKind::Array(inner) => self.array(inner, target, position, scope)?,
                _ => self.expr(item, scope)?,
            };
            is_stack |= matches!(item.kind, ExprKind::Array(_));
            is_stack |= matches!(operand.ty(), Some(LogicalType::Array(_)));
            operands.push(operand);
        }
        let of_target = match target {
            Some(LogicalType::Array(element)) => Some(element.logical()),
            _ => None,
        };
        if operands.is_empty() {
            let Some(element) = of_target else {
                let message = "cannot determine type of empty array";
                let error = Error::new(SqlState::INDETERMINATE_DATATYPE, message);
                let hint = "Explicitly cast to the desired type, for example ARRAY[]::integer[].";
                return Err(located(error, position).with_hint(hint));
            };
            let ty = element.array().unwrap_or(element);
            let empty = element
                .element_type()
                .map(|element| ArrayValue::of(element, Vec::new()));
            let value = empty.map_or(Value::Null, |empty| Value::array(&empty));
            return Ok(Operand::Known(literal(value, ty)));
        }
        let (name, wanted) = if is_stack {
            ("\0arrays", target)
        } else {
            ("\0array", of_target)
        };
        let (args, ty) = match wanted {
            None => {
                let places = self.places(&mut items.iter());
                self.unify(operands, "ARRAY", &places)?
            }
            Some(ty) => {
                let mut args = Vec::with_capacity(operands.len());
                for operand in operands {
                    args.push(self.explicit_cast(operand, (ty, TypeMod::NONE), position)?);
                }
                (args, ty)
            }
        };
        let element = match ty {
            LogicalType::Array(element) => element.logical(),
            other => other,
        };
        Ok(Operand::Known(form(name, Some(element), args, position)?))
    }

    /// `ARRAY(SELECT ...)`, `JSON_ARRAY(SELECT ...)`: the rows of one column.
    pub fn array_of_rows(
        &mut self,
        query: &AstQuery,
        of: RowsOf,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let (Query { plan, fields, .. }, outer) = self.subquery(query, scope)?;
        let [Field { ty, .. }] = *fields.as_slice() else {
            let message = "subquery must return only one column";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        };
        self.array_of_plan((plan, ty, outer), of, position, scope)
    }

    /// The rows of a plan of one column, whose slots have these values, as one value.
    pub fn array_of_plan(
        &mut self,
        (plan, ty, outer): (Plan, LogicalType, Vec<(usize, Expr)>),
        of: RowsOf,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let (plan, of_rows) = gathered(plan, ty, of, position)?;
        let rows = self.row_of_subquery(plan, of_rows, outer, scope);
        let LogicalType::Array(element) = of_rows else {
            return Ok(Operand::Known(rows));
        };
        let empty = Value::array(&ArrayValue::of(element, Vec::new()));
        Ok(Operand::Known(Expr::Coalesce {
            args: vec![rows, literal(empty, of_rows)],
            ty: of_rows,
        }))
    }

    /// `a[1]`, `a[1:2][3]`, `(row).field`.
    pub fn access(
        &mut self,
        root: &Ast,
        steps: &[Access],
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.at(root.span);
        let mut steps = steps;
        let mut base = self.expr(root, scope)?;
        while let [first, rest @ ..] = steps {
            match first {
                Access::Field(name) => {
                    let row = self.settle(base)?;
                    base = self.attribute(row, &name.text, position, scope)?;
                    steps = rest;
                }
                Access::Star(_) => return Err(unsupported_at("a field of a value", position)),
                Access::Index(_) | Access::Slice { .. } => {
                    let is_subscript =
                        |step: &&Access| matches!(step, Access::Index(_) | Access::Slice { .. });
                    let count = steps.iter().take_while(is_subscript).count();
                    let (subscripts, rest) = steps.split_at_checked(count).unwrap_or((steps, &[]));
                    base = self.subscript(base, subscripts, position, scope)?;
                    steps = rest;
                }
            }
        }
        Ok(base)
    }

    fn subscript(
        &mut self,
        base: Operand,
        subscripts: &[Access],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        if base.ty() == Some(LogicalType::Jsonb) {
            return self.json_subscript(base, subscripts, position, scope);
        }
        let Some(LogicalType::Array(element)) = base.ty() else {
            let shown = base.ty().map_or("unknown", LogicalType::name);
            let message =
                format!("cannot subscript type {shown} because it does not support subscripting");
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            return Err(located(error, position));
        };
        let base = self.settle(base)?;
        let (is_slice, bounds) = self.bounds(subscripts, position, scope)?;
        let name = if is_slice { "\0slice" } else { "\0element" };
        let mut args = vec![base];
        args.extend(bounds);
        let element = Some(element.logical());
        Ok(Operand::Known(fold(form(name, element, args, position)?)))
    }

    /// The arguments that subscripts are, and whether one of them is a slice: then each is three
    /// arguments, which bounds were written and their values.
    pub fn bounds(
        &mut self,
        subscripts: &[Access],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<(bool, Vec<Expr>)> {
        if subscripts.len() > ARRAY_DIMENSIONS_MAX {
            let message = format!(
                "number of array dimensions ({}) exceeds the maximum allowed \
                 ({ARRAY_DIMENSIONS_MAX})",
                subscripts.len()
            );
            let error = Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message);
            return Err(located(error, position));
        }
        let is_slice = has_slice(subscripts);
        let mut args = Vec::new();
        for subscript in subscripts {
            let (lower, upper) = match subscript {
                Access::Index(index) => (None, Some(index)),
                Access::Slice { lower, upper } => (lower.as_ref(), upper.as_ref()),
                Access::Field(_) | Access::Star(_) => {
                    return Err(unsupported_at("a field of a value", position));
                }
            };
            let is_index = matches!(subscript, Access::Index(_));
            let lower = match lower {
                Some(lower) => Some(self.bound(lower, scope)?),
                // An index among slices is a slice from 1.
                None => is_index.then(|| int4(1)),
            };
            let upper = match upper {
                Some(upper) => Some(self.bound(upper, scope)?),
                None => None,
            };
            if is_slice {
                let written = i32::from(lower.is_some()) + 2 * i32::from(upper.is_some());
                args.push(int4(written));
                args.push(lower.unwrap_or_else(|| int4(0)));
                args.push(upper.unwrap_or_else(|| int4(0)));
            } else {
                args.extend(upper);
            }
        }
        Ok((is_slice, args))
    }

    /// A column's value with a part of it replaced.
    pub fn assign_part(
        &mut self,
        before: Expr,
        part: &AssignedPart<'_>,
        value: Operand,
        scope: &mut ExprScope<'_>,
    ) -> Result<Expr> {
        let AssignedPart {
            column,
            subscripts,
            position,
        } = *part;
        if column.ty == LogicalType::Jsonb {
            let steps = self.json_steps(subscripts, position, scope)?;
            let value = self.assigned_part(value, column, subscripts, position)?;
            let mut args = vec![before, value];
            args.extend(steps);
            return Ok(fold(form("\0assign json", None, args, position)?));
        }
        let LogicalType::Array(element) = column.ty else {
            let message = format!(
                "cannot subscript type {} because it does not support subscripting",
                column.ty
            );
            return Err(Error::new(SqlState::DATATYPE_MISMATCH, message));
        };
        let (is_slice, bounds) = self.bounds(subscripts, position, scope)?;
        let name = if is_slice {
            "\0assign slice"
        } else {
            "\0assign"
        };
        let value = self.assigned_part(value, column, subscripts, position)?;
        let mut args = vec![before, value];
        args.extend(bounds);
        Ok(fold(form(name, Some(element.logical()), args, position)?))
    }

    /// A value in the type of the part of a column that it is for.
    fn assigned_part(
        &mut self,
        value: Operand,
        column: &ColumnDef,
        subscripts: &[Access],
        position: u32,
    ) -> Result<Expr> {
        let to = part_type(column.ty, subscripts);
        let from = value.ty();
        let (modifier, context) = (column.modifier, CastContext::Assignment);
        let value = self.convert_bounded(value, to, modifier, context, position)?;
        value.map(fold).ok_or_else(|| {
            let from = from.unwrap_or(LogicalType::Text);
            let message = format!(
                "subscripted assignment to \"{}\" requires type {to} but expression is of type {from}",
                column.name
            );
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            located(error, position).with_hint("You will need to rewrite or cast the expression.")
        })
    }

    /// `0A000` for DEFAULT as the value of a part of a column.
    pub fn whole_for_default(&self, subscripts: &[Access], position: u32) -> Result<()> {
        if subscripts.is_empty() {
            return Ok(());
        }
        let message = "cannot set an array element to DEFAULT";
        let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
        Err(located(error, position))
    }

    fn bound(&mut self, bound: &Ast, scope: &mut ExprScope<'_>) -> Result<Expr> {
        let position = self.at(bound.span);
        let operand = self.expr(bound, scope)?;
        let to = LogicalType::Int4;
        let found = self.convert(operand, to, CastContext::Assignment, position)?;
        found.map(fold).ok_or_else(|| {
            let message = "array subscript must have type integer";
            located(Error::new(SqlState::DATATYPE_MISMATCH, message), position)
        })
    }

    /// `left op ANY (array)`, `left op ALL (array)`.
    pub fn any_element(
        &mut self,
        (left, right): (&Ast, &Ast),
        op: Infix,
        quantifier: Quantifier,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let all = quantifier == Quantifier::All;
        let left = self.expr(left, scope)?;
        let right = self.expr(right, scope)?;
        let element = match right.ty() {
            None => None,
            Some(LogicalType::Array(element)) => Some(element.logical()),
            Some(_) => {
                let message = "op ANY/ALL (array) requires array on right side";
                let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                return Err(located(error, position));
            }
        };
        let types = [left.ty(), element];
        let (symbol, of_left, of_element) = match op {
            Infix::Compare(op) => {
                let common = comparison_type(&types).filter(|ty| ty.array().is_some());
                let common =
                    common.ok_or_else(|| undefined_operator(op.symbol(), types, position))?;
                (op.symbol(), common, common)
            }
            Infix::Function(symbol) => {
                let function = resolve_operator(symbol, &types, position)?;
                if function.result_type() != LogicalType::Boolean {
                    let message = "op ANY/ALL (array) requires operator to yield boolean";
                    let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                    return Err(located(error, position));
                }
                let ty = |index| function.arg_type(index).unwrap_or(LogicalType::Text);
                (symbol, ty(0), ty(1))
            }
        };
        let converted = |side: Option<Expr>| {
            side.map(fold)
                .ok_or_else(|| undefined_operator(symbol, types, position))
        };
        let of_array = of_element.array().unwrap_or(of_element);
        let left = converted(self.convert(left, of_left, CastContext::Implicit, position)?)?;
        let right = converted(self.convert(right, of_array, CastContext::Implicit, position)?)?;
        if let Some(listed) = as_list(symbol, all, &left, &right) {
            return Ok(Operand::Known(listed));
        }
        let symbol = literal(Value::text(symbol), LogicalType::Text);
        let name = if all { "\0all" } else { "\0any" };
        let call = form(name, None, vec![symbol, left, right], position)?;
        Ok(Operand::Known(call))
    }
}

/// Equality with an element of a constant array is IN.
fn as_list(symbol: &str, all: bool, left: &Expr, right: &Expr) -> Option<Expr> {
    let op = CompareOp::of_symbol(symbol)?;
    let fits = matches!((op, all), (CompareOp::Eq, false) | (CompareOp::NotEq, true));
    let Expr::Literal {
        value: Value::Array(element, stored),
        ..
    } = right
    else {
        return None;
    };
    let array = ArrayValue::decode(*element, stored).filter(|_| fits)?;
    if array.values.is_empty() {
        return Some(literal(Value::Boolean(all), LogicalType::Boolean));
    }
    let ty = left.logical_type();
    let values = array.values.into_iter();
    Some(Expr::InList {
        input: Box::new(left.clone()),
        list: values.map(|value| literal(value, ty)).collect(),
        negated: all,
    })
}
