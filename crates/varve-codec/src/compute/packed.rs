//! Tests of bit-packed values where they lie.
//!
//! Eight values of at most 8 bits, or four of at most 16, lie in one `u64`; there all are
//! compared by one subtraction, the top bit of each field taking its result.
//! Papers: Lamport, "Multiple Byte Processing with Full-Word Instructions" (1975), of which Li and
//! Patel, "BitWeaving" (2013), make scans; here without a spare bit, so that packed values serve as
//! they are.

use super::IntegerPredicate;
use super::selection::clear_padding;
use crate::DecodedBits;
use crate::bits::{load, mask};
use crate::writer::low32;

/// Narrower values are looked up.
const FIELDS_WIDTH_MIN: u32 = 4;
/// Up to so many ranges are tested one after another.
const PASSES_MAX: usize = 2;
/// Up to this width all values that pass are kept as a set of bits.
const SET_WIDTH_MAX: u32 = 16;

/// The rows of packed distances from `base` whose value passes.
pub(super) fn filter_packed(
    packed: &[u8],
    width: u32,
    rows: usize,
    base: i64,
    predicate: &IntegerPredicate,
) -> DecodedBits {
    let top = mask(width);
    let ranges = distances(predicate, base, top);
    let gaps = gaps(&ranges, top);
    if ranges.is_empty() || gaps.is_empty() {
        return DecodedBits::Constant(gaps.is_empty());
    }
    let few_gaps = gaps.len() < ranges.len();
    let tested = if few_gaps { &gaps } else { &ranges };
    let mut bits = if width < FIELDS_WIDTH_MIN {
        by_pairs(packed, width, rows, tested)
    } else if tested.len() <= PASSES_MAX {
        by_passes(packed, width, rows, tested)
    } else if width <= SET_WIDTH_MAX {
        by_set(packed, width, rows, tested)
    } else {
        one_by_one(packed, width, rows, |value| {
            let at = tested.partition_point(|range| range.1 < value);
            tested.get(at).is_some_and(|range| range.0 <= value)
        })
    };
    if few_gaps {
        for byte in &mut bits {
            *byte = !*byte;
        }
    }
    clear_padding(&mut bits, rows);
    DecodedBits::Plain(bits)
}

/// The distances from `base` that pass, as ascending ranges up to `top`. Distances wrap, so a range
/// of integers may become two.
fn distances(predicate: &IntegerPredicate, base: i64, top: u64) -> Vec<(u64, u64)> {
    let mut ranges = Vec::with_capacity(predicate.ranges().len() + 1);
    for (min, max) in predicate.ranges() {
        let first = min.wrapping_sub(base).cast_unsigned();
        let last = max.wrapping_sub(base).cast_unsigned();
        if first <= last {
            ranges.push((first, last.min(top)));
        } else {
            ranges.push((0, last.min(top)));
            ranges.push((first, top));
        }
    }
    ranges.retain(|range| range.0 <= range.1);
    varve_sort::sort(&mut ranges);
    ranges.dedup_by(|next, range| {
        let joined = next.0 <= range.1.saturating_add(1);
        if joined {
            range.1 = range.1.max(next.1);
        }
        joined
    });
    ranges
}

/// What lies between, before and after ascending ranges.
fn gaps(ranges: &[(u64, u64)], top: u64) -> Vec<(u64, u64)> {
    let mut gaps = Vec::with_capacity(ranges.len() + 1);
    let mut start = Some(0);
    for (min, max) in ranges {
        if let (Some(start), Some(end)) = (start, min.checked_sub(1))
            && start <= end
        {
            gaps.push((start, end));
        }
        start = max.checked_add(1);
    }
    gaps.extend(
        start
            .filter(|start| *start <= top)
            .map(|start| (start, top)),
    );
    gaps
}

/// The bits of a union of ranges, each tested by itself.
fn by_passes(packed: &[u8], width: u32, rows: usize, ranges: &[(u64, u64)]) -> Vec<u8> {
    let mut all = Vec::new();
    for (min, max) in ranges {
        let span = max - min;
        let bits = match width {
            FIELDS_WIDTH_MIN..=8 => Fields::<8>::new(width).test_range(packed, rows, *min, *max),
            9..=16 => Fields::<4>::new(width).test_range(packed, rows, *min, *max),
            _ => one_by_one(packed, width, rows, |value| {
                value.wrapping_sub(*min) <= span
            }),
        };
        if all.is_empty() {
            all = bits;
        } else {
            for (all, bits) in all.iter_mut().zip(bits) {
                *all |= bits;
            }
        }
    }
    all
}

/// The bits of values of up to three bits, two values at a time looked up.
fn by_pairs(packed: &[u8], width: u32, rows: usize, ranges: &[(u64, u64)]) -> Vec<u8> {
    let passes = |value: u64| {
        let within = |range: &(u64, u64)| (range.0..=range.1).contains(&value);
        u8::from(ranges.iter().any(within))
    };
    let low = mask(width);
    let mut table = [0_u8; 64];
    for (slot, pair) in table.iter_mut().zip(0..) {
        *slot = passes(pair & low) | passes(pair >> width & low) << 1;
    }
    let pair_mask = mask(2 * width);
    let byte = |eight: usize| {
        let mut values = load(packed, eight * width as usize);
        let mut byte = 0;
        for pair in 0..4 {
            let at = low32(values & pair_mask) as usize;
            byte |= table.get(at % 64).copied().unwrap_or(0) << (2 * pair);
            values >>= 2 * width;
        }
        byte
    };
    (0..rows.div_ceil(8)).map(byte).collect()
}

/// The bits of many ranges of narrow values, by looking each value up.
fn by_set(packed: &[u8], width: u32, rows: usize, ranges: &[(u64, u64)]) -> Vec<u8> {
    let mut set = vec![false; 1 << width];
    for (min, max) in ranges {
        let passing = usize::try_from(*min).ok().zip(usize::try_from(*max).ok());
        if let Some(passing) = passing.and_then(|(min, max)| set.get_mut(min..=max)) {
            passing.fill(true);
        }
    }
    one_by_one(packed, width, rows, |value| {
        set.get(low32(value) as usize).copied().unwrap_or(false)
    })
}

fn one_by_one(packed: &[u8], width: u32, rows: usize, test: impl Fn(u64) -> bool) -> Vec<u8> {
    let mask = mask(width);
    let step = width as usize;
    let byte = |eight: usize| {
        (0..8).fold(0, |byte, i| {
            let bit = (eight * 8 + i) * step;
            let value = load(packed, bit >> 3) >> (bit & 7) & mask;
            byte | u8::from(test(value)) << i
        })
    };
    (0..rows.div_ceil(8)).map(byte).collect()
}

/// Tests of `COUNT` packed values in one `u64`, for widths of at least four. `COUNT` is 8 for
/// widths up to 8, and 4 for widths up to 16.
struct Fields<const COUNT: usize> {
    width: u32,
    /// The lowest bit of each field.
    ones: u64,
    /// The top bit of each field, where tests leave their result.
    tops: u64,
    /// How the results of the first four fields and of the others come together.
    first: Gather,
    others: Gather,
}

/// Brings the top bits of four fields together as the four highest bits of a product. No two
/// partial products fall on one bit, since fields of four bits and more are far enough apart.
struct Gather {
    tops: u64,
    factor: u64,
}

impl Gather {
    /// The results as the low bits of a byte.
    fn take(&self, results: u64) -> u8 {
        let product = (results & self.tops).wrapping_mul(self.factor);
        (product >> 60).to_le_bytes()[0]
    }
}

impl<const COUNT: usize> Fields<COUNT> {
    fn new(width: u32) -> Fields<COUNT> {
        let sum = |shifts: &mut dyn Iterator<Item = Option<u32>>| {
            let bits = shifts
                .flatten()
                .filter_map(|shift| 1_u64.checked_shl(shift));
            bits.fold(0, |integer, bit| integer | bit)
        };
        let top = |field: u32| Some(field * width + width - 1);
        let gather = |first: u32| {
            let shift = |field: u32| (60 + field).checked_sub(top(first + field)?);
            Gather {
                tops: sum(&mut (first..first + 4).map(top)),
                factor: sum(&mut (0..4).map(shift)),
            }
        };
        Fields {
            width,
            ones: sum(&mut (0..).take(COUNT).map(|field: u32| Some(field * width))),
            tops: sum(&mut (0..).take(COUNT).map(top)),
            first: gather(0),
            others: gather(4),
        }
    }

    fn test_range(&self, packed: &[u8], rows: usize, min: u64, max: u64) -> Vec<u8> {
        let low = self.ones * min;
        let high = self.ones * max;
        if min == max {
            self.test_all(packed, rows, |values| self.equal(values, low))
        } else if min == 0 {
            self.test_all(packed, rows, |values| self.at_least(high, values))
        } else if max == mask(self.width) {
            self.test_all(packed, rows, |values| self.at_least(values, low))
        } else {
            self.test_all(packed, rows, |values| {
                self.at_least(values, low) & self.at_least(high, values)
            })
        }
    }

    fn test_all(&self, packed: &[u8], rows: usize, test: impl Fn(u64) -> u64) -> Vec<u8> {
        let step = self.width as usize;
        let byte = |eight: usize| {
            let at = eight * step;
            let first = test(load(packed, at));
            if COUNT == 8 {
                return self.first.take(first) | self.others.take(first) << 4;
            }
            // The other four begin at a whole byte or in its middle, and take at most 60 bits in
            // the second case: so one load holds them.
            let others = test(load(packed, at + step / 2) >> (step % 2 * 4));
            self.first.take(first) | self.first.take(others) << 4
        };
        (0..rows.div_ceil(8)).map(byte).collect()
    }

    /// Whether fields are equal. Bits past the fields may be anything, here and below.
    fn equal(&self, a: u64, b: u64) -> u64 {
        let different = a ^ b;
        // All bits of a field but the top one.
        let rest = self.tops - self.ones;
        let carried = (different & rest).wrapping_add(rest);
        !(carried | different)
    }

    /// Whether the fields of `a` are at least those of `b`.
    fn at_least(&self, a: u64, b: u64) -> u64 {
        // Fields of `a` with the top bit set, those of `b` without: no borrow leaves its field.
        let low = (a | self.tops).wrapping_sub(b & !self.tops);
        a & !b | !(a ^ b) & low
    }
}

#[cfg(test)]
mod tests {
    use super::filter_packed;
    use crate::bits::{mask, pack};
    use crate::compute::IntegerPredicate;
    use crate::testing::Random;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn packed_values_are_tested_as_integers(
            seed: u64,
            width in 1..=57_u32,
            rows in 0..200_usize,
            base: i64,
            whole in any::<bool>(),
            ranges in 1..12_usize,
        ) {
            let width = if width == 57 { 64 } else { width };
            let base = if whole { base } else { base >> 40 };
            let mut random = Random(seed);
            let values: Vec<u64> = (0..rows).map(|_| random.next() & mask(width)).collect();
            let mut packed = Vec::new();
            pack(values.iter().copied(), width, &mut packed);

            let reach = mask((width + 1).min(64));
            let mut near = || base.wrapping_add((random.next() & reach).cast_signed() / 2);
            let pairs = (0..ranges).map(|_| {
                let (a, b) = (near(), near());
                if ranges > 3 { (a, a) } else { (a.min(b), a.max(b)) }
            });
            let predicate = IntegerPredicate::of_ranges(pairs.collect());
            let complement = IntegerPredicate::of_ranges(vec![(i64::MIN, i64::MAX)]);
            for predicate in [&predicate, &complement.and(&predicate), &predicate.complement()] {
                let bits = filter_packed(&packed, width, rows, base, predicate);
                for (row, value) in values.iter().enumerate() {
                    let integer = base.wrapping_add(value.cast_signed());
                    prop_assert_eq!(
                        bits.get(row),
                        predicate.contains(integer),
                        "{} {}",
                        row,
                        integer,
                    );
                }
                let ones = (0..rows).filter(|row| bits.get(*row)).count();
                prop_assert_eq!(bits.count_ones(rows), ones);
            }
        }
    }
}
