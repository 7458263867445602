//! What symbols cost, in fractions of a bit, by integers.

/// Costs are in units of `2^-FRACTION_BITS` bits.
pub(crate) const FRACTION_BITS: u32 = 8;

/// The logarithm to base 2, rounded down to the unit; 0 of 0.
pub(crate) fn log2(value: u64) -> u64 {
    let Some(whole) = value.checked_ilog2() else {
        return 0;
    };
    // A number in [1, 2) with 31 bits of fraction: squaring it shifts its logarithm to the left.
    let mut mantissa = match whole {
        0..32 => value << (31 - whole),
        _ => value >> (whole - 31),
    };
    let mut log = u64::from(whole);
    for _ in 0..FRACTION_BITS {
        mantissa = (mantissa * mantissa) >> 31;
        log <<= 1;
        if mantissa >> 32 != 0 {
            mantissa >>= 1;
            log |= 1;
        }
    }
    log
}

#[cfg(test)]
mod tests {
    use super::log2;

    #[test]
    fn logarithms_are_those_of_floats() {
        for value in (1..5000).chain([1 << 31, (1 << 32) + 7, u64::MAX >> 1, u64::MAX]) {
            let float = ((value as f64).log2() * 256.0).floor() as u64;
            assert!(log2(value).abs_diff(float) <= 1, "{value}");
        }
        assert_eq!(log2(0), 0);
        assert_eq!(log2(1 << 40), 40 << 8);
    }
}
