//! The list: one line for each dictionary, one for each level of values that are compressed one by
//! one, and one for each kind of data, dictionary and level.

use varve_codec::{
    CodecError, EncodedBlock, Shared, Stage, Strings, StructuredZstd, ValueFrame, ValueFramer,
    ZstdDecoder, ZstdDictionary, ZstdEncoder, ZstdFraming, ZstdSamples, decode_plain_strings,
    train_dictionary,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Kind, Random, json_row};

/// Around the sizes of blocks, and those where the reference chooses other parameters.
const SIZES: [usize; 10] = [0, 1, 20, 193, 1024, 8192, 20_000, 65_536, 131_073, 270_000];
/// Beyond one window of the lowest levels; too slow for all of them.
const LARGE_BYTES: usize = 1_100_000;
const LARGE_LEVELS: [u8; 6] = [1, 3, 5, 9, 13, 16];
/// Dictionaries are for small data.
const WITH_DICTIONARY_BYTES_MAX: usize = 65_536;

/// A dictionary of at most `dictionary_bytes_max`, trained on `rows` orders.
pub fn trained(rows: u64, dictionary_bytes_max: usize) -> Result<Vec<u8>, CodecError> {
    let mut random = Random::new(5);
    let mut samples = ZstdSamples::new(dictionary_bytes_max);
    for id in 0..rows {
        samples.offer(json_row(&mut random, id).as_bytes());
    }
    let (samples, lengths) = samples.concatenated();
    train_dictionary(&samples, &lengths, dictionary_bytes_max)
}

/// The lines of `levels`. Every frame is decoded again on the way.
pub fn hashes(levels: &[u8]) -> Result<String, CodecError> {
    let small = trained(1500, 4096)?;
    let large = trained(9000, 112_640)?;
    let mut list = String::new();
    let mut dictionaries = vec![("none", None)];
    for (name, bytes) in [("small", small), ("large", large)] {
        list += &format!(
            "dictionary {name} {} {:016x}\n",
            bytes.len(),
            xxh3_64(&bytes)
        );
        dictionaries.push((name, Some(ZstdDictionary::new(&bytes)?)));
    }
    for &level in levels {
        let small = dictionaries.iter().find(|(name, _)| *name == "small");
        let block = value_frames(small.and_then(|(_, known)| known.as_ref()), level)?;
        list += &format!("values {level} {} {:016x}\n", block.len(), xxh3_64(&block));
    }
    for kind in Kind::ALL {
        for (name, dictionary) in &dictionaries {
            let skipped = matches!(kind, Kind::Random | Kind::Columnar);
            if dictionary.is_some() && skipped {
                continue;
            }
            for &level in levels {
                let frames = frames(kind, dictionary.as_ref(), level)?;
                let hash = xxh3_64(&frames);
                list += &format!("{kind:?} {name} {level} {} {hash:016x}\n", frames.len());
            }
        }
    }
    Ok(list)
}

/// A block of orders that are compressed one by one in every way.
fn value_frames(dictionary: Option<&ZstdDictionary>, level: u8) -> Result<Vec<u8>, CodecError> {
    const ROWS: usize = 400;
    let mut random = Random::new(11);
    let mut values = Strings {
        offsets: vec![0],
        bytes: Vec::new(),
    };
    let mut ways = Vec::new();
    for row in 0..ROWS {
        let text = json_row(&mut random, row as u64);
        values.bytes.extend_from_slice(text.as_bytes());
        values
            .offsets
            .push(u32::try_from(values.bytes.len()).unwrap_or(u32::MAX));
        ways.push(match row % 10 {
            0 => ValueFrame::Raw,
            1 => ValueFrame::Alone,
            _ => ValueFrame::With(3),
        });
    }
    // What other codecs give is never smaller here.
    let other = EncodedBlock {
        vectors: vec![vec![0; 2 * values.bytes.len()]],
        ..EncodedBlock::default()
    };
    let mut framer = ValueFramer::new(values.clone(), ways, level, &|_| dictionary.cloned())?;
    while framer.step(&mut StructuredZstd::new(), 1000) {}
    let mut block = framer.finish(&[ROWS], other, &[], Stage::None)?.block;
    let shared = Shared::decode(&block.shared, 0)?;
    let vector = block.vectors.pop().unwrap_or_default();
    if decode_plain_strings(&shared, &vector, ROWS, values.bytes.len())? != values {
        return Err(CodecError::Malformed("round trip"));
    }
    Ok([block.shared, vector].concat())
}

/// The frames of all sizes in both framings, one after another.
fn frames(
    kind: Kind,
    dictionary: Option<&ZstdDictionary>,
    level: u8,
) -> Result<Vec<u8>, CodecError> {
    let mut sizes = SIZES.to_vec();
    if dictionary.is_some() {
        sizes.retain(|&bytes| bytes <= WITH_DICTIONARY_BYTES_MAX);
    } else if kind == Kind::Mixed && LARGE_LEVELS.contains(&level) {
        sizes.push(LARGE_BYTES);
    }
    let mut encoder = StructuredZstd::new();
    let mut decoder = ZstdDecoder::new();
    let mut frames = Vec::new();
    for bytes in sizes {
        let raw = kind.data(bytes);
        for framing in [ZstdFraming::Standard, ZstdFraming::Compact] {
            let frame = encoder.compress(&raw, level, dictionary, framing)?;
            let mut decoded = vec![0; bytes];
            decoder.decode(&frame, framing, dictionary, &mut decoded)?;
            if decoded != raw {
                return Err(CodecError::Malformed("round trip"));
            }
            frames.extend_from_slice(&frame);
        }
    }
    Ok(frames)
}
