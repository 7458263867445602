//! The crate `alp` on row groups of doubles: what it gives as integers and exceptions, bit-packed
//! by the vector as the paper does.

use alp::ALPFloat;

const VECTOR_ROWS: usize = 1024;
/// Exponent and factor, bit width, least value, count of exceptions.
const VECTOR_HEADER_BITS: u64 = 8 + 8 + 8 + 64 + 16;
/// An exception is its bits and its position.
const EXCEPTION_BITS: u64 = 64 + 16;

/// Bits that a value takes on average.
pub fn bits_per_value(doubles: &[f64]) -> f64 {
    let bits: u64 = doubles.chunks(VECTOR_ROWS).map(vector_bits).sum();
    bits as f64 / doubles.len().max(1) as f64
}

fn vector_bits(vector: &[f64]) -> u64 {
    let (_, encoded, positions, _, _) = f64::encode(vector, None);
    let least = encoded.iter().min().copied().unwrap_or(0);
    let greatest = encoded.iter().max().copied().unwrap_or(0);
    let width = u64::from(64 - greatest.wrapping_sub(least).cast_unsigned().leading_zeros());
    let exceptions = positions.len() as u64;
    VECTOR_HEADER_BITS + width * vector.len() as u64 + exceptions * EXCEPTION_BITS
}
