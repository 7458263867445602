use std::ops::Bound;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};

use super::ArtIndex;
use crate::memtable::key_index::{BTreeIndex, KeyIndex};

/// Keys that are near each other: few bytes, few lengths, long common beginnings.
fn keys() -> impl Strategy<Value = Vec<u8>> {
    let near = vec(prop_oneof![Just(0_u8), Just(1), Just(255)], 0..6);
    let any_bytes = vec(any::<u8>(), 0..4);
    let long = (0_usize..40, vec(0_u8..3, 0..3)).prop_map(|(common, rest)| {
        let mut key = vec![7; common];
        key.extend(rest);
        key
    });
    prop_oneof![near, any_bytes, long]
}

fn bounds(key: &[u8]) -> [Bound<&[u8]>; 3] {
    [Bound::Included(key), Bound::Excluded(key), Bound::Unbounded]
}

fn check(art: &ArtIndex, twin: &BTreeIndex, probes: &[Vec<u8>]) {
    assert_eq!(art.range(), twin.range());
    for key in probes {
        assert_eq!(art.get(key), twin.get(key), "{key:?}");
        for bound in bounds(key) {
            let (a, b) = (art.ascend(bound), twin.ascend(bound));
            assert!(a.eq(b), "up from {bound:?}");
            let (a, b) = (art.descend(bound), twin.descend(bound));
            assert!(a.eq(b), "down from {bound:?}");
        }
        assert!(art.prefix(key).eq(twin.prefix(key)), "prefix {key:?}");
    }
}

proptest! {
    #[test]
    fn answers_as_the_twin_does(inserted in vec(keys(), 0..120), probes in vec(keys(), 1..30)) {
        let (mut art, mut twin) = (ArtIndex::default(), BTreeIndex::default());
        for (key, number) in inserted.iter().zip(0..) {
            prop_assert_eq!(art.insert(key, number), twin.insert(key, number));
        }
        check(&art, &twin, &probes);
        check(&art, &twin, &inserted);
    }

    #[test]
    fn nodes_of_every_size_answer_as_the_twin_does(
        inserted in vec(vec(any::<u8>(), 2), 0..600), probes in vec(vec(any::<u8>(), 0..4), 1..20),
    ) {
        let (mut art, mut twin) = (ArtIndex::default(), BTreeIndex::default());
        for (key, number) in inserted.iter().zip(0..) {
            // Half of the keys go under one first byte, which therefore gets many children.
            let key = if number % 2 == 0 { vec![9, key[1]] } else { key.clone() };
            prop_assert_eq!(art.insert(&key, number), twin.insert(&key, number));
        }
        check(&art, &twin, &probes);
    }
}

#[test]
fn keys_that_begin_each_other_are_all_there() {
    let (mut art, mut twin) = (ArtIndex::default(), BTreeIndex::default());
    let long = vec![1_u8; 300];
    for length in [300, 0, 7, 3, 299, 1, 8, 2] {
        let number = u32::try_from(length).unwrap();
        assert_eq!(art.insert(&long[..length], number), Ok(None));
        twin.insert(&long[..length], number).unwrap();
    }
    assert_eq!(art.insert(&long[..7], 5), Ok(Some(7)));
    twin.insert(&long[..7], 5).unwrap();
    let probes: Vec<Vec<u8>> = (0..301).map(|length| vec![1; length]).collect();
    check(&art, &twin, &probes);
}

#[test]
fn takes_about_as_much_memory_as_a_row_is_charged_for() {
    let mut art = ArtIndex::default();
    for i in 0..200_000_u64 {
        let key = i.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
        art.insert(&key, 0).unwrap();
    }
    let each = art.bytes() / 200_000;
    assert!((16..60).contains(&each), "{each} bytes a key");
}
