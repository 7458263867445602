//! The keys of one vector, to be searched.

use core::cmp::Ordering;
use std::sync::Arc;

use varve_types::{Column, ColumnData, KeyOrder, decode_key_value};

use crate::encode_ordered_row_key;

/// The decoded key columns of a vector, whose rows ascend by key.
#[derive(Debug)]
pub struct KeyVector {
    columns: Vec<Arc<Column>>,
    /// Empty where all are ascending.
    orders: Vec<KeyOrder>,
    rows: usize,
}

impl KeyVector {
    pub(crate) fn new(columns: Vec<Arc<Column>>, orders: Vec<KeyOrder>) -> KeyVector {
        KeyVector {
            rows: columns.first().map_or(0, |column| column.len()),
            columns,
            orders,
        }
    }

    /// `Ok` with the position of the row that has this key, or `Err` with that of the first row
    /// above it.
    pub fn search(&self, key: &[u8]) -> Result<u16, u16> {
        let found = match self.search_integers(key) {
            Some(found) => found,
            None => self.search_bytes(key),
        };
        // A vector has 1,024 rows at most.
        let position = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        found.map(position).map_err(position)
    }

    /// The search of a key that is one integer: without making the bytes of any row's key.
    fn search_integers(&self, key: &[u8]) -> Option<Result<usize, usize>> {
        let [column] = self.columns.as_slice() else {
            return None;
        };
        if column.validity().is_some() || !self.orders.is_empty() {
            return None;
        }
        let mut rest = key;
        let value = decode_key_value(column.logical_type(), &mut rest)?;
        if !rest.is_empty() {
            return None;
        }
        let integer = value.integer()?;
        match column.data() {
            ColumnData::Int64(integers) => Some(search_spread(integers, integer)),
            ColumnData::Int32(integers) => {
                let integer = i32::try_from(integer).ok()?;
                Some(search_spread(integers, integer))
            }
            _ => None,
        }
    }

    fn search_bytes(&self, key: &[u8]) -> Result<usize, usize> {
        let mut row_key = Vec::with_capacity(key.len());
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            row_key.clear();
            let columns = self.columns.iter().map(Arc::as_ref);
            encode_ordered_row_key(columns, &self.orders, middle, &mut row_key);
            match row_key.as_slice().cmp(key) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(middle),
                Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }
}

/// Binary search that begins where the integer would be if the integers were spread evenly, as
/// those of keys that count up nearly are: it then touches one cache line or two rather than ten.
fn search_spread<T: Copy + Ord + Into<i64>>(integers: &[T], integer: T) -> Result<usize, usize> {
    let (mut low, mut high) = (0, integers.len());
    let mut probe = even_place(integers, integer).unwrap_or(high / 2);
    let mut step = 1;
    while low < high {
        match integers.get(probe).map(|at| at.cmp(&integer)) {
            Some(Ordering::Equal) => return Ok(probe),
            Some(Ordering::Less) => {
                low = probe + 1;
                probe = low.saturating_add(step - 1);
            }
            _ => {
                high = probe;
                probe = high.saturating_sub(step);
            }
        }
        step *= 2;
        // The steps have left what is still in question: halves from here on.
        if probe < low || probe >= high {
            probe = low + (high - low) / 2;
        }
    }
    Err(low)
}

/// The place of an integer between the first and the last one; `None` where it is not between them.
fn even_place<T: Copy + Into<i64>>(integers: &[T], integer: T) -> Option<usize> {
    let (first, last) = ((*integers.first()?).into(), (*integers.last()?).into());
    let above = integer.into().checked_sub(first)?;
    let places = i64::try_from(integers.len() - 1).ok()?;
    let place = above
        .checked_mul(places)?
        .checked_div(last.checked_sub(first)?)?;
    usize::try_from(place)
        .ok()
        .filter(|place| *place < integers.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::search_spread;

    proptest! {
        /// Against the binary search of the standard library, over integers spread evenly or not.
        #[test]
        fn finds_what_a_binary_search_finds(
            integers in proptest::collection::btree_set(any::<i64>(), 0..40),
            steps in proptest::collection::vec(1_i64..5, 0..1024),
            start in any::<i32>(),
            sought in any::<i64>(),
        ) {
            let integers: Vec<i64> = integers.into_iter().collect();
            let ascending = steps.iter().scan(i64::from(start), |at, step| {
                *at += step;
                Some(*at)
            });
            let near: Vec<i64> = ascending.collect();
            for integers in [integers, near] {
                let around = integers.iter().flat_map(|integer| {
                    [integer.saturating_sub(1), *integer, integer.saturating_add(1)]
                });
                for integer in around.chain([sought, i64::MIN, i64::MAX]) {
                    prop_assert_eq!(
                        search_spread(&integers, integer),
                        integers.binary_search(&integer),
                    );
                }
            }
        }
    }
}
