//! Writes value frames.

use core::cmp::Reverse;
use core::ops::Range;

use varve_sort::{VecMap, VecSet};

use super::choose::VectorChoice;
use super::{ValueFrame, WAY_ALONE, WAY_DICTIONARY, WAY_RAW};
use crate::integers::{IntegerKind, IntegerPlan};
use crate::string_data::Strings;
use crate::tags::TAG_VALUE_FRAMES;
use crate::writer::{fitting, length_integer, put_nested};
use crate::{
    CodecError, EncodedBlock, SharedWriter, Stage, ZstdDictionary, ZstdEncoder, ZstdFraming,
};

/// The most dictionaries of a block.
const DICTIONARIES_MAX: usize = 64;

/// Bytes of the values of a block that were compressed in one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueFrameBytes {
    /// How many.
    pub values: u64,
    /// Their bytes before.
    pub raw: u64,
    /// Their bytes as they are stored, with their share of a shared part that is new.
    pub stored: u64,
}

impl core::ops::AddAssign for ValueFrameBytes {
    fn add_assign(&mut self, other: ValueFrameBytes) {
        self.values += other.values;
        self.raw += other.raw;
        self.stored += other.stored;
    }
}

/// What became of values, by the way that they were compressed in.
pub type BytesByWay = VecMap<ValueFrame, ValueFrameBytes>;

/// A block with value frames.
#[derive(Debug)]
pub struct FramedBlock {
    /// Its bytes.
    pub block: EncodedBlock,
    /// By the way that was taken.
    pub bytes: BytesByWay,
}

/// Compresses the values of a block one by one: in steps, as high levels take a second for a
/// megabyte.
#[derive(Debug)]
pub struct ValueFramer {
    values: Strings,
    /// By value how it is compressed.
    ways: Vec<ValueFrame>,
    level: u8,
    shared: SharedWriter,
    /// The dictionaries that the block is written with, by their numbers, each with its resource.
    dictionaries: VecMap<i32, (u8, ZstdDictionary)>,
    /// The values that are left, the next one last. Those of one way come together, as an encoder
    /// prepares itself for each dictionary.
    left: Vec<usize>,
    stored: Vec<u8>,
    /// Where the stored bytes of each value are.
    places: Vec<Range<usize>>,
}

impl ValueFramer {
    /// For values of which each is compressed as `ways` says, on a level from 1 to 19.
    ///
    /// A dictionary that has more bytes than the values that name it is left out, as is one that
    /// nobody knows: these values are compressed without one.
    pub fn new(
        values: Strings,
        ways: Vec<ValueFrame>,
        level: u8,
        dictionary: &dyn Fn(i32) -> Option<ZstdDictionary>,
    ) -> Result<ValueFramer, CodecError> {
        let rows = values.as_ref().len();
        if ways.len() != rows {
            return Err(CodecError::Malformed("number of value frames"));
        }
        let mut framer = ValueFramer {
            values,
            ways,
            level,
            shared: SharedWriter::default(),
            dictionaries: VecMap::default(),
            left: Vec::new(),
            stored: Vec::new(),
            places: vec![0..0; rows],
        };
        framer.add_dictionaries(dictionary);
        for way in &mut framer.ways {
            if let ValueFrame::With(number) = way
                && !framer.dictionaries.contains_key(number)
            {
                *way = ValueFrame::Alone;
            }
        }
        framer.left = (0..rows).rev().collect();
        let ways = &framer.ways;
        varve_sort::sort_by_key(&mut framer.left, |row| ways.get(*row).copied().map(Reverse));
        Ok(framer)
    }

    fn add_dictionaries(&mut self, dictionary: &dyn Fn(i32) -> Option<ZstdDictionary>) {
        let mut raw_bytes: VecMap<i32, usize> = VecMap::default();
        for (row, way) in self.ways.iter().enumerate() {
            if let ValueFrame::With(number) = way {
                *raw_bytes.entry(*number).or_default() += self.values.as_ref().get(row).len();
            }
        }
        for (number, bytes) in raw_bytes.iter() {
            if self.dictionaries.len() == DICTIONARIES_MAX {
                return;
            }
            let pays = |known: &ZstdDictionary| known.bytes().len() <= *bytes;
            if let Some(dictionary) = dictionary(*number).filter(pays)
                && let Some(resource) = self.shared.add_dictionary(&dictionary)
            {
                self.dictionaries.insert(*number, (resource, dictionary));
            }
        }
    }

    /// Compresses the next values, of at least `bytes` bytes; tells whether there are more.
    pub fn step(&mut self, encoder: &mut dyn ZstdEncoder, bytes: usize) -> bool {
        let mut done = 0;
        while done < bytes {
            let Some(row) = self.left.pop() else {
                return false;
            };
            let raw = self.values.as_ref().get(row);
            let dictionary = match self.ways.get(row) {
                Some(ValueFrame::With(number)) => self.dictionaries.get(number),
                _ => None,
            };
            let dictionary = dictionary.map(|(_, dictionary)| dictionary);
            let frame = match self.ways.get(row) {
                None | Some(ValueFrame::Raw) => None,
                // A value that the encoder refuses, or a dictionary of it, is stored as it is.
                _ => encoder
                    .compress(raw, self.level, dictionary, ZstdFraming::Compact)
                    .ok(),
            };
            let start = self.stored.len();
            match frame.filter(|frame| frame.len() < raw.len()) {
                Some(frame) => self.stored.extend_from_slice(&frame),
                None => self.stored.extend_from_slice(raw),
            }
            if let Some(place) = self.places.get_mut(row) {
                *place = start..self.stored.len();
            }
            done += raw.len().max(1);
        }
        !self.left.is_empty()
    }

    /// The block, once all values are compressed: of each vector, which holds `vector_rows` values,
    /// the smaller one of its frames and what it is in `other`, the same values in other codecs,
    /// under the general stage that comes over all vectors.
    ///
    /// Dictionaries cost nothing where the shared part comes out as `last_shared`, that of the
    /// block before.
    pub fn finish(
        self,
        vector_rows: &[usize],
        other: EncodedBlock,
        last_shared: &[u8],
        stage: Stage,
    ) -> Result<FramedBlock, CodecError> {
        if !self.left.is_empty() || other.vectors.len() != vector_rows.len() {
            return Err(CodecError::Malformed("values that are not compressed"));
        }
        let mut choice = VectorChoice::new(other, &self.shared, last_shared, stage)?;
        let mut start = 0;
        for (at, rows) in vector_rows.iter().enumerate() {
            let rows = start..start + rows;
            let (vector, bytes) = self.vector(rows.clone(), choice.first_resource)?;
            choice.offer(at, vector, bytes);
            start = rows.end;
        }
        Ok(choice.finish())
    }

    fn vector(
        &self,
        rows: Range<usize>,
        first_resource: u8,
    ) -> Result<(Vec<u8>, BytesByWay), CodecError> {
        let mut bytes = BytesByWay::default();
        let taken = self.ways.get(rows.clone()).unwrap_or_default();
        let ways: VecSet<ValueFrame> = taken.iter().copied().collect();
        let ways: Vec<ValueFrame> = ways.into_iter().collect();
        let mut out = vec![TAG_VALUE_FRAMES];
        self.put_ways(&ways, first_resource, &mut out)?;
        let (mut codes, mut lengths, mut stored_lengths) = (Vec::new(), Vec::new(), Vec::new());
        let mut all_stored = Vec::new();
        for (row, way) in rows.clone().zip(taken) {
            let raw = self.values.as_ref().get(row).len();
            let stored = self.places.get(row).cloned();
            let stored = stored.and_then(|place| self.stored.get(place));
            let stored = stored.ok_or(CodecError::Malformed("place of a value"))?;
            all_stored.extend_from_slice(stored);
            codes.push(length_integer(ways.binary_search(way).unwrap_or_default()));
            lengths.push(length_integer(raw));
            stored_lengths.push(length_integer(stored.len()));
            *bytes.entry(*way).or_default() += ValueFrameBytes {
                values: 1,
                raw: raw as u64,
                stored: stored.len() as u64,
            };
        }
        i32::try_from(all_stored.len()).map_err(|_| CodecError::Malformed("bytes of a vector"))?;
        let mut put = |integers: &[i64]| {
            put_nested(&mut out, |out| {
                IntegerPlan::Basic.encode(IntegerKind::Int32, integers, out);
            });
        };
        if ways.len() > 1 {
            put(&codes);
        }
        put(&lengths);
        put(&stored_lengths);
        out.extend_from_slice(&all_stored);
        Ok((out, bytes))
    }

    fn put_ways(
        &self,
        ways: &[ValueFrame],
        first_resource: u8,
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        out.push(fitting(ways.len()).ok_or(CodecError::Malformed("number of ways"))?);
        for way in ways {
            match way {
                ValueFrame::Raw => out.push(WAY_RAW),
                ValueFrame::Alone => out.push(WAY_ALONE),
                ValueFrame::With(number) => {
                    let resource = self.dictionaries.get(number);
                    let resource =
                        resource.and_then(|(resource, _)| first_resource.checked_add(*resource));
                    let resource = resource.ok_or(CodecError::Malformed("dictionary"))?;
                    out.extend_from_slice(&[WAY_DICTIONARY, resource]);
                }
            }
        }
        Ok(())
    }
}
