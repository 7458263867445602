//! What a reader of the first rows of an order tells the scan while it runs.

use std::sync::{Mutex, PoisonError};

/// Rows beyond a value of a column are not wanted any more. The reader lowers it as it finds better
/// rows; a scan may leave out whatever it rules out, and need not.
#[derive(Debug)]
pub struct Cutoff {
    /// A position in `TreeSchema::columns`, of a column of integers, dates or timestamps.
    pub column: usize,
    /// Whether the greatest values come first.
    pub descending: bool,
    /// Whether NULL comes before all values.
    pub nulls_first: bool,
    /// The last value that is wanted, once there are enough rows.
    last: Mutex<Option<i64>>,
}

impl Cutoff {
    /// All rows are wanted yet.
    pub fn new(column: usize, descending: bool, nulls_first: bool) -> Cutoff {
        Cutoff {
            column,
            descending,
            nulls_first,
            last: Mutex::new(None),
        }
    }

    /// No row behind one with this value is wanted.
    pub fn set_last(&self, value: i64) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }

    /// Whether no row is wanted of those whose values lie between two, both of which occur or are
    /// beyond all that do. They are `None` where there are no values.
    pub fn excludes(&self, min: Option<i64>, max: Option<i64>, has_nulls: bool) -> bool {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(last) = last else { return false };
        if has_nulls && self.nulls_first {
            return false;
        }
        match self.first_of(min, max) {
            Some(first) if self.descending => first < last,
            Some(first) => first > last,
            None => has_nulls,
        }
    }

    /// Of two bounds the one that comes first.
    pub fn first_of(&self, min: Option<i64>, max: Option<i64>) -> Option<i64> {
        if self.descending { max } else { min }
    }
}

impl PartialEq for Cutoff {
    fn eq(&self, other: &Cutoff) -> bool {
        let fields = |cutoff: &Cutoff| (cutoff.column, cutoff.descending, cutoff.nulls_first);
        fields(self) == fields(other)
    }
}

#[cfg(test)]
mod tests {
    use super::Cutoff;

    #[test]
    fn what_is_behind_the_last_row_is_left_out() {
        let newest = Cutoff::new(0, true, false);
        assert!(!newest.excludes(Some(1), Some(2), false));
        newest.set_last(5);
        assert!(newest.excludes(Some(1), Some(4), false));
        assert!(!newest.excludes(Some(1), Some(5), false), "it may tie");
        assert!(newest.excludes(None, None, true), "NULL comes last");
        assert!(!newest.excludes(None, None, false), "nothing is known");
        let oldest = Cutoff::new(0, false, true);
        oldest.set_last(5);
        assert!(oldest.excludes(Some(6), Some(9), false));
        assert!(!oldest.excludes(Some(6), Some(9), true), "NULL comes first");
        assert!(!oldest.excludes(Some(5), Some(9), false));
    }
}
