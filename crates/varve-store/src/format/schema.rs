//! A tree schema as bytes.
//!
//! Layout (varints): tree, version, number of columns; by column: id, type (u8), nullable (u8),
//! missing value as a row of one; then number of key columns (0: hidden row id) and their
//! positions.

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_types::{Column, ColumnId, LogicalType, SortKey, TreeColumn, TreeId, TreeSchema, Value};

use crate::format::row::{decode_values, encode_row};
use crate::format::wire::{put_bytes, take_bytes, take_count, take_u32};

pub(crate) fn encode(schema: &TreeSchema, out: &mut Vec<u8>) {
    put_varint(schema.tree.0, out);
    put_varint(u64::from(schema.version), out);
    put_varint(schema.columns.len() as u64, out);
    for column in &schema.columns {
        put_varint(u64::from(column.id.0), out);
        out.push(column.ty.code());
        out.push(u8::from(column.nullable));
        let missing = std::sync::Arc::new(Column::from_values(column.ty, [&column.missing]));
        let mut row = Vec::new();
        encode_row(&[missing], 0, &mut row);
        put_bytes(&row, out);
    }
    let key: &[usize] = match &schema.key {
        SortKey::RowId => &[],
        SortKey::Columns(positions) => positions,
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
        let ty = LogicalType::from_code(reader.u8()?).ok_or(CodecError::Malformed("type"))?;
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
    let keys = take_count(reader)?;
    let mut positions = Vec::with_capacity(keys);
    for _ in 0..keys {
        let last = count.checked_sub(1).ok_or(CodecError::Malformed("key"))?;
        positions.push(reader.count(0, last, "key")?);
    }
    let key = if positions.is_empty() {
        SortKey::RowId
    } else {
        SortKey::Columns(positions)
    };
    Ok(TreeSchema {
        tree,
        version,
        columns,
        key,
    })
}
