//! Sound vectors of every codec.

use crate::input::{Input, Kind};
use crate::random::Random;
use crate::targets;
use varve_codec::{
    BlockEncoder, BlockOptions, BlockValues, Codec, EncodedBlock, IntegerKind, Stage, StringsRef,
    StructuredZstd, ValueFrame, ValueFramer, ZstdDictionary, bit_codec_names, encode_bits,
    encode_same_integers, encode_same_strings, integer_codec_names, integer_from_f64,
    string_codec_names,
};

/// A vector and the name of its outermost codec.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Kind of values and codec.
    pub codec: String,
    /// The vector.
    pub input: Input,
}

/// The codecs that the seeds must cover.
pub fn expected_codecs() -> Vec<String> {
    // Decimal is read but no longer written: its vectors are kept in `corpus`.
    let mut integers = integer_codec_names(u32::MAX);
    integers.retain(|name| *name != "decimal");
    // Fields that are as other fields lie in documents only.
    let mut strings = string_codec_names(u32::MAX);
    strings.retain(|name| *name != "same");
    // No column of bits is stored as another one.
    let mut bits = bit_codec_names(u32::MAX);
    bits.retain(|name| *name != "same as another column");
    let named = |kind: &str, names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("{kind}: {name}")).collect()
    };
    [
        named("words", &integers),
        named("strings", &strings),
        named("bits", &bits),
    ]
    .concat()
}

/// All seeds: the vectors of blocks that the chooser and users make of many kinds of data.
pub fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (kind, words) in word_blocks() {
        for codec in Codec::ALL {
            for point_reads in [false, true] {
                let options = options(codec, point_reads);
                put_words(kind, &words, options, &mut seeds);
            }
        }
    }
    for texts in string_blocks() {
        for codec in Codec::ALL {
            for point_reads in [false, true] {
                put_strings(&texts, options(codec, point_reads), &mut seeds);
            }
        }
    }
    put_bits(&mut seeds);
    put_same(&mut seeds);
    put_value_frames(&mut seeds);
    // Many blocks of one codec teach nothing new.
    let mut seen = std::collections::BTreeMap::new();
    seeds.retain(|seed: &Seed| {
        let count: &mut u32 = seen.entry(seed.codec.clone()).or_default();
        *count += 1;
        *count <= 12
    });
    seeds
}

fn options(codec: Codec, point_reads: bool) -> BlockOptions {
    BlockOptions {
        stage: if point_reads { Stage::None } else { Stage::Lz4 },
        point_reads,
        codec,
    }
}

const ROWS: usize = 3000;

fn word_blocks() -> Vec<(IntegerKind, Vec<i64>)> {
    let mut random = Random(11);
    let mut integers = |make: &mut dyn FnMut(i64, &mut Random) -> i64| -> Vec<i64> {
        (0_i64..).take(ROWS).map(|i| make(i, &mut random)).collect()
    };
    let small = |random: &mut Random, end: usize| i64::try_from(random.below(end)).unwrap_or(0);
    let mut walk = 500_i64;
    let mut blocks = vec![
        (
            IntegerKind::Int64,
            integers(&mut |_, random| random.bits().cast_signed()),
        ),
        (IntegerKind::Int64, integers(&mut |i, _| i * 3)),
        (
            IntegerKind::Int64,
            integers(&mut |i, random| i * 50 + small(random, 50)),
        ),
        (IntegerKind::Int64, integers(&mut |i, _| i * i)),
        (
            IntegerKind::Int64,
            integers(&mut |i, _| if i % 2 == 0 { i64::MIN } else { i64::MAX }),
        ),
        (
            IntegerKind::Int64,
            integers(&mut |_, random| small(random, 7) * 1_000_003),
        ),
        (IntegerKind::Int64, integers(&mut |i, _| i / 500 * 999)),
        (
            IntegerKind::Int32,
            integers(&mut |_, random| small(random, 1000) - 300),
        ),
        (
            IntegerKind::Int32,
            integers(&mut |i, random| small(random, 16) + if i % 97 == 0 { 1 << 20 } else { 0 }),
        ),
        (
            IntegerKind::Int64,
            integers(&mut |_, random| {
                walk += (0..6).map(|_| small(random, 3) - 1).sum::<i64>();
                walk
            }),
        ),
        (
            IntegerKind::Int32,
            integers(&mut |_, random| {
                let zeros = random.bits().trailing_zeros();
                i64::from(zeros)
            }),
        ),
    ];
    let doubles: [&dyn Fn(i64, f64) -> f64; 7] = [
        &|i, _| (i * 7919 % 30_011) as f64 / 100.0,
        &|_, unit| unit,
        &|i, _| (i / 20) as f64 * 0.1,
        &|i, unit| if i % 5 == 0 { unit } else { i as f64 / 10.0 },
        &|i, unit| 48.0 + unit / 1000.0 + i as f64 * 1e-9,
        &|i, _| if i < 1024 { 0.5 } else { (i % 1000) as f64 },
        &|i, _| {
            if i % 400 == 3 {
                f64::NAN
            } else {
                (i % 9) as f64 - 4.0
            }
        },
    ];
    for double in doubles {
        let words = (0_i64..).take(ROWS).map(|i| {
            let unit = (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
            integer_from_f64(double(i, unit))
        });
        blocks.push((IntegerKind::Float64, words.collect()));
    }
    blocks
}

fn string_blocks() -> Vec<Vec<String>> {
    let mut random = Random(12);
    let names = [
        "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet",
    ];
    let places = [
        "Harbour",
        "Station",
        "Meadow Lane",
        "North Quay",
        "Old Mill Road",
        "Ashgrove",
    ];
    let mut block = |make: &mut dyn FnMut(usize, &mut Random) -> String| -> Vec<String> {
        (0..ROWS).map(|i| make(i, &mut random)).collect()
    };
    let pick = |from: &[&str], random: &mut Random| -> String {
        from.get(random.below(from.len()))
            .copied()
            .unwrap_or("")
            .to_owned()
    };
    vec![
        block(&mut |_, random| pick(&names, random)),
        block(&mut |i, _| names.get(i / 400 % 9).copied().unwrap_or("").to_owned()),
        block(&mut |i, random| format!("{} {}, {i}", pick(&places, random), pick(&names, random))),
        block(&mut |i, random| format!("user{i}@{}.org", pick(&names, random))),
        block(&mut |_, random| format!("Customer#{:09}", random.below(150_000))),
        block(&mut |_, random| {
            format!(
                "{:08x}-2da5-11e8-{:04x}",
                random.bits() >> 32,
                random.below(1 << 16)
            )
        }),
        block(&mut |_, random| {
            let letter = |random: &mut Random| char::from(b'a' + random.byte() % 26);
            (0..random.below(20)).map(|_| letter(random)).collect()
        }),
        block(&mut |i, random| {
            let (name, place) = (pick(&names, random), pick(&places, random));
            format!(
                "{{\"id\":{i},\"name\":\"{name}\",\"place\":\"{place}\",\"tags\":[{}]}}",
                i % 7
            )
        }),
        block(&mut |i, _| format!("/archive/2026/{:04}/{:02}/part-{i:06}.log", i / 30, i % 30)),
        block(&mut |_, random| {
            let words = 2 + random.below(9);
            (0..words).map(|_| pick(&names, random) + " ").collect()
        }),
        block(&mut |i, _| {
            format!(
                "{:x}/{}",
                i / 40,
                names.get(i % 9).copied().unwrap_or("").repeat(i % 3)
            )
        }),
        block(&mut |i, random| {
            let mut text = String::from("org.varve.");
            for digit in [i / 512, i / 64 % 8, i / 8 % 8, i % 8] {
                text.push_str(names.get(digit).copied().unwrap_or("x"));
            }
            text + &pick(&places, random)
        }),
        block(&mut |_, _| String::new()),
    ]
}

fn vector_rows(rows: usize) -> Vec<usize> {
    (0..rows)
        .step_by(1024)
        .map(|start| (rows - start).min(1024))
        .collect()
}

fn put_words(kind: IntegerKind, words: &[i64], options: BlockOptions, seeds: &mut Vec<Seed>) {
    let values = BlockValues::Integers(kind, words);
    put_block(
        Kind::Words(kind),
        "words",
        values,
        words.len(),
        options,
        seeds,
    );
}

fn put_strings(texts: &[String], options: BlockOptions, seeds: &mut Vec<Seed>) {
    let bytes: Vec<u8> = texts.iter().flat_map(|text| text.bytes()).collect();
    let mut end = 0;
    let mut offsets = vec![0];
    for text in texts {
        end += u32::try_from(text.len()).unwrap_or(0);
        offsets.push(end);
    }
    let values = BlockValues::Strings(StringsRef {
        offsets: &offsets,
        bytes: &bytes,
    });
    put_block(
        Kind::Strings,
        "strings",
        values,
        texts.len(),
        options,
        seeds,
    );
}

/// Adds the vectors of a block; a codec that does not suit the values gives none.
fn put_block(
    kind: Kind,
    kind_name: &str,
    values: BlockValues<'_>,
    rows: usize,
    options: BlockOptions,
    seeds: &mut Vec<Seed>,
) {
    let rows = vector_rows(rows);
    let Ok(block) = BlockEncoder::new(options).encode(values, &rows) else {
        return;
    };
    for (vector, rows) in block.vectors.into_iter().zip(rows) {
        let tags = vector.first().map_or(0, |tag| 1 << tag);
        let names = match kind {
            Kind::Strings => string_codec_names(tags),
            _ => integer_codec_names(tags),
        };
        seeds.push(Seed {
            codec: format!("{kind_name}: {}", names.concat()),
            input: Input {
                kind,
                rows: u16::try_from(rows).unwrap_or(0),
                shared: block.shared.clone(),
                vector,
            },
        });
    }
}

/// Values that are compressed one by one: raw, alone, and with each of two dictionaries.
fn put_value_frames(seeds: &mut Vec<Seed>) {
    const VECTOR_ROWS: usize = 500;
    let mut strings = targets::reference_strings(0);
    let mut ways = Vec::new();
    for row in 0..4 * VECTOR_ROWS {
        let text = format!("{{\"station\": {row}, \"kind\": \"temperature\"}}");
        strings.bytes.extend_from_slice(text.as_bytes());
        let end = u32::try_from(strings.bytes.len()).unwrap_or(0);
        strings.offsets.push(end);
        ways.push(match row * 7 / VECTOR_ROWS % 4 {
            0 => ValueFrame::Raw,
            1 => ValueFrame::Alone,
            2 => ValueFrame::With(1),
            _ => ValueFrame::With(2),
        });
    }
    let dictionary = |number: i32| {
        let kind = match number {
            1 => "temperature",
            _ => "pressure",
        };
        ZstdDictionary::new(format!("{{\"station\": 77, \"kind\": \"{kind}\"}}").as_bytes()).ok()
    };
    let Ok(mut framer) = ValueFramer::new(strings, ways, 3, &dictionary) else {
        return;
    };
    while framer.step(&mut StructuredZstd::new(), usize::MAX) {}
    let vector_rows = [VECTOR_ROWS; 4];
    // Larger than the frames, so that these are taken.
    let other = EncodedBlock {
        vectors: vec![vec![0; 1 << 20]; vector_rows.len()],
        ..EncodedBlock::default()
    };
    let Ok(framed) = framer.finish(&vector_rows, other, &[], Stage::None) else {
        return;
    };
    for vector in framed.block.vectors {
        seeds.push(Seed {
            codec: "strings: zstd values".to_owned(),
            input: Input {
                kind: Kind::Strings,
                rows: u16::try_from(VECTOR_ROWS).unwrap_or(0),
                shared: framed.block.shared.clone(),
                vector,
            },
        });
    }
}

/// Columns of which every 1st, 10th, 400th and no row differs from another one.
fn put_same(seeds: &mut Vec<Seed>) {
    const ROWS: u16 = 1000;
    let rows = usize::from(ROWS);
    for step in [1, 10, 400, rows + 1] {
        let differs = |row: usize| row % step == step.min(8) - 1;
        let reference = targets::reference_words(rows);
        let mut words = reference.clone();
        for (_, word) in words
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| differs(*row))
        {
            *word += 1_000_000;
        }
        let mut vector = Vec::new();
        if encode_same_integers(IntegerKind::Int64, &reference, &words, &mut vector).is_ok() {
            seeds.push(same_seed("words", Kind::SameWords, ROWS, vector));
        }
        let reference = targets::reference_strings(rows);
        let mut strings = targets::reference_strings(0);
        for row in 0..rows {
            let text = reference.as_ref().get(row);
            strings.bytes.extend_from_slice(text);
            if differs(row) {
                strings.bytes.extend_from_slice(b" changed");
            }
            let end = u32::try_from(strings.bytes.len()).unwrap_or(0);
            strings.offsets.push(end);
        }
        let mut vector = Vec::new();
        if encode_same_strings(reference.as_ref(), strings.as_ref(), &mut vector).is_ok() {
            seeds.push(same_seed("strings", Kind::SameStrings, ROWS, vector));
        }
    }
}

fn same_seed(kind_name: &str, kind: Kind, rows: u16, vector: Vec<u8>) -> Seed {
    Seed {
        codec: format!("{kind_name}: same as another column"),
        input: Input {
            kind,
            rows,
            shared: Vec::new(),
            vector,
        },
    }
}

fn put_bits(seeds: &mut Vec<Seed>) {
    let patterns: [&dyn Fn(usize) -> u8; 4] = [
        &|_| 0,
        &|_| 0xff,
        &|i| [0x5a, 0x13, 0xc4].get(i % 3).copied().unwrap_or(0),
        &|i| if i < 40 { 0xff } else { 0 },
    ];
    for pattern in patterns {
        let bits: Vec<u8> = (0..125).map(pattern).collect();
        let mut vector = Vec::new();
        if let Ok(tag) = encode_bits(&bits, 1000, &mut vector) {
            seeds.push(Seed {
                codec: format!("bits: {}", bit_codec_names(1 << tag).concat()),
                input: Input {
                    kind: Kind::Bits,
                    rows: 1000,
                    shared: Vec::new(),
                    vector,
                },
            });
        }
    }
}
