//! Log records, each of them everything that one commit changed, and the values that hold them: a
//! long record is cut into several, short ones share a value.
//!
//! Layout of the payload of a value that holds a record or a part of one, at the sequence of the
//! record and the number of the part: number of parts (u32, little-endian), then the part.
//!
//! Layout of the payload of a merged value, at the sequence of its last record and part 0: number
//! of records (varint), then each as length (varint) and bytes. Their sequences are consecutive.
//! The first of them may be contained in runs already, in which case they are skipped.
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
//! | 7 | delete in a run | run, number of ordinals, the first, then distances less one |
//! | 8 | the same | run, number of ranges of ordinals, of each the distance from the end of the one before and the number of ordinals |
//!
//! A row that lay in the memtable is deleted by key, one in a run by its ordinal. Operations take
//! effect in order; deletes stand before inserts.

use core::ops::RangeInclusive;
use std::sync::Arc;

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_kv::Key;
use varve_types::{Broken, CommitSeq, Invariant, ObjectId, RunId, TreeId, invariant};

use crate::catalog::CatalogChange;
use crate::error::Result;
use crate::format::envelope::{Kind, corrupt, is_of, open, seal};
use crate::format::wire::{put_bytes, take_bytes, take_count, take_u32};
use crate::format::{keys, schema};

/// A record is cut where it passes this.
const PART_BYTES_MAX: usize = 1 << 20;

/// One operation of a record. Rows and keys are borrowed from arenas, or from the record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LogOp<'a> {
    Catalog(CatalogChange),
    Insert {
        tree: TreeId,
        schema_version: u32,
        rows: Vec<&'a [u8]>,
    },
    DeleteKeys {
        tree: TreeId,
        keys: Vec<&'a [u8]>,
    },
    DeleteInRun {
        run: RunId,
        /// Ranges of ordinals, ascending.
        rows: Vec<RangeInclusive<u32>>,
    },
}

/// Ascending numbers as ranges.
pub(crate) fn ranges(numbers: impl IntoIterator<Item = u32>) -> Vec<RangeInclusive<u32>> {
    let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end().checked_add(1) == Some(number) => {
                *last = *last.start()..=number;
            }
            _ => ranges.push(number..=number),
        }
    }
    ranges
}

/// The bytes of a record.
pub(crate) fn encode_record(ops: &[LogOp<'_>]) -> Result<Vec<u8>, Broken> {
    let mut record = Vec::new();
    put_varint(ops.len() as u64, &mut record);
    for op in ops {
        put_op(op, &mut record)?;
    }
    Ok(record)
}

/// A record that is to be stored.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) seq: CommitSeq,
    pub(crate) bytes: Vec<u8>,
}

/// A value of the log, ready to be stored.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) key: Key,
    pub(crate) bytes: Vec<u8>,
    /// The last record of which it holds something.
    pub(crate) last: CommitSeq,
    /// Whether it may be merged with others.
    pub(crate) is_whole: bool,
}

/// What a record takes in a merged value.
fn framed_bytes(record: &Record) -> usize {
    let bits = u64::BITS - (record.bytes.len() as u64 | 1).leading_zeros();
    record.bytes.len() + bits.div_ceil(7) as usize
}

/// The values of records with consecutive sequences: merged up to `bytes_max`, so that there are as
/// few as possible.
pub(crate) fn encode(records: &[Record], bytes_max: usize) -> Result<Vec<Value>, Broken> {
    let bytes_max = bytes_max.min(PART_BYTES_MAX);
    let mut values = Vec::new();
    let mut rest = records;
    while !rest.is_empty() {
        let mut together = 0;
        let mut bytes = 0;
        for record in rest {
            bytes += framed_bytes(record);
            if bytes > bytes_max {
                break;
            }
            together += 1;
        }
        let (group, later) = rest.split_at(together.max(1));
        rest = later;
        match group {
            [record] => put_alone(record, &mut values)?,
            group => values.push(merge(group)?),
        }
    }
    Ok(values)
}

/// The value or values of one record.
fn put_alone(record: &Record, values: &mut Vec<Value>) -> Result<(), Broken> {
    let parts: Vec<&[u8]> = record.bytes.chunks(PART_BYTES_MAX).collect();
    let count = u32::try_from(parts.len()).or_broken("parts of a log record")?;
    let value = |(part, bytes): (u32, &[u8])| {
        let key = keys::log(record.seq, part);
        let mut payload = Vec::with_capacity(4 + bytes.len());
        payload.extend_from_slice(&count.to_le_bytes());
        payload.extend_from_slice(bytes);
        Value {
            bytes: seal(Kind::Log, &key, &payload),
            key,
            last: record.seq,
            is_whole: count == 1,
        }
    };
    values.extend((0..count).zip(parts).map(value));
    Ok(())
}

fn merge(records: &[Record]) -> Result<Value, Broken> {
    let follows = |pair: &[Record]| match pair {
        [before, after] => after.seq.0 == before.seq.0 + 1,
        _ => false,
    };
    invariant!(records.windows(2).all(follows), "order of log records");
    let last = records.last().or_broken("log records")?.seq;
    let key = keys::log(last, 0);
    let bytes: usize = records.iter().map(framed_bytes).sum();
    let mut payload = Vec::with_capacity(bytes + 10);
    put_varint(records.len() as u64, &mut payload);
    for record in records {
        put_bytes(&record.bytes, &mut payload);
    }
    Ok(Value {
        bytes: seal(Kind::MergedLog, &key, &payload),
        key,
        last,
        is_whole: true,
    })
}

/// Whether a sound value holds whole records.
pub(crate) fn is_whole(value: &[u8]) -> bool {
    is_of(Kind::MergedLog, value) || value.get(16..20) == Some(&1_u32.to_le_bytes()[..])
}

/// What a value of the log holds.
#[derive(Debug, PartialEq)]
pub(crate) enum Content<'a> {
    /// A part of a record; the record is complete with its last part.
    Part { bytes: &'a [u8], is_last: bool },
    /// Whole records with consecutive sequences from `first` on.
    Records {
        first: CommitSeq,
        records: Vec<&'a [u8]>,
    },
}

/// Reads a value that was found at a sequence and a part.
pub(crate) fn open_value(seq: CommitSeq, part: u32, value: &[u8]) -> Result<Content<'_>> {
    let key = keys::log(seq, part);
    if is_of(Kind::MergedLog, value) {
        let payload = open(Kind::MergedLog, &key, value)?;
        let content = parse_merged(seq, payload).filter(|_| part == 0);
        return content.ok_or_else(|| corrupt(&key, CodecError::Malformed("merged records")));
    }
    let payload = open(Kind::Log, &key, value)?;
    let (count, bytes) = payload
        .split_first_chunk::<4>()
        .ok_or_else(|| corrupt(&key, CodecError::UnexpectedEnd))?;
    Ok(Content::Part {
        bytes,
        is_last: u32::from_le_bytes(*count) == part.saturating_add(1),
    })
}

fn parse_merged(last: CommitSeq, payload: &[u8]) -> Option<Content<'_>> {
    let mut reader = ByteReader::new(payload);
    let records = take_list(&mut reader).ok()?;
    reader.end().ok()?;
    let count = u64::try_from(records.len()).ok()?;
    let before = last.0.checked_sub(count)?;
    (count > 0).then_some(Content::Records {
        first: CommitSeq(before + 1),
        records,
    })
}

/// The operations of a complete record.
pub(crate) fn decode(seq: CommitSeq, record: &[u8]) -> Result<Vec<LogOp<'_>>> {
    parse(record).map_err(|detail| corrupt(&keys::log(seq, 0), detail))
}

fn put_op(op: &LogOp<'_>, out: &mut Vec<u8>) -> Result<(), Broken> {
    match op {
        LogOp::Catalog(CatalogChange::PutObject(id, version, definition)) => {
            out.push(1);
            put_varint(id.0, out);
            put_varint(u64::from(*version), out);
            put_bytes(definition, out);
        }
        LogOp::Catalog(CatalogChange::DeleteObject(id)) => {
            out.push(2);
            put_varint(id.0, out);
        }
        LogOp::Catalog(CatalogChange::CreateTree(tree)) => {
            out.push(3);
            schema::encode(tree, out);
        }
        LogOp::Catalog(CatalogChange::DropTree(tree)) => {
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
        LogOp::DeleteInRun { run, rows } => put_deletions(*run, rows, out)?,
    }
    Ok(())
}

/// Ordinals one by one, or as ranges where those take less.
fn put_deletions(
    run: RunId,
    ranges: &[RangeInclusive<u32>],
    out: &mut Vec<u8>,
) -> Result<(), Broken> {
    let length = |range: &RangeInclusive<u32>| u64::from(range.end() - range.start()) + 1;
    let rows: u64 = ranges.iter().map(length).sum();
    let as_ranges = 2 * (ranges.len() as u64) < rows;
    out.push(if as_ranges { 8 } else { 7 });
    put_varint(run.0, out);
    put_varint(if as_ranges { ranges.len() as u64 } else { rows }, out);
    let mut next = 0;
    for range in ranges {
        let first = u64::from(*range.start());
        let distance = first.checked_sub(next).or_broken("order of deletions")?;
        put_varint(distance, out);
        if as_ranges {
            put_varint(length(range), out);
        } else {
            out.extend((1..length(range)).map(|_| 0));
        }
        next = u64::from(*range.end()) + 1;
    }
    Ok(())
}

fn take_ranges(reader: &mut ByteReader<'_>) -> Result<Vec<RangeInclusive<u32>>, CodecError> {
    let mut ranges = Vec::new();
    let mut next = Some(0_u32);
    for _ in 0..take_count(reader)? {
        let skipped = take_u32(reader)?;
        let length = take_u32(reader)?.checked_sub(1);
        let first = next.and_then(|next| next.checked_add(skipped));
        let range = first.and_then(|first| Some(first..=first.checked_add(length?)?));
        let range = range.ok_or(CodecError::Malformed("range of ordinals"))?;
        next = range.end().checked_add(1);
        ranges.push(range);
    }
    Ok(ranges)
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
        1 => LogOp::Catalog(CatalogChange::PutObject(
            ObjectId(reader.varint()?),
            take_u32(reader)?,
            Arc::from(take_bytes(reader)?),
        )),
        2 => LogOp::Catalog(CatalogChange::DeleteObject(ObjectId(reader.varint()?))),
        3 => LogOp::Catalog(CatalogChange::CreateTree(schema::decode(reader)?)),
        4 => LogOp::Catalog(CatalogChange::DropTree(TreeId(reader.varint()?))),
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
            let mut next = Some(0_u32);
            for _ in 0..take_count(reader)? {
                let skipped = take_u32(reader)?;
                let ordinal = next.and_then(|next| next.checked_add(skipped));
                let ordinal = ordinal.ok_or(CodecError::Malformed("ordinal"))?;
                ordinals.push(ordinal);
                next = ordinal.checked_add(1);
            }
            LogOp::DeleteInRun {
                run,
                rows: ranges(ordinals),
            }
        }
        8 => LogOp::DeleteInRun {
            run: RunId(reader.varint()?),
            rows: take_ranges(reader)?,
        },
        _ => return Err(CodecError::Malformed("operation")),
    })
}
