//! Bit-packed values of one width, least significant bit first, without gaps; widths are 0 to 56,
//! or 64, so that one unaligned load holds every value.

/// `count` packed values, each added to `base`, wrapping.
pub fn unpack(packed: &[u8], width: u32, count: usize, base: i64) -> Vec<i64> {
    let mask = mask(width);
    let step = width as usize;
    (0..count)
        .map(|i| {
            let bit = i * step;
            let distance = load(packed, bit >> 3) >> (bit & 7) & mask;
            base.wrapping_add(distance.cast_signed())
        })
        .collect()
}

/// `count` packed values of at most 32 bits.
pub fn unpack_codes(packed: &[u8], width: u32, count: usize) -> Vec<u32> {
    let mask = mask(width);
    let step = width as usize;
    (0..count)
        .map(|i| {
            let bit = i * step;
            low_32(load(packed, bit >> 3) >> (bit & 7) & mask)
        })
        .collect()
}

/// Ones in the low `width` bits.
#[inline]
pub fn mask(width: u32) -> u64 {
    u64::MAX
        .checked_shr(64_u32.saturating_sub(width))
        .unwrap_or(0)
}

/// The eight bytes from `at` on as a little-endian number; bytes past the end are zeros.
#[inline]
pub fn load(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => load_tail(rest),
    }
}

#[cold]
fn load_tail(rest: &[u8]) -> u64 {
    let mut chunk = [0; 8];
    for (to, from) in chunk.iter_mut().zip(rest) {
        *to = *from;
    }
    u64::from_le_bytes(chunk)
}

#[expect(clippy::cast_possible_truncation, reason = "callers ask for 32 bits")]
fn low_32(value: u64) -> u32 {
    value as u32
}
