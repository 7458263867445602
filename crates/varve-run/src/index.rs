//! The index of a group: by vector the first key, and the zone map of every column.
//!
//! Layout: for each vector its first key (length as varint, bytes) and one zone map a column. It is
//! stored as a frame of one vector under LZ4, because keys and bounds of neighbours are alike.

use varve_codec::{ByteReader, CodecError, Stage, put_frames, put_varint, write_frames};

use crate::head::{GroupInfo, RunHead};
use crate::single_frame::read_single;
use crate::{CheckedValue, ColumnSpec, KeyFilter, RunError, ZoneMap};

/// What is known of the vectors of a group without reading them.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupIndex {
    vectors: Vec<VectorIndex>,
}

/// What is known of one vector.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorIndex {
    /// The key of its first row.
    pub first_key: Vec<u8>,
    /// The zone map of each column.
    pub zones: Vec<ZoneMap>,
}

// The same in every build: their sizes where pointers have 64 bits.
const VECTOR_BYTES: usize = 48;
const ZONE_BYTES: usize = 160;
const _: () = assert!(size_of::<VectorIndex>() <= VECTOR_BYTES);
const _: () = assert!(size_of::<ZoneMap>() <= ZONE_BYTES);

impl GroupIndex {
    /// Reads the index of a group from the value that [`RunHead::index_value_for`] names.
    pub fn decode(
        head: &RunHead,
        group: usize,
        value: &CheckedValue,
    ) -> Result<GroupIndex, RunError> {
        let info = head.groups.get(group).ok_or(RunError::Mismatch("group"))?;
        if value.number() != info.index.value {
            return Err(RunError::Mismatch("index value"));
        }
        let index = value
            .payload(info.index.offset, info.index.bytes)
            .and_then(|stored| read_single(stored, |bytes| decode(bytes, info, &head.columns)));
        index.map_err(RunError::corrupt(head.run, Some(value.number())))
    }

    /// Bytes that the index takes in memory, roughly; the same in every build.
    pub fn memory_bytes(&self) -> usize {
        let vector = |vector: &VectorIndex| {
            VECTOR_BYTES + vector.first_key.len() + vector.zones.len() * ZONE_BYTES
        };
        self.vectors.iter().map(vector).sum()
    }

    /// The vectors in order.
    pub fn vectors(&self) -> &[VectorIndex] {
        &self.vectors
    }

    /// What is known of a column in a vector.
    pub fn zone(&self, vector: usize, column: usize) -> Option<&ZoneMap> {
        self.vectors.get(vector)?.zones.get(column)
    }

    /// The only vector that may hold `key`: the last one that does not begin above it.
    pub fn vector_of_key(&self, key: &[u8]) -> Option<usize> {
        let after = self
            .vectors
            .partition_point(|vector| vector.first_key.as_slice() <= key);
        after.checked_sub(1)
    }
}

impl<'a> KeyFilter<'a> {
    /// Reads the filter of a group from the value that [`RunHead::filter_value_for`] names.
    pub fn of_group(
        head: &RunHead,
        group: usize,
        value: &'a CheckedValue,
    ) -> Result<KeyFilter<'a>, RunError> {
        let info = head.groups.get(group);
        let place = info.and_then(|info| info.filter);
        let place = place.filter(|place| place.value == value.number());
        let place = place.ok_or(RunError::Mismatch("filter value"))?;
        value
            .payload(place.offset, place.bytes)
            .and_then(KeyFilter::new)
            .map_err(RunError::corrupt(head.run, Some(value.number())))
    }
}

pub(crate) fn encode_vector(first_key: &[u8], zones: &[ZoneMap], out: &mut Vec<u8>) {
    put_varint(first_key.len() as u64, out);
    out.extend_from_slice(first_key);
    for zone in zones {
        zone.encode(out);
    }
}

/// The bytes of an index as they are stored.
pub(crate) fn stored(index: &[u8]) -> Result<Vec<u8>, CodecError> {
    let frames = write_frames([index].into_iter(), Stage::Lz4);
    let mut stored = Vec::new();
    put_frames(&frames, &mut stored)?;
    Ok(stored)
}

fn decode(
    bytes: &[u8],
    info: &GroupInfo,
    columns: &[ColumnSpec],
) -> Result<GroupIndex, CodecError> {
    let mut reader = ByteReader::new(bytes);
    let mut vectors = Vec::new();
    for vector in 0..info.vectors() {
        let key_bytes = reader.count(0, reader.rest().len(), "key length")?;
        let first_key = reader.take(key_bytes)?.to_vec();
        let rows = info.vector_rows(vector) as u64;
        let zones = columns
            .iter()
            .map(|column| ZoneMap::decode(&mut reader, column.ty, rows))
            .collect::<Result<_, _>>()?;
        vectors.push(VectorIndex { first_key, zones });
    }
    reader.end()?;
    if !vectors.is_sorted_by(|a, b| a.first_key < b.first_key) {
        return Err(CodecError::Malformed("vector keys"));
    }
    Ok(GroupIndex { vectors })
}
