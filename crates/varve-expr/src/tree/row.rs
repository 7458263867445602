//! One row of the arguments of a call.

use varve_types::{ArrayValue, ColumnRef, Decimal, Error, Interval, LogicalType, Result, Value};

use super::context::EvalContext;
use crate::datetime::Zone;

/// One row of the arguments of a call. The readers answer a default for a NULL and for another
/// type.
pub(crate) struct Row<'a> {
    pub(crate) args: &'a [ColumnRef],
    pub(crate) row: usize,
    pub(crate) context: &'a EvalContext<'a>,
    /// The type of the result.
    pub(crate) result: LogicalType,
}

impl Row<'_> {
    pub(crate) fn value(&self, i: usize) -> Value {
        self.args
            .get(i)
            .map_or(Value::Null, |arg| arg.value(self.row))
    }

    pub(crate) fn is_null(&self, i: usize) -> bool {
        self.args.get(i).is_none_or(|arg| arg.is_null(self.row))
    }

    pub(crate) fn text(&self, i: usize) -> &str {
        self.args
            .get(i)
            .and_then(|arg| arg.str_at(self.row))
            .unwrap_or_default()
    }

    /// The stored form of a value that is held as bytes.
    pub(crate) fn bytes(&self, i: usize) -> Option<&[u8]> {
        self.args.get(i).and_then(|arg| arg.binary_at(self.row))
    }

    pub(crate) fn int4(&self, i: usize) -> i32 {
        i32::try_from(self.int8(i)).unwrap_or(0)
    }

    pub(crate) fn int8(&self, i: usize) -> i64 {
        self.value(i).integer().unwrap_or(0)
    }

    pub(crate) fn float8(&self, i: usize) -> f64 {
        self.value(i).double().unwrap_or(0.0)
    }

    pub(crate) fn decimal(&self, i: usize) -> Decimal {
        let arg = self.args.get(i);
        arg.and_then(|arg| arg.decimal_at(self.row))
            .unwrap_or(Decimal::ZERO)
    }

    /// The time zone of the session.
    pub(crate) fn zone(&self) -> &Zone {
        &self.context.locale.zone
    }

    pub(crate) fn interval(&self, i: usize) -> Interval {
        match self.value(i) {
            Value::Interval(interval) => interval,
            _ => Interval::default(),
        }
    }

    /// The array at argument `i`, `None` where it is NULL.
    pub(crate) fn nullable_array(&self, i: usize) -> Result<Option<ArrayValue>> {
        match self.value(i) {
            Value::Null => Ok(None),
            Value::Array(element, stored) => ArrayValue::read(element, &stored).map(Some),
            _ => Err(Error::internal("a function of arrays without one")),
        }
    }
}
