//! Partitions: rows of a tree are kept apart by the values of a column, so that old ones can go, or
//! be stored anew, without a look at others.
//!
//! The partition of a row follows from its value, and where a run lies from the least and the
//! greatest value in its head. So nothing is listed, and what a tree says of its partitions can
//! change: runs that lie in several of the new ones are cut by compactions.

use core::ops::Range;
use std::sync::Arc;

use varve_run::{RunHead, RunWriter, ZoneMap};
use varve_sort::VecMap;
use varve_types::{
    Column, ColumnBuilder, ColumnData, ColumnRef, Partition, SortKey, TreeSchema, Value,
};

use crate::tree::Tree;

/// Which partition of a tree: NULLs have one of their own.
pub(crate) type PartitionNumber = Option<i64>;

/// Where the rows of a run lie. A tree that does not keep rows apart has one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RunPlace {
    /// In more than one partition: it was written when the tree had others, or none.
    Several,
    One(PartitionNumber),
}

/// How the rows of a tree are kept apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KeptApart {
    /// The stored column.
    pub(crate) stored: usize,
    pub(crate) by: Partition,
}

/// So many runs of a tree are open at once; they end before another one begins.
pub(crate) const OPEN_RUNS_MAX: usize = 1024;
/// They also end where values of so many bytes wait to be encoded.
pub(crate) const HELD_BYTES_MAX: usize = 32 << 20;

/// Whether the open runs of partitions of a tree are to end before further rows come: one has so
/// many rows, or they are too many, or hold too much together.
pub(crate) fn are_full<'w>(
    writers: impl Iterator<Item = &'w RunWriter> + Clone,
    rows_max: u64,
) -> bool {
    let count = writers.clone().count();
    let held_bytes: usize = writers.clone().map(RunWriter::held_bytes).sum();
    let mut writers = writers;
    writers.any(|writer| writer.rows() >= rows_max)
        || count > OPEN_RUNS_MAX
        || count > 1 && held_bytes > HELD_BYTES_MAX
}

/// Rows of some columns that lie in one partition.
#[derive(Debug, PartialEq)]
pub(crate) struct PartitionRows {
    pub(crate) number: PartitionNumber,
    /// `None` for all.
    pub(crate) rows: Option<Vec<u32>>,
}

impl PartitionRows {
    /// What belongs to the rows, of what belongs to all.
    pub(crate) fn versions(&self, all: &[u32]) -> Vec<u32> {
        match &self.rows {
            None => all.to_vec(),
            Some(rows) => {
                let of = |row: &u32| all.get(*row as usize).copied();
                rows.iter().filter_map(of).collect()
            }
        }
    }

    /// The rows of some columns.
    pub(crate) fn take(&self, columns: &[ColumnRef]) -> Vec<ColumnRef> {
        match &self.rows {
            None => columns.to_vec(),
            Some(rows) => {
                let taken = columns.iter().map(|column| Arc::new(column.take(rows)));
                taken.collect()
            }
        }
    }
}

/// Whether rows of such a tree can be kept apart as it says.
pub(crate) fn is_sound(schema: &TreeSchema) -> bool {
    let Some(partition) = schema.options.partition else {
        return true;
    };
    let position = schema.position_of(partition.column);
    let column = position.and_then(|at| schema.columns.get(at));
    let is_index = matches!(schema.key, SortKey::Index(_));
    partition.width > 0 && !is_index && column.is_some_and(|column| Partition::takes(column.ty))
}

impl KeptApart {
    /// How a tree keeps rows apart whose stored columns begin with so many of the store's own.
    pub(crate) fn of(schema: &TreeSchema, first: usize) -> Option<KeptApart> {
        let by = schema.options.partition?;
        let stored = schema.position_of(by.column)? + first;
        Some(KeptApart { stored, by })
    }

    /// The partition of each row of some stored columns.
    pub(crate) fn numbers(&self, columns: &[ColumnRef]) -> Vec<PartitionNumber> {
        let Some(column) = columns.get(self.stored) else {
            return Vec::new();
        };
        let plain;
        let column: &Column = match column.data() {
            ColumnData::Int32(_) | ColumnData::Int64(_) => column,
            _ => {
                let mut builder = ColumnBuilder::with_capacity(column.logical_type(), column.len());
                builder.append_range(column, 0, column.len());
                plain = builder.finish();
                &plain
            }
        };
        let number = |row: usize| {
            let value = match column.data() {
                ColumnData::Int32(integers) => integers.get(row).map(|value| i64::from(*value)),
                ColumnData::Int64(integers) => integers.get(row).copied(),
                _ => None,
            };
            let value = value.filter(|_| column.validity().is_none_or(|bits| bits.get(row)));
            value.map(|value| self.by.of(value))
        };
        (0..column.len()).map(number).collect()
    }

    /// Where rows with these values lie.
    fn place(&self, values: &RunValues) -> RunPlace {
        match *values {
            RunValues::Nulls => RunPlace::One(None),
            RunValues::Between {
                least,
                greatest,
                has_nulls: false,
            } if self.by.of(least) == self.by.of(greatest) => {
                RunPlace::One(Some(self.by.of(least)))
            }
            RunValues::Between { .. } | RunValues::Unknown => RunPlace::Several,
        }
    }
}

/// What is known of a run's values of the column by which rows are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunValues {
    Nulls,
    Between {
        least: i64,
        greatest: i64,
        has_nulls: bool,
    },
    Unknown,
}

impl RunValues {
    fn of(zone: &ZoneMap) -> RunValues {
        let bounds = zone.min.as_ref().zip(zone.max.as_ref());
        let bounds = bounds.and_then(|(min, max)| integer(min).zip(integer(max)));
        match bounds {
            Some((least, greatest)) => RunValues::Between {
                least,
                greatest,
                has_nulls: zone.null_count > 0,
            },
            None if !zone.has_values() => RunValues::Nulls,
            None => RunValues::Unknown,
        }
    }

    /// Whether a value may lie in a range.
    pub(crate) fn may_meet(&self, range: &Range<i64>) -> bool {
        match self {
            RunValues::Nulls => false,
            RunValues::Between {
                least, greatest, ..
            } => *least < range.end && range.start <= *greatest,
            RunValues::Unknown => true,
        }
    }

    /// Whether the least value lies in a range.
    pub(crate) fn begin_in(&self, range: &Range<i64>) -> bool {
        match self {
            RunValues::Nulls | RunValues::Unknown => false,
            RunValues::Between { least, .. } => range.contains(least),
        }
    }

    /// Whether all rows have values that lie in a range.
    pub(crate) fn lie_in(&self, range: &Range<i64>) -> bool {
        match self {
            RunValues::Nulls | RunValues::Unknown => false,
            RunValues::Between {
                least,
                greatest,
                has_nulls,
            } => range.contains(least) && range.contains(greatest) && !has_nulls,
        }
    }
}

impl Tree {
    /// Where the rows of a run lie.
    pub(crate) fn place(&self, run: &RunHead) -> RunPlace {
        match self.kept_apart() {
            Some(kept_apart) => kept_apart.place(&self.values_of(run)),
            None => RunPlace::One(None),
        }
    }

    /// What is known of a run's values of the column by which rows are kept apart.
    pub(crate) fn values_of(&self, run: &RunHead) -> RunValues {
        let Some(kept_apart) = self.kept_apart() else {
            return RunValues::Unknown;
        };
        let position = run.column_position(kept_apart.by.column);
        match position.and_then(|at| run.stats().get(at)) {
            Some(stats) => RunValues::of(&stats.zone),
            None => match integer(&self.missing(kept_apart.stored)) {
                Some(value) => RunValues::Between {
                    least: value,
                    greatest: value,
                    has_nulls: false,
                },
                None => RunValues::Nulls,
            },
        }
    }

    /// The value by which the row with a key is kept apart, where the key has it.
    pub(crate) fn place_in_key(&self, key: &[u8]) -> Option<i64> {
        let stored = self.kept_apart()?.stored;
        let at = self.key().iter().position(|column| *column == stored)?;
        let (values, _) = self.key_values(key, at + 1)?;
        integer(values.last()?)
    }

    /// Rows of stored columns by the partition that they lie in, in the order of their first rows.
    pub(crate) fn by_partition(&self, columns: &[ColumnRef]) -> Vec<PartitionRows> {
        let kept_apart = self.kept_apart();
        by_number(&kept_apart.map_or(Vec::new(), |kept_apart| kept_apart.numbers(columns)))
    }
}

/// Which rows have which number; one part of all rows where there are no numbers.
fn by_number(numbers: &[PartitionNumber]) -> Vec<PartitionRows> {
    let first = numbers.first().copied().flatten();
    let mut parts = vec![PartitionRows {
        number: first,
        rows: None,
    }];
    if numbers.iter().all(|number| *number == first) {
        return parts;
    }
    parts.clear();
    let mut places = VecMap::new();
    for (row, number) in (0..).zip(numbers) {
        let at = *places.entry(*number).or_insert_with(|| {
            parts.push(PartitionRows {
                number: *number,
                rows: Some(Vec::new()),
            });
            parts.len() - 1
        });
        if let Some(rows) = parts.get_mut(at).and_then(|part| part.rows.as_mut()) {
            rows.push(row);
        }
    }
    parts
}

/// What is stored of a value that rows can be kept apart by.
fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int2(value) => Some(i64::from(*value)),
        Value::Int4(value) | Value::Date(value) => Some(i64::from(*value)),
        Value::Int8(value) | Value::Timestamp(value) | Value::TimestampTz(value) => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use varve_types::{Column, ColumnId, ColumnRef, LogicalType, Partition, Value};

    use super::{KeptApart, PartitionRows, RunPlace, RunValues, by_number, is_sound};
    use crate::tests::{kept_apart, schema};

    fn tens() -> KeptApart {
        KeptApart {
            stored: 0,
            by: Partition {
                column: ColumnId(1),
                width: 10,
            },
        }
    }

    #[test]
    fn rows_go_to_the_partitions_of_their_values_in_any_form() {
        let values = [
            Value::Int4(25),
            Value::Null,
            Value::Int4(-1),
            Value::Int4(20),
        ];
        let plain = Column::from_values(LogicalType::Int4, &values);
        let same = Column::constant(LogicalType::Int4, &Value::Int4(25), 2);
        let numbers = |column: Column| tens().numbers(&[Arc::new(column)]);
        assert_eq!(numbers(plain.clone()), [Some(2), None, Some(-1), Some(2)]);
        assert_eq!(numbers(same), [Some(2), Some(2)]);
        let parts = by_number(&numbers(plain));
        let part = |number, rows: &[u32]| PartitionRows {
            number,
            rows: Some(rows.to_vec()),
        };
        assert_eq!(
            parts,
            [
                part(Some(2), &[0, 3]),
                part(None, &[1]),
                part(Some(-1), &[2])
            ]
        );
        let all = by_number(&[Some(3), Some(3)]);
        assert_eq!(
            (all.len(), all[0].number, &all[0].rows),
            (1, Some(3), &None)
        );
        let columns: Vec<ColumnRef> =
            vec![Arc::new(Column::from_values(LogicalType::Int4, &values))];
        assert_eq!(parts[0].take(&columns)[0].value(1), Value::Int4(20));
        assert_eq!(parts[0].versions(&[7, 8, 9, 10]), [7, 10]);
    }

    #[test]
    fn the_place_of_a_run_follows_from_its_bounds() {
        let between = |least, greatest, has_nulls| RunValues::Between {
            least,
            greatest,
            has_nulls,
        };
        let cases = [
            (between(20, 29, false), RunPlace::One(Some(2))),
            (between(20, 30, false), RunPlace::Several),
            (between(20, 29, true), RunPlace::Several),
            (RunValues::Nulls, RunPlace::One(None)),
            (RunValues::Unknown, RunPlace::Several),
        ];
        for (values, place) in cases {
            assert_eq!(tens().place(&values), place, "{values:?}");
        }
        assert!(between(20, 29, false).lie_in(&(20..30)));
        for range in [21..30, 20..29] {
            assert!(!between(20, 29, false).lie_in(&range), "{range:?}");
            assert!(between(20, 29, false).may_meet(&range), "{range:?}");
        }
        assert!(!between(20, 29, true).lie_in(&(20..30)));
        assert!(!between(20, 29, false).may_meet(&(30..40)));
        assert!(!between(20, 29, false).may_meet(&(10..20)));
    }

    #[test]
    fn a_tree_says_how_rows_are_kept_apart_or_is_refused() {
        use varve_types::{SortKey, TreeId};
        let schema = || schema(TreeId(1), SortKey::RowId);
        assert!(is_sound(&schema()));
        assert!(is_sound(&kept_apart(schema(), 1, 7)));
        for (column, width) in [(1, 0), (1, -7), (2, 7), (9, 7)] {
            assert!(!is_sound(&kept_apart(schema(), column, width)), "{column}");
        }
    }
}
