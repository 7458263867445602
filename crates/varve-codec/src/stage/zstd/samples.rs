//! What a dictionary is trained on: an even choice of the rows of a group, however many there are,
//! in bounded memory.
//!
//! Each row draws a number from its position; those with the smallest numbers are kept, as many as
//! fit. So rows may stream by once, every row has the same chance, and the choice is the same on
//! every machine.

use std::collections::BinaryHeap;

use crate::split_mix::SplitMix;

/// The largest dictionary that is trained.
pub const ZSTD_DICTIONARY_BYTES_MAX: usize = 1 << 20;
/// The most bytes that a dictionary is trained on.
pub const ZSTD_TRAINING_BYTES_MAX: usize = 12 << 20;

/// Training on more than this many times the dictionary gains nothing.
const TRAINING_PER_DICTIONARY: usize = 100;
/// A trainer looks at no more than the first block of a row.
const SAMPLE_BYTES_MAX: usize = 128 << 10;

/// Rows that were offered, thinned to a fixed number of bytes.
#[derive(Debug)]
pub struct ZstdSamples {
    bytes_max: usize,
    /// The largest draw comes first.
    kept: BinaryHeap<Sample>,
    kept_bytes: usize,
    offered: u64,
    /// Draws from here on were dropped once, so they are dropped always: a short row has no better
    /// chance than a long one.
    draw_end: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sample {
    draw: u64,
    position: u64,
    bytes: Box<[u8]>,
}

impl ZstdSamples {
    /// For a dictionary of `dictionary_bytes_max`.
    pub fn new(dictionary_bytes_max: usize) -> ZstdSamples {
        let wanted = dictionary_bytes_max.saturating_mul(TRAINING_PER_DICTIONARY);
        ZstdSamples {
            bytes_max: wanted.min(ZSTD_TRAINING_BYTES_MAX),
            kept: BinaryHeap::new(),
            kept_bytes: 0,
            offered: 0,
            draw_end: u64::MAX,
        }
    }

    /// Offers the next row.
    pub fn offer(&mut self, row: &[u8]) {
        let position = self.offered;
        self.offered += 1;
        let draw = SplitMix(position).next();
        if row.is_empty() || draw >= self.draw_end {
            return;
        }
        let bytes = row.get(..SAMPLE_BYTES_MAX).unwrap_or(row);
        self.kept_bytes += bytes.len();
        self.kept.push(Sample {
            draw,
            position,
            bytes: Box::from(bytes),
        });
        while self.kept_bytes > self.bytes_max {
            let Some(dropped) = self.kept.pop() else {
                break;
            };
            self.kept_bytes -= dropped.bytes.len();
            self.draw_end = dropped.draw;
        }
    }

    /// Rows offered so far.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// The kept rows in the order in which they came, one after another, and their lengths.
    pub fn concatenated(self) -> (Vec<u8>, Vec<u32>) {
        let mut samples = self.kept.into_vec();
        varve_sort::sort_by_key(&mut samples, |sample| sample.position);
        let mut bytes = Vec::with_capacity(self.kept_bytes);
        let mut lengths = Vec::with_capacity(samples.len());
        for sample in samples {
            if let Ok(length) = u32::try_from(sample.bytes.len()) {
                bytes.extend_from_slice(&sample.bytes);
                lengths.push(length);
            }
        }
        (bytes, lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::{SAMPLE_BYTES_MAX, ZSTD_TRAINING_BYTES_MAX, ZstdSamples};

    #[test]
    fn few_rows_are_all_kept_in_their_order() {
        let mut samples = ZstdSamples::new(256);
        for row in ["one", "", "three"] {
            samples.offer(row.as_bytes());
        }
        assert_eq!(samples.offered(), 3);
        assert_eq!(samples.concatenated(), (b"onethree".to_vec(), vec![3, 5]));
    }

    #[test]
    fn many_rows_are_thinned_evenly() {
        let mut samples = ZstdSamples::new(1000);
        for position in 0..100_000_u32 {
            samples.offer(&position.to_le_bytes());
        }
        let (bytes, lengths) = samples.concatenated();
        assert_eq!((bytes.len(), lengths.len()), (100_000, 25_000));
        let positions: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|row| u32::from_le_bytes(*row.first_chunk().unwrap()))
            .collect();
        assert!(positions.is_sorted());
        for tenth in 0..10 {
            let of_tenth = |position: &&u32| **position / 10_000 == tenth;
            let share = positions.iter().filter(of_tenth).count();
            assert!((2300..2700).contains(&share), "{tenth}: {share}");
        }
    }

    #[test]
    fn long_rows_are_kept_as_often_as_short_ones() {
        let mut samples = ZstdSamples::new(1000);
        for _ in 0..10_000 {
            samples.offer(&[1; 300]);
            samples.offer(&[2; 10]);
        }
        let (bytes, lengths) = samples.concatenated();
        assert!((99_000..=100_000).contains(&bytes.len()), "{}", bytes.len());
        let long = lengths.iter().filter(|&&length| length == 300).count();
        let short = lengths.len() - long;
        assert!(
            long * 10 > short * 8 && short * 10 > long * 8,
            "{long} and {short}"
        );
    }

    #[test]
    fn memory_is_bounded_whatever_is_offered() {
        let mut samples = ZstdSamples::new(usize::MAX);
        let row = vec![7; SAMPLE_BYTES_MAX + 5];
        for _ in 0..200 {
            samples.offer(&row);
        }
        let (bytes, lengths) = samples.concatenated();
        assert_eq!(bytes.len(), ZSTD_TRAINING_BYTES_MAX);
        assert_eq!(lengths, vec![128 << 10; 96]);
    }
}
