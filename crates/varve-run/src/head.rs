//! The head of a run: everything that an open store keeps of it in memory.

use varve_codec::BytesByWay;
use varve_types::{Column, ColumnId, KeyOrder, LogicalType, RunId, VECTOR_ROWS};

use crate::envelope::{Kind, begin, open, seal};
use crate::{ColumnSpec, Holds, RunError, ZoneMap, encode_ordered_row_key, head_codec};

/// A run's shape, directory and statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct RunHead {
    pub(crate) run: RunId,
    pub(crate) schema_version: u32,
    pub(crate) columns: Vec<ColumnSpec>,
    pub(crate) key_columns: Vec<usize>,
    /// The order of each key column; empty where all are ascending.
    pub(crate) key_orders: Vec<KeyOrder>,
    pub(crate) values: u32,
    pub(crate) groups: Vec<GroupInfo>,
    pub(crate) stats: Vec<ColumnStats>,
}

/// What the directory says of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupInfo {
    /// Rows of the run before this group.
    pub first_row: u64,
    /// Rows of the group.
    pub rows: u32,
    /// The key of its first row.
    pub first_key: Vec<u8>,
    /// The key of its last row.
    pub last_key: Vec<u8>,
    /// Zone maps and first keys by vector.
    pub index: Place,
    /// The filter over its keys, if the run has filters.
    pub filter: Option<Place>,
    /// Where each column is.
    pub columns: Vec<ColumnPlaces>,
}

/// Where one column of a group is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnPlaces {
    /// The column that its vectors are differences from, if they are; it has no such column itself.
    pub same_as: Option<usize>,
    /// The shared part of its vectors, if they need one; may be that of an earlier group.
    pub shared: Option<Place>,
    /// Its segments, in the order of their vectors.
    pub segments: Vec<Segment>,
}

/// Where in a run's values some bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the value.
    pub value: u32,
    /// Bytes of its payload before.
    pub offset: u32,
    /// How many bytes.
    pub bytes: u32,
}

/// Consecutive vectors of one column, stored together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Vectors of the group before.
    pub first_vector: u32,
    /// How many vectors.
    pub vectors: u32,
    /// Where they are.
    pub place: Place,
}

/// What is known of a column over the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnStats {
    /// Rows, NULLs, bounds and sum.
    pub zone: ZoneMap,
    /// Bytes that the column takes as stored.
    pub stored_bytes: u64,
    /// Bytes of its vectors before the general stage.
    pub encoded_bytes: u64,
    /// Bit `t` is set if a vector is encoded with codec tag `t` of `varve_codec`.
    pub codecs: u32,
    /// What became of its values, where it was said of each of them how zstd compresses it.
    pub value_frames: BytesByWay,
}

/// Bytes of a run that are not pages of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BytesBeside {
    /// Of zone maps and first keys.
    pub zone_maps: u64,
    /// Of filters.
    pub filters: u64,
}

/// Where a row of a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// The group.
    pub group: usize,
    /// The vector in the group.
    pub vector: usize,
    /// The row in the vector.
    pub position: u16,
}

impl GroupInfo {
    /// The row of the run after its last one.
    pub(crate) fn end_row(&self) -> u64 {
        self.first_row + u64::from(self.rows)
    }

    /// Number of vectors.
    pub fn vectors(&self) -> usize {
        (self.rows as usize).div_ceil(VECTOR_ROWS)
    }

    /// Rows of a vector; 0 past the end.
    pub fn vector_rows(&self, vector: usize) -> usize {
        let before = vector.saturating_mul(VECTOR_ROWS);
        (self.rows as usize).saturating_sub(before).min(VECTOR_ROWS)
    }
}

impl RunHead {
    /// Reads a head as it was stored for `run`.
    pub fn decode(run: RunId, bytes: &[u8]) -> Result<RunHead, RunError> {
        let payload = open(Kind::Head, run, bytes)?;
        head_codec::decode(run, payload).map_err(RunError::corrupt(run, None))
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = begin();
        head_codec::encode(self, &mut bytes);
        seal(Kind::Head, self.run, &mut bytes);
        bytes
    }

    /// What groups have beside their columns.
    pub fn bytes_beside_columns(&self) -> BytesBeside {
        let bytes = |place: &Place| u64::from(place.bytes);
        let filters = self.groups.iter().filter_map(|group| group.filter.as_ref());
        BytesBeside {
            zone_maps: self.groups.iter().map(|group| bytes(&group.index)).sum(),
            filters: filters.map(bytes).sum(),
        }
    }

    /// How many pages a column has.
    pub fn pages_of(&self, column: usize) -> u64 {
        let columns = self
            .groups
            .iter()
            .filter_map(|group| group.columns.get(column));
        columns.map(|places| places.segments.len() as u64).sum()
    }

    /// The run.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The version of the schema that the rows have.
    pub fn schema_version(&self) -> u32 {
        self.schema_version
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.groups.last().map_or(0, GroupInfo::end_row)
    }

    /// Number of values, numbered from 0.
    pub fn values(&self) -> u32 {
        self.values
    }

    /// The columns, in the order of a row.
    pub fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    /// The position of a column, or `None` where the run is older than the column.
    pub fn column_position(&self, id: ColumnId) -> Option<usize> {
        self.position(id, Holds::Values)
    }

    /// The position of the references to those values of a column that lie elsewhere, or `None`
    /// where all lie in the run.
    pub fn reference_position(&self, id: ColumnId) -> Option<usize> {
        self.position(id, Holds::References)
    }

    /// Whether values of some column lie elsewhere.
    pub fn has_references(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| column.holds == Holds::References)
    }

    fn position(&self, id: ColumnId, holds: Holds) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|column| column.id == id && column.holds == holds)
    }

    /// The positions of the columns that form the sort key.
    pub fn key_columns(&self) -> &[usize] {
        &self.key_columns
    }

    /// The order of a key column.
    pub fn key_order(&self, at: usize) -> KeyOrder {
        self.key_orders.get(at).copied().unwrap_or_default()
    }

    /// Appends the key of a row, given the key columns in order.
    pub fn put_key<'a>(
        &self,
        key_columns: impl IntoIterator<Item = &'a Column>,
        row: usize,
        key: &mut Vec<u8>,
    ) {
        encode_ordered_row_key(key_columns, &self.key_orders, row, key);
    }

    /// The directory.
    pub fn groups(&self) -> &[GroupInfo] {
        &self.groups
    }

    /// Statistics of each column.
    pub fn stats(&self) -> &[ColumnStats] {
        &self.stats
    }

    /// The first and last key, unless the run is empty.
    pub fn key_range(&self) -> Option<(&[u8], &[u8])> {
        let (first, last) = (self.groups.first()?, self.groups.last()?);
        Some((&first.first_key, &last.last_key))
    }

    /// The group whose key range holds `key`, if any.
    pub fn group_of_key(&self, key: &[u8]) -> Option<usize> {
        let group = self.first_group_from(key);
        let range = self.groups.get(group)?;
        (range.first_key.as_slice() <= key).then_some(group)
    }

    /// The first group whose last key is not below `key`; the number of groups when there is none.
    pub fn first_group_from(&self, key: &[u8]) -> usize {
        self.groups
            .partition_point(|group| group.last_key.as_slice() < key)
    }

    /// Where the row with this ordinal is.
    pub fn locate(&self, row: u64) -> Option<RowPlace> {
        let after = self.groups.partition_point(|group| group.first_row <= row);
        let group = after.checked_sub(1)?;
        let info = self.groups.get(group)?;
        let within = usize::try_from(row - info.first_row).ok()?;
        (within < info.rows as usize).then_some(RowPlace {
            group,
            vector: within / VECTOR_ROWS,
            position: u16::try_from(within % VECTOR_ROWS).ok()?,
        })
    }

    /// The ordinal of a row.
    pub fn ordinal(&self, place: RowPlace) -> Option<u64> {
        let info = self.groups.get(place.group)?;
        let within = place.vector as u64 * VECTOR_ROWS as u64 + u64::from(place.position);
        Some(info.first_row + within)
    }

    /// The values needed to read these columns of a group, ascending. Empty for a group that does
    /// not exist.
    pub fn values_for(&self, group: usize, columns: &[usize]) -> Vec<u32> {
        let Some(info) = self.groups.get(group) else {
            return Vec::new();
        };
        let mut values = Vec::new();
        let places = |at: usize| info.columns.get(at);
        let references = columns.iter().filter_map(|at| places(*at)?.same_as);
        let columns = columns.iter().copied().chain(references);
        for column in columns.filter_map(places) {
            values.extend(column.shared.map(|place| place.value));
            values.extend(column.segments.iter().map(|segment| segment.place.value));
        }
        varve_sort::sort(&mut values);
        values.dedup();
        values
    }

    /// The value that holds the index of a group.
    pub fn index_value_for(&self, group: usize) -> Option<u32> {
        self.groups.get(group).map(|info| info.index.value)
    }

    /// The value that holds the filter of a group, if it has one.
    pub fn filter_value_for(&self, group: usize) -> Option<u32> {
        self.groups.get(group)?.filter.map(|place| place.value)
    }

    /// Bytes that the head takes in memory, roughly.
    pub fn memory_bytes(&self) -> usize {
        let group = |group: &GroupInfo| {
            let segments: usize = group
                .columns
                .iter()
                .map(|column| column.segments.len())
                .sum();
            size_of::<GroupInfo>()
                + group.first_key.len()
                + group.last_key.len()
                + segments * size_of::<Segment>()
                + group.columns.len() * size_of::<ColumnPlaces>()
        };
        let column = size_of::<ColumnSpec>() + size_of::<ColumnStats>();
        size_of::<RunHead>()
            + self.columns.len() * column
            + self.groups.iter().map(group).sum::<usize>()
    }

    pub(crate) fn column_type(&self, column: usize) -> Option<LogicalType> {
        self.columns.get(column).map(|spec| spec.ty)
    }
}
