//! The rows that set-returning functions give.

use varve_types::{Result, Value};

/// The rows of one call, in order.
pub trait SetRows {
    /// Puts the values of the next row, one a column, into `row`, which is empty; false where there
    /// is none.
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool>;
}

struct Values(std::vec::IntoIter<Value>);

impl SetRows for Values {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        row.extend(self.0.next());
        Ok(!row.is_empty())
    }
}

/// Values that are at hand, as rows of one column.
pub(crate) fn values(values: Vec<Value>) -> Box<dyn SetRows> {
    Box::new(Values(values.into_iter()))
}

struct Rows(std::vec::IntoIter<Vec<Value>>);

impl SetRows for Rows {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        match self.0.next() {
            Some(mut next) => {
                row.append(&mut next);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// Rows that are at hand.
pub(crate) fn rows(rows: Vec<Vec<Value>>) -> Box<dyn SetRows> {
    Box::new(Rows(rows.into_iter()))
}
