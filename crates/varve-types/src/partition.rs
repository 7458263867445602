//! Partitions: how the rows of a tree are kept apart by a column.

use crate::{ColumnId, LogicalType};

/// Rows whose values of a column lie in the same stretch of `width` are kept together, and apart
/// from all others: they can be dropped, or stored anew, without a look at others. Which partition
/// a row belongs to follows from its value alone. Rows with NULL have one of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The column.
    pub column: ColumnId,
    /// Above 0, in the units of the integers that the column stores: microseconds of a timestamp,
    /// days of a date.
    pub width: i64,
}

impl Partition {
    /// Whether rows can be kept apart by values of a type.
    pub fn takes(ty: LogicalType) -> bool {
        use LogicalType::{Date, Int2, Int4, Int8, Timestamp, TimestampTz};
        matches!(ty, Int2 | Int4 | Int8 | Date | Timestamp | TimestampTz)
    }

    /// The number of the partition of a value: how many widths lie between it and 0.
    pub fn of(self, value: i64) -> i64 {
        // A width is above 0, so this never fails.
        value.checked_div_euclid(self.width).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Partition;
    use crate::ColumnId;

    #[test]
    fn values_below_zero_count_downwards() {
        let week = Partition {
            column: ColumnId(1),
            width: 7,
        };
        let of = [(-8, -2), (-7, -1), (-1, -1), (0, 0), (6, 0), (7, 1)];
        for (value, number) in of {
            assert_eq!(week.of(value), number, "{value}");
        }
        assert!(week.of(i64::MIN) < week.of(i64::MAX));
    }
}
