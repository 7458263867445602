//! Damaged frames and dictionaries: an answer each time, and never a panic. A quarter of a million
//! by default; `VARVE_MUTATIONS` asks for more.

#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests, on test data"
)]

use varve_codec::{StructuredZstd, ZstdDecoder, ZstdDictionary, ZstdEncoder, ZstdFraming};
use varve_tests_zstd::{Kind, Random, trained};

const FRAMINGS: [ZstdFraming; 2] = [ZstdFraming::Standard, ZstdFraming::Compact];

fn mutations() -> u64 {
    let asked = std::env::var("VARVE_MUTATIONS").ok();
    asked.map_or(250_000, |number| number.parse().unwrap())
}

fn at(random: &mut Random, end: usize) -> usize {
    usize::try_from(random.below(end as u64)).unwrap()
}

/// One to four changes; `other` lends bytes.
fn mutate(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let place = at(random, bytes.len());
        match random.below(7) {
            0 => bytes[place] ^= 1 << random.below(8),
            1 => bytes[place] = random.draw() as u8,
            2 => bytes[place] = [0, 1, 0x7f, 0x80, 0xff][at(random, 5)],
            3 => bytes.truncate(place),
            4 => bytes.insert(place, random.draw() as u8),
            5 => drop(bytes.remove(place)),
            _ => {
                let from = at(random, other.len());
                let length = at(random, 40)
                    .min(other.len() - from)
                    .min(bytes.len() - place);
                bytes[place..place + length].copy_from_slice(&other[from..from + length]);
            }
        }
    }
    bytes
}

struct Original {
    frame: Vec<u8>,
    framing: ZstdFraming,
    with_dictionary: bool,
    raw_bytes: usize,
}

fn originals(dictionary: &ZstdDictionary) -> Vec<Original> {
    let mut encoder = StructuredZstd::new();
    let mut originals = Vec::new();
    for kind in Kind::ALL {
        for raw_bytes in [0, 15, 180, 700, 4000] {
            let raw = kind.data(raw_bytes);
            for (level, framing) in [1, 3, 7, 19]
                .map(|level| FRAMINGS.map(|f| (level, f)))
                .concat()
            {
                for with_dictionary in [false, true] {
                    let dictionary = with_dictionary.then_some(dictionary);
                    let frame = encoder.compress(&raw, level, dictionary, framing).unwrap();
                    originals.push(Original {
                        frame,
                        framing,
                        with_dictionary,
                        raw_bytes,
                    });
                }
            }
        }
    }
    originals
}

#[test]
fn damaged_frames_are_answered() {
    let dictionary = ZstdDictionary::new(&trained(1500, 4096).unwrap()).unwrap();
    let history = ZstdDictionary::new(&Kind::Text.data(2000)).unwrap();
    let originals = originals(&dictionary);
    let mut random = Random::new(9);
    let mut decoder = ZstdDecoder::new();
    let (mut decoded, mut refused) = (0_u64, 0_u64);
    for _ in 0..mutations() {
        let original = &originals[at(&mut random, originals.len())];
        let other = &originals[at(&mut random, originals.len())].frame;
        let frame = mutate(&original.frame, other, &mut random);
        // Mostly what the frame was made with.
        let dictionary = match random.below(16) {
            0 => None,
            1 => Some(&dictionary),
            2 => Some(&history),
            _ => original.with_dictionary.then_some(&dictionary),
        };
        let mut raw = vec![0; original.raw_bytes + at(&mut random, 2) * at(&mut random, 3000)];
        match decoder.decode(&frame, original.framing, dictionary, &mut raw) {
            Ok(()) => decoded += 1,
            Err(_) => refused += 1,
        }
    }
    // Both roads were walked, and damage leaves nothing behind.
    assert!(
        decoded > mutations() / 50 && refused > mutations() / 4,
        "{decoded}, {refused}"
    );
    for original in &originals {
        let mut raw = vec![0; original.raw_bytes];
        let dictionary = original.with_dictionary.then_some(&dictionary);
        let read = decoder.decode(&original.frame, original.framing, dictionary, &mut raw);
        assert_eq!(read, Ok(()));
    }
}

#[test]
fn damaged_dictionaries_are_answered() {
    let bytes = trained(1500, 4096).unwrap();
    let dictionary = ZstdDictionary::new(&bytes).unwrap();
    let mut originals = originals(&dictionary);
    originals.retain(|original| original.with_dictionary);
    let mut random = Random::new(10);
    let mut decoder = ZstdDecoder::new();
    let mut encoder = StructuredZstd::new();
    let mut parsed = 0_u64;
    for _ in 0..mutations() / 25 {
        // Entropy tables are in front, the rest is text.
        let (front, text) = bytes.split_at(at(&mut random, bytes.len().min(600)));
        let damaged = [mutate(front, text, &mut random), text.to_vec()].concat();
        let Ok(damaged) = ZstdDictionary::new(&damaged) else {
            continue;
        };
        parsed += 1;
        let original = &originals[at(&mut random, originals.len())];
        let mut raw = vec![0; original.raw_bytes];
        let _ = decoder.decode(&original.frame, original.framing, Some(&damaged), &mut raw);
        // What can be prepared must work in both directions.
        let raw = Kind::Json.data(300);
        if let Ok(frame) = encoder.compress(&raw, 3, Some(&damaged), ZstdFraming::Compact) {
            let mut read = vec![0; raw.len()];
            let answer = decoder.decode(&frame, ZstdFraming::Compact, Some(&damaged), &mut read);
            assert_eq!((answer, read), (Ok(()), raw));
        }
    }
    assert!(parsed > mutations() / 500, "{parsed}");
}
