//! The bytes of a run head. All numbers are varints.
//!
//! | field | what |
//! |---|---|
//! | schema version, number of values | |
//! | number of columns; for each | id, type, whether it holds references (0 or 1) |
//! | number of key columns; for each | position, order (1 descending, 2 NULLs first) |
//! | for each column | zone map of the run, stored bytes, encoded bytes, codec bits; where their bit 28 is set, the number of ways in which values were compressed, and of each way (0 not, 1 without a dictionary, 2 and a number (zigzag) with that one) values, bytes before, bytes stored |
//! | number of groups; for each | rows, first key, last key (length, bytes), index place, 0 or 1 and the filter place, then for each column flags (1 shared part, 2 same as another), what they announce (a place, the position of a column), the number of segments, and of each its vectors and place |
//!
//! A place is value number, offset, bytes.

use varve_codec::tags::TAG_VALUES_CHOSEN;
use varve_codec::{
    ByteReader, BytesByWay, CodecError, ValueFrame, ValueFrameBytes, put_varint, put_zigzag,
};
use varve_types::{ColumnId, KeyOrder, LogicalType, RunId};

use crate::{
    ColumnPlaces, ColumnSpec, ColumnStats, GROUP_VECTORS_MAX, GroupInfo, Holds, Place, RunHead,
    Segment, ZoneMap,
};

pub(crate) fn encode(head: &RunHead, out: &mut Vec<u8>) {
    put_varint(u64::from(head.schema_version), out);
    put_varint(u64::from(head.values), out);
    put_varint(head.columns.len() as u64, out);
    for column in &head.columns {
        put_varint(u64::from(column.id.0), out);
        column.ty.encode(out);
        out.push(u8::from(column.holds == Holds::References));
    }
    put_varint(head.key_columns.len() as u64, out);
    for (at, column) in head.key_columns.iter().enumerate() {
        put_varint(*column as u64, out);
        put_varint(u64::from(head.key_order(at).code()), out);
    }
    for stats in &head.stats {
        put_varint(stats.zone.rows, out);
        stats.zone.encode(out);
        put_varint(stats.stored_bytes, out);
        put_varint(stats.encoded_bytes, out);
        put_varint(u64::from(stats.codecs), out);
        if has_value_frames(stats.codecs) {
            put_value_frames(&stats.value_frames, out);
        }
    }
    put_varint(head.groups.len() as u64, out);
    for group in &head.groups {
        put_varint(u64::from(group.rows), out);
        put_key(&group.first_key, out);
        put_key(&group.last_key, out);
        put_place(group.index, out);
        put_optional_place(group.filter, out);
        for column in &group.columns {
            let flags =
                u64::from(column.shared.is_some()) | u64::from(column.same_as.is_some()) << 1;
            put_varint(flags, out);
            if let Some(place) = column.shared {
                put_place(place, out);
            }
            if let Some(reference) = column.same_as {
                put_varint(reference as u64, out);
            }
            put_varint(column.segments.len() as u64, out);
            for segment in &column.segments {
                put_varint(u64::from(segment.vectors), out);
                put_place(segment.place, out);
            }
        }
    }
}

pub(crate) fn decode(run: RunId, payload: &[u8]) -> Result<RunHead, CodecError> {
    let mut reader = ByteReader::new(payload);
    let schema_version = take_u32(&mut reader)?;
    let values = take_u32(&mut reader)?;
    let columns = take_list(&mut reader, |reader| {
        let id = ColumnId(take_u32(reader)?);
        let mut rest = reader.rest();
        let ty = LogicalType::decode(&mut rest);
        *reader = ByteReader::new(rest);
        let ty = ty.ok_or(CodecError::Malformed("column type"))?;
        let holds = match reader.u8()? {
            0 => Holds::Values,
            1 if ty == LogicalType::Int8 => Holds::References,
            _ => return Err(CodecError::Malformed("kind of column")),
        };
        Ok(ColumnSpec { id, ty, holds })
    })?;
    let mut key_orders = Vec::new();
    let key_columns = take_list(&mut reader, |reader| {
        let position = reader.count(0, columns.len().saturating_sub(1), "key column")?;
        let order = u8::try_from(reader.varint()?).ok();
        let order = order.and_then(KeyOrder::from_code);
        key_orders.push(order.ok_or(CodecError::Malformed("key order"))?);
        Ok(position)
    })?;
    if key_orders.iter().all(|order| *order == KeyOrder::default()) {
        key_orders.clear();
    }
    let stats: Vec<ColumnStats> = columns
        .iter()
        .map(|column| take_stats(&mut reader, column.ty))
        .collect::<Result<_, _>>()?;
    let mut first_row = 0;
    let mut last_key: Option<Vec<u8>> = None;
    let groups = take_list(&mut reader, |reader| {
        let group = take_group(reader, first_row, &columns, values)?;
        let ascends = last_key.as_ref().is_none_or(|last| *last < group.first_key);
        if !ascends || group.first_key > group.last_key {
            return Err(CodecError::Malformed("group keys"));
        }
        first_row += u64::from(group.rows);
        last_key = Some(group.last_key.clone());
        Ok(group)
    })?;
    if key_columns.iter().any(|column| *column >= columns.len())
        || stats.iter().any(|stats| stats.zone.rows != first_row)
    {
        return Err(CodecError::Malformed("run head"));
    }
    reader.end()?;
    Ok(RunHead {
        run,
        schema_version,
        columns,
        key_columns,
        key_orders,
        values,
        groups,
        stats,
    })
}

fn take_stats(reader: &mut ByteReader<'_>, ty: LogicalType) -> Result<ColumnStats, CodecError> {
    let rows = reader.varint()?;
    let mut stats = ColumnStats {
        zone: ZoneMap::decode(reader, ty, rows)?,
        stored_bytes: reader.varint()?,
        encoded_bytes: reader.varint()?,
        codecs: take_u32(reader)?,
        value_frames: BytesByWay::default(),
    };
    if has_value_frames(stats.codecs) {
        let ways = take_list(reader, take_value_frame)?;
        stats.value_frames = ways.into_iter().collect();
    }
    Ok(stats)
}

fn has_value_frames(codecs: u32) -> bool {
    codecs >> TAG_VALUES_CHOSEN & 1 == 1
}

fn put_value_frames(ways: &BytesByWay, out: &mut Vec<u8>) {
    put_varint(ways.len() as u64, out);
    for (way, bytes) in ways.iter() {
        match way {
            ValueFrame::Raw => out.push(0),
            ValueFrame::Alone => out.push(1),
            ValueFrame::With(number) => {
                out.push(2);
                put_zigzag(i64::from(*number), out);
            }
        }
        put_varint(bytes.values, out);
        put_varint(bytes.raw, out);
        put_varint(bytes.stored, out);
    }
}

fn take_value_frame(
    reader: &mut ByteReader<'_>,
) -> Result<(ValueFrame, ValueFrameBytes), CodecError> {
    let malformed = CodecError::Malformed("way of values");
    let way = match reader.u8()? {
        0 => ValueFrame::Raw,
        1 => ValueFrame::Alone,
        2 => ValueFrame::With(i32::try_from(reader.zigzag()?).map_err(|_| malformed)?),
        _ => return Err(malformed),
    };
    let bytes = ValueFrameBytes {
        values: reader.varint()?,
        raw: reader.varint()?,
        stored: reader.varint()?,
    };
    Ok((way, bytes))
}

fn take_group(
    reader: &mut ByteReader<'_>,
    first_row: u64,
    columns: &[ColumnSpec],
    values: u32,
) -> Result<GroupInfo, CodecError> {
    let rows_max = GROUP_VECTORS_MAX * varve_types::VECTOR_ROWS;
    let mut group = GroupInfo {
        first_row,
        rows: take_count(reader, rows_max, "rows of a group")?,
        first_key: take_key(reader)?,
        last_key: take_key(reader)?,
        index: take_place(reader, values)?,
        filter: take_optional_place(reader, values)?,
        columns: Vec::new(),
    };
    for column in columns {
        let mut places = ColumnPlaces::default();
        let flags = reader.count(0, 3, "column flags")?;
        if flags & 1 == 1 {
            places.shared = Some(take_place(reader, values)?);
        }
        if flags & 2 == 2 {
            let reference = take_reference(reader, &group.columns)?;
            let like = columns.get(reference);
            if like.is_none_or(|like| like.ty != column.ty) {
                return Err(CodecError::Malformed("column reference"));
            }
            places.same_as = Some(reference);
        }
        let mut first_vector = 0;
        places.segments = take_list(reader, |reader| {
            let vectors = take_count(reader, GROUP_VECTORS_MAX, "vectors of a page")?;
            let segment = Segment {
                first_vector,
                vectors,
                place: take_place(reader, values)?,
            };
            first_vector += vectors;
            Ok(segment)
        })?;
        if first_vector as usize != group.vectors() {
            return Err(CodecError::Malformed("page directory"));
        }
        group.columns.push(places);
    }
    Ok(group)
}

/// The position of an earlier column that stands for itself.
fn take_reference(
    reader: &mut ByteReader<'_>,
    earlier: &[ColumnPlaces],
) -> Result<usize, CodecError> {
    let reference = reader.count(0, earlier.len(), "column reference")?;
    match earlier.get(reference) {
        Some(column) if column.same_as.is_none() => Ok(reference),
        _ => Err(CodecError::Malformed("column reference")),
    }
}

fn put_key(key: &[u8], out: &mut Vec<u8>) {
    put_varint(key.len() as u64, out);
    out.extend_from_slice(key);
}

fn take_key(reader: &mut ByteReader<'_>) -> Result<Vec<u8>, CodecError> {
    let bytes = reader.count(0, reader.rest().len(), "key length")?;
    Ok(reader.take(bytes)?.to_vec())
}

fn put_place(place: Place, out: &mut Vec<u8>) {
    put_varint(u64::from(place.value), out);
    put_varint(u64::from(place.offset), out);
    put_varint(u64::from(place.bytes), out);
}

fn put_optional_place(place: Option<Place>, out: &mut Vec<u8>) {
    put_varint(u64::from(place.is_some()), out);
    if let Some(place) = place {
        put_place(place, out);
    }
}

fn take_optional_place(
    reader: &mut ByteReader<'_>,
    values: u32,
) -> Result<Option<Place>, CodecError> {
    match reader.count(0, 1, "flag")? {
        0 => Ok(None),
        _ => take_place(reader, values).map(Some),
    }
}

fn take_place(reader: &mut ByteReader<'_>, values: u32) -> Result<Place, CodecError> {
    let place = Place {
        value: take_u32(reader)?,
        offset: take_u32(reader)?,
        bytes: take_u32(reader)?,
    };
    if place.value >= values {
        return Err(CodecError::Malformed("value number"));
    }
    Ok(place)
}

/// A number from 1 to `max`.
fn take_count(
    reader: &mut ByteReader<'_>,
    max: usize,
    what: &'static str,
) -> Result<u32, CodecError> {
    let count = reader.count(1, max, what)?;
    u32::try_from(count).map_err(|_| CodecError::Malformed(what))
}

fn take_u32(reader: &mut ByteReader<'_>) -> Result<u32, CodecError> {
    u32::try_from(reader.varint()?).map_err(|_| CodecError::Malformed("32-bit number"))
}

/// A count and that many items. Every item takes a byte or more, so the count is bounded by what is
/// left.
fn take_list<T>(
    reader: &mut ByteReader<'_>,
    mut item: impl FnMut(&mut ByteReader<'_>) -> Result<T, CodecError>,
) -> Result<Vec<T>, CodecError> {
    let count = reader.count(0, reader.rest().len(), "list length")?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(item(reader)?);
    }
    Ok(list)
}
