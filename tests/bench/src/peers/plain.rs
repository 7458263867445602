//! Rows of a column as plain bytes: validity bits if any row of the column is NULL, then 4 or 8
//! bytes a number, a bit a boolean, or 4 bytes of length a string and then the strings.

use crate::set::{Column, Texts, Values};
use std::ops::Range;

/// Appends the rows of `range`.
pub(super) fn put(column: &Column, range: Range<usize>, out: &mut Vec<u8>) {
    if let Some(validity) = &column.validity {
        put_bits(&validity[range.clone()], out);
    }
    match &column.values {
        Values::Int32(ints) => {
            for int in &ints[range] {
                out.extend_from_slice(&(*int as i32).to_le_bytes());
            }
        }
        Values::Int64(ints) => {
            for int in &ints[range] {
                out.extend_from_slice(&int.to_le_bytes());
            }
        }
        Values::Float64(doubles) => {
            for double in &doubles[range] {
                out.extend_from_slice(&double.to_le_bytes());
            }
        }
        Values::Bool(bools) => put_bits(&bools[range], out),
        Values::Text(texts) | Values::Bytes(texts) => {
            for row in range.clone() {
                let length = texts.offsets[row + 1] - texts.offsets[row];
                out.extend_from_slice(&length.to_le_bytes());
            }
            let bytes = texts.offsets[range.start] as usize..texts.offsets[range.end] as usize;
            out.extend_from_slice(&texts.bytes[bytes]);
        }
    }
}

fn put_bits(bits: &[bool], out: &mut Vec<u8>) {
    for eight in bits.chunks(8) {
        let byte = eight
            .iter()
            .rev()
            .fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        out.push(byte);
    }
}

/// Buffers that rows are read into.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) validity: Vec<u8>,
    pub(super) ints: Vec<i64>,
    pub(super) doubles: Vec<f64>,
    pub(super) bits: Vec<u8>,
    pub(super) texts: Texts,
}

impl Rows {
    /// Reads what [`put`] wrote of so many rows.
    pub(super) fn read(&mut self, column: &Column, rows: usize, bytes: &[u8]) {
        let bit_bytes = rows.div_ceil(8);
        let mut rest = bytes;
        if column.validity.is_some() {
            let (validity, after) = rest.split_at(bit_bytes);
            self.validity.clear();
            self.validity.extend_from_slice(validity);
            rest = after;
        }
        let eights = rest.as_chunks::<8>().0.iter();
        match &column.values {
            Values::Int32(_) => {
                self.ints.clear();
                let fours = rest.as_chunks::<4>().0.iter();
                self.ints
                    .extend(fours.map(|four| i64::from(i32::from_le_bytes(*four))));
            }
            Values::Int64(_) => {
                self.ints.clear();
                self.ints
                    .extend(eights.map(|eight| i64::from_le_bytes(*eight)));
            }
            Values::Float64(_) => {
                self.doubles.clear();
                self.doubles
                    .extend(eights.map(|eight| f64::from_le_bytes(*eight)));
            }
            Values::Bool(_) => {
                self.bits.clear();
                self.bits.extend_from_slice(rest);
            }
            Values::Text(_) | Values::Bytes(_) => {
                let (lengths, strings) = rest.split_at(4 * rows);
                self.texts.clear();
                let mut end = 0;
                self.texts
                    .offsets
                    .extend(lengths.as_chunks::<4>().0.iter().map(|four| {
                        end += u32::from_le_bytes(*four);
                        end
                    }));
                self.texts.bytes.extend_from_slice(strings);
            }
        }
    }
}
