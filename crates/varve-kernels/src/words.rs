//! Words of 64 bits.

/// Turns distances into values: each place takes the value reached so far, from `first` on, and its
/// distance leads to the next one.
pub fn prefix_sums(values: &mut [i64], first: i64) {
    let mut value = first;
    for slot in values {
        let distance = core::mem::replace(slot, value);
        value = value.wrapping_add(distance);
    }
}

/// Replaces each integer by the word of the double that it stands for: itself times `factor`,
/// wrapping, as a double, times `inverse`. Words order as the doubles do: the bits, all but the
/// sign flipped where it is set.
pub fn scale_to_words(values: &mut [i64], factor: i64, inverse: f64) {
    for value in values {
        let double = value.wrapping_mul(factor) as f64 * inverse;
        *value = fold(double.to_bits().cast_signed());
    }
}

/// The doubles of words that order as they do.
pub fn doubles_of_words(words: &[i64]) -> Vec<f64> {
    let double = |word: &i64| f64::from_bits(fold(*word).cast_unsigned());
    words.iter().map(double).collect()
}

/// Flips all but the sign bit of negative patterns; its own inverse.
#[inline]
pub fn fold(bits: i64) -> i64 {
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// Adds to the value at row `i` the line `slope * i`, shifted right by `point`.
pub fn add_line(values: &mut [i64], slope: i64, point: u32) {
    for (row, value) in (0_i64..).zip(values) {
        *value = value.wrapping_add(slope.wrapping_mul(row) >> (point & 63));
    }
}

/// The value of each code; 0 where there is none.
pub fn look_up(values: &[i64], codes: &[u32]) -> Vec<i64> {
    let value = |code: &u32| values.get(*code as usize).copied().unwrap_or(0);
    codes.iter().map(value).collect()
}

/// The low 32 bits of each word, and the greatest word as an unsigned number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the greatest word tells whether any was longer"
)]
pub fn narrow(words: &[i64]) -> (Vec<u32>, u64) {
    let greatest = words
        .iter()
        .fold(0, |greatest: u64, word| greatest.max(word.cast_unsigned()));
    let low = |word: &i64| word.cast_unsigned() as u32;
    (words.iter().map(low).collect(), greatest)
}

/// Whether all words are integers of 32 bits.
pub fn fit_32_bits(words: &[i64]) -> bool {
    let outside = |word: &i64| (*word >> 31) ^ (*word >> 63);
    words.iter().fold(0, |any, word| any | outside(word)) == 0
}
