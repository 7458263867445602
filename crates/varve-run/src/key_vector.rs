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
        let found = match self.search_words(key) {
            Some(found) => found,
            None => self.search_bytes(key),
        };
        // A vector has 1,024 rows at most.
        let position = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        found.map(position).map_err(position)
    }

    /// The search of a key that is one integer: without making the bytes of any row's key.
    fn search_words(&self, key: &[u8]) -> Option<Result<usize, usize>> {
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
        let word = value.word()?;
        match column.data() {
            ColumnData::Int64(words) => Some(search_spread(words, word)),
            ColumnData::Int32(words) => {
                let word = i32::try_from(word).ok()?;
                Some(search_spread(words, word))
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

/// Binary search that begins where the word would be if the words were spread evenly, as those of
/// keys that count up nearly are: it then touches one cache line or two rather than ten.
fn search_spread<T: Copy + Ord + Into<i64>>(words: &[T], word: T) -> Result<usize, usize> {
    let (mut low, mut high) = (0, words.len());
    let mut probe = even_place(words, word).unwrap_or(high / 2);
    let mut step = 1;
    while low < high {
        match words.get(probe).map(|at| at.cmp(&word)) {
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

/// The place of a word between the first and the last one; `None` where it is not between them.
fn even_place<T: Copy + Into<i64>>(words: &[T], word: T) -> Option<usize> {
    let (first, last) = ((*words.first()?).into(), (*words.last()?).into());
    let above = word.into().checked_sub(first)?;
    let places = i64::try_from(words.len() - 1).ok()?;
    let place = above
        .checked_mul(places)?
        .checked_div(last.checked_sub(first)?)?;
    usize::try_from(place)
        .ok()
        .filter(|place| *place < words.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::search_spread;

    proptest! {
        /// Against the binary search of the standard library, over words spread evenly or not.
        #[test]
        fn finds_what_a_binary_search_finds(
            words in proptest::collection::btree_set(any::<i64>(), 0..40),
            steps in proptest::collection::vec(1_i64..5, 0..1024),
            start in any::<i32>(),
            sought in any::<i64>(),
        ) {
            let words: Vec<i64> = words.into_iter().collect();
            let ascending = steps.iter().scan(i64::from(start), |at, step| {
                *at += step;
                Some(*at)
            });
            let near: Vec<i64> = ascending.collect();
            for words in [words, near] {
                let around = words.iter().flat_map(|word| {
                    [word.saturating_sub(1), *word, word.saturating_add(1)]
                });
                for word in around.chain([sought, i64::MIN, i64::MAX]) {
                    prop_assert_eq!(search_spread(&words, word), words.binary_search(&word));
                }
            }
        }
    }
}
