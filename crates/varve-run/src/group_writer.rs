//! Gathers the vectors of one group and lays them out as values.

use varve_types::Column;

use crate::envelope::{Kind, begin, seal};
use crate::head::{GroupInfo, Place, Segment};
use crate::segment::{self, FrameWriter, WrittenFrame};
use crate::{
    ColumnStats, GROUP_BYTES_MAX, GROUP_VECTORS_MAX, RunError, RunSpec, RunValue, ZoneMap,
};
use crate::{filter, index, vector};

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
    vectors: usize,
    first_key: Vec<u8>,
    key_hashes: Vec<u64>,
    index: Vec<u8>,
    columns: Vec<FrameWriter>,
}

impl GroupWriter {
    pub(crate) fn new(spec: &RunSpec, first_row: u64) -> GroupWriter {
        let staged = |column| !spec.key_columns.contains(&column);
        GroupWriter {
            first_row,
            rows: 0,
            vectors: 0,
            first_key: Vec::new(),
            key_hashes: Vec::new(),
            index: Vec::new(),
            columns: (0..spec.columns.len())
                .map(|column| FrameWriter::new(staged(column)))
                .collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.vectors == 0
    }

    pub(crate) fn is_full(&self) -> bool {
        let bytes: usize = self.columns.iter().map(FrameWriter::bytes).sum();
        self.vectors == GROUP_VECTORS_MAX || bytes > GROUP_BYTES_MAX
    }

    /// Adds a vector of plain columns; adds what it learns to the statistics of the run.
    pub(crate) fn add_vector(
        &mut self,
        columns: &[Column],
        first_key: &[u8],
        key_hashes: &mut Vec<u64>,
        stats: &mut [ColumnStats],
    ) -> Result<(), RunError> {
        if self.is_empty() {
            self.first_key = first_key.to_vec();
        }
        let mut zones = Vec::with_capacity(columns.len());
        for ((column, frames), stats) in columns.iter().zip(&mut self.columns).zip(stats) {
            let zone = ZoneMap::of(column);
            stats.zone.merge(&zone);
            zones.push(zone);
            let encoded = frames.add_vector(|out| {
                stats.codecs |= vector::encode(column, out)?;
                Ok::<(), varve_codec::CodecError>(())
            });
            stats.encoded_bytes += encoded.map_err(|_| RunError::Mismatch("column"))? as u64;
        }
        index::encode_vector(first_key, &zones, &mut self.index);
        self.key_hashes.append(key_hashes);
        let rows = columns.first().map_or(0, Column::len);
        self.rows += u32::try_from(rows).unwrap_or(0);
        self.vectors += 1;
        Ok(())
    }

    /// Lays the group out: its values, numbered from `next_value`, go to `values`.
    pub(crate) fn finish(
        self,
        spec: &RunSpec,
        last_key: &[u8],
        next_value: &mut u32,
        values: &mut Vec<RunValue>,
        stats: &mut [ColumnStats],
    ) -> GroupInfo {
        let filter = spec.filter.then(|| filter::build(&self.key_hashes));
        let frames: Vec<Vec<WrittenFrame>> =
            self.columns.into_iter().map(FrameWriter::finish).collect();
        let column_bytes: usize = frames.iter().flatten().map(WrittenFrame::bytes).sum();
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
        let mut columns = Vec::with_capacity(frames.len());
        for (frames, stats) in frames.iter().zip(stats) {
            let mut first_vector = 0;
            let mut segments = Vec::new();
            for page in pages(frames) {
                let mut bytes = Vec::new();
                segment::encode(page, &mut bytes);
                stats.stored_bytes += bytes.len() as u64;
                let vectors: usize = page.iter().map(|frame| frame.vectors).sum();
                let vectors = u32::try_from(vectors).unwrap_or(0);
                segments.push(Segment {
                    first_vector,
                    vectors,
                    place: layout.place_page(&bytes),
                });
                first_vector += vectors;
            }
            columns.push(segments);
        }
        layout.end_shared();
        // A shared value has its number when it begins, but ends after pages of their own.
        values.sort_by_key(|value| value.number);
        GroupInfo {
            first_row: self.first_row,
            rows: self.rows,
            first_key: self.first_key,
            last_key: last_key.to_vec(),
            index,
            filter,
            columns,
        }
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
