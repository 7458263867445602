//! sqlite-zstd's way: each value is a zstd frame of its own at level 19, with a dictionary trained
//! on the column, and the dictionary is stored once.

use crate::set::Texts;
use zstd::bulk::{Compressor, Decompressor};

/// The level that the seed's figures are for.
pub const LEVEL: i32 = 19;
/// The seed's dictionaries are one percent of what they are for.
const DICTIONARY_DIVISOR: usize = 100;
/// Level 19 compresses less than a megabyte a second: one frame in so many is made, and counts so
/// often.
pub const SAMPLED: usize = 10;

/// What the frames of all rows take.
#[derive(Clone, Copy, Debug)]
pub struct RowFrames {
    /// The rows themselves.
    pub raw_bytes: u64,
    /// Frames without a dictionary.
    pub plain_bytes: u64,
    /// Frames with the dictionary, and the dictionary.
    pub trained_bytes: u64,
    /// The dictionary alone.
    pub dictionary_bytes: u64,
}

/// Measures the frames of `texts`, from every [`SAMPLED`]th row.
pub fn row_frames(texts: &Texts) -> RowFrames {
    let dictionary = train(texts);
    let mut plain = Compressor::new(LEVEL).expect("the level exists");
    let mut trained =
        Compressor::with_dictionary(LEVEL, &dictionary).expect("the dictionary is zstd's own");
    let mut sums = [0_u64; 3];
    for row in (0..texts.len()).step_by(SAMPLED) {
        let text = texts.get(row);
        let plain_frame = plain.compress(text).expect("memory suffices");
        let frame = trained.compress(text).expect("memory suffices");
        sums[0] += text.len() as u64;
        sums[1] += plain_frame.len() as u64;
        sums[2] += frame.len() as u64;
    }
    let raw_bytes = texts.bytes.len() as u64;
    let scaled = |bytes: u64| bytes * raw_bytes / sums[0].max(1);
    RowFrames {
        raw_bytes,
        plain_bytes: scaled(sums[1]),
        trained_bytes: scaled(sums[2]) + dictionary.len() as u64,
        dictionary_bytes: dictionary.len() as u64,
    }
}

fn train(texts: &Texts) -> Vec<u8> {
    let sizes: Vec<usize> = (0..texts.len()).map(|row| texts.get(row).len()).collect();
    let dictionary_bytes = texts.bytes.len() / DICTIONARY_DIVISOR;
    zstd::dict::from_continuous(&texts.bytes, &sizes, dictionary_bytes).expect("rows to train on")
}

/// Whether the frame of `text` with a dictionary trained on `texts` gives it back.
pub fn round_trips(texts: &Texts, row: usize) -> bool {
    let dictionary = train(texts);
    let text = texts.get(row);
    let compressor = Compressor::with_dictionary(LEVEL, &dictionary);
    let frame = compressor
        .and_then(|mut c| c.compress(text))
        .expect("memory suffices");
    let decompressor = Decompressor::with_dictionary(&dictionary);
    decompressor
        .and_then(|mut d| d.decompress(&frame, text.len()))
        .is_ok_and(|back| back == text)
}

#[cfg(test)]
mod tests {
    use super::row_frames;
    use crate::generate::{Size, generator};
    use crate::set::Values;

    /// The seed's figures on the real titles.
    #[test]
    fn titles_are_as_hard_as_the_real_ones() {
        let set = generator("D8").unwrap().set(Size::S);
        let Values::Text(texts) = &set.columns[1].values else {
            panic!("titles are text")
        };
        let frames = row_frames(texts);
        let ratio = |bytes: u64| frames.raw_bytes as f64 / bytes as f64;
        let (plain, trained) = (ratio(frames.plain_bytes), ratio(frames.trained_bytes));

        assert!((1.25..=1.35).contains(&plain), "per row: {plain}");
        assert!(
            (3.45..=4.25).contains(&trained),
            "with a dictionary: {trained}"
        );
    }
}
