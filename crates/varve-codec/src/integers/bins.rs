//! Bins: each value as an entropy-coded symbol for the bin that it lies in, and its distance from
//! the bin's least value.
//!
//! Pays on values that are not spread evenly: steps of random walks, codes of skewed dictionaries,
//! prices. Values that occur often have a bin to themselves and cost their entropy; a decoder needs
//! a look-up and some bits of each value. Worst case: a value that no bin holds costs eight bytes
//! and the longest symbol; a read of one row decodes all.
//! Paper: Lončar, Jacobs, "Pcodec: Better Compression for Numerical Sequences" (2025) has bins and
//! offsets too; here they belong to a block, whose vectors stand alone.
//! Layout of a vector: resource (u8), the symbols as [`crate::entropy`] has them, then the distance
//! of each value in the width of its bin. Layout of the resource: frequencies of the symbols, then
//! for each symbol but the last the width of the distances (7 bits), the least value of the first
//! bin (64 bits), and of each further bin its distance from the one before (7 bits of width, less
//! one; those bits). The last symbol is for values outside all bins, with a distance of 64 bits
//! from 0.

use std::sync::Arc;

use crate::entropy::{
    BitReader, BitWriter, EncodeTable, Frequencies, decode_symbols, encode_symbols,
};
use crate::integers::leaves::bin_table::Bin;
use crate::integers::{Candidates, IntegerCodec, IntegerKind, IntegerPlan, binning};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::TAG_BINS;
use crate::writer::fitting;
use crate::{CodecError, SharedWriter};

/// Wider distances do not lie in one load of the bit reader.
const NARROW_MAX: u32 = 56;

/// Bins while vectors are written.
#[derive(Debug)]
struct BinsWriter {
    resource: u8,
    bins: Vec<Bin>,
    stretches: Stretches,
    table: EncodeTable,
}

/// The values from the first bin to the last in stretches of equal length, at most this many.
const STRETCHES_MAX: u32 = 1 << 12;

/// For each stretch how many bins begin at its first value or below, and for the end.
#[derive(Debug)]
struct Stretches {
    least: i64,
    shift: u32,
    begun: Vec<u8>,
}

impl Stretches {
    fn of(bins: &[Bin]) -> Stretches {
        let least = bins.first().map_or(0, |bin| bin.least);
        let above = |bin: &Bin| bin.least.wrapping_sub(least).cast_unsigned();
        let span = bins.last().map_or(0, above);
        let shift = (u64::BITS - span.leading_zeros()).saturating_sub(STRETCHES_MAX.ilog2());
        let mut begun = Vec::new();
        let mut count = 0_u8;
        let mut left = bins.iter().map(above).peekable();
        for stretch in 0..=span >> shift {
            while left.next_if(|above| *above <= stretch << shift).is_some() {
                count = count.saturating_add(1);
            }
            begun.push(count);
        }
        begun.push(u8::try_from(bins.len()).unwrap_or(u8::MAX));
        Stretches {
            least,
            shift,
            begun,
        }
    }

    /// How many bins begin at a value or below: as few and as many as this.
    fn bounds(&self, value: i64) -> (usize, usize) {
        if value < self.least {
            return (0, 0);
        }
        let above = value.wrapping_sub(self.least).cast_unsigned() >> self.shift;
        let last = self.begun.len() - 2;
        let stretch = usize::try_from(above).map_or(last, |stretch| stretch.min(last));
        let begun = |at: usize| self.begun.get(at).copied().map_or(0, usize::from);
        (begun(stretch), begun(stretch + 1))
    }
}

impl BinsWriter {
    /// Bins that ascend, and the frequencies of them and of values outside.
    fn new(resource: u8, bins: Vec<Bin>, frequencies: &Frequencies) -> BinsWriter {
        debug_assert!(bins.len() <= usize::from(u8::MAX), "a symbol is a byte");
        BinsWriter {
            resource,
            stretches: Stretches::of(&bins),
            bins,
            table: EncodeTable::new(frequencies),
        }
    }

    fn encode(&self, values: &[i64], out: &mut Vec<u8>) -> Option<()> {
        let mut symbols = Vec::with_capacity(values.len());
        let mut distances = Vec::with_capacity(values.len());
        for value in values {
            let (symbol, distance, width) = self.place(*value)?;
            symbols.push(symbol);
            distances.push((distance, width));
        }
        out.push(self.resource);
        let mut bits = BitWriter::default();
        encode_symbols(&self.table, &symbols, &mut bits);
        for (distance, width) in distances {
            bits.put_wide(distance, width);
        }
        out.extend(bits.finish());
        Some(())
    }

    /// The symbol of a value, its distance, and the width of that.
    fn place(&self, value: i64) -> Option<(u8, u64, u32)> {
        let (few, many) = self.stretches.bounds(value);
        let between = self.bins.get(few..many).unwrap_or_default();
        let above = few + between.partition_point(|bin| bin.least <= value);
        let place = above.checked_sub(1).and_then(|at| {
            let bin = self.bins.get(at)?;
            let distance = value.wrapping_sub(bin.least).cast_unsigned();
            let inside = distance.checked_shr(bin.width).unwrap_or(0) == 0;
            inside.then_some((at, distance, bin.width))
        });
        let outside = (self.bins.len(), value.cast_unsigned(), u64::BITS);
        let (at, distance, width) = place.unwrap_or(outside);
        Some((fitting(at)?, distance, width))
    }
}

impl IntegerCodec for BinsWriter {
    fn tag(&self) -> u8 {
        TAG_BINS
    }

    fn put(&self, _: IntegerKind, values: &[i64], out: &mut Vec<u8>) -> Option<()> {
        match values.is_empty() {
            true => None,
            false => self.encode(values, out),
        }
    }

    fn decode_cost(&self) -> u64 {
        1
    }
}

/// Bins for a block, which its shared part then has.
pub(super) fn candidate(candidates: Candidates<'_>) -> Option<(IntegerPlan, SharedWriter)> {
    let (bins, frequencies) = binning::bins(candidates.sample, candidates.scale)?;
    let mut grown = candidates.shared.clone();
    let resource = grown.add_bins(&bins, &frequencies)?;
    let writer = BinsWriter::new(resource, bins, &frequencies);
    Some((IntegerPlan::Codec(Arc::new(writer)), grown))
}

pub(super) fn decode(
    scope: Scope<'_>,
    mut reader: ByteReader<'_>,
    rows: usize,
) -> Result<Vec<i64>, CodecError> {
    let bins = scope.shared.bins(reader.u8()?)?;
    let mut bits = BitReader::new(reader.rest());
    let symbols = decode_symbols(&bins.table, &mut bits, rows);
    let least = |symbol: &u8| at(&bins.leasts, *symbol);
    let width = |symbol: &u8| u32::from(at(&bins.widths, *symbol));
    let values = match symbols.iter().map(width).max() {
        None | Some(0) => symbols.iter().map(least).collect(),
        Some(..=NARROW_MAX) => {
            let value = |symbol| {
                let distance = bits.take(width(symbol)).cast_signed();
                least(symbol).wrapping_add(distance)
            };
            symbols.iter().map(value).collect()
        }
        Some(_) => {
            let value = |symbol| {
                let distance = bits.take_wide(width(symbol)).cast_signed();
                least(symbol).wrapping_add(distance)
            };
            symbols.iter().map(value).collect()
        }
    };
    bits.end()?;
    Ok(values)
}

#[expect(clippy::indexing_slicing, reason = "there is a slot for every symbol")]
fn at<T: Copy>(slots: &[T; 256], symbol: u8) -> T {
    slots[usize::from(symbol)]
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    crate::positions::pick(&decode(scope, reader, rows)?, positions)
}

#[cfg(test)]
mod tests {
    use super::super::{IntegerKind, IntegerPlan, Scale, binning, decode_plain};
    use super::{BinsWriter, decode};
    use crate::reader::ByteReader;
    use crate::scope::Scope;
    use crate::tags::{TAG_BINS, TAG_PLAIN};
    use crate::testing::{Random, mutations};
    use crate::{Shared, SharedWriter};
    use proptest::prelude::{Strategy, any, prop_oneof, proptest};
    use std::sync::Arc;

    fn trained(sample: &[i64]) -> (Arc<BinsWriter>, Vec<u8>) {
        let scale = Scale {
            sample_rows: sample.len() as u64,
            block_rows: 65_536,
        };
        let (bins, frequencies) = binning::bins(&[sample.to_vec()], scale).unwrap();
        let mut shared = SharedWriter::default();
        let resource = shared.add_bins(&bins, &frequencies).unwrap();
        let writer = BinsWriter::new(resource, bins, &frequencies);
        (Arc::new(writer), shared.finish())
    }

    /// Encodes by the bins themselves, whether or not another codec would be smaller.
    fn check(writer: &Arc<BinsWriter>, shared: &[u8], values: &[i64]) -> Vec<u8> {
        let shared = Shared::decode(shared, 0).unwrap();
        let scope = Scope::new(&shared, 0);
        let mut bytes = Vec::new();
        writer.encode(values, &mut bytes).unwrap();
        let back = decode(scope, ByteReader::new(&bytes), values.len());
        assert_eq!(back.as_deref(), Ok(values));
        let mut planned = Vec::new();
        let plan = IntegerPlan::Codec(Arc::<BinsWriter>::clone(writer));
        plan.encode(IntegerKind::Int64, values, &mut planned);
        let back = decode_plain(scope, IntegerKind::Int64, &planned, values.len());
        assert_eq!(back.as_deref(), Ok(values));
        planned
    }

    fn walk(random: &mut Random) -> Vec<i64> {
        let step = |random: &mut Random| random.next().count_ones() as i64 / 4 - 8;
        (0..1024).map(|_| step(random)).collect()
    }

    #[test]
    fn values_take_about_their_entropy() {
        let mut random = Random(5);
        let values = walk(&mut random);
        let (plan, shared) = trained(&values);
        assert!(shared.len() < 50, "{}", shared.len());
        let bytes = check(&plan, &shared, &walk(&mut random));
        // The entropy is 2.04 bits; a frame takes 3.
        assert_eq!(bytes.first(), Some(&TAG_BINS));
        assert!(bytes.len() < 285, "{}", bytes.len());
    }

    #[test]
    fn golden_bytes() {
        let sample: Vec<i64> = (0..400).map(|i| i * i % 11 * 100).collect();
        let (plan, shared) = trained(&sample);
        let mut values: Vec<i64> = sample.iter().copied().skip(3).take(30).collect();
        values.extend([301, -7, i64::MIN]);
        let bytes = check(&plan, &shared, &values);
        let resource = [
            1, 3, 44, 11, 8, 20, 176, 7, 144, 14, 224, 27, 64, 58, 128, 111, 0, 233, 40, 85, 0,
            240, 255, 255, 255, 255, 255, 255, 3, 20, 0, 4, 24, 200, 128, 3, 50, 192, 64, 6, 24,
            200, 0, 4, 100, 5, 32,
        ];
        assert_eq!(shared, resource);
        let vector = [
            16, 0, 61, 207, 207, 203, 94, 83, 86, 225, 157, 1, 168, 166, 234, 243, 220, 18, 0, 0,
            0, 0, 0, 0, 144, 63, 0, 0, 0, 0, 0, 0, 0, 32,
        ];
        assert_eq!(bytes, vector);
    }

    #[test]
    fn any_bytes_are_an_answer() {
        let mut random = Random(5);
        let mut values = walk(&mut random);
        let (plan, shared) = trained(&values);
        values[7] = i64::MIN;
        values[700] = 1 << 40;
        let bytes = check(&plan, &shared, &values);
        let decoded = Shared::decode(&shared, 0).unwrap();
        mutations(&bytes, 4000, |bytes| {
            let _ = decode_plain(Scope::new(&decoded, 0), IntegerKind::Int64, bytes, 1024);
        });
        mutations(&shared, 4000, |shared| {
            if let Ok(shared) = Shared::decode(shared, 0) {
                let _ = decode_plain(Scope::new(&shared, 0), IntegerKind::Int64, &bytes, 1024);
            }
        });
        assert_ne!(bytes.first(), Some(&TAG_PLAIN));
    }

    fn values() -> impl Strategy<Value = Vec<i64>> {
        let integer = prop_oneof![any::<i64>(), -9..9_i64, any::<i32>().prop_map(i64::from)];
        prop_oneof![
            proptest::collection::vec(integer, 1..300),
            proptest::collection::vec(-90..90_i64, 1..1024),
        ]
    }

    proptest! {
        #[test]
        fn all_values_can_be_written(sample in values(), others in values()) {
            let (plan, shared) = trained(&sample);
            check(&plan, &shared, &sample);
            check(&plan, &shared, &others);
        }
    }
}
