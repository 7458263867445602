use super::{
    add_line, doubles_of_integers, fit_32_bits, look_up, narrow, prefix_sums, repeat_strings,
    scale_to_integers, unpack, unpack_codes,
};
use proptest::prelude::{any, prop_assert_eq, proptest};

/// Bit `i` of packed bytes.
fn bit(bytes: &[u8], i: usize) -> u64 {
    u64::from(
        bytes
            .get(i / 8)
            .is_some_and(|byte| byte >> (i % 8) & 1 == 1),
    )
}

proptest! {
    #[test]
    fn packed_values_are_read_bit_by_bit(
        bytes: Vec<u8>,
        width in 0..=57_u32,
        count in 0..50_usize,
        base: i64,
    ) {
        let width = if width == 57 { 64 } else { width };
        let slow = |i: usize| {
            let first = i * width as usize;
            (0..width as usize).fold(0, |value, at| value | bit(&bytes, first + at) << at)
        };
        let expected: Vec<i64> =
            (0..count).map(|i| base.wrapping_add(slow(i).cast_signed())).collect();
        prop_assert_eq!(unpack(&bytes, width, count, base), expected);
        if width <= 32 {
            let expected: Vec<u64> = (0..count).map(slow).collect();
            let codes = unpack_codes(&bytes, width, count);
            prop_assert_eq!(codes.into_iter().map(u64::from).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn loops_over_integers_equal_their_definitions(
        integers: Vec<i64>,
        first: i64,
        slope in -9000..9000_i64,
    ) {
        let mut sums = integers.clone();
        prefix_sums(&mut sums, first);
        let mut value = first;
        for (sum, step) in sums.iter().zip(&integers) {
            prop_assert_eq!(*sum, value);
            value = value.wrapping_add(*step);
        }
        let mut lines = integers.clone();
        add_line(&mut lines, slope, 12);
        for (row, (line, integer)) in (0_i64..).zip(lines.iter().zip(&integers)) {
            let rise = (slope * row) >> 12;
            prop_assert_eq!(*line, integer.wrapping_add(rise));
        }
        prop_assert_eq!(
            fit_32_bits(&integers),
            integers.iter().all(|integer| i32::try_from(*integer).is_ok()),
        );
        let (low, greatest) = narrow(&integers);
        prop_assert_eq!(
            greatest,
            integers.iter().map(|integer| integer.cast_unsigned()).max().unwrap_or(0),
        );
        prop_assert_eq!(low.len(), integers.len());
    }

    #[test]
    fn integers_order_as_doubles_do(doubles in proptest::collection::vec(any::<i32>(), 0..40)) {
        let mut integers: Vec<i64> = doubles.iter().map(|double| i64::from(*double)).collect();
        scale_to_integers(&mut integers, 10, 0.001);
        let back = doubles_of_integers(&integers);
        for (double, scaled_integer) in back.iter().zip(&doubles) {
            let slow = (i64::from(*scaled_integer) * 10) as f64 * 0.001;
            prop_assert_eq!(double.to_bits(), slow.to_bits());
        }
        integers.sort_unstable();
        prop_assert_eq!(doubles_of_integers(&integers).is_sorted(), true);
    }
}

#[test]
fn strings_are_repeated_within_their_limit() {
    let (offsets, bytes) = ([0, 2, 2, 5], b"abcde".as_slice());
    let repeated = repeat_strings(&offsets, bytes, &[2, 0, 1, 7], 5);
    assert_eq!(repeated, Ok((vec![0, 3, 5, 5, 5], b"cdeab".to_vec())));
    assert_eq!(repeat_strings(&offsets, bytes, &[2, 0, 1], 4), Err(5));
    assert!(repeat_strings(&[0, 9], bytes, &[0], 100).is_err());
    assert_eq!(look_up(&[5, 6], &[1, 0, 2]), [6, 5, 0]);
}
