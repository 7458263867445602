//! What a scan may tell of rows in place of giving them.

use core::cmp::Ordering;

use crate::Value;

/// What is to be told of a column beside the number of its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The sum of integers.
    pub sum: bool,
    /// The least and the greatest value.
    pub extremes: bool,
}

/// What is known of rows that a scan did not give.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// How many they are.
    pub rows: u64,
    /// Of each column of the scan's output; none where there are no rows.
    pub columns: Vec<ColumnSummary>,
}

/// What is known of one column of them. What was not wanted means nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSummary {
    /// How many are not NULL.
    pub present: u64,
    /// The sum of integers.
    pub sum: i128,
    /// The least and the greatest value, where any is present.
    pub extremes: Option<(Value, Value)>,
}

impl Summary {
    /// Adds what is known of other rows.
    pub fn merge(&mut self, other: Summary) {
        self.rows += other.rows;
        if self.columns.is_empty() {
            self.columns = other.columns;
            return;
        }
        for (column, other) in self.columns.iter_mut().zip(other.columns) {
            column.merge(other);
        }
    }
}

impl ColumnSummary {
    fn merge(&mut self, other: ColumnSummary) {
        self.present += other.present;
        self.sum += other.sum;
        let Some((min, max)) = other.extremes else {
            return;
        };
        match &mut self.extremes {
            None => self.extremes = Some((min, max)),
            Some((least, greatest)) => {
                if min.compare(least) == Some(Ordering::Less) {
                    *least = min;
                }
                if max.compare(greatest) == Some(Ordering::Greater) {
                    *greatest = max;
                }
            }
        }
    }
}
