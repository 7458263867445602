//! Lays the encoded columns of a group out as values.

use varve_codec::tags::{TAG_ZSTD, TAG_ZSTD_DUE};
use varve_codec::{
    BLOCK_VECTORS_MAX, BytesByWay, CodecError, FrameDictionary, WrittenFrame, ZstdBlock,
    ZstdEncoder, ZstdStage, put_frames, write_frames, write_zstd_block, write_zstd_frames,
};
use varve_types::{Broken, Invariant};

use crate::column_encoder::EncodedColumn;
use crate::envelope::{Kind, begin, seal};
use crate::group::writer::ColumnWriter;
use crate::head::{ColumnPlaces, Place, Segment};
use crate::{RunSpec, RunValue};

/// A group below this is one value.
const WHOLE_GROUP_BYTES: usize = 128 << 10;
/// A column is cut into pages that do not pass this, unless one frame does.
pub const PAGE_BYTES_MAX: usize = 256 << 10;
/// Pages below this share a value.
const BUNDLED_PAGE_BYTES: usize = 32 << 10;
/// A shared value ends with the page in which it passes this.
const BUNDLE_BYTES_MAX: usize = 128 << 10;

/// A shared part that was stored, and where.
pub(crate) type PlacedShared = (Vec<u8>, Place);

/// One column of the group, ready to be placed.
pub(crate) struct Part {
    shared: Vec<u8>,
    frames: Vec<WrittenFrame>,
    /// What the frames of the next group may refer to.
    dictionary: Option<FrameDictionary>,
    /// The column whose differences these are.
    pub(crate) same_as: Option<usize>,
    pub(crate) codecs: u32,
    pub(crate) encoded_bytes: u64,
    pub(crate) value_frames: BytesByWay,
}

impl Part {
    pub(crate) fn of(
        encoded: EncodedColumn,
        same_as: Option<usize>,
        writer: &ColumnWriter,
    ) -> Result<Part, CodecError> {
        let bytes: usize = encoded.vectors.iter().map(Vec::len).sum();
        let encoded_bytes = (encoded.shared.len() + bytes) as u64;
        let block = match same_as {
            None => write_block(encoded.vectors, encoded.shared, writer)?,
            // These refer to another column, not to each other.
            Some(_) => ZstdBlock {
                frames: write_staged(&encoded.vectors, writer)?,
                shared: encoded.shared,
                dictionary: None,
            },
        };
        let mut shared = Vec::new();
        if !block.shared.is_empty() {
            let frames = write_staged(core::slice::from_ref(&block.shared), writer)?;
            put_frames(&frames, &mut shared)?;
        }
        let stage = match (writer.encoder.zstd_level, &writer.zstd) {
            (None, _) => 0,
            (Some(_), None) => 1 << TAG_ZSTD_DUE,
            (Some(_), Some(_)) => 1 << TAG_ZSTD,
        };
        Ok(Part {
            shared,
            frames: block.frames,
            dictionary: block.dictionary,
            same_as,
            codecs: encoded.codecs | stage,
            encoded_bytes,
            value_frames: encoded.value_frames,
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.shared.len() + self.frames.iter().map(WrittenFrame::bytes).sum::<usize>()
    }

    pub(crate) fn place(
        self,
        layout: &mut Layout<'_>,
        writer: &mut ColumnWriter,
    ) -> Result<ColumnPlaces, Broken> {
        let mut places = ColumnPlaces {
            same_as: self.same_as,
            ..ColumnPlaces::default()
        };
        writer.dictionary = self.dictionary;
        if !self.shared.is_empty() {
            let stored = writer.shared.take();
            let stored = stored.filter(|(shared, _)| *shared == self.shared);
            let (shared, place) = match stored {
                Some(stored) => stored,
                None => {
                    writer.stats.stored_bytes += self.shared.len() as u64;
                    let place = layout.place_page(&self.shared)?;
                    (self.shared, place)
                }
            };
            places.shared = Some(place);
            writer.shared = Some((shared, place));
        }
        let mut first_vector = 0;
        for page in pages(&self.frames) {
            let mut bytes = Vec::new();
            put_frames(page, &mut bytes).or_broken("directory of frames")?;
            writer.stats.stored_bytes += bytes.len() as u64;
            let vectors: usize = page.iter().map(WrittenFrame::vectors).sum();
            let vectors = u32::try_from(vectors).or_broken("vectors of a page")?;
            places.segments.push(Segment {
                first_vector,
                vectors,
                place: layout.place_page(&bytes)?,
            });
            first_vector += vectors;
        }
        Ok(places)
    }
}

/// A column under its general stage.
fn write_block(
    vectors: Vec<Vec<u8>>,
    shared: Vec<u8>,
    writer: &ColumnWriter,
) -> Result<ZstdBlock, CodecError> {
    if let (Some(level), Some(encoders)) = (writer.encoder.zstd_level, &writer.zstd) {
        let mut encoder = encoders.encoder();
        let mut stage = zstd_stage(level, &mut *encoder);
        return write_zstd_block(&vectors, shared, writer.dictionary.as_ref(), &mut stage);
    }
    Ok(ZstdBlock {
        frames: write_staged(&vectors, writer)?,
        shared,
        dictionary: None,
    })
}

/// Encoded vectors under the general stage of their column.
fn write_staged(
    vectors: &[Vec<u8>],
    writer: &ColumnWriter,
) -> Result<Vec<WrittenFrame>, CodecError> {
    let bytes = vectors.iter().map(Vec::as_slice);
    match (writer.encoder.zstd_level, &writer.zstd) {
        (Some(level), Some(encoders)) => {
            let mut encoder = encoders.encoder();
            write_zstd_frames(bytes, &mut zstd_stage(level, &mut *encoder))
        }
        _ => Ok(write_frames(bytes, writer.encoder.stage)),
    }
}

fn zstd_stage(level: u8, encoder: &mut dyn ZstdEncoder) -> ZstdStage<'_> {
    ZstdStage {
        encoder,
        level,
        dictionary: None,
        vectors_max: BLOCK_VECTORS_MAX,
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
pub(crate) struct Layout<'a> {
    spec: &'a RunSpec,
    /// The group is one value.
    whole: bool,
    /// The value that takes small pages, and its number.
    shared: Option<(u32, Vec<u8>)>,
    next_value: &'a mut u32,
    values: &'a mut Vec<RunValue>,
}

impl<'a> Layout<'a> {
    /// For a group whose parts take so many bytes together.
    pub(crate) fn new(
        spec: &'a RunSpec,
        group_bytes: usize,
        next_value: &'a mut u32,
        values: &'a mut Vec<RunValue>,
    ) -> Layout<'a> {
        Layout {
            spec,
            whole: group_bytes < WHOLE_GROUP_BYTES,
            shared: None,
            next_value,
            values,
        }
    }

    /// Places bytes that are read without the columns.
    pub(crate) fn place_apart(&mut self, bytes: &[u8]) -> Result<Place, Broken> {
        if self.whole {
            self.place_shared(bytes)
        } else {
            self.place_alone(bytes)
        }
    }

    fn place_page(&mut self, bytes: &[u8]) -> Result<Place, Broken> {
        if !self.whole && bytes.len() >= BUNDLED_PAGE_BYTES {
            return self.place_alone(bytes);
        }
        let place = self.place_shared(bytes)?;
        let full = self
            .shared
            .as_ref()
            .is_some_and(|(_, value)| value.len() > BUNDLE_BYTES_MAX);
        if full && !self.whole {
            self.end_shared();
        }
        Ok(place)
    }

    fn place_alone(&mut self, bytes: &[u8]) -> Result<Place, Broken> {
        let number = self.take_number()?;
        let mut value = begin();
        let place = append(number, &mut value, bytes)?;
        self.push_value(number, value);
        Ok(place)
    }

    fn place_shared(&mut self, bytes: &[u8]) -> Result<Place, Broken> {
        let (number, mut value) = match self.shared.take() {
            Some(shared) => shared,
            None => (self.take_number()?, begin()),
        };
        let place = append(number, &mut value, bytes)?;
        self.shared = Some((number, value));
        Ok(place)
    }

    pub(crate) fn end_shared(&mut self) {
        if let Some((number, value)) = self.shared.take() {
            self.push_value(number, value);
        }
    }

    fn take_number(&mut self) -> Result<u32, Broken> {
        let number = *self.next_value;
        *self.next_value = number.checked_add(1).or_broken("values of a run")?;
        Ok(number)
    }

    fn push_value(&mut self, number: u32, mut bytes: Vec<u8>) {
        debug_assert!(number < *self.next_value, "value {number} has no number");
        debug_assert!(
            self.values.iter().all(|value| value.number != number),
            "value {number} was written before"
        );
        seal(Kind::Data(number), self.spec.run, &mut bytes);
        self.values.push(RunValue { number, bytes });
    }
}

fn append(number: u32, value: &mut Vec<u8>, bytes: &[u8]) -> Result<Place, Broken> {
    let offset = value.len() - crate::envelope::ENVELOPE_BYTES;
    value.extend_from_slice(bytes);
    Ok(Place {
        value: number,
        offset: u32::try_from(offset).or_broken("offset in a value")?,
        bytes: u32::try_from(bytes.len()).or_broken("bytes of a page")?,
    })
}
