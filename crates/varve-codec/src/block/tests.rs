use super::{BlockEncoder, BlockOptions, BlockValues, EncodedBlock};
use crate::tags::{
    TAG_ALP, TAG_CHIMP, TAG_DELTA, TAG_DELTA_OF_DELTA, TAG_FSST, TAG_GORILLA, TAG_PACKED,
    TAG_PLAIN, TAG_RUN_ENDS, TAG_SHARED_DICTIONARY,
};
use crate::testing::{Random, mutations};
use crate::{
    Codec, CodecError, IntegerKind, Shared, Stage, Strings, StringsRef, decode_strings,
    gather_integers, gather_strings, integer_from_f64,
};

const LZ4: BlockOptions = BlockOptions {
    stage: Stage::Lz4,
    point_reads: false,
    codec: Codec::Auto,
};

fn vector_rows(rows: usize) -> Vec<usize> {
    let mut lengths = vec![1024; rows / 1024];
    if !rows.is_multiple_of(1024) {
        lengths.push(rows % 1024);
    }
    lengths
}

fn strings(texts: impl Iterator<Item = String>) -> Strings {
    let mut strings = Strings::with_capacity(0);
    for text in texts {
        strings.push(text.as_bytes(), usize::MAX).unwrap();
    }
    strings
}

fn bytes_per_row(block: &EncodedBlock, rows: usize) -> f64 {
    let bytes: usize = block.vectors.iter().map(Vec::len).sum();
    (bytes + block.shared.len()) as f64 / rows as f64
}

/// Encodes, and reads every vector back: whole, and by single rows from the end.
fn integers_round_trip(kind: IntegerKind, integers: &[i64]) -> EncodedBlock {
    let rows = vector_rows(integers.len());
    let values = BlockValues::Integers(kind, integers);
    let block = BlockEncoder::new(LZ4).encode(values, &rows).unwrap();
    let shared = Shared::decode(&block.shared, 1 << 20).unwrap();
    for (vector, bytes) in integers.chunks(1024).zip(&block.vectors) {
        let positions: Vec<u16> = (0..vector.len() as u16).rev().collect();
        let mut back = gather_integers(kind, &shared, bytes, vector.len(), &positions).unwrap();
        back.reverse();
        assert_eq!(back, vector);
    }
    block
}

fn strings_round_trip(texts: StringsRef<'_>) -> EncodedBlock {
    let rows = vector_rows(texts.len());
    let values = BlockValues::Strings(texts);
    let block = BlockEncoder::new(LZ4).encode(values, &rows).unwrap();
    let shared = Shared::decode(&block.shared, 1 << 20).unwrap();
    for (i, bytes) in block.vectors.iter().enumerate() {
        let vector = texts.slice(i * 1024, i * 1024 + 1024);
        let positions: Vec<u16> = (0..vector.len() as u16).rev().collect();
        let back = gather_strings(&shared, bytes, vector.len(), &positions, 1 << 22).unwrap();
        for (at, position) in positions.iter().enumerate() {
            assert_eq!(back.as_ref().get(at), vector.get(usize::from(*position)));
        }
    }
    block
}

#[test]
fn few_values_share_a_dictionary() {
    let mut random = Random(7);
    let prices: Vec<i64> = (0..500)
        .map(|i| integer_from_f64(f64::from(i * i) / 7.0))
        .collect();
    let integers: Vec<i64> = (0..65_536).map(|_| prices[random.below(500)]).collect();
    let block = integers_round_trip(IntegerKind::Float64, &integers);
    assert_eq!(block.tags, 1 << TAG_SHARED_DICTIONARY);
    assert!(bytes_per_row(&block, integers.len()) < 1.2);

    let names = [
        "pending",
        "processing",
        "shipped",
        "delivered",
        "cancelled",
        "returned",
    ];
    let texts = strings((0..65_536).map(|_| names[random.below(6)].to_owned()));
    let block = strings_round_trip(texts.as_ref());
    assert_eq!(block.tags, 1 << TAG_SHARED_DICTIONARY);
    assert!(bytes_per_row(&block, 65_536) < 0.39);
}

#[test]
fn a_cascade_is_kept_until_the_bytes_drift() {
    let mut random = Random(9);
    let names = ["a long name", "another long name", "the third long name"];
    let mut encoder = BlockEncoder::new(LZ4);
    let mut encode = |texts: &Strings| {
        let rows = vector_rows(texts.as_ref().len());
        let values = BlockValues::Strings(texts.as_ref());
        encoder.encode(values, &rows).unwrap()
    };
    let first = strings((0..4096).map(|_| names[random.below(3)].to_owned()));
    let second = strings((0..4096).map(|_| names[random.below(3)].to_owned()));
    let first = encode(&first);
    assert!(!first.shared.is_empty());
    assert_eq!(encode(&second).shared, first.shared);
    let other = strings((0..4096).map(|i| format!("{} {}", random.next(), i)));
    assert_ne!(encode(&other).shared, first.shared);
}

#[test]
fn any_shared_part_is_an_answer() {
    let integers: Vec<i64> = (0..4096).map(|i| (i % 50) * 1_000_003).collect();
    let block = integers_round_trip(IntegerKind::Int64, &integers);
    let texts = strings((0..4096).map(|i| format!("name {}", i * 7 % 40)));
    let text_block = strings_round_trip(texts.as_ref());
    for bytes in [&block.shared, &text_block.shared] {
        mutations(bytes, 3000, |bytes| {
            let _ = Shared::decode(bytes, 1 << 20);
        });
    }
    let shared = Shared::decode(&block.shared, 1 << 20).unwrap();
    mutations(&block.vectors[0], 3000, |bytes| {
        let _ = gather_integers(IntegerKind::Int64, &shared, bytes, 1024, &[0, 1023]);
    });
}

#[test]
fn repeats_that_only_the_general_stage_sees_are_left_to_it() {
    let mut random = Random(3);
    let pattern: Vec<i64> = (0..3000).map(|_| random.next() as i64).collect();
    let integers: Vec<i64> = pattern.iter().copied().cycle().take(65_536).collect();
    let block = integers_round_trip(IntegerKind::Int64, &integers);
    let frames = crate::write_frames(block.vectors.iter().map(Vec::as_slice), Stage::Lz4);
    let stored: usize = frames.iter().map(crate::WrittenFrame::bytes).sum();
    let plain = integers.iter().flat_map(|integer| integer.to_le_bytes());
    let plain: Vec<u8> = plain.collect();
    let staged: usize = plain
        .chunks(65_536)
        .map(|frame| crate::compress_lz4(frame).len())
        .sum();
    assert!(stored + block.shared.len() <= staged + staged / 100);
}

#[test]
fn text_of_common_parts_takes_a_symbol_table() {
    let mut random = Random(5);
    let integers = [
        "Ashgrove", "Meadow", "Station", "Harbour", "North", "Cobble", "Lane", "Quay",
    ];
    // The marks differ from row to row, so that there is no template.
    let marks = [" ", "", "-", ", "];
    let mut pick = || format!("{}{}", integers[random.below(8)], marks[random.below(4)]);
    let names = (0..20_000).map(|_| [pick(), pick(), pick(), pick()].concat());
    let block = strings_round_trip(strings(names).as_ref());
    assert_eq!(block.tags, 1 << TAG_PACKED);
    assert!(bytes_per_row(&block, 20_000) < 5.0);
    let shared = Shared::decode(&block.shared, 1 << 20).unwrap();
    mutations(&block.vectors[0], 3000, |bytes| {
        let _ = decode_strings(&shared, bytes, 1024, 1 << 20);
        let _ = gather_strings(&shared, bytes, 1024, &[0, 1023], 1 << 20);
    });
}

#[test]
fn a_named_codec_is_used_or_refused() {
    let numbers: Vec<i64> = (0..3000).map(|i| i * i % 97 * 1000 + i / 700).collect();
    let doubles: Vec<i64> = numbers
        .iter()
        .map(|n| integer_from_f64(*n as f64 / 8.0))
        .collect();
    let texts = strings(numbers.iter().map(|n| format!("text {}", n % 1000)));
    let columns = [
        BlockValues::Integers(IntegerKind::Int64, &numbers),
        BlockValues::Integers(IntegerKind::Float64, &doubles),
        BlockValues::Strings(texts.as_ref()),
    ];
    let suited = |codec| match codec {
        Codec::Alp | Codec::Gorilla | Codec::Chimp => [false, true, false],
        Codec::Delta | Codec::DeltaOfDelta => [true, false, false],
        Codec::Fsst => [false, false, true],
        _ => [true; 3],
    };
    let own_tag = |codec| match codec {
        Codec::Alp => Some(TAG_ALP),
        Codec::Gorilla => Some(TAG_GORILLA),
        Codec::Chimp => Some(TAG_CHIMP),
        Codec::Delta => Some(TAG_DELTA),
        Codec::DeltaOfDelta => Some(TAG_DELTA_OF_DELTA),
        Codec::Dictionary | Codec::SharedDictionary => Some(TAG_SHARED_DICTIONARY),
        Codec::RunEnds => Some(TAG_RUN_ENDS),
        Codec::Fsst => Some(TAG_FSST),
        Codec::Plain | Codec::Lz4 | Codec::Zstd => Some(TAG_PLAIN),
        Codec::Auto => None,
    };
    for codec in Codec::ALL {
        for (values, suits) in columns.into_iter().zip(suited(codec)) {
            let options = BlockOptions { codec, ..LZ4 };
            let block = BlockEncoder::new(options).encode(values, &vector_rows(3000));
            if suits {
                let tags = block.unwrap().tags;
                assert!(own_tag(codec).is_none_or(|tag| tags == 1 << tag), "{codec}");
            } else {
                assert_eq!(block, Err(CodecError::UnsuitedCodec(codec)));
            }
        }
    }
}

#[test]
fn columns_of_point_reads_have_no_shared_part() {
    let mut random = Random(6);
    let integers: Vec<i64> = (0..9000)
        .map(|_| i64::from(random.next().trailing_zeros()))
        .collect();
    let texts = strings((0..9000).map(|i| format!("user{i}@example.org")));
    let options = BlockOptions {
        stage: Stage::None,
        point_reads: true,
        codec: Codec::Auto,
    };
    for values in [
        BlockValues::Integers(IntegerKind::Int64, &integers),
        BlockValues::Strings(texts.as_ref()),
    ] {
        let block = BlockEncoder::new(options)
            .encode(values, &vector_rows(9000))
            .unwrap();
        assert!(block.shared.is_empty());
    }
}

#[test]
fn what_a_cascade_cannot_give_back_is_stored_without_one() {
    let texts = strings((0..2000).map(|i| format!("user{i}@example.org")));
    let mut encoder = BlockEncoder::new(LZ4);
    let rows = vector_rows(2000);
    encoder
        .encode(BlockValues::Strings(texts.as_ref()), &rows)
        .unwrap();
    // The cascade that was kept is for strings.
    let integers: Vec<i64> = (0..2000).collect();
    let values = BlockValues::Integers(IntegerKind::Int64, &integers);
    let block = encoder.encode(values, &rows).unwrap();
    assert_eq!(block.tags, 1 << TAG_DELTA);
}

#[test]
fn other_values_renew_the_shared_part() {
    let mut random = Random(11);
    let mut encoder = BlockEncoder::new(LZ4);
    let rows = vector_rows(65_536);
    for block in 0..4 {
        let integers: Vec<i64> = (0..65_536)
            .map(|_| integer_from_f64((block * 500 + random.below(500)) as f64 / 7.0))
            .collect();
        let values = BlockValues::Integers(IntegerKind::Float64, &integers);
        let encoded = encoder.encode(values, &rows).unwrap();
        let alone = BlockEncoder::new(LZ4).encode(values, &rows).unwrap();
        assert_eq!(encoded, alone);
        assert_eq!(encoder.kept.as_ref().unwrap().renewed, block > 0);
    }
    let texts = |block: usize, random: &mut Random| {
        strings((0..65_536).map(|_| {
            let (a, b) = (random.below(300), random.below(300));
            format!("{} {}", a * 7919 + block, b * 6367 + block)
        }))
    };
    let mut encoder = BlockEncoder::new(LZ4);
    for block in 0..3 {
        let texts = texts(block, &mut random);
        let values = BlockValues::Strings(texts.as_ref());
        let encoded = encoder.encode(values, &rows).unwrap();
        let alone = BlockEncoder::new(LZ4).encode(values, &rows).unwrap();
        let (encoded, alone) = (
            bytes_per_row(&encoded, 65_536),
            bytes_per_row(&alone, 65_536),
        );
        assert!(encoded <= alone * 1.1, "{encoded} {alone}");
    }
}
