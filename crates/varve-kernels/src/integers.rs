//! Integers of 64 bits.

/// Turns distances into values: each place takes the value reached so far, from `first` on, and its
/// distance leads to the next one.
pub fn prefix_sums(values: &mut [i64], first: i64) {
    let mut value = first;
    for slot in values {
        let distance = core::mem::replace(slot, value);
        value = value.wrapping_add(distance);
    }
}

/// Replaces each scaled integer by the integer of the double that it stands for: itself times
/// `factor`, wrapping, as a double, times `inverse`. Integers order as the doubles do: the bits,
/// all but the sign flipped where it is set.
pub fn scale_to_integers(values: &mut [i64], factor: i64, inverse: f64) {
    for value in values {
        let double = value.wrapping_mul(factor) as f64 * inverse;
        *value = fold(double.to_bits().cast_signed());
    }
}

/// The doubles of integers that order as they do.
pub fn doubles_of_integers(integers: &[i64]) -> Vec<f64> {
    let double = |integer: &i64| f64::from_bits(fold(*integer).cast_unsigned());
    integers.iter().map(double).collect()
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

/// The low 32 bits of each integer, and the greatest integer as an unsigned number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the greatest integer tells whether any was longer"
)]
pub fn narrow(integers: &[i64]) -> (Vec<u32>, u64) {
    let greatest = integers.iter().fold(0, |greatest: u64, integer| {
        greatest.max(integer.cast_unsigned())
    });
    let low = |integer: &i64| integer.cast_unsigned() as u32;
    (integers.iter().map(low).collect(), greatest)
}

/// Whether all integers fit 32 bits.
pub fn fit_32_bits(integers: &[i64]) -> bool {
    let outside = |integer: &i64| (*integer >> 31) ^ (*integer >> 63);
    integers
        .iter()
        .fold(0, |any, integer| any | outside(integer))
        == 0
}
