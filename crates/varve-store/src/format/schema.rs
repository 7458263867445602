//! A tree schema as bytes.
//!
//! Layout (varints): tree, version, number of columns; by column: id, type, flags (u8: 1 nullable,
//! 2 storage follows), its storage (3 bytes), missing value as a row of one; then the kind of its
//! key (u8; with 128 follow the codec of its pages (2 bytes), the least bytes of content-addressed
//! values and the version with which its storage changed last; with 64 that codec holds for pages
//! of key columns too; with 32 follow the column that rows are kept apart by and the width of a
//! partition) and:
//!
//! | kind | key | fields |
//! |---|---|---|
//! | 0 | hidden row id | |
//! | 1 | columns | their number, their positions |
//! | 2 | an index's | the tree that it is of, how many key columns are its own, uniqueness (u8: 0 none, 1 NULLs are distinct, 2 NULLs are equal), state (u8: 0 building, 1 valid), the number of key columns, and of each its position and order (u8: 1 descending, 2 NULLs first) |
//! | 3 | columns that rows may share, then the hidden row id | the number of columns, and of each its position and order |

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_types::{
    Column, ColumnId, ColumnStorage, IndexKey, IndexState, KeyColumn, KeyOrder, LogicalType,
    PageCodec, Partition, STORAGE_BYTES, SortKey, TreeColumn, TreeId, TreeOptions, TreeSchema,
    Uniqueness, Value,
};

use crate::format::row::{decode_values, encode_row};
use crate::format::wire::{put_bytes, take_bytes, take_count, take_u32};

/// With the kind of the key: what is said of storage follows.
const STORED: u8 = 128;
/// With the kind of the key: the codec of pages holds for those of key columns too.
const STORED_KEYS: u8 = 64;
/// With the kind of the key: what rows are kept apart by follows.
const PARTITIONED: u8 = 32;

pub(crate) fn encode(schema: &TreeSchema, out: &mut Vec<u8>) {
    put_varint(schema.tree.0, out);
    put_varint(u64::from(schema.version), out);
    put_varint(schema.columns.len() as u64, out);
    for column in &schema.columns {
        put_varint(u64::from(column.id.0), out);
        column.ty.encode(out);
        let stored = !column.storage.is_default();
        out.push(u8::from(column.nullable) | u8::from(stored) << 1);
        if stored {
            out.extend(column.storage.to_bytes());
        }
        let missing = std::sync::Arc::new(Column::from_values(column.ty, [&column.missing]));
        let mut row = Vec::new();
        encode_row(&[missing], 0, &mut row);
        put_bytes(&row, out);
    }
    out.push(match &schema.key {
        SortKey::RowId => 0,
        SortKey::Columns(_) => 1,
        SortKey::Index(_) => 2,
        SortKey::Sorted(_) => 3,
    });
    let options = &schema.options;
    if *options != TreeOptions::default() {
        if let Some(kind) = out.last_mut() {
            *kind |= STORED;
            for (flag, is_set) in [
                (STORED_KEYS, options.pages_of_keys),
                (PARTITIONED, options.partition.is_some()),
            ] {
                *kind |= if is_set { flag } else { 0 };
            }
        }
        out.extend(options.pages.to_bytes());
        put_varint(u64::from(options.content_bytes_min), out);
        put_varint(u64::from(options.version), out);
        if let Some(Partition { column, width }) = options.partition {
            put_varint(u64::from(column.0), out);
            put_varint(width.cast_unsigned(), out);
        }
    }
    match &schema.key {
        SortKey::RowId => {}
        SortKey::Columns(positions) => {
            put_varint(positions.len() as u64, out);
            for position in positions {
                put_varint(*position as u64, out);
            }
        }
        SortKey::Index(key) => put_index(key, out),
        SortKey::Sorted(columns) => put_columns(columns, out),
    }
}

pub(crate) fn decode(reader: &mut ByteReader<'_>) -> Result<TreeSchema, CodecError> {
    let tree = TreeId(reader.varint()?);
    let version = take_u32(reader)?;
    let count = take_count(reader)?;
    let mut columns = Vec::with_capacity(count);
    for _ in 0..count {
        let id = ColumnId(take_u32(reader)?);
        let mut rest = reader.rest();
        let ty = LogicalType::decode(&mut rest).ok_or(CodecError::Malformed("type"))?;
        *reader = ByteReader::new(rest);
        let flags = reader.u8()?;
        if flags > 3 {
            return Err(CodecError::Malformed("flags of a column"));
        }
        let storage = match flags & 2 {
            0 => ColumnStorage::default(),
            _ => take_storage(reader)?,
        };
        let missing = decode_values(&[ty], take_bytes(reader)?)?.pop();
        columns.push(TreeColumn {
            id,
            ty,
            nullable: flags & 1 == 1,
            missing: missing.unwrap_or(Value::Null),
            storage,
        });
    }
    let kind = reader.u8()?;
    let (options, kind) = match kind & STORED {
        0 => (TreeOptions::default(), kind),
        _ => (
            take_options(reader, kind)?,
            kind & !(STORED | STORED_KEYS | PARTITIONED),
        ),
    };
    let key = match kind {
        0 => SortKey::RowId,
        1 => {
            let keys = reader.count(1, count, "key")?;
            let positions = (0..keys).map(|_| take_position(reader, count));
            SortKey::Columns(positions.collect::<Result<_, _>>()?)
        }
        2 => SortKey::Index(take_index(reader, count)?),
        3 => SortKey::Sorted(take_columns(reader, 1, count)?),
        _ => return Err(CodecError::Malformed("kind of key")),
    };
    Ok(TreeSchema {
        tree,
        version,
        columns,
        key,
        options,
    })
}

fn take_storage(reader: &mut ByteReader<'_>) -> Result<ColumnStorage, CodecError> {
    let bytes = reader.take(STORAGE_BYTES)?.try_into();
    let storage = bytes.ok().and_then(ColumnStorage::from_bytes);
    storage.ok_or(CodecError::Malformed("storage of a column"))
}

fn take_options(reader: &mut ByteReader<'_>, flags: u8) -> Result<TreeOptions, CodecError> {
    let pages = PageCodec::from_bytes([reader.u8()?, reader.u8()?]);
    Ok(TreeOptions {
        pages: pages.ok_or(CodecError::Malformed("codec of pages"))?,
        pages_of_keys: flags & STORED_KEYS != 0,
        content_bytes_min: take_u32(reader)?,
        version: take_u32(reader)?,
        partition: match flags & PARTITIONED {
            0 => None,
            _ => Some(take_partition(reader)?),
        },
    })
}

fn take_partition(reader: &mut ByteReader<'_>) -> Result<Partition, CodecError> {
    let column = ColumnId(take_u32(reader)?);
    let width = i64::try_from(reader.varint()?).ok();
    let width = width.filter(|width| *width > 0);
    Ok(Partition {
        column,
        width: width.ok_or(CodecError::Malformed("width of a partition"))?,
    })
}

fn put_index(key: &IndexKey, out: &mut Vec<u8>) {
    put_varint(key.of.0, out);
    put_varint(key.own_columns as u64, out);
    out.push(match key.uniqueness {
        Uniqueness::None => 0,
        Uniqueness::NullsDistinct => 1,
        Uniqueness::NullsEqual => 2,
    });
    out.push(match key.state {
        IndexState::Building => 0,
        IndexState::Valid => 1,
    });
    put_columns(&key.columns, out);
}

fn put_columns(columns: &[KeyColumn], out: &mut Vec<u8>) {
    put_varint(columns.len() as u64, out);
    for column in columns {
        put_varint(column.position as u64, out);
        out.push(column.order.code());
    }
}

fn take_index(reader: &mut ByteReader<'_>, columns: usize) -> Result<IndexKey, CodecError> {
    let of = TreeId(reader.varint()?);
    let own_columns = reader.count(1, columns, "index key")?;
    let uniqueness = match reader.u8()? {
        0 => Uniqueness::None,
        1 => Uniqueness::NullsDistinct,
        2 => Uniqueness::NullsEqual,
        _ => return Err(CodecError::Malformed("uniqueness")),
    };
    let state = match reader.u8()? {
        0 => IndexState::Building,
        1 => IndexState::Valid,
        _ => return Err(CodecError::Malformed("index state")),
    };
    Ok(IndexKey {
        of,
        columns: take_columns(reader, own_columns, columns)?,
        own_columns,
        uniqueness,
        state,
    })
}

/// Between `least` key columns and all of them.
fn take_columns(
    reader: &mut ByteReader<'_>,
    least: usize,
    columns: usize,
) -> Result<Vec<KeyColumn>, CodecError> {
    let count = reader.count(least, columns, "key")?;
    let mut taken = Vec::with_capacity(count);
    for _ in 0..count {
        let position = take_position(reader, columns)?;
        let order = KeyOrder::from_code(reader.u8()?);
        let order = order.ok_or(CodecError::Malformed("key order"))?;
        taken.push(KeyColumn { position, order });
    }
    Ok(taken)
}

fn take_position(reader: &mut ByteReader<'_>, columns: usize) -> Result<usize, CodecError> {
    let last = columns.checked_sub(1).ok_or(CodecError::Malformed("key"))?;
    reader.count(0, last, "key")
}

#[cfg(test)]
mod tests {
    use varve_codec::ByteReader;
    use varve_types::{
        ColumnId, ColumnStorage, KeyColumn, KeyOrder, LogicalType, PageCodec, Partition, SortKey,
        TreeColumn, TreeId, TreeOptions, TreeSchema, Value,
    };

    use super::{PARTITIONED, STORED_KEYS, decode, encode};

    fn stored(options: TreeOptions) -> (TreeSchema, Vec<u8>) {
        let schema = TreeSchema {
            tree: TreeId(7),
            version: 3,
            columns: Vec::new(),
            key: SortKey::RowId,
            options,
        };
        let mut bytes = Vec::new();
        encode(&schema, &mut bytes);
        (schema, bytes)
    }

    #[test]
    fn what_is_said_of_pages_comes_back() {
        for pages in [PageCodec::Lz4, PageCodec::None, PageCodec::Zstd(9)] {
            for pages_of_keys in [false, true] {
                let (schema, bytes) = stored(TreeOptions {
                    pages,
                    pages_of_keys,
                    ..TreeOptions::default()
                });
                assert_eq!(decode(&mut ByteReader::new(&bytes)), Ok(schema));
            }
        }
    }

    #[test]
    fn what_rows_are_kept_apart_by_comes_back() {
        for width in [1, 86_400_000_000, i64::MAX] {
            let (schema, bytes) = stored(TreeOptions {
                partition: Some(Partition {
                    column: ColumnId(300),
                    width,
                }),
                ..TreeOptions::default()
            });
            assert_eq!(decode(&mut ByteReader::new(&bytes)), Ok(schema));
        }
    }

    #[test]
    fn the_bytes_of_a_partition_stay_what_they_are() {
        let (_, bytes) = stored(TreeOptions {
            partition: Some(Partition {
                column: ColumnId(1),
                width: 300,
            }),
            ..TreeOptions::default()
        });
        let plain = stored(TreeOptions {
            version: 1,
            ..TreeOptions::default()
        });
        let (flags, options) = plain.1.split_at(4);
        assert_eq!(flags, [7, 3, 0, 128]);
        assert_eq!(bytes[..4], [7, 3, 0, 128 | PARTITIONED]);
        assert_eq!(bytes[4..][..4], options[..4]);
        assert_eq!(bytes[bytes.len() - 4..], [0, 1, 0xac, 2]);
    }

    #[test]
    fn the_bytes_of_sorted_columns_stay_what_they_are() {
        let mut bytes = Vec::new();
        let column = |id| TreeColumn {
            id: ColumnId(id),
            ty: LogicalType::Int4,
            nullable: true,
            missing: Value::Null,
            storage: ColumnStorage::default(),
        };
        let sorted = |position, descending| KeyColumn {
            position,
            order: KeyOrder {
                descending,
                nulls_first: descending,
            },
        };
        let schema = TreeSchema {
            columns: vec![column(1), column(2)],
            key: SortKey::Sorted(vec![sorted(1, false), sorted(0, true)]),
            ..stored(TreeOptions::default()).0
        };
        encode(&schema, &mut bytes);
        assert_eq!(bytes[bytes.len() - 6..], [3, 2, 1, 0, 0, 3]);
        assert_eq!(decode(&mut ByteReader::new(&bytes)), Ok(schema));
        let count = bytes.len() - 5;
        bytes[count] = 0;
        assert!(decode(&mut ByteReader::new(&bytes)).is_err());
    }

    #[test]
    fn a_width_of_nothing_is_refused() {
        let (_, mut bytes) = stored(TreeOptions {
            partition: Some(Partition {
                column: ColumnId(1),
                width: 0,
            }),
            ..TreeOptions::default()
        });
        assert!(decode(&mut ByteReader::new(&bytes)).is_err());
        *bytes.last_mut().unwrap() = 1;
        assert!(decode(&mut ByteReader::new(&bytes)).is_ok());
    }

    #[test]
    fn what_belongs_to_storage_is_no_kind_of_key_alone() {
        for flag in [STORED_KEYS, PARTITIONED] {
            let (_, mut bytes) = stored(TreeOptions::default());
            *bytes.last_mut().unwrap() |= flag;
            assert!(decode(&mut ByteReader::new(&bytes)).is_err());
        }
    }
}
