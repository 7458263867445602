use super::{ValueFrame, ValueFramer};
use crate::tags::TAG_VALUE_FRAMES;
use crate::testing::{Random, mutations};
use crate::{
    CodecError, EncodedBlock, Shared, Stage, Strings, StructuredZstd, ZstdDictionary,
    decode_plain_strings, gather_strings,
};

/// Rows of which every fifth is too short to gain, and the others are like each other.
fn rows(count: usize) -> Strings {
    let mut strings = Strings::with_capacity(count);
    for row in 0..count {
        let text = match row % 5 {
            0 => String::new(),
            1 => format!("{row}"),
            _ => format!("{{\"station\": {row}, \"kind\": \"temperature\", \"unit\": \"kelvin\"}}"),
        };
        strings.push(text.as_bytes(), usize::MAX).unwrap();
    }
    strings
}

fn dictionary(number: i32) -> Option<ZstdDictionary> {
    let text = b"{\"station\": 77, \"kind\": \"temperature\", \"unit\": \"kelvin\"}";
    (number < 100).then(|| ZstdDictionary::new(text).unwrap())
}

fn encoded(strings: &Strings, frames: &[ValueFrame], vectors: &[usize]) -> super::FramedBlock {
    let mut framer = ValueFramer::new(strings.clone(), frames.to_vec(), 3, &dictionary).unwrap();
    let mut encoder = StructuredZstd::new();
    while framer.step(&mut encoder, 500) {}
    let mut start = 0;
    // Larger than any frames.
    let other = vectors.iter().map(|rows| {
        let end = start + rows;
        let bytes = strings.offsets[end] - strings.offsets[start];
        start = end;
        vec![0; bytes as usize * 2 + 100 * rows]
    });
    let other = EncodedBlock {
        vectors: other.collect(),
        ..EncodedBlock::default()
    };
    framer.finish(vectors, other, &[], Stage::None).unwrap()
}

fn check(strings: &Strings, block: &EncodedBlock, vectors: &[usize]) {
    let shared = Shared::decode(&block.shared, 0).unwrap();
    let mut start = 0;
    for (bytes, rows) in block.vectors.iter().zip(vectors) {
        let expected = strings.as_ref().slice(start, start + rows);
        let decoded = decode_plain_strings(&shared, bytes, *rows, 1 << 20).unwrap();
        let all = |strings: crate::StringsRef<'_>| -> Vec<Vec<u8>> {
            (0..strings.len())
                .map(|row| strings.get(row).to_vec())
                .collect()
        };
        assert_eq!(all(decoded.as_ref()), all(expected));
        let last = u16::try_from(rows - 1).unwrap();
        let picked = gather_strings(&shared, bytes, *rows, &[last, 0], 1 << 20).unwrap();
        assert_eq!(picked.as_ref().get(0), expected.get(rows - 1));
        assert_eq!(picked.as_ref().get(1), expected.get(0));
        start += rows;
    }
}

#[test]
fn values_come_back_however_they_were_compressed() {
    let mut random = Random(7);
    let strings = rows(300);
    let vectors = [100, 50, 150];
    let choices = [
        ValueFrame::Raw,
        ValueFrame::Alone,
        ValueFrame::With(1),
        ValueFrame::With(2),
        ValueFrame::With(100),
    ];
    for ways in 1..=choices.len() {
        let pick = |random: &mut Random| choices[random.below(ways)];
        let frames: Vec<ValueFrame> = (0..300).map(|_| pick(&mut random)).collect();
        let framed = encoded(&strings, &frames, &vectors);
        check(&strings, &framed.block, &vectors);
        let values: u64 = framed.bytes.values().map(|bytes| bytes.values).sum();
        assert_eq!(values, 300);
        assert!(
            !framed.bytes.contains_key(&ValueFrame::With(100)),
            "unknown"
        );
    }
}

#[test]
fn a_dictionary_makes_small_values_smaller() {
    let strings = rows(1000);
    let bytes = |frame: ValueFrame| {
        let block = encoded(&strings, &vec![frame; 1000], &[1000]).block;
        assert_eq!(block.vectors[0][0], TAG_VALUE_FRAMES);
        block.shared.len() + block.vectors[0].len()
    };
    let (raw, alone, with) = (
        bytes(ValueFrame::Raw),
        bytes(ValueFrame::Alone),
        bytes(ValueFrame::With(1)),
    );
    assert!(
        alone <= raw,
        "what is not shorter stays as it is: {alone} {raw}"
    );
    assert!(with * 2 < raw, "{with} {raw}");
}

#[test]
fn a_dictionary_larger_than_its_values_is_left_out() {
    let strings = rows(3);
    let mut frames = vec![ValueFrame::Alone; 3];
    frames[1] = ValueFrame::With(1);
    let framed = encoded(&strings, &frames, &[3]);
    assert!(framed.block.shared.is_empty());
    assert_eq!(framed.bytes.get(&ValueFrame::Alone).unwrap().values, 3);
    check(&strings, &framed.block, &[3]);
}

#[test]
fn any_bytes_are_an_answer() {
    let strings = rows(60);
    let frames: Vec<ValueFrame> = (0..60)
        .map(|row| match row % 3 {
            0 => ValueFrame::Raw,
            1 => ValueFrame::Alone,
            _ => ValueFrame::With(1),
        })
        .collect();
    let block = encoded(&strings, &frames, &[60]).block;
    let shared = Shared::decode(&block.shared, 0).unwrap();
    mutations(&block.vectors[0], 3000, |bytes| {
        let _ = decode_plain_strings(&shared, bytes, 60, 1 << 20);
        let _ = gather_strings(&shared, bytes, 60, &[59, 3], 1 << 20);
    });
    mutations(&block.shared, 500, |bytes| {
        if let Ok(shared) = Shared::decode(bytes, 0) {
            let _ = decode_plain_strings(&shared, &block.vectors[0], 60, 1 << 20);
        }
    });
    let small = decode_plain_strings(&shared, &block.vectors[0], 60, 100);
    assert!(matches!(small, Err(CodecError::TooLarge { .. })));
    let alone = decode_plain_strings(&Shared::default(), &block.vectors[0], 60, 1 << 20);
    assert_eq!(alone.unwrap_err(), CodecError::Malformed("resource"));
}

#[test]
fn a_vector_is_framed_where_that_is_smaller() {
    let strings = rows(300);
    let mut framer = ValueFramer::new(
        strings.clone(),
        vec![ValueFrame::With(1); 300],
        3,
        &dictionary,
    )
    .unwrap();
    while framer.step(&mut StructuredZstd::new(), 100_000) {}
    // The first vector is small in other codecs, which have a resource.
    let mut shared = crate::SharedWriter::default();
    shared.add(crate::shared::SYMBOLS, vec![0]).unwrap();
    let other = EncodedBlock {
        shared: shared.finish(),
        vectors: vec![vec![9; 3], vec![9; 20_000]],
        tags: 1,
    };
    let framed = framer
        .finish(&[100, 200], other.clone(), &[], Stage::None)
        .unwrap();
    assert_eq!(framed.block.vectors[0], other.vectors[0]);
    assert_eq!(
        framed.block.vectors[1][..4],
        [TAG_VALUE_FRAMES, 1, 2, 1],
        "the second resource"
    );
    assert_eq!(framed.block.tags, 1 | 1 << TAG_VALUE_FRAMES);
    let bytes = framed.bytes.get(&ValueFrame::With(1)).unwrap();
    assert_eq!(bytes.values, 300);
    assert!(bytes.stored < bytes.raw / 2);
    // Frames that save less than their dictionary takes are not worth it.
    let mut framer = ValueFramer::new(
        strings.clone(),
        vec![ValueFrame::With(1); 300],
        3,
        &dictionary,
    )
    .unwrap();
    while framer.step(&mut StructuredZstd::new(), 100_000) {}
    let vectors = framed
        .block
        .vectors
        .iter()
        .skip(1)
        .map(|vector| vector.len() + 20);
    let other = EncodedBlock {
        vectors: vec![vec![9; 3], vec![9; vectors.sum()]],
        ..EncodedBlock::default()
    };
    let kept = framer
        .finish(&[100, 200], other.clone(), &[], Stage::None)
        .unwrap()
        .block;
    assert_eq!(kept, other);
}

#[test]
fn the_general_stage_is_counted_with() {
    let strings = rows(300);
    let ways = vec![ValueFrame::With(1); 300];
    let mut framer = ValueFramer::new(strings, ways, 3, &dictionary).unwrap();
    while framer.step(&mut StructuredZstd::new(), 100_000) {}
    let other = EncodedBlock {
        vectors: vec![vec![9; 20_000]],
        ..EncodedBlock::default()
    };
    let kept = framer.finish(&[300], other.clone(), &[], Stage::Lz4);
    assert_eq!(kept.unwrap().block, other);
}
