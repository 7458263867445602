//! Values of rows.

use varve_catalog::model::function_def::FunctionDef;
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, RowTypeId, RowValue, SqlState, TypeMod, Value};

use crate::build::array::form;
use crate::build::operand::{Operand, literal};
use crate::plan::{self, Plan};

/// The name, type and modifier of a field.
pub type Field = (String, LogicalType, TypeMod);

/// A call that makes a row of these fields; `found`: NULL where all of them are.
pub fn row_call(id: RowTypeId, fields: Vec<Expr>, found: bool, position: u32) -> Result<Expr> {
    let ty = LogicalType::Row(id);
    let mut args = vec![literal(Value::Null, ty)];
    args.extend(fields);
    let name = if found { "\0found row" } else { "\0row" };
    form(name, Some(ty), args, position)
}

/// The fields of a call that makes a row.
pub fn called_fields(row: &Expr) -> Option<&[Expr]> {
    match row {
        Expr::Call { function, args, .. } if function.name() == "\0row" => args.get(1..),
        _ => None,
    }
}

/// Refuses a row that is not of these columns.
pub fn check_row(fields: &[Expr], columns: &[(String, LogicalType)]) -> Result<()> {
    let mismatch = |detail: String| {
        let message = "function return row and query-specified return row do not match";
        Err(Error::new(SqlState::DATATYPE_MISMATCH, message).with_detail(detail))
    };
    if fields.len() != columns.len() {
        let plural = if fields.len() == 1 { "" } else { "s" };
        return mismatch(format!(
            "Returned row contains {} attribute{plural}, but query expects {}.",
            fields.len(),
            columns.len()
        ));
    }
    for (number, (field, (_, ty))) in (1..).zip(fields.iter().zip(columns)) {
        let from = field.logical_type();
        if from != *ty {
            return mismatch(format!(
                "Returned type {from} at ordinal position {number}, but query expects {ty}."
            ));
        }
    }
    Ok(())
}

/// A value whose type its place decides, where it is one.
pub fn untyped(field: &Expr) -> Operand {
    match field {
        Expr::Literal {
            value: Value::Null,
            ty: LogicalType::Text,
        } => Operand::Null,
        Expr::Literal {
            value: Value::Text(text),
            ty: LogicalType::Text,
        } => Operand::Text(text.to_string(), 0),
        other => Operand::Known(other.clone()),
    }
}

/// The form that makes an object of names and values.
pub const OBJECT: &str = "\0object";

/// Whether an expression is a row as an object.
pub fn is_object(expr: &Expr) -> bool {
    matches!(expr, Expr::Call { function, .. } if function.name() == OBJECT)
}

/// An object of names and values.
pub fn object(fields: Vec<(String, Expr)>, position: u32) -> Result<Operand> {
    let mut args = Vec::with_capacity(fields.len() * 2);
    for (name, value) in fields {
        args.push(literal(Value::text(name), LogicalType::Text));
        args.push(value);
    }
    form(OBJECT, None, args, position).map(Operand::Known)
}

/// A row that was made already as the call that makes it.
pub fn unfolded(row: &Expr) -> Result<Expr> {
    let fields = match row {
        Expr::Literal {
            value: Value::Row(RowTypeId::RECORD, stored),
            ..
        } => RowValue::decode(stored),
        _ => None,
    };
    let Some(RowValue { fields }) = fields else {
        return Ok(row.clone());
    };
    let fields = fields.into_iter();
    let fields = fields.map(|(ty, value)| literal(value, ty)).collect();
    row_call(RowTypeId::RECORD, fields, false, 0)
}

/// The columns of a plan as one row of a type.
pub fn rows_of(plan: Plan, ty: LogicalType, position: u32) -> Result<(Plan, LogicalType)> {
    let id = match ty {
        LogicalType::Row(id) => id,
        _ => RowTypeId::RECORD,
    };
    let (input, columns) = match plan {
        Plan::Project { input, exprs } => (input, exprs),
        plan => {
            let columns = plan.types().into_iter().enumerate();
            let columns = columns.map(|(index, ty)| Expr::Column { index, ty });
            let columns = columns.collect();
            (Box::new(plan), columns)
        }
    };
    let row = row_call(id, columns, false, position)?;
    let plan = Plan::Project {
        input,
        exprs: vec![row],
    };
    Ok((plan, LogicalType::Row(id)))
}

/// Whether the only column of the body of a function is the row that it gives.
pub fn is_whole_row(def: &FunctionDef, fields: &[plan::Field]) -> bool {
    match (def.row_type(), fields) {
        (Some(row), [field]) => {
            let is_record = row == LogicalType::Row(RowTypeId::RECORD);
            field.ty == row || (is_record && matches!(field.ty, LogicalType::Row(_)))
        }
        _ => false,
    }
}
