//! Comparisons of two columns of one type.

use core::cmp::Ordering;

use varve_types::{
    Bitmap, Column, ColumnData, ColumnRef, CompareOp, LogicalType, Result, Value, binary_order,
};

use super::operand::{Native, TextOperand, pack, validity_of};
use crate::kernels::boolean_column;

/// `left op right` for plain or constant columns of one type; NULL where a side is NULL.
pub(crate) fn compare_columns(
    op: CompareOp,
    left: &ColumnRef,
    right: &ColumnRef,
    rows: usize,
) -> Result<Column> {
    let validity = validity_of(&[left.clone(), right.clone()]);
    boolean_column(compare_bits(op, left, right, rows), validity)
}

/// `left IS DISTINCT FROM right`, or its negation.
pub(crate) fn distinct_columns(
    left: &ColumnRef,
    right: &ColumnRef,
    rows: usize,
    negated: bool,
) -> Result<Column> {
    let equal = compare_bits(CompareOp::Eq, left, right, rows);
    let same = |row| match (left.is_null(row), right.is_null(row)) {
        (false, false) => equal.get(row),
        (left_is_null, right_is_null) => left_is_null == right_is_null,
    };
    boolean_column(pack((0..rows).map(|row| same(row) == negated)), None)
}

/// The comparison where no side is NULL; any bit where one is.
///
/// Equality and "less" are enough: `a > b` is `b < a`, `a <= b` is `not b < a`, `a <> b` is `not a
/// = b`.
fn compare_bits(op: CompareOp, left: &Column, right: &Column, rows: usize) -> Bitmap {
    let (left, right) = match op {
        CompareOp::Gt | CompareOp::LtEq => (right, left),
        _ => (left, right),
    };
    let test = Test {
        is_equality: matches!(op, CompareOp::Eq | CompareOp::NotEq),
        is_negated: matches!(op, CompareOp::NotEq | CompareOp::LtEq | CompareOp::GtEq),
        rows,
    };
    let layout = match left.data() {
        ColumnData::Constant(value) => value.data(),
        plain => plain,
    };
    match layout {
        ColumnData::Int32(_) => test.numbers::<i32>(left, right),
        ColumnData::Int64(_) => test.numbers::<i64>(left, right),
        ColumnData::Float64(_) => test.numbers::<f64>(left, right),
        ColumnData::Boolean(_) => test.booleans(left, right),
        ColumnData::Text(_) if left.logical_type() != LogicalType::Bpchar => {
            test.strings(left, right)
        }
        ColumnData::Decimal(_) => test.orders(|row| {
            let (a, b) = (left.decimal_at(row), right.decimal_at(row));
            a.zip(b).map(|(a, b)| a.compare(b))
        }),
        ColumnData::Binary(_) => {
            let ty = left.logical_type();
            test.orders(|row| {
                let (a, b) = (left.binary_at(row), right.binary_at(row));
                a.zip(b)
                    .map(|(a, b)| binary_order(ty, a).cmp(binary_order(ty, b)))
            })
        }
        _ => test.orders(|row| left.value(row).compare(&right.value(row))),
    }
}

struct Test {
    is_equality: bool,
    is_negated: bool,
    rows: usize,
}

impl Test {
    fn numbers<T: Native>(&self, left: &Column, right: &Column) -> Bitmap {
        if self.is_equality {
            self.pairs(left, right, T::same)
        } else {
            self.pairs(left, right, T::less)
        }
    }

    fn pairs<T: Native>(
        &self,
        left: &Column,
        right: &Column,
        holds: impl Fn(T, T) -> bool,
    ) -> Bitmap {
        let (left, right) = (T::operand(left), T::operand(right));
        let negated = self.is_negated;
        match (left.is_constant, right.is_constant) {
            (false, false) => {
                let pairs = left.values.iter().zip(right.values);
                pack(pairs.map(|(a, b)| holds(*a, *b) != negated))
            }
            (false, true) => {
                let b = right.get(0);
                pack(left.values.iter().map(|a| holds(*a, b) != negated))
            }
            (true, false) => {
                let a = left.get(0);
                pack(right.values.iter().map(|b| holds(a, *b) != negated))
            }
            (true, true) => Bitmap::filled(self.rows, holds(left.get(0), right.get(0)) != negated),
        }
    }

    fn booleans(&self, left: &Column, right: &Column) -> Bitmap {
        let bit = |column: &Column, row| column.value(row) == Value::Boolean(true);
        pack((0..self.rows).map(|row| {
            let (a, b) = (bit(left, row), bit(right, row));
            let holds = if self.is_equality { a == b } else { !a & b };
            holds != self.is_negated
        }))
    }

    fn orders(&self, order: impl Fn(usize) -> Option<Ordering>) -> Bitmap {
        pack((0..self.rows).map(|row| {
            let order = order(row).unwrap_or(Ordering::Equal);
            let holds = if self.is_equality {
                order.is_eq()
            } else {
                order.is_lt()
            };
            holds != self.is_negated
        }))
    }

    fn strings(&self, left: &Column, right: &Column) -> Bitmap {
        let (left, right) = (TextOperand::new(left), TextOperand::new(right));
        pack((0..self.rows).map(|row| {
            let (a, b) = (left.get(row), right.get(row));
            let holds = if self.is_equality { a == b } else { a < b };
            holds != self.is_negated
        }))
    }
}
