//! Encodes one column of one group: validity by vector, values as one block.

use varve_codec::tags::{
    TAG_ALL_ONE, TAG_ALL_ZERO, TAG_CONSTANT, TAG_VALUES_CHOSEN, TAG_VALUES_DUE,
};
use varve_codec::{
    BlockEncoder, BlockOptions, BlockValues, BytesByWay, Codec, CodecError, EncodedBlock,
    IntegerKind, Stage, Strings, encode_bits, integer_from_f64,
};
use varve_types::{Bitmap, Column, ColumnData, LogicalType, PhysicalType};

use crate::ColumnEncoding;
use crate::decimal;
use crate::value_frames::Framing;
use crate::vector::integer_kind;

const FORM: CodecError = CodecError::Malformed("column form");

/// Encodes the groups of one column in turn.
#[derive(Debug)]
pub(crate) struct ColumnEncoder {
    ty: LogicalType,
    pub(crate) stage: Stage,
    /// The level of zstd that takes the place of the stage.
    pub(crate) zstd_level: Option<u8>,
    blocks: BlockEncoder,
    /// For blocks that the named codec does not suit.
    unsuited: Option<BlockEncoder>,
    by_value: bool,
    /// The shared part of the last block whose values were compressed one by one.
    last_shared: Vec<u8>,
}

/// One column of one group, encoded.
#[derive(Debug, Default)]
pub(crate) struct EncodedColumn {
    pub(crate) shared: Vec<u8>,
    pub(crate) vectors: Vec<Vec<u8>>,
    /// A bit for each codec tag used.
    pub(crate) codecs: u32,
    /// What became of the values that were compressed one by one.
    pub(crate) value_frames: BytesByWay,
}

impl ColumnEncoder {
    /// An encoder of a column as it was asked for, for point reads or for scans with a general
    /// stage.
    pub(crate) fn new(ty: LogicalType, point_reads: bool, asked: ColumnEncoding) -> ColumnEncoder {
        let is_named = asked.codec != Codec::Auto;
        let stage = match point_reads && !is_named && !asked.stage_of_keys {
            true => Stage::None,
            false => asked.stage,
        };
        let options = BlockOptions {
            stage,
            point_reads,
            codec: asked.codec,
        };
        let best = BlockOptions {
            codec: Codec::Auto,
            ..options
        };
        ColumnEncoder {
            ty,
            stage,
            zstd_level: asked.zstd_level.filter(|_| stage != Stage::None),
            blocks: BlockEncoder::new(options),
            unsuited: is_named.then(|| BlockEncoder::new(best)),
            by_value: asked.by_value,
            last_shared: Vec::new(),
        }
    }

    /// Whether the codec was named, so that no other is to take its place.
    pub(crate) fn is_named(&self) -> bool {
        self.unsuited.is_some() || self.by_value
    }

    /// Whether its values are to be compressed one by one.
    pub(crate) fn is_by_value(&self) -> bool {
        self.by_value
    }

    /// A block in the codec that was named; in the best one where that does not suit it.
    fn encode_block(
        &mut self,
        values: BlockValues<'_>,
        rows: &[usize],
    ) -> Result<EncodedBlock, CodecError> {
        match (self.blocks.encode(values, rows), &mut self.unsuited) {
            (Err(CodecError::UnsuitedCodec(_)), Some(best)) => best.encode(values, rows),
            (block, _) => block,
        }
    }

    /// Encodes plain columns, one a vector; value by value, where that was done and is smaller.
    pub(crate) fn encode(
        &mut self,
        vectors: &[Column],
        framing: Option<Framing>,
    ) -> Result<EncodedColumn, CodecError> {
        let mut encoded = EncodedColumn::default();
        for column in vectors {
            let mut bytes = Vec::new();
            put_validity(column, &mut bytes)?;
            encoded.vectors.push(bytes);
        }
        // A vector of NULLs only is told by its validity.
        let valued: Vec<&Column> = vectors
            .iter()
            .filter(|column| column.null_count() < column.len())
            .collect();
        if valued.len() < vectors.len() {
            encoded.codecs |= 1 << TAG_CONSTANT;
        }
        let block = match self.ty.physical() {
            PhysicalType::Bits => encode_booleans(&valued)?,
            PhysicalType::Bytes | PhysicalType::Binary => {
                self.encode_strings(&valued, framing, &mut encoded)?
            }
            PhysicalType::Decimal => self.encode_decimals(&valued)?,
            _ => self.encode_integers(&valued)?,
        };
        encoded.shared = block.shared;
        encoded.codecs |= block.tags;
        let slots = encoded.vectors.iter_mut().zip(vectors);
        let slots = slots.filter(|(_, column)| column.null_count() < column.len());
        for ((slot, _), mut bytes) in slots.zip(block.vectors) {
            slot.append(&mut bytes);
        }
        Ok(encoded)
    }

    fn encode_integers(&mut self, vectors: &[&Column]) -> Result<EncodedBlock, CodecError> {
        let mut integers = Vec::with_capacity(vectors.iter().map(|column| column.len()).sum());
        for column in vectors {
            put_integers(column, &mut integers)?;
        }
        let rows: Vec<usize> = vectors.iter().map(|column| column.len()).collect();
        let values = BlockValues::Integers(integer_kind(self.ty), &integers);
        self.encode_block(values, &rows)
    }

    fn encode_strings(
        &mut self,
        vectors: &[&Column],
        framing: Option<Framing>,
        encoded: &mut EncodedColumn,
    ) -> Result<EncodedBlock, CodecError> {
        let mut strings = no_strings();
        let mut rows = Vec::with_capacity(vectors.len());
        for column in vectors {
            put_column_strings(column, &mut strings)?;
            rows.push(column.len() - column.null_count());
        }
        let block = self.encode_block(BlockValues::Strings(strings.as_ref()), &rows)?;
        if !self.by_value {
            return Ok(block);
        }
        let Some(framing) = framing else {
            encoded.codecs |= 1 << TAG_VALUES_DUE;
            return Ok(block);
        };
        encoded.codecs |= 1 << TAG_VALUES_CHOSEN;
        let framed = framing.finish(&rows, block, &self.last_shared, self.stage)?;
        encoded.value_frames = framed.bytes;
        // As the writer of the group does, which stores no shared part again.
        if !framed.block.shared.is_empty() {
            self.last_shared.clone_from(&framed.block.shared);
        }
        Ok(framed.block)
    }

    /// Decimals of one scale whose mantissas fit 64 bits are integers, any others strings; before
    /// each vector stands which.
    fn encode_decimals(&mut self, vectors: &[&Column]) -> Result<EncodedBlock, CodecError> {
        let (form, mut block) = match decimal::integers_of(vectors)? {
            Some((scale, integers)) => {
                let rows: Vec<usize> = vectors.iter().map(|column| column.len()).collect();
                let values = BlockValues::Integers(IntegerKind::Int64, &integers);
                (scale, self.encode_block(values, &rows)?)
            }
            None => {
                let mut strings = no_strings();
                let mut rows = Vec::with_capacity(vectors.len());
                for column in vectors {
                    decimal::put_strings(column, &mut strings)?;
                    rows.push(column.len() - column.null_count());
                }
                let values = BlockValues::Strings(strings.as_ref());
                (decimal::STRINGS, self.encode_block(values, &rows)?)
            }
        };
        for vector in &mut block.vectors {
            vector.insert(0, form);
        }
        Ok(block)
    }
}

/// Appends which rows of a column are not NULL.
pub(crate) fn put_validity(column: &Column, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let rows = column.len();
    match column.validity() {
        None => encode_bits(Bitmap::filled(rows, true).as_bytes(), rows, out)?,
        Some(bits) => encode_bits(bits.as_bytes(), rows, out)?,
    };
    Ok(())
}

/// The integers of a plain column, NULL rows filled.
pub(crate) fn integers(column: &Column) -> Result<Vec<i64>, CodecError> {
    let mut integers = Vec::with_capacity(column.len());
    put_integers(column, &mut integers)?;
    Ok(integers)
}

/// The strings of the rows of a plain column that are not NULL.
pub(crate) fn present_strings(column: &Column) -> Result<Strings, CodecError> {
    let mut strings = no_strings();
    put_column_strings(column, &mut strings)?;
    Ok(strings)
}

pub(crate) fn put_column_strings(column: &Column, strings: &mut Strings) -> Result<(), CodecError> {
    let (offsets, bytes) = match column.data() {
        ColumnData::Text(text) => (text.offsets(), text.text().as_bytes()),
        ColumnData::Binary(values) => (values.offsets(), values.bytes()),
        _ => return Err(FORM),
    };
    put_present_strings(offsets, bytes, column.validity(), strings)
}

pub(crate) fn no_strings() -> Strings {
    Strings {
        offsets: vec![0],
        bytes: Vec::new(),
    }
}

fn encode_booleans(vectors: &[&Column]) -> Result<EncodedBlock, CodecError> {
    let mut block = EncodedBlock::default();
    for column in vectors {
        let ColumnData::Boolean(bits) = column.data() else {
            return Err(FORM);
        };
        let mut bytes = Vec::new();
        let tag = encode_bits(bits.as_bytes(), column.len(), &mut bytes)?;
        block.tags |= 1
            << match tag {
                TAG_ALL_ONE => TAG_ALL_ZERO,
                tag => tag,
            };
        block.vectors.push(bytes);
    }
    Ok(block)
}

/// Appends the integers of a column. NULL rows take the value before them, or the first one: that
/// costs the least in every codec.
fn put_integers(column: &Column, integers: &mut Vec<i64>) -> Result<(), CodecError> {
    let start = integers.len();
    match column.data() {
        ColumnData::Int32(values) => integers.extend(values.iter().map(|value| i64::from(*value))),
        ColumnData::Int64(values) => integers.extend_from_slice(values),
        ColumnData::Float64(values) => {
            integers.extend(values.iter().map(|value| integer_from_f64(*value)));
        }
        _ => return Err(FORM),
    }
    if let (Some(bits), Some(integers)) = (column.validity(), integers.get_mut(start..)) {
        fill_nulls(bits, integers);
    }
    Ok(())
}

/// Gives NULL rows the value before them, or the first one.
pub(crate) fn fill_nulls(validity: &Bitmap, integers: &mut [i64]) {
    let first = validity.iter().position(|bit| bit).unwrap_or(0);
    let mut last = integers.get(first).copied().unwrap_or(0);
    for (integer, present) in integers.iter_mut().zip(validity.iter()) {
        if present {
            last = *integer;
        } else {
            *integer = last;
        }
    }
}

/// Appends the strings of the rows that are not NULL.
fn put_present_strings(
    offsets: &[u32],
    bytes: &[u8],
    validity: Option<&Bitmap>,
    strings: &mut Strings,
) -> Result<(), CodecError> {
    if validity.is_none() {
        let before = u32::try_from(strings.bytes.len()).map_err(|_| FORM)?;
        strings.bytes.extend_from_slice(bytes);
        u32::try_from(strings.bytes.len()).map_err(|_| FORM)?;
        // The first string begins at 0.
        let ends = offsets.iter().skip(1);
        strings.offsets.extend(ends.map(|end| before + end));
        return Ok(());
    }
    let spans = offsets.iter().zip(offsets.iter().skip(1));
    for (row, (start, end)) in spans.enumerate() {
        if validity.is_some_and(|bits| !bits.get(row)) {
            continue;
        }
        let string = bytes.get(*start as usize..*end as usize).ok_or(FORM)?;
        strings.bytes.extend_from_slice(string);
        strings
            .offsets
            .push(u32::try_from(strings.bytes.len()).map_err(|_| FORM)?);
    }
    Ok(())
}
