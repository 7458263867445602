//! A sketch of how many values are distinct: of the hashes that begin with a number the most zeros
//! that follow are kept (Flajolet, Fusy, Gandouet, Meunier: HyperLogLog, 2007), and the estimate
//! needs no tables (Ertl: New Cardinality Estimation Algorithms for HyperLogLog Sketches, 2017).

use core::f64::consts::LN_2;

use varve_types::{Column, Result, Value, encode_key_cell};

use super::bytes::{Reader, put_u32};
use super::{double, invalid};

const BITS_MIN: u32 = 4;
const BITS_MAX: u32 = 18;
/// Of the zeros in an entry of the sparse form.
const ZEROS_BITS: u32 = 6;
/// The sparse form has up to one entry for so many registers.
const SPARSE: usize = 8;

/// One register for each number that hashes begin with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Distinct {
    /// The length of the numbers.
    bits: u32,
    registers: Registers,
}

#[derive(Clone, Debug, PartialEq)]
enum Registers {
    /// Those that are not 0, ascending: the number, and the value in the lowest bits.
    Sparse(Vec<u32>),
    All(Vec<u8>),
}

impl Distinct {
    /// With so many registers, rounded up to a power of two.
    pub(crate) fn new(registers: i32) -> Result<Distinct> {
        let bits = u32::try_from(registers).ok();
        let bits = bits.and_then(u32::checked_next_power_of_two);
        match bits.map(u32::trailing_zeros) {
            Some(bits @ BITS_MIN..=BITS_MAX) => Ok(Distinct {
                bits,
                registers: Registers::Sparse(Vec::new()),
            }),
            _ => {
                let error = invalid(format!(
                    "{registers} is no number of buckets of hyperloglog"
                ));
                let (least, most) = (1 << BITS_MIN, 1 << BITS_MAX);
                Err(error.with_hint(format!("It may be {least} to {most}.")))
            }
        }
    }

    fn count(&self) -> usize {
        1 << self.bits
    }

    /// Whether it was made by this argument.
    pub(crate) fn is_like(&self, registers: i32) -> bool {
        u32::try_from(registers).is_ok_and(|count| count.next_power_of_two() == 1 << self.bits)
    }

    /// Takes in a value that is not NULL; equal values of one type have equal keys.
    pub(crate) fn add(&mut self, column: &Column, row: usize) {
        let mut key = Vec::new();
        encode_key_cell(column, row, &mut key);
        let hash = hash(&key);
        let number = hash >> (u64::BITS - self.bits);
        // The bit ends the zeros.
        let rest = (hash << self.bits) | (1 << (self.bits - 1));
        let (number, zeros) = (u32::try_from(number), u8::try_from(rest.leading_zeros()));
        if let (Ok(number), Ok(zeros)) = (number, zeros) {
            self.raise(number, zeros + 1);
        }
    }

    fn raise(&mut self, number: u32, value: u8) {
        let sparse_max = self.count() / SPARSE;
        match &mut self.registers {
            Registers::Sparse(entries) => {
                let entry = (number << ZEROS_BITS) | u32::from(value);
                match entries.binary_search_by_key(&number, |entry| entry >> ZEROS_BITS) {
                    Ok(at) => {
                        if let Some(kept) = entries.get_mut(at) {
                            *kept = entry.max(*kept);
                        }
                    }
                    Err(at) if entries.len() < sparse_max => entries.insert(at, entry),
                    Err(_) => {
                        let entries = core::mem::take(entries);
                        self.registers = Registers::All(vec![0; self.count()]);
                        for entry in entries.into_iter().chain([entry]) {
                            self.raise_entry(entry);
                        }
                    }
                }
            }
            Registers::All(values) => {
                let register = usize::try_from(number).ok();
                if let Some(kept) = register.and_then(|number| values.get_mut(number)) {
                    *kept = value.max(*kept);
                }
            }
        }
    }

    fn raise_entry(&mut self, entry: u32) {
        let zeros = u8::try_from(entry & ((1 << ZEROS_BITS) - 1));
        self.raise(entry >> ZEROS_BITS, zeros.unwrap_or(0));
    }

    pub(super) fn merge(&mut self, other: &Distinct) -> Result<()> {
        if self.bits != other.bits {
            return Err(invalid(
                "states of hyperloglog of different numbers of buckets cannot be put together",
            ));
        }
        match &other.registers {
            Registers::Sparse(entries) => entries.iter().for_each(|e| self.raise_entry(*e)),
            Registers::All(values) => {
                for (number, value) in (0..).zip(values) {
                    if *value > 0 {
                        self.raise(number, *value);
                    }
                }
            }
        }
        Ok(())
    }

    /// How many registers have each value; there are no greater ones.
    fn counts(&self) -> [f64; 1 << ZEROS_BITS] {
        let mut counts = [0.0; 1 << ZEROS_BITS];
        let mut count = |value: usize, registers: f64| {
            if let Some(count) = counts.get_mut(value) {
                *count += registers;
            }
        };
        match &self.registers {
            Registers::Sparse(entries) => {
                let zeros = self.count().saturating_sub(entries.len());
                count(0, double(zeros as u64));
                for entry in entries {
                    count((entry & ((1 << ZEROS_BITS) - 1)) as usize, 1.0);
                }
            }
            Registers::All(values) => values.iter().for_each(|value| count((*value).into(), 1.0)),
        }
        counts
    }

    /// About how many values there are.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "of 64 bits there are no more values"
    )]
    pub(crate) fn estimate(&self) -> Value {
        let all = double(self.count() as u64);
        let counts = self.counts();
        let highest = (u64::BITS - self.bits + 1) as usize;
        let [zeros, ..] = counts;
        let mut sum = all * tau(1.0 - counts.get(highest).map_or(0.0, |count| count / all));
        for count in counts.iter().take(highest).skip(1).rev() {
            sum = 0.5 * (sum + count);
        }
        sum += all * sigma(zeros / all);
        Value::Int8(libm::round(all * all / (2.0 * LN_2 * sum)) as i64)
    }

    /// How far the estimate is off, in relation to it: the standard deviation.
    pub(crate) fn stderror(&self) -> f64 {
        1.04 / libm::sqrt(double(self.count() as u64))
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match &self.registers {
            Registers::Sparse(entries) => entries.capacity() * size_of::<u32>(),
            Registers::All(values) => values.capacity(),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_u32(self.bits, out);
        match &self.registers {
            Registers::Sparse(entries) => {
                out.push(0);
                entries.iter().for_each(|entry| put_u32(*entry, out));
            }
            Registers::All(values) => {
                out.push(1);
                out.extend_from_slice(values);
            }
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Distinct> {
        let bits = from.u32().filter(|b| (BITS_MIN..=BITS_MAX).contains(b))?;
        let value_max = u64::BITS - bits + 1;
        let registers = match from.u8()? {
            0 => {
                let mut entries = Vec::new();
                let mut least = 0;
                while !from.0.is_empty() {
                    let entry = from.u32()?;
                    let (number, value) = (entry >> ZEROS_BITS, entry & ((1 << ZEROS_BITS) - 1));
                    if number < least || number >> bits > 0 || !(1..=value_max).contains(&value) {
                        return None;
                    }
                    least = number + 1;
                    entries.push(entry);
                }
                Registers::Sparse(entries)
            }
            1 => {
                let values = core::mem::take(&mut from.0);
                let fits = values.len() == 1 << bits
                    && values.iter().all(|value| u32::from(*value) <= value_max);
                Registers::All(fits.then(|| values.to_vec())?)
            }
            _ => return None,
        };
        Some(Distinct { bits, registers })
    }
}

/// A hash whose bits are as good as random; each step is that of splitmix64 (Steele, Lea, Flood:
/// Fast Splittable Pseudorandom Number Generators, 2014).
fn hash(key: &[u8]) -> u64 {
    let mut hash = key.len() as u64;
    for chunk in key.chunks(8) {
        let mut bytes = [0; 8];
        bytes
            .iter_mut()
            .zip(chunk)
            .for_each(|(to, from)| *to = *from);
        hash = (hash ^ u64::from_le_bytes(bytes)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
    }
    hash
}

/// Ertl's σ: the weight of the registers that are 0, infinite where all are.
fn sigma(mut x: f64) -> f64 {
    let (mut weight, mut sum) = (1.0, x);
    loop {
        x *= x;
        let before = sum;
        sum += x * weight;
        weight += weight;
        // Where all registers are 0, the sum grows for ever.
        if sum == before || sum.is_infinite() {
            return sum;
        }
    }
}

/// Ertl's τ: the weight of the registers that are at their highest.
fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut weight, mut sum) = (1.0, 1.0 - x);
    loop {
        x = libm::sqrt(x);
        let before = sum;
        weight *= 0.5;
        sum -= (1.0 - x) * (1.0 - x) * weight;
        if sum == before {
            return sum / 3.0;
        }
    }
}
