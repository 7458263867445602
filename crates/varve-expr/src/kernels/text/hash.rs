//! MD5 (RFC 1321) and SHA-2 (FIPS 180-4).

use std::sync::OnceLock;

use varve_types::{Result, Value};

use crate::tree::Row;

/// The message with its padding: blocks of `block` bytes, the length of it in bits at the end.
fn padded(message: &[u8], block: usize, length: &[u8]) -> Vec<u8> {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    while !(bytes.len() + length.len()).is_multiple_of(block) {
        bytes.push(0);
    }
    bytes.extend_from_slice(length);
    bytes
}

fn bits(message: &[u8]) -> u64 {
    (message.len() as u64).wrapping_mul(8)
}

const MD5_SHIFTS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

/// `floor(2^32 * |sin(i + 1)|)`
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below 2^32 and not negative"
)]
fn md5_sine(i: u32) -> u32 {
    libm::floor(libm::fabs(libm::sin(f64::from(i + 1))) * 4_294_967_296.0) as u32
}

fn md5_digest(message: &[u8]) -> [u8; 16] {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let bytes = padded(message, 64, &bits(message).to_le_bytes());
    let (words, _) = bytes.as_chunks::<4>();
    let (blocks, _) = words.as_chunks::<16>();
    for block in blocks {
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64_u32 {
            let (mixed, place) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), 5 * i + 1),
                2 => (b ^ c ^ d, 3 * i + 5),
                _ => (c ^ (b | !d), 7 * i),
            };
            let word = block.get((place % 16) as usize);
            let word = word.map_or(0, |word| u32::from_le_bytes(*word));
            let sum = a
                .wrapping_add(mixed)
                .wrapping_add(md5_sine(i))
                .wrapping_add(word);
            let shifts = MD5_SHIFTS.get((i / 16) as usize);
            let shift = shifts.and_then(|shifts| shifts.get((i % 4) as usize));
            let next = b.wrapping_add(sum.rotate_left(shift.copied().unwrap_or(0)));
            (a, d, c, b) = (d, c, b, next);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d]) {
            *sum = sum.wrapping_add(part);
        }
    }
    let mut digest = [0; 16];
    let parts = state.iter().flat_map(|part| part.to_le_bytes());
    for (to, from) in digest.iter_mut().zip(parts) {
        *to = from;
    }
    digest
}

/// The first bits of the fraction of a root of each of the first primes: what SHA-2 starts from and
/// adds. An integer root of `prime * 2^(64 * degree)`, by bisection.
fn root_fractions(degree: u32) -> &'static [u64] {
    static SQUARE: OnceLock<Vec<u64>> = OnceLock::new();
    static CUBE: OnceLock<Vec<u64>> = OnceLock::new();
    let (known, count) = match degree {
        2 => (&SQUARE, 16),
        _ => (&CUBE, 80),
    };
    known.get_or_init(|| first_fractions(count, degree))
}

fn first_fractions(count: usize, degree: u32) -> Vec<u64> {
    let is_prime = |n: &u64| {
        (2..*n)
            .take_while(|d| d * d <= *n)
            .all(|d| !n.is_multiple_of(d))
    };
    let primes = (2_u64..).filter(is_prime).take(count);
    primes.map(|prime| root_fraction(prime, degree)).collect()
}

fn root_fraction(prime: u64, degree: u32) -> u64 {
    // The root is below 32, so that 69 bits hold it with 64 behind the point.
    let mut root = 0_u128;
    for bit in (0..69).rev() {
        let next = root | 1 << bit;
        if power_is_at_most(next, degree, prime) {
            root = next;
        }
    }
    u64::try_from(root & u128::from(u64::MAX)).unwrap_or(0)
}

/// Whether `(root / 2^64)^degree <= prime`, exactly.
fn power_is_at_most(root: u128, degree: u32, prime: u64) -> bool {
    // Limbs of 32 bits, least significant first.
    let limbs = |mut number: u128| {
        let mut limbs = Vec::new();
        while number > 0 {
            limbs.push(number & 0xffff_ffff);
            number >>= 32;
        }
        limbs
    };
    let factor = limbs(root);
    let mut power = vec![1_u128];
    for _ in 0..degree {
        let mut product = vec![0_u128; power.len() + factor.len()];
        for (i, a) in power.iter().enumerate() {
            let mut carry = 0;
            let mut others = factor.iter();
            for slot in product.iter_mut().skip(i) {
                let sum = *slot + a * others.next().copied().unwrap_or(0) + carry;
                *slot = sum & 0xffff_ffff;
                carry = sum >> 32;
            }
        }
        power = product;
    }
    let whole = power.iter().skip(2 * degree as usize).rev();
    let whole = whole.fold(0_u128, |sum, limb| sum.saturating_mul(1 << 32) + limb);
    whole < u128::from(prime)
}

/// SHA-2 with words of 64 bits, or of 32 that are held in the upper half.
struct Sha2 {
    word_bits: u32,
    rounds: usize,
    /// The amounts of rotation: two of each round, two of the schedule.
    turns: [[u32; 3]; 4],
}

const SHA256: Sha2 = Sha2 {
    word_bits: 32,
    rounds: 64,
    turns: [[6, 11, 25], [2, 13, 22], [7, 18, 3], [17, 19, 10]],
};

const SHA512: Sha2 = Sha2 {
    word_bits: 64,
    rounds: 80,
    turns: [[14, 18, 41], [28, 34, 39], [1, 8, 7], [19, 61, 6]],
};

impl Sha2 {
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.word_bits)
    }

    fn turned(&self, word: u64, by: u32) -> u64 {
        let up = word.checked_shl(self.word_bits - by).unwrap_or(0);
        (word >> by | up) & self.mask()
    }

    /// Three rotations, or two and a shift.
    fn mixed(&self, word: u64, turns: usize, shifts: bool) -> u64 {
        let [a, b, c] = self.turns.get(turns).copied().unwrap_or([0; 3]);
        let last = if shifts {
            word >> c
        } else {
            self.turned(word, c)
        };
        self.turned(word, a) ^ self.turned(word, b) ^ last
    }

    fn sum(&self, words: &[u64]) -> u64 {
        words
            .iter()
            .fold(0_u64, |sum, word| sum.wrapping_add(*word))
            & self.mask()
    }

    fn digest(&self, message: &[u8], start: &[u64], bytes: usize) -> Vec<u8> {
        let word_bytes = (self.word_bits / 8) as usize;
        let length = u128::from(bits(message)).to_be_bytes();
        let length = length.get(16 - 2 * word_bytes..).unwrap_or_default();
        let padded = padded(message, 16 * word_bytes, length);
        let down = 64 - self.word_bits;
        let constants = root_fractions(3);
        let mut state = start.to_vec();
        for block in padded.chunks(16 * word_bytes) {
            let words = block.chunks(word_bytes);
            let word = |bytes: &[u8]| {
                bytes
                    .iter()
                    .fold(0, |word, byte| word << 8 | u64::from(*byte))
            };
            let mut schedule: Vec<u64> = words.map(word).collect();
            let at = |schedule: &[u64], back: usize| {
                let place = schedule.len().checked_sub(back);
                place
                    .and_then(|place| schedule.get(place).copied())
                    .unwrap_or(0)
            };
            while schedule.len() < self.rounds {
                let next = self.sum(&[
                    self.mixed(at(&schedule, 2), 3, true),
                    at(&schedule, 7),
                    self.mixed(at(&schedule, 15), 2, true),
                    at(&schedule, 16),
                ]);
                schedule.push(next);
            }
            let mut parts: [u64; 8] = state.as_slice().try_into().unwrap_or([0; 8]);
            for (word, constant) in schedule.iter().zip(constants) {
                let [a, b, c, d, e, f, g, h] = parts;
                let first = self.sum(&[
                    h,
                    self.mixed(e, 0, false),
                    (e & f) ^ (!e & g),
                    constant >> down,
                    *word,
                ]);
                let second = self.sum(&[self.mixed(a, 1, false), (a & b) ^ (a & c) ^ (b & c)]);
                let (e_next, a_next) = (self.sum(&[d, first]), self.sum(&[first, second]));
                parts = [a_next, a, b, c, e_next, e, f, g];
            }
            for (sum, part) in state.iter_mut().zip(parts) {
                *sum = self.sum(&[*sum, part]);
            }
        }
        let all = state
            .iter()
            .flat_map(|word| word.to_be_bytes().into_iter().skip(8 - word_bytes));
        all.take(bytes).collect()
    }
}

fn sha2(message: &[u8], bytes: usize) -> Vec<u8> {
    let fractions = root_fractions(2);
    let (first, second) = fractions.split_at_checked(8).unwrap_or((fractions, &[]));
    match bytes {
        28 => {
            // The second halves of what SHA-384 starts from.
            let start: Vec<u64> = second.iter().map(|word| word & 0xffff_ffff).collect();
            SHA256.digest(message, &start, bytes)
        }
        32 => {
            let start: Vec<u64> = first.iter().map(|word| word >> 32).collect();
            SHA256.digest(message, &start, bytes)
        }
        48 => SHA512.digest(message, second, bytes),
        _ => SHA512.digest(message, first, bytes),
    }
}

pub(in crate::kernels) fn md5(row: &Row<'_>, out: &mut String) -> Result<()> {
    let digest = match row.bytes(0) {
        Some(bytes) => md5_digest(bytes),
        None => md5_digest(row.text(0).as_bytes()),
    };
    super::bytes::write_hex(&digest, out);
    Ok(())
}

fn sha(row: &Row<'_>, bytes: usize) -> Result<Value> {
    let digest = sha2(row.bytes(0).unwrap_or_default(), bytes);
    Ok(Value::Bytea(digest.into()))
}

pub(in crate::kernels) fn sha224(row: &Row<'_>) -> Result<Value> {
    sha(row, 28)
}

pub(in crate::kernels) fn sha256(row: &Row<'_>) -> Result<Value> {
    sha(row, 32)
}

pub(in crate::kernels) fn sha384(row: &Row<'_>) -> Result<Value> {
    sha(row, 48)
}

pub(in crate::kernels) fn sha512(row: &Row<'_>) -> Result<Value> {
    sha(row, 64)
}
