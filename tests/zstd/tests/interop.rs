//! Every frame is read by the reference library and by `ruzstd`, and theirs by us, with their
//! dictionaries and ours.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests, on test data"
)]

use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder};
use varve_codec::{
    StructuredZstd, ZstdDecoder, ZstdDictionary, ZstdEncoder, ZstdFraming, decompress_zstd,
};
use varve_tests_zstd::{Kind, Random, json_row, trained};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, DParameter, FrameFormat};

const FRAMINGS: [ZstdFraming; 2] = [ZstdFraming::Standard, ZstdFraming::Compact];
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

fn format(framing: ZstdFraming) -> FrameFormat {
    match framing {
        ZstdFraming::Standard => FrameFormat::One,
        ZstdFraming::Compact => FrameFormat::Magicless,
    }
}

fn reference_decode(
    frame: &[u8],
    framing: ZstdFraming,
    dictionary: &[u8],
    bytes: usize,
) -> Vec<u8> {
    let mut reference = Decompressor::with_dictionary(dictionary).unwrap();
    let format = DParameter::Format(format(framing));
    reference.set_parameter(format).unwrap();
    reference.decompress(frame, bytes).unwrap()
}

fn reference_encode(raw: &[u8], level: u8, framing: ZstdFraming, dictionary: &[u8]) -> Vec<u8> {
    let mut reference = Compressor::with_dictionary(i32::from(level), dictionary).unwrap();
    let standard = framing == ZstdFraming::Standard;
    for parameter in [
        CParameter::Format(format(framing)),
        CParameter::ChecksumFlag(standard),
        CParameter::ContentSizeFlag(standard),
        CParameter::DictIdFlag(standard),
    ] {
        reference.set_parameter(parameter).unwrap();
    }
    reference.compress(raw).unwrap()
}

/// It knows no magicless frames, but a compact frame is one but for the magic.
fn ruzstd_decode(frame: &[u8], framing: ZstdFraming, dictionary: &[u8]) -> Vec<u8> {
    let mut standard = match framing {
        ZstdFraming::Standard => Vec::new(),
        ZstdFraming::Compact => MAGIC.to_vec(),
    };
    standard.extend_from_slice(frame);
    let mut rest = standard.as_slice();
    let mut decoder = FrameDecoder::new();
    let mut id = None;
    if !dictionary.is_empty() {
        let dictionary = Dictionary::decode_dict(dictionary).unwrap();
        id = Some(dictionary.id);
        decoder.add_dict(dictionary).unwrap();
    }
    decoder.init(&mut rest).unwrap();
    if let (ZstdFraming::Compact, Some(id)) = (framing, id) {
        decoder.force_dict(id).unwrap();
    }
    decoder
        .decode_blocks(&mut rest, BlockDecodingStrategy::All)
        .unwrap();
    decoder.collect().unwrap()
}

/// With each level, framing and dictionary: ours is read by all three, the reference's by us.
fn check(raws: &[Vec<u8>], dictionaries: &[Vec<u8>]) {
    let mut encoder = StructuredZstd::new();
    let mut decoder = ZstdDecoder::new();
    for dictionary in dictionaries {
        let ours = ZstdDictionary::new(dictionary).unwrap();
        let ours = (!dictionary.is_empty()).then_some(&ours);
        for (level, framing) in (1..=19).flat_map(|level| FRAMINGS.map(|framing| (level, framing)))
        {
            for raw in raws {
                let frame = encoder.compress(raw, level, ours, framing).unwrap();
                let read = reference_decode(&frame, framing, dictionary, raw.len());
                assert!(read == *raw, "reference: {level} {framing:?} {}", raw.len());
                let read = ruzstd_decode(&frame, framing, dictionary);
                assert!(read == *raw, "ruzstd: {level} {framing:?} {}", raw.len());
                let theirs = reference_encode(raw, level, framing, dictionary);
                for frame in [&frame, &theirs] {
                    let mut read = vec![0; raw.len()];
                    decoder.decode(frame, framing, ours, &mut read).unwrap();
                    assert!(read == *raw, "ours: {level} {framing:?} {}", raw.len());
                }
            }
        }
    }
}

fn rows(seed: u64, count: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|id| json_row(&mut random, id).into_bytes())
        .collect()
}

#[test]
fn frames_without_a_dictionary() {
    let sizes = [0, 1, 20, 1000, 70_000, 200_000];
    let raws: Vec<Vec<u8>> = Kind::ALL
        .into_iter()
        .flat_map(|kind| sizes.map(|bytes| kind.data(bytes)))
        .collect();
    check(&raws, &[Vec::new()]);
}

#[test]
fn frames_with_trained_dictionaries() {
    let ours = trained(3000, 16_384).unwrap();
    let theirs = zstd::dict::from_samples(&rows(5, 3000), 16_384).unwrap();
    let mut raws = rows(77, 20);
    raws.push(Vec::new());
    raws.push(rows(78, 100).concat());
    check(&raws, &[ours, theirs]);
}

#[test]
fn a_trained_dictionary_is_as_good_as_the_reference_s() {
    let raws = rows(79, 500);
    let ours = trained(3000, 16_384).unwrap();
    let theirs = zstd::dict::from_samples(&rows(5, 3000), 16_384).unwrap();
    let mut encoder = StructuredZstd::new();
    let mut size = |dictionary: Option<&[u8]>| -> usize {
        let dictionary = dictionary.map(|bytes| ZstdDictionary::new(bytes).unwrap());
        let frame = |raw: &Vec<u8>| {
            encoder
                .compress(raw, 3, dictionary.as_ref(), ZstdFraming::Compact)
                .unwrap()
                .len()
        };
        raws.iter().map(frame).sum()
    };
    let (none, ours, theirs) = (size(None), size(Some(&ours)), size(Some(&theirs)));
    assert!(ours * 2 < none, "{ours} against {none} without");
    assert!(
        ours * 100 < theirs * 103,
        "{ours} against {theirs} of the reference"
    );
}

#[test]
fn sizes_are_those_of_the_reference() {
    for kind in [Kind::Text, Kind::Json, Kind::Mixed] {
        let raw = kind.data(200_000);
        for level in [1, 3, 9, 19] {
            let framing = ZstdFraming::Standard;
            let ours = StructuredZstd::new()
                .compress(&raw, level, None, framing)
                .unwrap();
            let theirs = reference_encode(&raw, level, framing, &[]);
            let (ours, theirs) = (ours.len(), theirs.len());
            assert!(
                ours * 100 < theirs * 102,
                "{kind:?} {level}: {ours}, reference {theirs}"
            );
        }
    }
}

#[test]
fn a_compact_frame_is_shorter_by_at_least_8_bytes() {
    let text = b"twenty bytes of text";
    let dictionary = ZstdDictionary::new(&trained(1500, 4096).unwrap()).unwrap();
    for dictionary in [None, Some(&dictionary)] {
        let [standard, compact] = FRAMINGS.map(|framing| {
            let frame = StructuredZstd::new().compress(text, 3, dictionary, framing);
            frame.unwrap().len()
        });
        let least = if dictionary.is_some() { 12 } else { 8 };
        assert!(standard - compact >= least, "{standard} and {compact}");
    }
}

#[test]
fn what_is_no_level_or_no_training_is_refused() {
    let mut encoder = StructuredZstd::new();
    for level in [0, 23, 255] {
        let frame = encoder.compress(b"text", level, None, ZstdFraming::Standard);
        assert!(frame.is_err(), "{level}");
    }
    for (rows, bytes_max) in [(3, 4096), (1000, 100), (1000, 2 << 20)] {
        assert!(
            trained(rows, bytes_max).is_err(),
            "{rows} rows, {bytes_max}"
        );
    }
    let wrong_lengths = varve_codec::train_dictionary(&[7; 1000], &[100; 9], 512);
    assert!(wrong_lengths.is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_used_encoder_gives_the_bytes_of_a_new_one(
        calls in proptest::collection::vec(
            (0..5_usize, 0..40_000_usize, 1..=19_u8, 0..3_usize, any::<bool>()), 1..12),
    ) {
        let trained = trained(1500, 4096).unwrap();
        let dictionaries = [
            None,
            Some(ZstdDictionary::new(&trained).unwrap()),
            Some(ZstdDictionary::new(&Kind::Text.data(3000)).unwrap()),
        ];
        let mut used = StructuredZstd::new();
        for (kind, bytes, level, dictionary, compact) in calls {
            let raw = Kind::ALL[kind].data(bytes);
            let dictionary = dictionaries[dictionary].as_ref();
            let framing = FRAMINGS[usize::from(compact)];
            let frame = used.compress(&raw, level, dictionary, framing).unwrap();
            let fresh = StructuredZstd::new().compress(&raw, level, dictionary, framing).unwrap();
            prop_assert_eq!(&frame, &fresh);
            let read = decompress_zstd(&frame, framing, dictionary, bytes, bytes);
            prop_assert_eq!(read, Ok(raw));
        }
    }
}
