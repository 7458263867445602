//! What readers make of the values of a group, kept for the next reader.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use varve_codec::Frame;
use varve_types::Column;

use crate::head::{ColumnPlaces, RunHead};
use crate::vector::VectorFormat;
use crate::{CheckedValue, GroupIndex, KeyVector, RunError};

// What parts of groups count in memory is the same in every build: their sizes where pointers have
// 64 bits.
const PARTS_BYTES: usize = 120;
const COLUMN_BYTES: usize = 112;
const SEGMENT_BYTES: usize = 32;
const FRAME_BYTES: usize = 96;
const KEYS_BYTES: usize = 64;
const SLOT_BYTES: usize = 24;
const DECODED_BYTES: usize = 112;
const _: () = assert!(size_of::<GroupParts>() <= PARTS_BYTES);
const _: () = assert!(size_of::<OpenColumn>() <= COLUMN_BYTES);
const _: () = assert!(size_of::<OnceLock<Vec<Frame>>>() <= SEGMENT_BYTES);
const _: () = assert!(size_of::<Frame>() <= FRAME_BYTES);
const _: () = assert!(size_of::<OnceLock<KeyVector>>() <= KEYS_BYTES);
const _: () = assert!(size_of::<KeptVector>() <= SLOT_BYTES);
const _: () = assert!(size_of::<Column>() <= DECODED_BYTES);

/// Parts of a group in the form in which they are used: its index, the shared parts of its columns,
/// frames with their general stage undone, vectors
/// that are searched or from which rows are gathered often. Each is made when it is first
/// needed. Nothing of it changes once it is made, so any number of readers may share it.
#[derive(Debug)]
pub struct GroupParts {
    columns: Vec<OpenColumn>,
    /// Read from the value that it came from.
    index: OnceLock<GroupIndex>,
    /// The value that holds the filter.
    filter: OnceLock<CheckedValue>,
    /// By vector.
    keys: Vec<OnceLock<KeyVector>>,
    bytes: AtomicU64,
    /// What [`GroupParts::take_growth`] told last.
    told_bytes: AtomicU64,
}

/// What was read of a column so far.
#[derive(Debug)]
pub(crate) struct OpenColumn {
    pub(crate) format: OnceLock<VectorFormat>,
    /// The frames of each segment.
    pub(crate) frames: Vec<OnceLock<Vec<Frame>>>,
    /// By vector.
    vectors: OnceLock<Box<[KeptVector]>>,
}

/// A vector from which rows are gathered again and again is kept decoded.
#[derive(Debug, Default)]
struct KeptVector {
    column: OnceLock<Arc<Column>>,
    /// How often rows were gathered from it while it was not.
    gathers: AtomicU8,
}

/// From this gathering of rows on a vector is kept.
const GATHERS_KEPT: u8 = 2;

impl OpenColumn {
    fn new(places: &ColumnPlaces) -> OpenColumn {
        OpenColumn {
            format: OnceLock::new(),
            frames: places.segments.iter().map(|_| OnceLock::new()).collect(),
            vectors: OnceLock::new(),
        }
    }
}

impl GroupParts {
    /// Nothing yet of a group.
    pub fn new(head: &RunHead, group: usize) -> Result<GroupParts, RunError> {
        let info = head.groups.get(group).ok_or(RunError::Mismatch("group"))?;
        let keys: Vec<OnceLock<KeyVector>> = (0..info.vectors()).map(|_| OnceLock::new()).collect();
        let columns: Vec<OpenColumn> = info.columns.iter().map(OpenColumn::new).collect();
        let segments: usize = columns.iter().map(|column| column.frames.len()).sum();
        let bytes = PARTS_BYTES
            + columns.len() * COLUMN_BYTES
            + segments * SEGMENT_BYTES
            + keys.len() * KEYS_BYTES;
        Ok(GroupParts {
            columns,
            index: OnceLock::new(),
            filter: OnceLock::new(),
            keys,
            bytes: AtomicU64::new(bytes as u64),
            told_bytes: AtomicU64::new(0),
        })
    }

    /// Bytes that it takes in memory so far, roughly and the same in every build, if they are more
    /// than was told before.
    pub fn take_growth(&self) -> Option<u64> {
        let bytes = self.bytes.load(Ordering::Relaxed);
        let told_bytes = self.told_bytes.load(Ordering::Relaxed);
        (bytes != told_bytes).then(|| {
            self.told_bytes.store(bytes, Ordering::Relaxed);
            bytes
        })
    }

    /// The group's index, if it was read.
    pub fn index(&self) -> Option<&GroupIndex> {
        self.index.get()
    }

    /// Reads the group's index from the value that [`RunHead::index_value_for`] names.
    pub fn read_index(
        &self,
        head: &RunHead,
        group: usize,
        value: &CheckedValue,
    ) -> Result<&GroupIndex, RunError> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let index = GroupIndex::decode(head, group, value)?;
        self.add_bytes(index.memory_bytes());
        Ok(self.index.get_or_init(|| index))
    }

    /// The value that holds the filter, if it was kept.
    pub fn filter(&self) -> Option<&CheckedValue> {
        self.filter.get()
    }

    /// Keeps the value that [`RunHead::filter_value_for`] names.
    pub fn keep_filter(&self, value: &CheckedValue) -> &CheckedValue {
        if self.filter.get().is_none() {
            self.add_bytes(value.bytes());
        }
        self.filter.get_or_init(|| value.clone())
    }

    /// The keys of a vector, if they were decoded.
    pub fn key_vector(&self, vector: usize) -> Option<&KeyVector> {
        self.keys.get(vector)?.get()
    }

    pub(crate) fn keep_key_vector(&self, vector: usize, keys: KeyVector) -> Option<&KeyVector> {
        let slot = self.keys.get(vector)?;
        Some(slot.get_or_init(|| keys))
    }

    /// Whether a vector is kept decoded, so that it is read without its value.
    pub fn is_kept(&self, column: usize, vector: usize) -> bool {
        self.kept(column, vector).is_some()
    }

    /// A vector that is kept decoded.
    pub(crate) fn kept(&self, column: usize, vector: usize) -> Option<&Arc<Column>> {
        let vectors = self.columns.get(column)?.vectors.get()?;
        vectors.get(vector)?.column.get()
    }

    /// Whether rows were gathered from a vector so often that it is worth decoding.
    pub(crate) fn note_gather(&self, column: usize, vector: usize) -> bool {
        let kept = self.slot(column, vector);
        kept.is_some_and(|kept| kept.gathers.fetch_add(1, Ordering::Relaxed) + 1 >= GATHERS_KEPT)
    }

    /// Keeps a decoded vector.
    pub(crate) fn keep(&self, column: usize, vector: usize, decoded: Column) -> Arc<Column> {
        let decoded = Arc::new(decoded);
        let Some(slot) = self.slot(column, vector) else {
            return decoded;
        };
        self.add_bytes(DECODED_BYTES + decoded.memory_bytes());
        Arc::clone(slot.column.get_or_init(|| decoded))
    }

    fn slot(&self, column: usize, vector: usize) -> Option<&KeptVector> {
        let vectors = &self.columns.get(column)?.vectors;
        let vectors = vectors.get_or_init(|| {
            self.add_bytes(self.keys.len() * SLOT_BYTES);
            self.keys.iter().map(|_| KeptVector::default()).collect()
        });
        vectors.get(vector)
    }

    pub(crate) fn column(&self, column: usize) -> Option<&OpenColumn> {
        self.columns.get(column)
    }

    /// Books frames that were read.
    pub(crate) fn add_frames(&self, frames: &[Frame]) {
        self.add_bytes(frames.len() * FRAME_BYTES);
    }

    pub(crate) fn add_bytes(&self, bytes: usize) {
        if bytes > 0 {
            self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }
}
