//! The keys of one vector, to be searched.

use core::cmp::Ordering;
use std::sync::Arc;

use varve_types::{Column, ColumnData, KeyOrder, Value, decode_key_value};

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
        match (column.data(), value) {
            (ColumnData::Int64(words), Value::Int8(word)) => Some(words.binary_search(&word)),
            (ColumnData::Int64(words), Value::Timestamp(word) | Value::TimestampTz(word)) => {
                Some(words.binary_search(&word))
            }
            (ColumnData::Int32(words), Value::Int4(word) | Value::Date(word)) => {
                Some(words.binary_search(&word))
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
