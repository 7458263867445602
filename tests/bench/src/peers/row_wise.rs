//! What the first seed did: each row a value of its own in sorted blocks of 16 KiB under LZ4.
//!
//! A value is the number of columns (8 bytes), per column a tag of 4 bytes and its payload (8 bytes
//! a number, 1 a boolean, 8 bytes of length and a string), and a trailer of 9 bytes. The key is
//! `data:{table}:{decimal id}` and 8 bytes of sequence. Blocks are RocksDB's: keys without the
//! prefix that they share with the key before, every 16th whole, and 5 bytes after each block;
//! LZ4 where it saves an eighth.

use crate::set::{Column, Set, Texts, Values};
use std::hint::black_box;

const BLOCK_BYTES: usize = 16 << 10;
const RESTART_KEYS: usize = 16;
const BLOCK_TRAILER_BYTES: usize = 5;
const VALUE_TRAILER: [u8; 9] = [0; 9];
const SEQUENCE_BYTES: usize = 8;
const TAG_NULL: u32 = 0;
const TAG_INT: u32 = 1;
const TAG_DOUBLE: u32 = 2;
const TAG_BOOL: u32 = 3;
const TAG_TEXT: u32 = 4;

/// A block as it is stored.
#[derive(Debug)]
pub struct Block {
    stored: Vec<u8>,
    raw_bytes: usize,
    compressed: bool,
}

/// Bytes that the blocks take.
pub fn bytes(blocks: &[Block]) -> u64 {
    let of_block = |block: &Block| block.stored.len() + BLOCK_TRAILER_BYTES;
    blocks.iter().map(of_block).sum::<usize>() as u64
}

/// Encodes a set.
pub fn encode(set: &Set) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut builder = Builder::default();
    let mut value = Vec::new();
    for row in 0..set.rows() {
        value.clear();
        value.extend_from_slice(&(set.columns.len() as u64).to_le_bytes());
        for column in &set.columns {
            put_value(column, row, &mut value);
        }
        value.extend_from_slice(&VALUE_TRAILER);
        builder.add(&format!("data:{}:{row}", set.name), &value);
        if builder.raw.len() + 4 * builder.restarts.len() >= BLOCK_BYTES {
            blocks.push(builder.finish());
        }
    }
    if !builder.raw.is_empty() {
        blocks.push(builder.finish());
    }
    blocks
}

fn put_value(column: &Column, row: usize, out: &mut Vec<u8>) {
    if !column.is_valid(row) {
        return out.extend_from_slice(&TAG_NULL.to_le_bytes());
    }
    match &column.values {
        Values::Int32(ints) | Values::Int64(ints) => {
            out.extend_from_slice(&TAG_INT.to_le_bytes());
            out.extend_from_slice(&ints[row].to_le_bytes());
        }
        Values::Float64(doubles) => {
            out.extend_from_slice(&TAG_DOUBLE.to_le_bytes());
            out.extend_from_slice(&doubles[row].to_le_bytes());
        }
        Values::Bool(bools) => {
            out.extend_from_slice(&TAG_BOOL.to_le_bytes());
            out.push(u8::from(bools[row]));
        }
        Values::Text(texts) | Values::Bytes(texts) => {
            let text = texts.get(row);
            out.extend_from_slice(&TAG_TEXT.to_le_bytes());
            out.extend_from_slice(&(text.len() as u64).to_le_bytes());
            out.extend_from_slice(text);
        }
    }
}

#[derive(Default)]
struct Builder {
    raw: Vec<u8>,
    restarts: Vec<u32>,
    key: Vec<u8>,
    keys: usize,
}

impl Builder {
    fn add(&mut self, key: &str, value: &[u8]) {
        let whole = self.keys.is_multiple_of(RESTART_KEYS);
        if whole {
            self.restarts.push(self.raw.len() as u32);
        }
        let key = key.as_bytes();
        let same = self.key.iter().zip(key).take_while(|(a, b)| a == b).count();
        let shared = if whole { 0 } else { same };
        put_varint(shared, &mut self.raw);
        put_varint(key.len() - shared + SEQUENCE_BYTES, &mut self.raw);
        put_varint(value.len(), &mut self.raw);
        self.raw.extend_from_slice(&key[shared..]);
        self.raw.extend_from_slice(&[0; SEQUENCE_BYTES]);
        self.raw.extend_from_slice(value);
        self.key.clear();
        self.key.extend_from_slice(key);
        self.keys += 1;
    }

    fn finish(&mut self) -> Block {
        let mut raw = std::mem::take(&mut self.raw);
        for restart in &self.restarts {
            raw.extend_from_slice(&restart.to_le_bytes());
        }
        raw.extend_from_slice(&(self.restarts.len() as u32).to_le_bytes());
        *self = Builder::default();
        let packed = lz4_flex::block::compress(&raw);
        let compressed = packed.len() < raw.len() - raw.len() / 8;
        Block {
            raw_bytes: raw.len(),
            stored: if compressed { packed } else { raw },
            compressed,
        }
    }
}

/// Decodes all rows into columns; buffers are used again from block to block.
pub fn decode(set: &Set, blocks: &[Block]) -> usize {
    let mut out: Vec<Out> = set.columns.iter().map(|_| Out::default()).collect();
    let mut buffer = Vec::new();
    let mut rows = 0;
    for block in blocks {
        let raw = if block.compressed {
            buffer.resize(block.raw_bytes.max(buffer.len()), 0);
            let done = lz4_flex::block::decompress_into(&block.stored, &mut buffer);
            &buffer[..done.expect("we compressed it")]
        } else {
            &block.stored
        };
        out.iter_mut().for_each(Out::clear);
        rows += read_block(raw, &mut out);
        black_box(&out);
    }
    rows
}

#[derive(Default)]
struct Out {
    ints: Vec<i64>,
    doubles: Vec<f64>,
    bools: Vec<bool>,
    texts: Texts,
    nulls: usize,
}

impl Out {
    fn clear(&mut self) {
        self.ints.clear();
        self.doubles.clear();
        self.bools.clear();
        self.texts.clear();
    }
}

fn read_block(raw: &[u8], out: &mut [Out]) -> usize {
    let (entries, count) = raw.split_at(raw.len() - 4);
    let restarts = u32::from_le_bytes(count.try_into().expect("four bytes")) as usize;
    let mut rest = &entries[..entries.len() - 4 * restarts];
    let mut rows = 0;
    while !rest.is_empty() {
        take_varint(&mut rest);
        let key = take_varint(&mut rest);
        take_varint(&mut rest);
        take(&mut rest, key);
        take(&mut rest, 8);
        for column in &mut *out {
            read_value(&mut rest, column);
        }
        take(&mut rest, VALUE_TRAILER.len());
        rows += 1;
    }
    rows
}

fn read_value(rest: &mut &[u8], out: &mut Out) {
    match u32::from_le_bytes(take_array(rest)) {
        TAG_INT => out.ints.push(i64::from_le_bytes(take_array(rest))),
        TAG_DOUBLE => out.doubles.push(f64::from_le_bytes(take_array(rest))),
        TAG_BOOL => out.bools.push(take(rest, 1) == [1]),
        TAG_TEXT => {
            let length = u64::from_le_bytes(take_array(rest)) as usize;
            out.texts.push(take(rest, length));
        }
        _ => out.nulls += 1,
    }
}

fn put_varint(mut number: usize, out: &mut Vec<u8>) {
    while number > 127 {
        out.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_varint(rest: &mut &[u8]) -> usize {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let byte = take(rest, 1)[0];
        number |= usize::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            return number;
        }
    }
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> &'a [u8] {
    let (taken, after) = rest.split_at(bytes);
    *rest = after;
    taken
}

fn take_array<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    take(rest, N)
        .try_into()
        .expect("as many bytes as were taken")
}

#[cfg(test)]
mod tests {
    use super::{bytes, decode, encode};
    use crate::generate::{Size, generator};

    #[test]
    fn every_row_comes_back_out_of_blocks_of_about_16_kib() {
        for name in ["D1a", "D7 readings", "D10 wire_main", "D12 lengths"] {
            let set = generator(name).unwrap().set(Size::S);
            let blocks = encode(&set);
            assert_eq!(decode(&set, &blocks), set.rows());
            if name == "D1a" {
                let a_row = bytes(&blocks) as f64 / set.rows() as f64;
                assert!((10.0..20.0).contains(&a_row), "{a_row}");
            }
        }
    }
}
