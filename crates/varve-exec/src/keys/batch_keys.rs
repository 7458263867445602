//! The keys of one batch in the form in which they are hashed.

use std::sync::Arc;

use varve_types::{Column, ColumnData, ColumnRef, CommonRuns};

use super::{KeyBlock, encode_keys};

/// Keys, and which of them each row has.
pub(super) struct BatchKeys {
    pub(super) keys: Keys,
    /// The key of each row; `None` where row `i` has key `i`.
    pub(super) row_keys: Option<Vec<u32>>,
    pub(super) key_count: usize,
}

pub(super) enum Keys {
    /// One integer column, plain.
    Ints(ColumnRef),
    /// Anything else.
    Bytes(KeyBlock),
}

impl BatchKeys {
    /// A single dictionary gives one key a distinct value, and columns with runs one key a run, so
    /// that the rest is done once for each.
    pub(super) fn new(columns: &[ColumnRef], rows: usize, as_ints: bool) -> BatchKeys {
        if let [column] = columns
            && let Some((values, row_keys)) = distinct_values(column)
        {
            // The row past the last value reads as NULL.
            let key_count = values.len() + 1;
            return BatchKeys {
                keys: Keys::new(&[values], key_count, as_ints),
                row_keys: Some(row_keys),
                key_count,
            };
        }
        if let Some(runs) = CommonRuns::new(columns) {
            let key_count = runs.ends.len();
            let mut row_keys = Vec::with_capacity(rows);
            for (run, end) in (0..).zip(runs.ends) {
                row_keys.resize(end as usize, run);
            }
            return BatchKeys {
                keys: Keys::new(&runs.heads, key_count, as_ints),
                row_keys: Some(row_keys),
                key_count,
            };
        }
        BatchKeys {
            keys: Keys::new(columns, rows, as_ints),
            row_keys: None,
            key_count: rows,
        }
    }
}

impl Keys {
    fn new(columns: &[ColumnRef], count: usize, as_ints: bool) -> Keys {
        match columns {
            [column] if as_ints => Keys::Ints(column.flatten()),
            _ => {
                let mut block = KeyBlock::default();
                encode_keys(columns, &[], count, &mut block);
                Keys::Bytes(block)
            }
        }
    }
}

fn distinct_values(column: &Column) -> Option<(ColumnRef, Vec<u32>)> {
    let ColumnData::Dictionary { codes, values } = column.data() else {
        return None;
    };
    if values.len() > column.len() {
        return None;
    }
    let null = u32::try_from(values.len()).ok()?;
    let row_keys = match column.validity() {
        None => codes.clone(),
        Some(present) => {
            let key = |(code, present): (&u32, bool)| if present { *code } else { null };
            codes.iter().zip(present.iter()).map(key).collect()
        }
    };
    Some((Arc::clone(values), row_keys))
}

/// Row `row` of a plain integer column.
pub(super) fn int_at(column: &Column, row: usize) -> Option<i64> {
    if column.validity().is_some_and(|bits| !bits.get(row)) {
        return None;
    }
    match column.data() {
        ColumnData::Int32(values) => values.get(row).map(|number| i64::from(*number)),
        ColumnData::Int64(values) => values.get(row).copied(),
        _ => None,
    }
}
