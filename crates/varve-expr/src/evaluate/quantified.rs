//! `value op ANY (array)` and `value op ALL (array)`: the arguments are the operator's name, the
//! value and the array.

use std::sync::Arc;

use varve_types::{
    ArrayValue, Column, ColumnBuilder, ColumnData, ColumnRef, CompareOp, Error, Result, Value,
};

use crate::kernels::{ConstantList, run};
use crate::resolve::resolve_operator;
use crate::tree::Call;

pub(super) fn any(call: &Call<'_>) -> Result<Column> {
    quantified(call, false)
}

pub(super) fn all(call: &Call<'_>) -> Result<Column> {
    quantified(call, true)
}

fn quantified(call: &Call<'_>, for_all: bool) -> Result<Column> {
    let [symbol, input, arrays] = call.args else {
        return Err(Error::internal(
            "ANY without an operator, a value and an array",
        ));
    };
    let symbol = symbol.str_at(0).unwrap_or_default();
    let constant = match arrays.data() {
        ColumnData::Constant(_) => Some(call.row(0).nullable_array(2)?),
        _ => None,
    };
    let op = CompareOp::of_symbol(symbol);
    let is_list = matches!(
        (op, for_all),
        (Some(CompareOp::Eq), false) | (Some(CompareOp::NotEq), true)
    );
    if let (true, Some(Some(array))) = (is_list, &constant) {
        let list = ConstantList::new(input.logical_type(), array.values.clone());
        return list.test(input, call.rows, for_all);
    }
    let mut results = ColumnBuilder::with_capacity(call.result, call.rows);
    for row in 0..call.rows {
        let own;
        let array = match &constant {
            Some(array) => array,
            None => {
                own = array_of(call, row)?;
                &own
            }
        };
        let Some(array) = array else {
            results.push_null();
            continue;
        };
        let value = input.value(row);
        let found = match op {
            Some(op) => {
                let compare = |element| value.compare(element).map(|order| op.holds(order));
                array.values.iter().map(compare).collect()
            }
            None => applied(symbol, &value, input, array, call)?,
        };
        results.push(&decided(&found, for_all));
    }
    Ok(results.finish())
}

fn array_of(call: &Call<'_>, row: usize) -> Result<Option<ArrayValue>> {
    call.row(row).nullable_array(2)
}

/// An operator of the function table over a value and each element.
fn applied(
    symbol: &str,
    value: &Value,
    input: &Column,
    array: &ArrayValue,
    call: &Call<'_>,
) -> Result<Vec<Option<bool>>> {
    let (of_value, of_element) = (input.logical_type(), array.element.logical());
    let function = resolve_operator(symbol, &[Some(of_value), Some(of_element)], 0)?;
    let rows = array.values.len();
    let repeated = vec![value.clone(); rows];
    let args: [ColumnRef; 2] = [
        Arc::new(Column::from_values(of_value, &repeated)),
        Arc::new(Column::from_values(of_element, &array.values)),
    ];
    let call = Call {
        args: &args,
        rows,
        result: function.result_type(),
        ..*call
    };
    let found = run(function, &call)?;
    let truth = |row| match found.value(row) {
        Value::Boolean(truth) => Some(truth),
        _ => None,
    };
    Ok((0..rows).map(truth).collect())
}

/// Whether a condition holds for some, or for each; NULL where that is not known.
fn decided(found: &[Option<bool>], for_all: bool) -> Value {
    if found.contains(&Some(!for_all)) {
        return Value::Boolean(!for_all);
    }
    if found.contains(&None) {
        return Value::Null;
    }
    Value::Boolean(for_all)
}
