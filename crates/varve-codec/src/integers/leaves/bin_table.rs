//! The bins of a block, as its shared part has them; [`crate::integers::bins`] tells their layout.

use crate::entropy::{BitReader, BitWriter, DecodeTable, Frequencies};
use crate::error::CodecError;
use crate::reader::ByteReader;

/// The most bins: one symbol is for values outside of them.
pub(crate) const BINS_MAX: usize = 255;

/// Values from `least` on, as many as `width` bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bin {
    pub(crate) least: i64,
    pub(crate) width: u32,
}

/// Writes the resource.
pub(crate) fn write(bins: &[Bin], frequencies: &Frequencies, out: &mut Vec<u8>) {
    let mut bits = BitWriter::default();
    frequencies.write(&mut bits);
    let mut before = None;
    for bin in bins {
        bits.put(u64::from(bin.width), 7);
        match before {
            None => bits.put_wide(bin.least.cast_unsigned(), u64::BITS),
            Some(before) => {
                let distance = bin.least.wrapping_sub(before).cast_unsigned();
                let width = distance.max(1).ilog2();
                bits.put(u64::from(width), 7);
                bits.put_wide(distance, width + 1);
            }
        }
        before = Some(bin.least);
    }
    out.extend(bits.finish());
}

/// Bins while vectors are read.
#[derive(Debug)]
pub(crate) struct Bins {
    pub(crate) table: DecodeTable,
    /// By symbol.
    pub(crate) leasts: Box<[i64; 256]>,
    pub(crate) widths: Box<[u8; 256]>,
}

/// Reads what [`write`] wrote.
pub(crate) fn read(reader: ByteReader<'_>) -> Result<Bins, CodecError> {
    let mut bits = BitReader::new(reader.rest());
    let frequencies = Frequencies::read(&mut bits)?;
    let count = frequencies.of.len() - 1;
    let mut bins = Bins {
        table: DecodeTable::new(&frequencies),
        leasts: Box::new([0; 256]),
        widths: Box::new([0; 256]),
    };
    let slots = bins.leasts.iter_mut().zip(bins.widths.iter_mut());
    let mut before = None;
    for (i, (least_slot, width_slot)) in slots.take(count + 1).enumerate() {
        let (least, width) = if i == count {
            (0, 64)
        } else {
            let width = narrow(bits.take(7));
            let least = match before {
                None => bits.take_wide(u64::BITS),
                Some(before) => {
                    let width = u32::from(narrow(bits.take(7)));
                    bits.take_wide((width + 1).min(64)).wrapping_add(before)
                }
            };
            before = Some(least);
            (least.cast_signed(), width)
        };
        if width > 64 {
            return Err(CodecError::Malformed("bit width"));
        }
        (*least_slot, *width_slot) = (least, width);
    }
    bits.end()?;
    Ok(bins)
}

fn narrow(value: u64) -> u8 {
    value.to_le_bytes()[0]
}
