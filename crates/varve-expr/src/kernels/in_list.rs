//! `IN` over a list of constants.

use std::sync::Arc;

use varve_types::{
    Bitmap, Column, ColumnData, ColumnRef, LogicalType, PhysicalType, Result, Value,
};

use super::operand::{Native, TextOperand, pack};
use crate::kernels::boolean_column;

/// The constants of a list, ready to be searched.
pub(crate) struct ConstantList {
    items: Items,
    has_null: bool,
    is_empty: bool,
}

enum Items {
    /// Sorted.
    Integers(Vec<i64>),
    /// Sorted.
    Texts(Vec<Arc<str>>),
    Others(Vec<Value>),
}

impl ConstantList {
    /// A list of constants of type `ty`.
    pub(crate) fn new(ty: LogicalType, values: Vec<Value>) -> ConstantList {
        let has_null = values.iter().any(Value::is_null);
        let is_empty = values.is_empty();
        let items = match ty.physical() {
            PhysicalType::Int32 | PhysicalType::Int64 => {
                let mut integers: Vec<i64> = values.iter().filter_map(Value::integer).collect();
                varve_sort::sort(&mut integers);
                Items::Integers(integers)
            }
            PhysicalType::Bytes if ty != LogicalType::Bpchar => {
                let mut texts: Vec<Arc<str>> = values.iter().filter_map(text).collect();
                varve_sort::sort(&mut texts);
                Items::Texts(texts)
            }
            _ => Items::Others(values),
        };
        ConstantList {
            items,
            has_null,
            is_empty,
        }
    }

    /// `input [NOT] IN (list)` for a plain or constant column: NULL for a NULL, and, where the list
    /// has a NULL, for what it does not hold. An empty array, as of `= ANY`, holds not even a NULL.
    pub(crate) fn test(&self, input: &ColumnRef, rows: usize, negated: bool) -> Result<Column> {
        let found = self.find(input, rows);
        let is_constant = matches!(input.data(), ColumnData::Constant(_));
        let validity: Option<Bitmap> = if self.is_empty {
            None
        } else if self.has_null || is_constant {
            let is_known = |row| (found.get(row) || !self.has_null) && !input.is_null(row);
            Some(pack((0..rows).map(is_known)))
        } else {
            input.validity().cloned()
        };
        let bits = if negated {
            pack(found.iter().map(|bit| !bit))
        } else {
            found
        };
        boolean_column(bits, validity)
    }

    fn find(&self, input: &Column, rows: usize) -> Bitmap {
        match &self.items {
            Items::Integers(integers) => {
                let holds = |number: i64| integers.binary_search(&number).is_ok();
                if input.logical_type().physical() == PhysicalType::Int32 {
                    let values = i32::operand(input);
                    pack((0..rows).map(|row| holds(i64::from(values.get(row)))))
                } else {
                    let values = i64::operand(input);
                    pack((0..rows).map(|row| holds(values.get(row))))
                }
            }
            Items::Texts(texts) => {
                let strings = TextOperand::new(input);
                let holds = |string: &str| texts.binary_search_by(|text| (**text).cmp(string));
                pack((0..rows).map(|row| holds(strings.get(row)).is_ok()))
            }
            Items::Others(values) => pack((0..rows).map(|row| {
                let value = input.value(row);
                values
                    .iter()
                    .any(|item| item.compare(&value).is_some_and(core::cmp::Ordering::is_eq))
            })),
        }
    }
}

fn text(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::Text(text) => Some(Arc::clone(text)),
        _ => None,
    }
}
