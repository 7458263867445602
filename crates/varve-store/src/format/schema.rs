//! A tree schema as bytes.
//!
//! Layout (varints): tree, version, number of columns; by column: id, type, nullable (u8),
//! missing value as a row of one; then number of key columns (0: hidden row id) and their
//! positions. An index has one more than it has columns in the place of that number, which no key
//! can have; then the tree that it is of, how many key columns are its own, uniqueness (0 none, 1
//! NULLs are distinct, 2 NULLs are equal), state (0 building, 1 valid), the number of key columns,
//! and of each its position and order (1 descending, 2 NULLs first).

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_types::{
    Column, ColumnId, IndexKey, IndexState, KeyColumn, KeyOrder, LogicalType, SortKey, TreeColumn,
    TreeId, TreeSchema, Uniqueness, Value,
};

use crate::format::row::{decode_values, encode_row};
use crate::format::wire::{put_bytes, take_bytes, take_count, take_u32};

pub(crate) fn encode(schema: &TreeSchema, out: &mut Vec<u8>) {
    put_varint(schema.tree.0, out);
    put_varint(u64::from(schema.version), out);
    put_varint(schema.columns.len() as u64, out);
    for column in &schema.columns {
        put_varint(u64::from(column.id.0), out);
        column.ty.encode(out);
        out.push(u8::from(column.nullable));
        let missing = std::sync::Arc::new(Column::from_values(column.ty, [&column.missing]));
        let mut row = Vec::new();
        encode_row(&[missing], 0, &mut row);
        put_bytes(&row, out);
    }
    let key: &[usize] = match &schema.key {
        SortKey::RowId => &[],
        SortKey::Columns(positions) => positions,
        SortKey::Index(key) => return put_index(key, schema.columns.len(), out),
    };
    put_varint(key.len() as u64, out);
    for position in key {
        put_varint(*position as u64, out);
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
        let nullable = match reader.u8()? {
            0 => false,
            1 => true,
            _ => return Err(CodecError::Malformed("nullable")),
        };
        let missing = decode_values(&[ty], take_bytes(reader)?)?.pop();
        columns.push(TreeColumn {
            id,
            ty,
            nullable,
            missing: missing.unwrap_or(Value::Null),
        });
    }
    let keys = reader.count(0, count.saturating_add(1), "key")?;
    let key = if keys == 0 {
        SortKey::RowId
    } else if keys > count {
        SortKey::Index(take_index(reader, count)?)
    } else {
        let positions = (0..keys).map(|_| take_position(reader, count));
        SortKey::Columns(positions.collect::<Result<_, _>>()?)
    };
    Ok(TreeSchema {
        tree,
        version,
        columns,
        key,
    })
}

fn put_index(key: &IndexKey, columns: usize, out: &mut Vec<u8>) {
    put_varint((columns as u64).saturating_add(1), out);
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
    put_varint(key.columns.len() as u64, out);
    for column in &key.columns {
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
    let key_columns = (0..reader.count(own_columns, columns, "index key")?).map(|_| {
        let position = take_position(reader, columns)?;
        let order = KeyOrder::from_code(reader.u8()?);
        let order = order.ok_or(CodecError::Malformed("key order"))?;
        Ok(KeyColumn { position, order })
    });
    Ok(IndexKey {
        of,
        columns: key_columns.collect::<Result<_, CodecError>>()?,
        own_columns,
        uniqueness,
        state,
    })
}

fn take_position(reader: &mut ByteReader<'_>, columns: usize) -> Result<usize, CodecError> {
    let last = columns.checked_sub(1).ok_or(CodecError::Malformed("key"))?;
    reader.count(0, last, "key")
}
