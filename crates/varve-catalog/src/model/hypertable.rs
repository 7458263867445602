//! Hypertables: tables whose rows belong to chunks, ranges of a time column.
//!
//! A hypertable is one table with one tree. Its chunks are what statements see of the partitions
//! in which the store keeps its runs: each has a name, a range and a state, and is made by the
//! first row in its range.
//!
//! Bytes of a hypertable, in those of its table:
//!
//! | field | bytes |
//! |---|---|
//! | number | 4 |
//! | id of the time column | 4 |
//! | width of new chunks, in units of the column | 8 |
//! | flags: 1 a function gives the present of an integer column, 2 chunks may be compressed, 4 rows are sorted by columns; 8 the columns of segments were named, 16 those of the order | 1 |
//! | the function, where there is one | 8 |
//! | with flag 4 the number of columns of segments, their ids | 2, then 4 each |
//! | then the number of columns of the order, each: id, order (1 descending, 2 NULLs first) | 2, then 4 + 1 |
//!
//! Bytes of a chunk in the catalog:
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 26 = chunk |
//! | object id, table | 8 + 8 |
//! | numbers of the hypertable and of the chunk | 4 + 4 |
//! | first value of its range, first value behind it | 8 + 8 |
//! | when it was made, in microseconds from 1970 on | 8 |
//! | flags: 1 compressed | 1 |

use std::sync::Arc;

use varve_sort::VecMap;
use varve_types::{ColumnId, CompareOp, KeyOrder, LogicalType, ObjectId, Partition, Result, Value};

use crate::model::bytes::{Input, broken, put_count};
use crate::model::catalog::{Catalog, Named};
use crate::model::table::{ColumnDef, TableDef};

const HAS_INTEGER_NOW: u8 = 1;
const IS_COLUMNSTORE: u8 = 2;
const IS_SORTED: u8 = 4;
const IS_BY_GIVEN: u8 = 8;
const IS_ORDER_GIVEN: u8 = 16;
const FLAGS: u8 = HAS_INTEGER_NOW | IS_COLUMNSTORE | IS_SORTED | IS_BY_GIVEN | IS_ORDER_GIVEN;

/// What makes a table a hypertable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HypertableDef {
    /// Its number, which the names of its chunks have.
    pub number: u32,
    /// The column whose values decide the chunk of a row.
    pub column: ColumnId,
    /// The width of new chunks, above 0, in units of the column: microseconds, days or numbers.
    pub width: i64,
    /// The function that tells the present, where the column has integers.
    pub integer_now: Option<ObjectId>,
    /// Whether chunks may be compressed.
    pub is_columnstore: bool,
    /// What rows are sorted by, where that is not their primary key or their arrival.
    pub segments: Option<Segments>,
}

/// What the rows of a hypertable are sorted by: `segmentby` and `orderby`. No column is in both,
/// and the time column is in one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    /// Rows with the same values of these lie together.
    pub by: Vec<ColumnId>,
    /// The order of those.
    pub order: Vec<(ColumnId, KeyOrder)>,
    /// Whether somebody named the columns of segments.
    pub is_by_given: bool,
    /// Whether somebody named the columns of the order.
    pub is_order_given: bool,
}

impl Segments {
    /// All columns, with their orders.
    pub fn columns(&self) -> impl Iterator<Item = (ColumnId, KeyOrder)> {
        let by = self.by.iter().map(|column| (*column, KeyOrder::default()));
        by.chain(self.order.iter().copied())
    }
}

/// The unit in which chunks of a column are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// `timestamp` and `timestamptz`, from 1970 on.
    Microsecond,
    /// `date`, from 1970 on.
    Day,
    /// An integer type, with its least and greatest value.
    Number(i64, i64),
}

impl TimeUnit {
    /// The unit of a type that a time column may have.
    pub fn of(ty: LogicalType) -> Option<TimeUnit> {
        match ty {
            LogicalType::Timestamp | LogicalType::TimestampTz => Some(TimeUnit::Microsecond),
            LogicalType::Date => Some(TimeUnit::Day),
            LogicalType::Int2 => Some(TimeUnit::Number(i64::from(i16::MIN), i64::from(i16::MAX))),
            LogicalType::Int4 => Some(TimeUnit::Number(i64::from(i32::MIN), i64::from(i32::MAX))),
            LogicalType::Int8 => Some(TimeUnit::Number(i64::MIN, i64::MAX)),
            _ => None,
        }
    }
}

impl HypertableDef {
    /// What rows are kept apart by in the store.
    pub fn partition(&self) -> Partition {
        Partition {
            column: self.column,
            width: self.width,
        }
    }
}

impl TableDef {
    /// The time column of a hypertable, with its position.
    pub fn time_column(&self) -> Option<(usize, &ColumnDef)> {
        let id = self.hypertable.as_ref()?.column;
        let mut columns = self.columns.iter().enumerate();
        columns.find(|(_, column)| column.id == id)
    }

    /// What its rows are sorted by, of a hypertable of which that was said.
    pub fn segments(&self) -> Option<&Segments> {
        self.hypertable.as_ref()?.segments.as_ref()
    }

    /// Whether that has a column.
    pub fn is_sorted_by(&self, column: ColumnId) -> bool {
        let segments = self.segments().into_iter();
        segments
            .flat_map(Segments::columns)
            .any(|(id, _)| id == column)
    }

    /// A bound of a chunk as a value of the time column; `None` where no value is beyond it.
    pub fn chunk_bound(&self, bound: i64) -> Option<Value> {
        let (_, column) = self.time_column()?;
        let (least, most) = match TimeUnit::of(column.ty)? {
            TimeUnit::Number(least, most) => (least, most),
            TimeUnit::Day => (i64::from(i32::MIN), i64::from(i32::MAX)),
            TimeUnit::Microsecond => (i64::MIN, i64::MAX),
        };
        let is_open = bound <= least || bound >= most;
        if is_open {
            None
        } else {
            Value::of_integer(column.ty, bound)
        }
    }

    /// What holds of the values in the time column of a chunk, and of no others.
    pub fn chunk_tests(&self, chunk: &ChunkDef) -> Vec<(CompareOp, Value)> {
        let start = self.chunk_bound(chunk.start);
        let end = self.chunk_bound(chunk.end);
        let start = start.map(|value| (CompareOp::GtEq, value));
        start
            .into_iter()
            .chain(end.map(|value| (CompareOp::Lt, value)))
            .collect()
    }
}

pub(crate) fn put_hypertable(bytes: &mut Vec<u8>, def: &HypertableDef) -> Result<()> {
    bytes.extend(def.number.to_le_bytes());
    bytes.extend(def.column.0.to_le_bytes());
    bytes.extend(def.width.to_le_bytes());
    let segments = def.segments.as_ref();
    let flags = [
        (HAS_INTEGER_NOW, def.integer_now.is_some()),
        (IS_COLUMNSTORE, def.is_columnstore),
        (IS_SORTED, segments.is_some()),
        (IS_BY_GIVEN, segments.is_some_and(|known| known.is_by_given)),
        (
            IS_ORDER_GIVEN,
            segments.is_some_and(|known| known.is_order_given),
        ),
    ];
    let flags = flags.iter().filter(|(_, is_set)| *is_set);
    bytes.push(flags.fold(0, |all, (flag, _)| all | flag));
    if let Some(function) = def.integer_now {
        bytes.extend(function.0.to_le_bytes());
    }
    if let Some(segments) = segments {
        put_count(bytes, segments.by.len())?;
        for column in &segments.by {
            bytes.extend(column.0.to_le_bytes());
        }
        put_count(bytes, segments.order.len())?;
        for (column, order) in &segments.order {
            bytes.extend(column.0.to_le_bytes());
            bytes.push(order.code());
        }
    }
    Ok(())
}

fn take_segments(input: &mut Input<'_>, columns: &[ColumnDef], flags: u8) -> Result<Segments> {
    let mut segments = Segments {
        is_by_given: flags & IS_BY_GIVEN != 0,
        is_order_given: flags & IS_ORDER_GIVEN != 0,
        ..Segments::default()
    };
    for _ in 0..input.count()? {
        let column = ColumnId(u32::from_le_bytes(input.array()?));
        segments.by.push(column);
    }
    for _ in 0..input.count()? {
        let column = ColumnId(u32::from_le_bytes(input.array()?));
        let order = KeyOrder::from_code(input.u8()?);
        let order = order.ok_or_else(|| broken("order of segments"))?;
        segments.order.push((column, order));
    }
    let named: Vec<ColumnId> = segments.columns().map(|(column, _)| column).collect();
    let distinct = varve_sort::VecSet::from_iter(named.iter().copied());
    let is_known = |id: &ColumnId| columns.iter().any(|column| column.id == *id);
    if named.is_empty() || distinct.len() != named.len() || !named.iter().all(is_known) {
        return Err(broken("segments"));
    }
    Ok(segments)
}

pub(crate) fn take_hypertable(
    input: &mut Input<'_>,
    columns: &[ColumnDef],
) -> Result<HypertableDef> {
    let number = u32::from_le_bytes(input.array()?);
    let column = ColumnId(u32::from_le_bytes(input.array()?));
    let width = i64::from_le_bytes(input.array()?);
    let flags = input.u8()?;
    let integer_now = match flags & HAS_INTEGER_NOW {
        0 => None,
        _ => Some(ObjectId(u64::from_le_bytes(input.array()?))),
    };
    let found = columns.iter().find(|known| known.id == column);
    let is_time = found.is_some_and(|found| TimeUnit::of(found.ty).is_some() && !found.nullable);
    if !is_time || width <= 0 || flags & !FLAGS != 0 {
        return Err(broken("hypertable"));
    }
    Ok(HypertableDef {
        number,
        column,
        width,
        integer_now,
        is_columnstore: flags & IS_COLUMNSTORE != 0,
        segments: match flags & IS_SORTED {
            0 => None,
            _ => Some(take_segments(input, columns, flags)?),
        },
    })
}

const LAYOUT_VERSION: u8 = 1;
/// The kind of object that a chunk is.
pub(crate) const KIND_CHUNK: u8 = 26;

/// The name of the schema of all chunks.
pub const CHUNK_SCHEMA_NAME: &str = "_timescaledb_internal";
/// The schema of all chunks, which has no object.
pub const CHUNK_SCHEMA: ObjectId = ObjectId((1 << 62) - 1);

/// A chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkDef {
    /// Its catalog object.
    pub object: ObjectId,
    /// The hypertable.
    pub table: ObjectId,
    /// The number of the hypertable.
    pub hypertable: u32,
    /// Its own number, of which there is one in a database.
    pub number: u32,
    /// The first value of its range.
    pub start: i64,
    /// The first value behind it; the greatest there is belongs to the last range.
    pub end: i64,
    /// When it was made, in microseconds from 1970 on.
    pub made_us: i64,
    /// Whether it was compressed since rows came into it.
    pub is_compressed: bool,
}

/// The chunks of all hypertables by table, each in the order of its range.
pub type Chunks = VecMap<ObjectId, Vec<Arc<ChunkDef>>>;

impl ChunkDef {
    /// Its name.
    pub fn name(&self) -> String {
        format!("_hyper_{}_{}_chunk", self.hypertable, self.number)
    }

    /// Whether a value is in its range.
    pub fn covers(&self, value: i64) -> bool {
        value >= self.start && (value < self.end || self.end == i64::MAX)
    }
}

/// The range of the chunk that a value needs, `width` wide unless others are in the way. Those are
/// in order and none of them covers the value.
pub fn chunk_range<'a>(
    value: i64,
    width: i64,
    known: impl IntoIterator<Item = &'a ChunkDef>,
) -> (i64, i64) {
    let start = value.div_euclid(width).checked_mul(width);
    let end = start.map_or(
        value
            .div_euclid(width)
            .saturating_add(1)
            .saturating_mul(width),
        |s| s.saturating_add(width),
    );
    let mut range = (start.unwrap_or(i64::MIN), end);
    for chunk in known {
        if chunk.end <= value {
            range.0 = range.0.max(chunk.end);
        } else if chunk.start > value {
            range.1 = range.1.min(chunk.start);
        }
    }
    range
}

impl Catalog {
    /// The chunks of a hypertable in the order of their ranges.
    pub fn chunks_of(&self, table: ObjectId) -> &[Arc<ChunkDef>] {
        self.chunks.get(&table).map_or(&[], Vec::as_slice)
    }

    /// A chunk by its object.
    pub fn chunk(&self, object: ObjectId) -> Option<&Arc<ChunkDef>> {
        let mut all = self.chunks.values().flatten();
        all.find(|chunk| chunk.object == object)
    }

    /// Adds a chunk.
    pub fn add_chunk(&mut self, chunk: Arc<ChunkDef>) {
        let names = self.names.entry(CHUNK_SCHEMA).or_default();
        names.insert(chunk.name().into(), Named::Chunk(chunk.object));
        let known = self.chunks.entry(chunk.table).or_default();
        let at = known.partition_point(|known| known.start < chunk.start);
        known.insert(at, chunk);
    }

    pub(crate) fn remove_chunk(&mut self, chunk: &ChunkDef) {
        let meant = Named::Chunk(chunk.object);
        self.remove_name(CHUNK_SCHEMA, &chunk.name(), meant);
        let Some(known) = self.chunks.get_mut(&chunk.table) else {
            return;
        };
        known.retain(|known| known.object != chunk.object);
        if known.is_empty() {
            self.chunks.remove(&chunk.table);
        }
    }
}

/// The bytes of a chunk in the catalog.
pub fn encode_chunk(chunk: &ChunkDef) -> Vec<u8> {
    let mut bytes = vec![LAYOUT_VERSION, KIND_CHUNK];
    bytes.extend(chunk.object.0.to_le_bytes());
    bytes.extend(chunk.table.0.to_le_bytes());
    bytes.extend(chunk.hypertable.to_le_bytes());
    bytes.extend(chunk.number.to_le_bytes());
    bytes.extend(chunk.start.to_le_bytes());
    bytes.extend(chunk.end.to_le_bytes());
    bytes.extend(chunk.made_us.to_le_bytes());
    bytes.push(u8::from(chunk.is_compressed));
    bytes
}

/// The chunk that [`encode_chunk`] wrote; `XX001` for any other bytes.
pub(crate) fn decode_chunk(bytes: &[u8]) -> Result<ChunkDef> {
    let mut input = Input(bytes);
    input.head([LAYOUT_VERSION, KIND_CHUNK])?;
    let chunk = ChunkDef {
        object: ObjectId(u64::from_le_bytes(input.array()?)),
        table: ObjectId(u64::from_le_bytes(input.array()?)),
        hypertable: u32::from_le_bytes(input.array()?),
        number: u32::from_le_bytes(input.array()?),
        start: i64::from_le_bytes(input.array()?),
        end: i64::from_le_bytes(input.array()?),
        made_us: i64::from_le_bytes(input.array()?),
        is_compressed: match input.u8()? {
            0 => false,
            1 => true,
            _ => return Err(broken("flags of a chunk")),
        },
    };
    input.end()?;
    if chunk.start >= chunk.end {
        return Err(broken("range of a chunk"));
    }
    Ok(chunk)
}

#[cfg(test)]
mod tests {
    use super::{
        ChunkDef, HypertableDef, Segments, chunk_range, decode_chunk, encode_chunk, put_hypertable,
        take_hypertable,
    };
    use crate::model::bytes::Input;
    use crate::model::table::ColumnDef;
    use varve_types::{ColumnId, KeyOrder, LogicalType, ObjectId};

    fn chunk(start: i64, end: i64) -> ChunkDef {
        ChunkDef {
            object: ObjectId(5),
            table: ObjectId(4),
            hypertable: 1,
            number: 2,
            start,
            end,
            made_us: 9,
            is_compressed: true,
        }
    }

    #[test]
    fn a_range_is_aligned_and_ends_where_others_begin() {
        assert_eq!(chunk_range(-1, 10, []), (-10, 0));
        assert_eq!(chunk_range(25, 10, []), (20, 30));
        let known = [chunk(0, 23), chunk(27, 30)];
        assert_eq!(chunk_range(25, 10, &known), (23, 27));
        assert_eq!(chunk_range(i64::MAX, 10, []), (i64::MAX - 7, i64::MAX));
        let (start, end) = chunk_range(i64::MIN, 10, []);
        assert!(start == i64::MIN && end > i64::MIN && end <= i64::MIN + 10);
    }

    fn hypertable(by: &[u32], order: &[u32]) -> HypertableDef {
        let order = order.iter().map(|id| {
            let order = KeyOrder {
                descending: true,
                nulls_first: false,
            };
            (ColumnId(*id), order)
        });
        HypertableDef {
            number: 3,
            column: ColumnId(1),
            width: 10,
            integer_now: None,
            is_columnstore: true,
            segments: Some(Segments {
                by: by.iter().copied().map(ColumnId).collect(),
                order: order.collect(),
                is_by_given: true,
                is_order_given: false,
            }),
        }
    }

    /// Columns have an order once at most, and are there.
    #[test]
    fn bytes_of_a_hypertable_say_what_sorts_its_rows() {
        let column = |id| ColumnDef::new(ColumnId(id), "c", LogicalType::Int8, id != 1);
        let columns = [column(1), column(2), column(3)];
        let bytes = |def: &HypertableDef| {
            let mut bytes = Vec::new();
            put_hypertable(&mut bytes, def).unwrap();
            bytes
        };
        let take = |bytes: &[u8]| take_hypertable(&mut Input(bytes), &columns);
        let good = hypertable(&[2], &[3, 1]);
        assert_eq!(take(&bytes(&good)), Ok(good.clone()));
        assert_eq!(
            bytes(&good)[16..],
            [14, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0, 0, 0, 1, 1, 0, 0, 0, 1]
        );
        for bad in [
            hypertable(&[2], &[2]),
            hypertable(&[2, 2], &[1]),
            hypertable(&[4], &[1]),
            hypertable(&[], &[]),
        ] {
            assert!(take(&bytes(&bad)).is_err(), "{bad:?}");
        }
        for end in 0..bytes(&good).len() {
            assert!(take(&bytes(&good)[..end]).is_err());
        }
    }

    #[test]
    fn bytes_of_a_chunk_are_a_chunk_or_an_error() {
        let good = encode_chunk(&chunk(-3, 8));
        assert_eq!(decode_chunk(&good), Ok(chunk(-3, 8)));
        for end in 0..good.len() {
            assert!(decode_chunk(&good[..end]).is_err());
        }
        assert!(decode_chunk(&encode_chunk(&chunk(8, 8))).is_err());
    }
}
