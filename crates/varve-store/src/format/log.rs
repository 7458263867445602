//! A log record: everything that one commit changed. A long one is cut into several values.
//!
//! Layout of a value's payload: number of parts (u32, little-endian), then its part of the record.
//!
//! Layout of a record (varints): number of operations; by operation its code (u8) and:
//!
//! | code | operation | fields |
//! |---|---|---|
//! | 1 | put object | id, version, definition (length, bytes) |
//! | 2 | delete object | id |
//! | 3 | create tree | schema |
//! | 4 | drop tree | tree |
//! | 5 | insert | tree, schema version, number of rows, each as length and bytes |
//! | 6 | delete by key | tree, number of keys, each as length and bytes |
//! | 7 | mark | run, number of ordinals, the first, then distances less one |
//!
//! A row that lay in the memtable is deleted by key, one in a run is marked. Operations take effect
//! in order; deletes stand before inserts.

use std::sync::Arc;

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_kv::Key;
use varve_types::{CommitSeq, ObjectId, Result, RunId, TreeId};

use crate::catalogue::CatalogueChange;
use crate::format::envelope::{Kind, corrupt, open, seal};
use crate::format::wire::{put_bytes, take_bytes, take_count, take_u32};
use crate::format::{keys, schema};

/// A record is cut where it passes this.
const PART_BYTES_MAX: usize = 1 << 20;

/// One operation of a record. Rows and keys are borrowed from arenas, or from the record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LogOp<'a> {
    Catalogue(CatalogueChange),
    Insert {
        tree: TreeId,
        schema_version: u32,
        rows: Vec<&'a [u8]>,
    },
    DeleteKeys {
        tree: TreeId,
        keys: Vec<&'a [u8]>,
    },
    Mark {
        run: RunId,
        /// Ascending.
        ordinals: Vec<u32>,
    },
}

/// The values of a record with their keys.
pub(crate) fn encode(seq: CommitSeq, ops: &[LogOp<'_>]) -> Vec<(Key, Vec<u8>)> {
    let mut record = Vec::new();
    put_varint(ops.len() as u64, &mut record);
    for op in ops {
        put_op(op, &mut record);
    }
    let parts: Vec<&[u8]> = record.chunks(PART_BYTES_MAX).collect();
    let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    let value = |(part, bytes): (u32, &[u8])| {
        let key = keys::log(seq, part);
        let mut payload = Vec::with_capacity(4 + bytes.len());
        payload.extend_from_slice(&count.to_le_bytes());
        payload.extend_from_slice(bytes);
        let value = seal(Kind::Log, &key, &payload);
        (key, value)
    };
    (0..count).zip(parts).map(value).collect()
}

/// Puts the bytes of one log value behind those of the parts before it. Returns whether the record
/// is complete with it.
pub(crate) fn join(seq: CommitSeq, part: u32, value: &[u8], record: &mut Vec<u8>) -> Result<bool> {
    let key = keys::log(seq, part);
    let payload = open(Kind::Log, &key, value)?;
    let (count, bytes) = payload
        .split_first_chunk::<4>()
        .ok_or_else(|| corrupt(&key, CodecError::UnexpectedEnd))?;
    record.extend_from_slice(bytes);
    Ok(u32::from_le_bytes(*count) == part.saturating_add(1))
}

/// The operations of a complete record.
pub(crate) fn decode(seq: CommitSeq, record: &[u8]) -> Result<Vec<LogOp<'_>>> {
    parse(record).map_err(|detail| corrupt(&keys::log(seq, 0), detail))
}

fn put_op(op: &LogOp<'_>, out: &mut Vec<u8>) {
    match op {
        LogOp::Catalogue(CatalogueChange::PutObject(id, version, definition)) => {
            out.push(1);
            put_varint(id.0, out);
            put_varint(u64::from(*version), out);
            put_bytes(definition, out);
        }
        LogOp::Catalogue(CatalogueChange::DeleteObject(id)) => {
            out.push(2);
            put_varint(id.0, out);
        }
        LogOp::Catalogue(CatalogueChange::CreateTree(tree)) => {
            out.push(3);
            schema::encode(tree, out);
        }
        LogOp::Catalogue(CatalogueChange::DropTree(tree)) => {
            out.push(4);
            put_varint(tree.0, out);
        }
        LogOp::Insert {
            tree,
            schema_version,
            rows,
        } => {
            out.push(5);
            put_varint(tree.0, out);
            put_varint(u64::from(*schema_version), out);
            put_list(rows, out);
        }
        LogOp::DeleteKeys { tree, keys } => {
            out.push(6);
            put_varint(tree.0, out);
            put_list(keys, out);
        }
        LogOp::Mark { run, ordinals } => {
            out.push(7);
            put_varint(run.0, out);
            put_varint(ordinals.len() as u64, out);
            let mut next = 0;
            for ordinal in ordinals {
                put_varint(u64::from(ordinal.saturating_sub(next)), out);
                next = ordinal.saturating_add(1);
            }
        }
    }
}

fn put_list(items: &[&[u8]], out: &mut Vec<u8>) {
    put_varint(items.len() as u64, out);
    for item in items {
        put_bytes(item, out);
    }
}

fn take_list<'a>(reader: &mut ByteReader<'a>) -> Result<Vec<&'a [u8]>, CodecError> {
    (0..take_count(reader)?)
        .map(|_| take_bytes(reader))
        .collect()
}

fn parse(record: &[u8]) -> Result<Vec<LogOp<'_>>, CodecError> {
    let mut reader = ByteReader::new(record);
    let mut ops = Vec::new();
    for _ in 0..take_count(&mut reader)? {
        ops.push(take_op(&mut reader)?);
    }
    reader.end()?;
    Ok(ops)
}

fn take_op<'a>(reader: &mut ByteReader<'a>) -> Result<LogOp<'a>, CodecError> {
    Ok(match reader.u8()? {
        1 => LogOp::Catalogue(CatalogueChange::PutObject(
            ObjectId(reader.varint()?),
            take_u32(reader)?,
            Arc::from(take_bytes(reader)?),
        )),
        2 => LogOp::Catalogue(CatalogueChange::DeleteObject(ObjectId(reader.varint()?))),
        3 => LogOp::Catalogue(CatalogueChange::CreateTree(schema::decode(reader)?)),
        4 => LogOp::Catalogue(CatalogueChange::DropTree(TreeId(reader.varint()?))),
        5 => LogOp::Insert {
            tree: TreeId(reader.varint()?),
            schema_version: take_u32(reader)?,
            rows: take_list(reader)?,
        },
        6 => LogOp::DeleteKeys {
            tree: TreeId(reader.varint()?),
            keys: take_list(reader)?,
        },
        7 => {
            let run = RunId(reader.varint()?);
            let mut ordinals = Vec::new();
            let mut next = 0_u32;
            for _ in 0..take_count(reader)? {
                let ordinal = next.checked_add(take_u32(reader)?);
                let ordinal = ordinal.ok_or(CodecError::Malformed("ordinal"))?;
                ordinals.push(ordinal);
                next = ordinal.saturating_add(1);
            }
            LogOp::Mark { run, ordinals }
        }
        _ => return Err(CodecError::Malformed("operation")),
    })
}
