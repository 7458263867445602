use super::{
    IntegerLists, StringLists, decode_integer_lists, decode_string_lists, decode_wide,
    encode_integer_lists, encode_string_lists, encode_wide, gather_wide,
};
use crate::testing::{Random, mutations};
use crate::{CodecError, IntegerKind, Strings, integer_from_f64};
use proptest::prelude::{Strategy, any, prop_oneof, proptest};

fn wide_round_trip(values: &[i128]) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_wide(values, &mut bytes).unwrap();
    assert_eq!(decode_wide(&bytes, values.len()).unwrap(), values);
    let positions: Vec<u16> = (0..values.len() as u16).rev().collect();
    let mut back = gather_wide(&bytes, values.len(), &positions).unwrap();
    back.reverse();
    assert_eq!(back, values);
    bytes
}

#[test]
fn decimals_are_as_small_as_their_digits() {
    let prices: Vec<i128> = (0..1024).map(|i| i * 7919 % 10_000 - 5000).collect();
    assert!(wide_round_trip(&prices).len() < 1024 * 14 / 8 + 16);
    let golden = wide_round_trip(&[1, 2, 3]);
    assert_eq!(golden, [0, 4, 4, 2, 2, 0b10_0100]);
}

#[test]
fn uuids_of_version_7_keep_only_their_random_bits() {
    let mut random = Random(4);
    let uuids: Vec<i128> = (0..1024)
        .map(|i| {
            let time = (1_700_000_000_000 + i * 40) << 80;
            let rest = i128::from(random.next()) & 0x3fff_ffff_ffff_ffff;
            time | 7 << 76 | i128::from(random.next() & 0xfff) << 64 | 2 << 62 | rest
        })
        .collect();
    let bytes = wide_round_trip(&uuids).len();
    assert!(bytes < 1024 * (12 + 64) / 8 + 64, "{bytes}");
}

#[test]
fn lists_take_the_codec_of_their_elements() {
    let metrics: Vec<i64> = (0..5000)
        .map(|i| integer_from_f64(f64::from(i % 50) + 0.5))
        .collect();
    let lists = IntegerLists {
        ends: (1..=1000).map(|i| i * 5).collect(),
        integers: metrics,
        validity: None,
    };
    let mut bytes = Vec::new();
    encode_integer_lists(IntegerKind::Float64, &lists, &mut bytes).unwrap();
    assert!(bytes.len() < 5200, "{}", bytes.len());
    assert_eq!(
        decode_integer_lists(IntegerKind::Float64, &bytes, 1000, 5000).unwrap(),
        lists
    );
    let too_many = decode_integer_lists(IntegerKind::Float64, &bytes, 1000, 4999);
    assert!(matches!(too_many, Err(CodecError::TooLarge { .. })));
    mutations(&bytes, 3000, |bytes| {
        let _ = decode_integer_lists(IntegerKind::Float64, bytes, 1000, 10_000);
        let _ = decode_wide(bytes, 1000);
    });
}

#[test]
fn ends_that_do_not_fit_are_refused() {
    let lists = IntegerLists {
        ends: vec![2, 1],
        integers: vec![5],
        validity: None,
    };
    assert!(encode_integer_lists(IntegerKind::Int64, &lists, &mut Vec::new()).is_err());
    assert!(encode_wide(&[0; 1025], &mut Vec::new()).is_err());
}

proptest! {
    #[test]
    fn any_wide_numbers_come_back(values in proptest::collection::vec(
        prop_oneof![any::<i128>(), any::<i64>().prop_map(i128::from), -9..9_i128], 0..50,
    )) {
        wide_round_trip(&values);
    }

    #[test]
    fn any_lists_come_back(lists in proptest::collection::vec(
        proptest::collection::vec(proptest::option::of("[a-c]{0,3}"), 0..40), 0..60,
    )) {
        let mut strings = Strings::with_capacity(0);
        let mut integers = Vec::new();
        let mut ends = Vec::new();
        let mut validity = Vec::new();
        for (i, element) in lists.iter().flatten().enumerate() {
            let text = element.as_deref().unwrap_or("");
            strings.push(text.as_bytes(), usize::MAX).unwrap();
            integers.push(text.len() as i64 - 1);
            if i % 8 == 0 {
                validity.push(0);
            }
            validity[i / 8] |= u8::from(element.is_some()) << (i % 8);
        }
        for list in &lists {
            ends.push(ends.last().copied().unwrap_or(0) + list.len() as u32);
        }
        let elements = integers.len();
        let integer_lists = IntegerLists {
            ends: ends.clone(),
            integers,
            validity: Some(validity.clone()),
        };
        let string_lists = StringLists { ends, strings, validity: Some(validity) };
        let mut bytes = Vec::new();
        encode_integer_lists(IntegerKind::Int32, &integer_lists, &mut bytes).unwrap();
        let mut back = decode_integer_lists(IntegerKind::Int32, &bytes, lists.len(), elements)
            .unwrap();
        trim(&mut back.validity, elements);
        assert_eq!(back, integer_lists);
        bytes.clear();
        encode_string_lists(&string_lists, &mut bytes).unwrap();
        let mut back = decode_string_lists(&bytes, lists.len(), elements, 9000).unwrap();
        trim(&mut back.validity, elements);
        assert_eq!(back, string_lists);
    }
}

/// Bits past the last element say nothing.
fn trim(validity: &mut Option<Vec<u8>>, elements: usize) {
    if let Some(last) = validity.as_mut().and_then(|bits| bits.last_mut())
        && !elements.is_multiple_of(8)
    {
        *last &= (1 << (elements % 8)) - 1;
    }
}
