//! The entries of one of RocksDB's tables, block by block, without its index: what is left of a
//! table of which any part is damaged.
//!
//! A table is a row of blocks, data first, each followed by its compression (1 byte, here always 0)
//! and its checksum (4 bytes), then a footer. A data block tells itself where it ends: entries
//! (lengths of the part of the key shared with the one before, of the rest, of the value; rest of
//! the key; value), then the offsets of entries with whole keys, of which the first is 0, as no
//! entry begins, then their number.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::wire::Fields;
use super::{Op, Write};

const TRAILER_BYTES: usize = 5;
const FOOTER_BYTES: usize = 53;
const MAGIC: [u8; 8] = 0x88e2_41b7_85f4_cff7_u64.to_le_bytes();
/// Behind every key: its sequence and what was done to it.
const KEY_SUFFIX_BYTES: usize = 8;
/// Flags stand above the number of restarts.
const RESTARTS_MASK: u32 = (1 << 28) - 1;

/// What can be read of a table.
pub(crate) struct Table<'a> {
    pub(crate) writes: Vec<Write<'a>>,
    /// Where the first damage is.
    pub(crate) damage: Option<usize>,
}

struct Block {
    entries: Vec<(Vec<u8>, Range<usize>)>,
    /// Where its contents end.
    end: usize,
}

impl<'a> Table<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Table<'a> {
        let footer = Footer::read(bytes);
        let base = footer
            .as_ref()
            .map_or_else(|| guess_base(bytes), |f| f.base);
        let mut table = Table {
            writes: Vec::new(),
            damage: None,
        };
        let mut at = 0;
        // Up to where everything is known to be sound.
        let mut sound = 0;
        while at < bytes.len() {
            let block = block(bytes, at).filter(|block| is_sound(bytes, at..block.end, base));
            let writes = block.as_ref().and_then(|block| writes(bytes, block));
            match (block, writes) {
                (Some(block), Some(mut writes)) => {
                    let next = block.end + TRAILER_BYTES;
                    if sound == at {
                        sound = next;
                    }
                    at = next;
                    table.writes.append(&mut writes);
                }
                _ => at += 1,
            }
        }
        table.damage = match footer {
            Some(footer) if sound < footer.data_end => Some(sound),
            Some(footer) => footer.damage,
            None => Some(bytes.len().saturating_sub(FOOTER_BYTES)),
        };
        table
    }
}

/// What stands behind the data.
struct Footer {
    /// What the checksums of this table are changed by, so that a block of another is noticed.
    base: u32,
    data_end: usize,
    damage: Option<usize>,
}

impl Footer {
    fn read(bytes: &[u8]) -> Option<Footer> {
        let at = bytes.len().checked_sub(FOOTER_BYTES)?;
        let mut copy = bytes.get(at..)?.to_vec();
        let mut fields = Fields(bytes.get(at + 5..)?);
        let stored = fields.u32()?;
        let base = fields.u32()?;
        let metaindex_bytes = usize::try_from(fields.u32()?).ok()?;
        copy.get_mut(5..9)?.fill(0);
        let sum = checksum(&copy)?.wrapping_add(modifier(base, at));
        if !bytes.ends_with(&MAGIC) || sum != stored {
            return None;
        }
        let end = at.checked_sub(TRAILER_BYTES)?;
        let start = end.checked_sub(metaindex_bytes)?;
        let mut footer = Footer {
            base,
            data_end: start,
            damage: None,
        };
        let metaindex = block(bytes, start).filter(|_| is_sound(bytes, start..end, base));
        let Some(metaindex) = metaindex else {
            footer.damage = Some(start);
            return Some(footer);
        };
        for (_, handle) in metaindex.entries {
            let mut handle = Fields(bytes.get(handle)?);
            let (from, length) = (handle.length()?, handle.length()?);
            footer.data_end = footer.data_end.min(from);
            if !is_sound(bytes, from..from.checked_add(length)?, base) {
                footer.damage = Some(from);
            }
        }
        Some(footer)
    }
}

/// What the blocks of a table agree on whose footer is damaged.
fn guess_base(bytes: &[u8]) -> u32 {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(block) = block(bytes, at) else {
            at += 1;
            continue;
        };
        if let Some(base) = base_of(bytes, at..block.end) {
            match found.iter_mut().find(|(known, _)| *known == base) {
                Some((_, count)) => *count += 1,
                None => found.push((base, 1)),
            }
        }
        at = block.end + TRAILER_BYTES;
    }
    let most = found.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(0, |(base, _)| base)
}

/// The base by which the checksum of a block would be right.
fn base_of(bytes: &[u8], contents: Range<usize>) -> Option<u32> {
    let checked = bytes.get(contents.start..contents.end.checked_add(1)?)?;
    let stored = Fields(bytes.get(contents.end + 1..)?).u32()?;
    match stored.wrapping_sub(checksum(checked)?) {
        0 => Some(0),
        modifier => Some(modifier ^ position(contents.start)),
    }
}

fn is_sound(bytes: &[u8], contents: Range<usize>, base: u32) -> bool {
    base_of(bytes, contents).is_some_and(|found| found == base)
}

/// RocksDB's form of xxh3: the last byte is not hashed but mixed in.
fn checksum(checked: &[u8]) -> Option<u32> {
    let (last, hashed) = checked.split_last()?;
    let [b0, b1, b2, b3, ..] = xxh3_64(hashed).to_le_bytes();
    let sum = u32::from_le_bytes([b0, b1, b2, b3]);
    Some(sum ^ u32::from(*last).wrapping_mul(0x6b90_83d9))
}

fn modifier(base: u32, at: usize) -> u32 {
    match base {
        0 => 0,
        base => base ^ position(at),
    }
}

fn position(at: usize) -> u32 {
    let [a, b, c, d, e, f, g, h] = (at as u64).to_le_bytes();
    u32::from_le_bytes([a, b, c, d]).wrapping_add(u32::from_le_bytes([e, f, g, h]))
}

/// The block that begins at a place, as far as its form tells.
fn block(bytes: &[u8], from: usize) -> Option<Block> {
    let mut entries = Vec::new();
    let mut key: Vec<u8> = Vec::new();
    let mut at = from;
    while let Some((shared, rest, value)) = entry(bytes, at) {
        if shared > key.len() {
            return None;
        }
        key.truncate(shared);
        key.extend_from_slice(bytes.get(rest)?);
        at = value.end;
        entries.push((key.clone(), value));
    }
    if entries.is_empty() {
        return None;
    }
    let mut restarts = Fields(bytes.get(at..)?);
    let mut count = 0;
    let mut last = None;
    loop {
        let number = restarts.u32()?;
        if count > 0 && number & RESTARTS_MASK == count {
            break;
        }
        let is_next = match last {
            None => number == 0,
            Some(last) => number > last && usize::try_from(number).ok()? < at - from,
        };
        if !is_next {
            return None;
        }
        last = Some(number);
        count += 1;
    }
    let end = bytes.len() - restarts.0.len();
    let compression = restarts.byte()?;
    restarts.u32()?;
    (compression == 0).then_some(Block { entries, end })
}

/// Length of the shared part of the key, where the rest of it is, and where the value; `None` where
/// no entry can be.
fn entry(bytes: &[u8], at: usize) -> Option<(usize, Range<usize>, Range<usize>)> {
    let mut fields = Fields(bytes.get(at..)?);
    let (shared, key, value) = (fields.length()?, fields.length()?, fields.length()?);
    let start = bytes.len() - fields.0.len();
    let middle = start.checked_add(key)?;
    let end = middle.checked_add(value)?;
    let has_key = shared > 0 || key > 0;
    (has_key && end <= bytes.len()).then_some((shared, start..middle, middle..end))
}

/// The entries of a block of data; `None` for a block of something else.
fn writes<'a>(bytes: &'a [u8], block: &Block) -> Option<Vec<Write<'a>>> {
    let mut writes = Vec::with_capacity(block.entries.len());
    for (key, value) in &block.entries {
        let (key, suffix) = key.split_last_chunk::<KEY_SUFFIX_BYTES>()?;
        let suffix = u64::from_le_bytes(*suffix);
        let value = bytes.get(value.clone())?;
        let op = match suffix & 0xff {
            0 if value.is_empty() => Op::Delete,
            1 => Op::Put(value),
            15 => Op::DeleteTo(value),
            _ => return None,
        };
        writes.push(Write {
            key: key.to_vec(),
            sequence: suffix >> 8,
            op,
        });
    }
    Some(writes)
}
