//! Encodes a full group column by column, then lays it out: in steps, so that whoever waits for
//! something else gets a turn between two of them.

use core::cmp::Reverse;

use varve_codec::CodecError;
use varve_types::{Broken, Column, ColumnData, Invariant, Job, Parallel, invariant};

use crate::filter;
use crate::group::layout::{Layout, Part};
use crate::group::writer::{ColumnWriter, GroupWriter};
use crate::head::GroupInfo;
use crate::index;
use crate::same_column::encode_same;
use crate::value_frames::Framing;
use crate::{RunError, RunSpec, RunValue};

/// A full group while it is encoded.
pub(crate) struct GroupEncoding {
    group: GroupWriter,
    last_key: Vec<u8>,
    /// The columns that were encoded so far.
    parts: Vec<Part>,
    /// The next one, where its values are compressed one by one.
    framing: Option<Framing>,
}

impl GroupEncoding {
    pub(crate) fn new(group: GroupWriter, last_key: Vec<u8>) -> GroupEncoding {
        GroupEncoding {
            parts: Vec::with_capacity(group.columns.len()),
            group,
            last_key,
            framing: None,
        }
    }

    /// Bytes of the group's values in memory.
    pub(crate) fn value_bytes(&self) -> usize {
        self.group.value_bytes()
    }

    /// Encodes the next column, or all of them at the same time; tells whether there are more.
    pub(crate) fn step(
        &mut self,
        spec: &RunSpec,
        writers: &mut [ColumnWriter],
        parallel: Option<&dyn Parallel>,
    ) -> Result<bool, RunError> {
        let at = self.parts.len();
        if let Some(parallel) = parallel.filter(|_| at == 0) {
            for part in self.encode_all(spec, writers, parallel)? {
                self.add(spec, part, writers)?;
            }
        } else if let (Some(vectors), Some(writer)) =
            (self.group.columns.get(at), writers.get_mut(at))
        {
            let framing = self.framing.take();
            if let Some(mut framing) = framing.or_else(|| framing_of(spec, writer)) {
                let goes_on = framing.step(&self.group.columns, at);
                let goes_on = goes_on.map_err(|_| RunError::Mismatch("column"))?;
                self.framing = Some(framing);
                if goes_on {
                    return Ok(true);
                }
            }
            let framing = self.framing.take();
            let part = encode(vectors, framing, writer);
            let part = part.map_err(|_| RunError::Mismatch("column"))?;
            self.add(spec, part, writers)?;
        }
        Ok(self.parts.len() < self.group.columns.len())
    }

    /// Lays the columns out: the values, numbered from `next_value`, go to `values`.
    pub(crate) fn finish(
        self,
        spec: &RunSpec,
        next_value: &mut u32,
        values: &mut Vec<RunValue>,
        writers: &mut [ColumnWriter],
    ) -> Result<GroupInfo, Broken> {
        let group = self.group;
        let all = self.parts.len() == group.columns.len() && writers.len() == self.parts.len();
        invariant!(all, "columns of a group");
        let first_value = *next_value;
        let values_before = values.len();
        let pays = spec.filter && !has_dense_keys(spec, &group);
        let filter = pays.then(|| filter::build(&group.key_hashes));
        let filter = filter.transpose()?;
        let column_bytes: usize = self.parts.iter().map(Part::bytes).sum();
        let index = index::stored(&group.index).or_broken("index of a group")?;
        let whole_bytes = index.len() + filter.as_ref().map_or(0, Vec::len) + column_bytes;
        let mut layout = Layout::new(spec, whole_bytes, next_value, values);
        let index = layout.place_apart(&index)?;
        let filter = filter.map(|filter| layout.place_apart(&filter));
        let filter = filter.transpose()?;
        let mut columns = Vec::with_capacity(self.parts.len());
        for (part, writer) in self.parts.into_iter().zip(writers) {
            columns.push(part.place(&mut layout, writer)?);
        }
        layout.end_shared();
        // A shared value has its number when it begins, but ends after pages of their own.
        varve_sort::sort_by_key(values, |value| value.number);
        let new = values.iter().skip(values_before);
        debug_assert!(new.map(|value| value.number).eq(first_value..*next_value));
        Ok(GroupInfo {
            first_row: group.first_row,
            rows: group.rows,
            first_key: group.first_key,
            last_key: self.last_key,
            index,
            filter,
            columns,
        })
    }

    /// Every column by itself, each of them a job of its own.
    fn encode_all(
        &self,
        spec: &RunSpec,
        writers: &mut [ColumnWriter],
        parallel: &dyn Parallel,
    ) -> Result<Vec<Part>, RunError> {
        let columns = &self.group.columns;
        let mut parts: Vec<Option<Result<Part, CodecError>>> = Vec::new();
        parts.resize_with(columns.len(), || None);
        let mut jobs: Vec<(usize, Job<'_>)> = Vec::with_capacity(parts.len());
        let slots = columns.iter().zip(writers).zip(&mut parts).enumerate();
        for (at, ((vectors, writer), slot)) in slots {
            let bytes = vectors.iter().map(Column::memory_bytes).sum();
            let job = move || *slot = Some(encode_whole(spec, columns, at, writer));
            jobs.push((bytes, Box::new(job)));
        }
        // What takes long begins first, so that nobody waits for it at the end.
        varve_sort::sort_by_key(&mut jobs, |(bytes, _)| Reverse(*bytes));
        parallel.run_all(jobs.into_iter().map(|(_, job)| job).collect());
        let encoded = |part: Option<Result<Part, CodecError>>| {
            part.and_then(Result::ok)
                .ok_or(RunError::Mismatch("column"))
        };
        parts.into_iter().map(encoded).collect()
    }

    /// Adds the next column in its smallest form.
    fn add(
        &mut self,
        spec: &RunSpec,
        part: Part,
        writers: &mut [ColumnWriter],
    ) -> Result<(), RunError> {
        let at = self.parts.len();
        let Some(writer) = writers.get_mut(at) else {
            return Err(RunError::Mismatch("column"));
        };
        let part = match spec.key_columns.contains(&at) {
            true => part,
            false => self.smaller_same(spec, at, part, writer)?,
        };
        writer.stats.codecs |= part.codecs;
        writer.stats.encoded_bytes += part.encoded_bytes;
        for (way, bytes) in part.value_frames.iter() {
            *writer.stats.value_frames.entry(*way).or_default() += *bytes;
        }
        self.parts.push(part);
        Ok(())
    }

    /// Column `at` as its differences from an earlier one, where that is smaller than `part`.
    fn smaller_same(
        &self,
        spec: &RunSpec,
        at: usize,
        mut part: Part,
        writer: &ColumnWriter,
    ) -> Result<Part, RunError> {
        let (Some(vectors), Some(column)) = (self.group.columns.get(at), spec.columns.get(at))
        else {
            return Ok(part);
        };
        if writer.encoder.is_named() {
            return Ok(part);
        }
        let columns = self
            .group
            .columns
            .iter()
            .zip(&spec.columns)
            .zip(&self.parts);
        for (reference, ((others, other), stored)) in columns.enumerate() {
            // A reference that has one of its own would make reading a chain.
            if other.ty != column.ty || stored.same_as.is_some() {
                continue;
            }
            let same = encode_same(column.ty, others, vectors);
            if let Some(same) = same.map_err(|_| RunError::Mismatch("column"))? {
                let same = Part::of(same, Some(reference), writer);
                let same = same.map_err(|_| RunError::Mismatch("column"))?;
                if same.bytes() < part.bytes() {
                    part = same;
                }
            }
        }
        Ok(part)
    }
}

/// A filter pays where fewer than one of so many keys between the first and the last are there.
const DENSE_SHARE: i128 = 4;

/// Whether most keys between the first and the last one are there, so that a filter would leave
/// little out: numbers that are counted up, as of a serial column.
fn has_dense_keys(spec: &RunSpec, group: &GroupWriter) -> bool {
    let looked_up = spec.filter_key_columns.unwrap_or(spec.key_columns.len());
    let key = spec.key_columns.first().filter(|_| looked_up == 1);
    let Some(vectors) = key.and_then(|at| group.columns.get(*at)) else {
        return false;
    };
    let number = |column: &Column, row: usize| match (column.data(), column.is_null(row)) {
        (_, true) => None,
        (ColumnData::Int32(numbers), _) => numbers.get(row).map(|number| i128::from(*number)),
        (ColumnData::Int64(numbers), _) => numbers.get(row).map(|number| i128::from(*number)),
        _ => None,
    };
    let first = vectors.first().and_then(|column| number(column, 0));
    let last = vectors.last();
    let last = last.and_then(|column| number(column, column.len().checked_sub(1)?));
    let span = first
        .zip(last)
        .map(|(first, last)| (last - first).abs() + 1);
    span.is_some_and(|span| span <= i128::from(group.rows) * DENSE_SHARE)
}

/// The compression of the values of a column, where it is said how.
fn framing_of(spec: &RunSpec, writer: &ColumnWriter) -> Option<Framing> {
    let (frames, zstd) = (writer.frames.as_ref()?, writer.zstd.as_ref()?);
    Some(Framing::new(frames, zstd, spec))
}

/// Column `at` in one step.
fn encode_whole(
    spec: &RunSpec,
    columns: &[Vec<Column>],
    at: usize,
    writer: &mut ColumnWriter,
) -> Result<Part, CodecError> {
    let mut framing = framing_of(spec, writer);
    if let Some(framing) = &mut framing {
        while framing.step(columns, at)? {}
    }
    let vectors = columns.get(at).map(Vec::as_slice).unwrap_or_default();
    encode(vectors, framing, writer)
}

fn encode(
    vectors: &[Column],
    framing: Option<Framing>,
    writer: &mut ColumnWriter,
) -> Result<Part, CodecError> {
    let encoded = writer.encoder.encode(vectors, framing)?;
    Part::of(encoded, None, writer)
}
