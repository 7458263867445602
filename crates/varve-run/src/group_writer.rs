//! Gathers the vectors of one group and lays them out as values.

use core::cmp::Reverse;

use varve_codec::{CodecError, WrittenFrame, put_frames, write_frames};
use varve_types::{Column, Job, Parallel};

use crate::column_encoder::{ColumnEncoder, EncodedColumn};
use crate::envelope::{Kind, begin, seal};
use crate::head::{ColumnPlaces, GroupInfo, Place, Segment};
use crate::same_column::encode_same;
use crate::{ColumnStats, GROUP_VECTORS_MAX, RunError, RunSpec, RunValue, ZoneMap};
use crate::{filter, index};

/// A group below this is one value.
const WHOLE_GROUP_BYTES: usize = 128 << 10;
/// A column is cut into pages that do not pass this, unless one frame does.
const PAGE_BYTES_MAX: usize = 256 << 10;
/// Pages below this share a value.
const BUNDLED_PAGE_BYTES: usize = 32 << 10;
/// A shared value ends with the page in which it passes this.
const BUNDLE_BYTES_MAX: usize = 128 << 10;

/// One group while it is written.
pub(crate) struct GroupWriter {
    first_row: u64,
    rows: u32,
    first_key: Vec<u8>,
    key_hashes: Vec<u64>,
    index: Vec<u8>,
    /// By column its vectors.
    columns: Vec<Vec<Column>>,
    vectors: usize,
    value_bytes: usize,
}

/// One column of the run while it is written.
pub(crate) struct ColumnWriter {
    pub(crate) encoder: ColumnEncoder,
    pub(crate) stats: ColumnStats,
    /// The shared part stored last, and where.
    shared: Option<(Vec<u8>, Place)>,
}

impl ColumnWriter {
    pub(crate) fn new(encoder: ColumnEncoder, stats: ColumnStats) -> ColumnWriter {
        ColumnWriter {
            encoder,
            stats,
            shared: None,
        }
    }
}

impl GroupWriter {
    pub(crate) fn new(spec: &RunSpec, first_row: u64) -> GroupWriter {
        GroupWriter {
            first_row,
            rows: 0,
            first_key: Vec::new(),
            key_hashes: Vec::new(),
            index: Vec::new(),
            columns: spec.columns.iter().map(|_| Vec::new()).collect(),
            vectors: 0,
            value_bytes: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.vectors == 0
    }

    /// Whether another vector would be too many, or the values in memory have reached the limit.
    pub(crate) fn is_full(&self, value_bytes_max: usize) -> bool {
        self.vectors == GROUP_VECTORS_MAX || self.value_bytes >= value_bytes_max
    }

    /// Bytes of its values in memory.
    pub(crate) fn value_bytes(&self) -> usize {
        self.value_bytes
    }

    /// Adds a vector of plain columns of so many bytes in memory; adds what it learns to the
    /// statistics of the run.
    pub(crate) fn add_vector(
        &mut self,
        columns: Vec<Column>,
        value_bytes: usize,
        first_key: &[u8],
        key_hashes: &mut Vec<u64>,
        writers: &mut [ColumnWriter],
    ) {
        if self.is_empty() {
            self.first_key = first_key.to_vec();
        }
        let mut zones = Vec::with_capacity(columns.len());
        for (column, writer) in columns.iter().zip(writers) {
            let zone = ZoneMap::of(column);
            writer.stats.zone.merge(&zone);
            zones.push(zone);
        }
        index::encode_vector(first_key, &zones, &mut self.index);
        self.key_hashes.append(key_hashes);
        let rows = columns.first().map_or(0, Column::len);
        self.rows += u32::try_from(rows).unwrap_or(0);
        self.vectors += 1;
        self.value_bytes += value_bytes;
        for (vectors, column) in self.columns.iter_mut().zip(columns) {
            vectors.push(column);
        }
    }

    /// Bytes that the vectors so far would be encoded to by new encoders, one a column.
    pub(crate) fn trial_bytes(
        &self,
        mut encoder: impl FnMut() -> Option<ColumnEncoder>,
    ) -> Result<usize, RunError> {
        let mut bytes = 0;
        for vectors in &self.columns {
            let mut encoder = encoder().ok_or(RunError::Mismatch("column"))?;
            let encoded = encoder.encode(vectors);
            let encoded = encoded.map_err(|_| RunError::Mismatch("column"))?;
            let vectors = encoded.vectors.iter().map(Vec::as_slice);
            let frames = write_frames(vectors, encoder.stage);
            bytes += encoded.shared.len() + frames.iter().map(WrittenFrame::bytes).sum::<usize>();
        }
        Ok(bytes)
    }

    /// Encodes the group and lays it out: its values, numbered from `next_value`, go to `values`.
    pub(crate) fn finish(
        self,
        spec: &RunSpec,
        last_key: &[u8],
        next_value: &mut u32,
        values: &mut Vec<RunValue>,
        writers: &mut [ColumnWriter],
        parallel: Option<&dyn Parallel>,
    ) -> Result<GroupInfo, RunError> {
        let filter = spec.filter.then(|| filter::build(&self.key_hashes));
        let mut parts: Vec<Part> = Vec::with_capacity(self.columns.len());
        let encoded = self.encode_columns(writers, parallel)?;
        for ((at, part), writer) in encoded.into_iter().enumerate().zip(writers.iter_mut()) {
            let part = match spec.key_columns.contains(&at) {
                true => part,
                false => self.smaller_same(spec, at, part, &parts, writer)?,
            };
            writer.stats.codecs |= part.codecs;
            writer.stats.encoded_bytes += part.encoded_bytes;
            parts.push(part);
        }
        let column_bytes: usize = parts.iter().map(Part::bytes).sum();
        let whole_bytes = self.index.len() + filter.as_ref().map_or(0, Vec::len) + column_bytes;
        let mut layout = Layout {
            spec,
            whole: whole_bytes < WHOLE_GROUP_BYTES,
            shared: None,
            next_value,
            values,
        };

        let index = layout.place_apart(&self.index);
        let filter = filter.map(|filter| layout.place_apart(&filter));
        let mut columns = Vec::with_capacity(parts.len());
        for (part, writer) in parts.into_iter().zip(writers) {
            columns.push(part.place(&mut layout, writer));
        }
        layout.end_shared();
        // A shared value has its number when it begins, but ends after pages of their own.
        values.sort_by_key(|value| value.number);
        Ok(GroupInfo {
            first_row: self.first_row,
            rows: self.rows,
            first_key: self.first_key,
            last_key: last_key.to_vec(),
            index,
            filter,
            columns,
        })
    }

    /// Every column by itself, each of them a job of its own.
    fn encode_columns(
        &self,
        writers: &mut [ColumnWriter],
        parallel: Option<&dyn Parallel>,
    ) -> Result<Vec<Part>, RunError> {
        let mut parts: Vec<Option<Result<Part, CodecError>>> = Vec::new();
        parts.resize_with(self.columns.len(), || None);
        let mut jobs: Vec<(usize, Job<'_>)> = Vec::with_capacity(parts.len());
        for ((vectors, writer), slot) in self.columns.iter().zip(writers).zip(&mut parts) {
            let bytes = vectors.iter().map(Column::memory_bytes).sum();
            let job = move || {
                let encoded = writer.encoder.encode(vectors);
                *slot = Some(encoded.map(|encoded| Part::of(encoded, None, writer)));
            };
            jobs.push((bytes, Box::new(job)));
        }
        // What takes long begins first, so that nobody waits for it at the end.
        jobs.sort_by_key(|(bytes, _)| Reverse(*bytes));
        let jobs = jobs.into_iter().map(|(_, job)| job);
        match parallel {
            Some(parallel) => parallel.run_all(jobs.collect()),
            None => jobs.for_each(|job| job()),
        }
        let encoded = |part: Option<Result<Part, CodecError>>| {
            part.and_then(Result::ok)
                .ok_or(RunError::Mismatch("column"))
        };
        parts.into_iter().map(encoded).collect()
    }

    /// Column `at` as its differences from an earlier one, where that is smaller than `part`.
    fn smaller_same(
        &self,
        spec: &RunSpec,
        at: usize,
        mut part: Part,
        earlier: &[Part],
        writer: &ColumnWriter,
    ) -> Result<Part, RunError> {
        let (Some(vectors), Some(column)) = (self.columns.get(at), spec.columns.get(at)) else {
            return Ok(part);
        };
        let columns = self.columns.iter().zip(&spec.columns).zip(earlier);
        for (reference, ((others, other), stored)) in columns.enumerate() {
            // A reference that has one of its own would make reading a chain.
            if other.ty != column.ty || stored.same_as.is_some() {
                continue;
            }
            let same = encode_same(column.ty, others, vectors);
            if let Some(same) = same.map_err(|_| RunError::Mismatch("column"))? {
                let same = Part::of(same, Some(reference), writer);
                if same.bytes() < part.bytes() {
                    part = same;
                }
            }
        }
        Ok(part)
    }
}

/// One column of the group, ready to be placed.
struct Part {
    shared: Vec<u8>,
    frames: Vec<WrittenFrame>,
    /// The column whose differences these are.
    same_as: Option<usize>,
    codecs: u32,
    encoded_bytes: u64,
}

impl Part {
    fn of(encoded: EncodedColumn, same_as: Option<usize>, writer: &ColumnWriter) -> Part {
        let stage = writer.encoder.stage;
        let vectors = encoded.vectors.iter().map(Vec::as_slice);
        let bytes: usize = encoded.vectors.iter().map(Vec::len).sum();
        let encoded_bytes = (encoded.shared.len() + bytes) as u64;
        let shared = if encoded.shared.is_empty() {
            Vec::new()
        } else {
            let frames = write_frames([encoded.shared.as_slice()].into_iter(), stage);
            let mut shared = Vec::new();
            put_frames(&frames, &mut shared);
            shared
        };
        Part {
            shared,
            frames: write_frames(vectors, stage),
            same_as,
            codecs: encoded.codecs,
            encoded_bytes,
        }
    }

    fn bytes(&self) -> usize {
        self.shared.len() + self.frames.iter().map(WrittenFrame::bytes).sum::<usize>()
    }

    fn place(self, layout: &mut Layout<'_>, writer: &mut ColumnWriter) -> ColumnPlaces {
        let mut places = ColumnPlaces {
            same_as: self.same_as,
            ..ColumnPlaces::default()
        };
        if !self.shared.is_empty() {
            let stored = writer.shared.take();
            let stored = stored.filter(|(shared, _)| *shared == self.shared);
            let (shared, place) = stored.unwrap_or_else(|| {
                writer.stats.stored_bytes += self.shared.len() as u64;
                let place = layout.place_page(&self.shared);
                (self.shared, place)
            });
            places.shared = Some(place);
            writer.shared = Some((shared, place));
        }
        let mut first_vector = 0;
        for page in pages(&self.frames) {
            let mut bytes = Vec::new();
            put_frames(page, &mut bytes);
            writer.stats.stored_bytes += bytes.len() as u64;
            let vectors: usize = page.iter().map(WrittenFrame::vectors).sum();
            let vectors = u32::try_from(vectors).unwrap_or(0);
            places.segments.push(Segment {
                first_vector,
                vectors,
                place: layout.place_page(&bytes),
            });
            first_vector += vectors;
        }
        places
    }
}

/// Cuts the frames of a column into pages.
fn pages(frames: &[WrittenFrame]) -> Vec<&[WrittenFrame]> {
    let mut pages = Vec::new();
    let mut rest = frames;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fit = rest.iter().take_while(|frame| {
            bytes += frame.bytes();
            bytes <= PAGE_BYTES_MAX
        });
        let (page, after) = rest.split_at(fit.count().max(1));
        pages.push(page);
        rest = after;
    }
    pages
}

/// Decides which value some bytes go to.
struct Layout<'a> {
    spec: &'a RunSpec,
    /// The group is one value.
    whole: bool,
    /// The value that takes small pages, and its number.
    shared: Option<(u32, Vec<u8>)>,
    next_value: &'a mut u32,
    values: &'a mut Vec<RunValue>,
}

impl Layout<'_> {
    /// Places bytes that are read without the columns.
    fn place_apart(&mut self, bytes: &[u8]) -> Place {
        if self.whole {
            self.place_shared(bytes)
        } else {
            self.place_alone(bytes)
        }
    }

    fn place_page(&mut self, bytes: &[u8]) -> Place {
        if !self.whole && bytes.len() >= BUNDLED_PAGE_BYTES {
            return self.place_alone(bytes);
        }
        let place = self.place_shared(bytes);
        let full = self
            .shared
            .as_ref()
            .is_some_and(|(_, value)| value.len() > BUNDLE_BYTES_MAX);
        if full && !self.whole {
            self.end_shared();
        }
        place
    }

    fn place_alone(&mut self, bytes: &[u8]) -> Place {
        let number = self.take_number();
        let mut value = begin();
        let place = append(number, &mut value, bytes);
        self.push_value(number, value);
        place
    }

    fn place_shared(&mut self, bytes: &[u8]) -> Place {
        let (number, mut value) = match self.shared.take() {
            Some(shared) => shared,
            None => (self.take_number(), begin()),
        };
        let place = append(number, &mut value, bytes);
        self.shared = Some((number, value));
        place
    }

    fn end_shared(&mut self) {
        if let Some((number, value)) = self.shared.take() {
            self.push_value(number, value);
        }
    }

    fn take_number(&mut self) -> u32 {
        let number = *self.next_value;
        *self.next_value += 1;
        number
    }

    fn push_value(&mut self, number: u32, mut bytes: Vec<u8>) {
        seal(Kind::Data(number), self.spec.run, &mut bytes);
        self.values.push(RunValue { number, bytes });
    }
}

fn append(number: u32, value: &mut Vec<u8>, bytes: &[u8]) -> Place {
    let offset = value.len() - crate::envelope::ENVELOPE_BYTES;
    value.extend_from_slice(bytes);
    Place {
        value: number,
        offset: u32::try_from(offset).unwrap_or(u32::MAX),
        bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
    }
}
