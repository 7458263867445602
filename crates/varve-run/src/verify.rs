//! Whether what is stored beside the rows of a vector is true of them.

use varve_codec::CodecError;
use varve_types::{Column, ColumnBuilder};

use crate::{GroupIndex, KeyFilter, RunError, RunHead, ZoneMap, key_hash};

/// What is known of the group of a vector that is to be verified; what could not be read is left
/// out.
#[derive(Clone, Copy, Debug)]
pub struct GroupFacts<'a> {
    /// The group.
    pub group: usize,
    /// First keys and zone maps.
    pub index: Option<&'a GroupIndex>,
    /// The filter over its keys.
    pub filter: Option<KeyFilter<'a>>,
    /// How many leading key columns the filter goes by; `None`: all of them.
    pub filter_key_columns: Option<usize>,
}

/// Checks all columns of a vector, plain or encoded: its keys ascend from `last_key` on, which
/// becomes the last of them, lie in the range of the group, and pass its filter; first key and zone
/// maps are those of the index.
pub fn verify_vector(
    head: &RunHead,
    facts: &GroupFacts<'_>,
    vector: usize,
    columns: &[Column],
    last_key: &mut Vec<u8>,
) -> Result<(), RunError> {
    let info = head.groups().get(facts.group);
    let info = info.ok_or(RunError::Mismatch("group"))?;
    let rows = info.vector_rows(vector);
    let index_value = head.index_value_for(facts.group);
    let differs = |what| RunError::corrupt(head.run(), index_value)(CodecError::Malformed(what));
    let known = facts.index.and_then(|index| index.vectors().get(vector));
    let (mut key, mut filter_key) = (Vec::new(), Vec::new());
    for row in 0..rows {
        key.clear();
        let keys = head.key_columns().iter().filter_map(|at| columns.get(*at));
        head.put_key(keys.clone(), row, &mut key);
        if !last_key.is_empty() && *last_key >= key {
            let before = info.first_row + (vector * varve_types::VECTOR_ROWS + row) as u64;
            return Err(RunError::KeysOutOfOrder {
                run: head.run(),
                row: before,
            });
        }
        if row == 0 && known.is_some_and(|known| known.first_key != key) {
            return Err(differs("first key"));
        }
        if key < info.first_key || info.last_key < key {
            return Err(RunError::corrupt(head.run(), None)(CodecError::Malformed(
                "key range",
            )));
        }
        let hash = match facts.filter_key_columns {
            None => key_hash(&key),
            Some(columns) => {
                filter_key.clear();
                head.put_key(keys.take(columns), row, &mut filter_key);
                key_hash(&filter_key)
            }
        };
        if facts.filter.is_some_and(|filter| !filter.may_contain(hash)) {
            let value = head.filter_value_for(facts.group);
            return Err(RunError::corrupt(head.run(), value)(CodecError::Malformed(
                "filter",
            )));
        }
        core::mem::swap(last_key, &mut key);
    }
    let zones = known.map_or(&[][..], |known| &known.zones);
    for (column, zone) in columns.iter().zip(zones) {
        let (mut stored, mut found) = (Vec::new(), Vec::new());
        zone.encode(&mut stored);
        let mut plain = ColumnBuilder::with_capacity(column.logical_type(), rows);
        plain.append(column);
        ZoneMap::of(&plain.finish()).encode(&mut found);
        if stored != found {
            return Err(differs("zone map"));
        }
    }
    Ok(())
}
