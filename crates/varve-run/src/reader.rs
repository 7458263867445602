//! Reads the columns of one group.

use std::sync::{Arc, OnceLock};

use varve_codec::{CodecError, Frame, read_frames};
use varve_types::{Column, ColumnBuilder, Selection};

use crate::group::OpenColumn;
use crate::head::{ColumnPlaces, GroupInfo, Place, RunHead, Segment};
use crate::single_frame::read_single;
use crate::vector::VectorFormat;
use crate::{CheckedValue, GroupParts, KeyVector, RunError, VectorFilter};

/// A group of a run with some of its values at hand. Making one costs nothing by itself: what is
/// made of the values on the way stays in its [`GroupParts`], which other readers may share.
#[derive(Debug)]
pub struct GroupReader {
    head: Arc<RunHead>,
    group: usize,
    values: Vec<CheckedValue>,
    parts: Arc<GroupParts>,
}

impl GroupReader {
    /// A reader of the columns whose values (see [`RunHead::values_for`]) are given.
    pub fn new(
        head: Arc<RunHead>,
        group: usize,
        values: Vec<CheckedValue>,
    ) -> Result<GroupReader, RunError> {
        let parts = Arc::new(GroupParts::new(&head, group)?);
        Ok(GroupReader::sharing(head, group, values, parts))
    }

    /// The same, with what other readers of this group have made of its values.
    pub fn sharing(
        head: Arc<RunHead>,
        group: usize,
        values: Vec<CheckedValue>,
        parts: Arc<GroupParts>,
    ) -> GroupReader {
        GroupReader {
            head,
            group,
            values,
            parts,
        }
    }

    /// The run's head.
    pub fn head(&self) -> &Arc<RunHead> {
        &self.head
    }

    /// The number of the group.
    pub fn group(&self) -> usize {
        self.group
    }

    /// What was made of the group so far.
    pub fn parts(&self) -> &Arc<GroupParts> {
        &self.parts
    }

    /// The group's entry in the directory.
    pub fn info(&self) -> Option<&GroupInfo> {
        self.head.groups.get(self.group)
    }

    /// A column of a vector, encoded forms kept.
    pub fn column(&self, column: usize, vector: usize) -> Result<Column, RunError> {
        let stored = self.stored_vector(column, vector)?;
        let decoded = match self.reference(column, vector)? {
            None => stored.format.decode(stored.bytes, stored.rows),
            Some(reference) => stored.format.decode_same(
                stored.bytes,
                stored.rows,
                reference.format,
                reference.bytes,
            ),
        };
        decoded.map_err(self.corrupt(stored.value))
    }

    /// The rows at `positions` of a vector, in that order; each must be named once at most.
    pub fn gather(
        &self,
        column: usize,
        vector: usize,
        positions: &[u16],
    ) -> Result<Column, RunError> {
        let take = |whole: &Column| {
            if let [position] = positions {
                return whole.single(usize::from(*position));
            }
            let positions: Vec<u32> = positions.iter().map(|at| u32::from(*at)).collect();
            // Plain, since a dictionary would be larger than the rows.
            let ty = whole.logical_type();
            let mut taken = ColumnBuilder::with_capacity(ty, positions.len());
            taken.append_rows(whole, &positions);
            taken.finish()
        };
        if let Some(kept) = self.parts.kept(column, vector) {
            return Ok(take(kept));
        }
        if self.parts.note_gather(column, vector) {
            let kept = self.kept_column(column, vector)?;
            return Ok(take(&kept));
        }
        let stored = self.stored_vector(column, vector)?;
        let gathered = match self.reference(column, vector)? {
            None => stored.format.gather(stored.bytes, stored.rows, positions),
            Some(_) => return Ok(take(&self.column(column, vector)?)),
        };
        gathered.map_err(self.corrupt(stored.value))
    }

    /// A column of a vector, decoded once and kept.
    fn kept_column(&self, column: usize, vector: usize) -> Result<Arc<Column>, RunError> {
        if let Some(kept) = self.parts.kept(column, vector) {
            return Ok(Arc::clone(kept));
        }
        let decoded = self.column(column, vector)?;
        Ok(self.parts.keep(column, vector, decoded))
    }

    /// The rows of a vector that pass, found on its encoded form; `None` where that would take
    /// decoding it, so that the caller may as well do it once and keep the column.
    pub fn filter(
        &self,
        column: usize,
        vector: usize,
        filter: &VectorFilter,
    ) -> Result<Option<Selection>, RunError> {
        let stored = self.stored_vector(column, vector)?;
        if self.reference(column, vector)?.is_some() {
            return Ok(None);
        }
        let passing = stored.format.filter(stored.bytes, stored.rows, filter);
        passing.map_err(self.corrupt(stored.value))
    }

    /// Where `key` is in a vector: `Ok` with the position of its row, or `Err` with that of the
    /// first row above it (the number of rows when there is none). The values of the key columns
    /// must be at hand, unless they were decoded before.
    pub fn search(&self, vector: usize, key: &[u8]) -> Result<Result<u16, u16>, RunError> {
        Ok(self.key_vector(vector)?.search(key))
    }

    /// The keys of a vector, decoded once.
    pub fn key_vector(&self, vector: usize) -> Result<&KeyVector, RunError> {
        if let Some(keys) = self.parts.key_vector(vector) {
            return Ok(keys);
        }
        let columns: Vec<Arc<Column>> = self
            .head
            .key_columns
            .iter()
            .map(|column| self.kept_column(*column, vector))
            .collect::<Result<_, _>>()?;
        let keys = KeyVector::new(columns, self.head.key_orders.clone());
        let keys = self.parts.keep_key_vector(vector, keys);
        keys.ok_or(RunError::Mismatch("vector"))
    }

    /// The same vector of the column that a column is stored as differences from, if it is.
    fn reference(
        &self,
        column: usize,
        vector: usize,
    ) -> Result<Option<StoredVector<'_>>, RunError> {
        let places = self.info().and_then(|info| info.columns.get(column));
        let reference = places.and_then(|places| places.same_as);
        reference
            .map(|reference| self.stored_vector(reference, vector))
            .transpose()
    }

    fn stored_vector(&self, column: usize, vector: usize) -> Result<StoredVector<'_>, RunError> {
        let info = self.info().ok_or(RunError::Mismatch("group"))?;
        let (Some(places), Some(open)) = (info.columns.get(column), self.parts.column(column))
        else {
            return Err(RunError::Mismatch("column"));
        };
        let rows = info.vector_rows(vector);
        if rows == 0 {
            return Err(RunError::Mismatch("vector"));
        }
        let format = self.format(column, places, open)?;
        let segments = &places.segments;
        let after = segments.partition_point(|segment| segment.first_vector as usize <= vector);
        let at = after.checked_sub(1).ok_or(RunError::Mismatch("vector"))?;
        let (Some(segment), Some(frames)) = (segments.get(at), open.frames.get(at)) else {
            return Err(RunError::Mismatch("vector"));
        };
        let number = segment.place.value;
        let value = self.value(number)?;
        let find = || {
            let stored = value.payload(segment.place.offset, segment.place.bytes)?;
            let frames = self.frames_of(frames, segment, stored)?;
            let after = frames.partition_point(|frame| frame.first_vector() <= vector);
            let frame = after.checked_sub(1).and_then(|frame| frames.get(frame));
            let frame = frame.ok_or(CodecError::UnexpectedEnd)?;
            let kept_before = frame.kept_bytes();
            let bytes = frame.vector(stored, vector, &format.shared)?;
            self.parts.add_bytes(frame.kept_bytes() - kept_before);
            Ok(bytes)
        };
        let bytes = find().map_err(self.corrupt(number))?;
        Ok(StoredVector {
            format,
            rows,
            value: number,
            bytes,
        })
    }

    /// How the vectors of a column are read; its shared part is decoded once.
    fn format<'a>(
        &self,
        column: usize,
        places: &ColumnPlaces,
        open: &'a OpenColumn,
    ) -> Result<&'a VectorFormat, RunError> {
        if let Some(format) = open.format.get() {
            return Ok(format);
        }
        let ty = self.head.column_type(column);
        let ty = ty.ok_or(RunError::Mismatch("column"))?;
        let format = match places.shared {
            None => VectorFormat::new(ty, &[]).map_err(self.corrupt(0))?,
            Some(place) => {
                let value = self.value(place.value)?;
                let read = |place: Place| {
                    let stored = value.payload(place.offset, place.bytes)?;
                    read_single(stored, |shared| VectorFormat::new(ty, shared))
                };
                read(place).map_err(self.corrupt(place.value))?
            }
        };
        // What is decoded of a shared part takes a few times its bytes.
        let shared_bytes = places.shared.map_or(0, |place| place.bytes as usize);
        self.parts.add_bytes(shared_bytes.saturating_mul(4));
        Ok(open.format.get_or_init(|| format))
    }

    /// The frames of a segment, read once.
    fn frames_of<'a>(
        &self,
        slot: &'a OnceLock<Vec<Frame>>,
        segment: &Segment,
        stored: &[u8],
    ) -> Result<&'a [Frame], CodecError> {
        if let Some(frames) = slot.get() {
            return Ok(frames);
        }
        let first_vector = segment.first_vector as usize;
        let frames = read_frames(stored, first_vector, segment.vectors as usize)?;
        self.parts.add_frames(&frames);
        Ok(slot.get_or_init(|| frames))
    }

    fn value(&self, number: u32) -> Result<&CheckedValue, RunError> {
        let value = self.values.iter().find(|value| value.number() == number);
        value.ok_or(RunError::MissingValue {
            run: self.head.run,
            value_number: number,
        })
    }

    fn corrupt(&self, value: u32) -> impl Fn(CodecError) -> RunError {
        RunError::corrupt(self.head.run, Some(value))
    }
}

/// One column of one vector before decoding.
struct StoredVector<'a> {
    format: &'a VectorFormat,
    rows: usize,
    /// The value that it came from.
    value: u32,
    bytes: &'a [u8],
}
