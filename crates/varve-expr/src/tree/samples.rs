//! Rows that a dictionary is trained on: an even choice, however many there are, in bounded memory.
//!
//! Each row draws a number from its position; those with the smallest numbers are kept. So every
//! row has the same chance, and equal rows in equal order give the same choice everywhere.

use std::collections::BinaryHeap;

/// The most bytes that are kept.
const BYTES_MAX: usize = 12 << 20;
/// A trainer looks at no more than the first block of a row.
const SAMPLE_BYTES_MAX: usize = 128 << 10;

/// What a dictionary is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Training {
    pub(crate) dictionary_bytes_max: usize,
    pub(crate) samples_max: usize,
}

/// The rows that were chosen of those that were offered.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    pub(crate) training: Training,
    /// The largest draw comes first.
    kept: BinaryHeap<Sample>,
    kept_bytes: usize,
    offered: u64,
    /// Draws from here on were dropped once, so they are dropped always: a short row has no better
    /// chance than a long one.
    draw_end: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sample {
    draw: u64,
    position: u64,
    bytes: Box<[u8]>,
}

impl Samples {
    pub(crate) fn new(training: Training) -> Samples {
        Samples {
            training,
            kept: BinaryHeap::new(),
            kept_bytes: 0,
            offered: 0,
            draw_end: u64::MAX,
        }
    }

    /// Offers the next row.
    pub(crate) fn offer(&mut self, row: &[u8]) {
        let position = self.offered;
        self.offered += 1;
        let draw = draw(position);
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
        while self.kept.len() > self.training.samples_max || self.kept_bytes > BYTES_MAX {
            let Some(dropped) = self.kept.pop() else {
                break;
            };
            self.kept_bytes -= dropped.bytes.len();
            self.draw_end = dropped.draw;
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Samples>() + self.kept.len() * size_of::<Sample>() + self.kept_bytes
    }

    /// The kept rows in the order in which they came, one after another, and their lengths.
    pub(crate) fn concatenated(&self) -> (Vec<u8>, Vec<u32>) {
        let mut samples: Vec<&Sample> = self.kept.iter().collect();
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

/// A number for a position, by the generator of Steele, Lea and Flood (Fast Splittable Pseudorandom
/// Number Generators, 2014).
fn draw(position: u64) -> u64 {
    let state = position.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, SAMPLE_BYTES_MAX, Samples, Training};

    fn samples(samples_max: usize) -> Samples {
        let training = Training {
            dictionary_bytes_max: 1000,
            samples_max,
        };
        Samples::new(training)
    }

    #[test]
    fn few_rows_are_all_kept_in_their_order() {
        let mut samples = samples(3);
        for row in ["one", "", "three"] {
            samples.offer(row.as_bytes());
        }
        assert_eq!(samples.concatenated(), (b"onethree".to_vec(), vec![3, 5]));
    }

    #[test]
    fn many_rows_are_thinned_evenly() {
        let mut samples = samples(10_000);
        for position in 0..100_000_u32 {
            samples.offer(&position.to_le_bytes());
        }
        let (bytes, lengths) = samples.concatenated();
        assert_eq!((bytes.len(), lengths.len()), (40_000, 10_000));
        let positions: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|row| u32::from_le_bytes(*row.first_chunk().unwrap()))
            .collect();
        assert!(positions.is_sorted());
        for tenth in 0..10 {
            let of_tenth = |position: &&u32| **position / 10_000 == tenth;
            let share = positions.iter().filter(of_tenth).count();
            assert!((850..1150).contains(&share), "{tenth}: {share}");
        }
    }

    /// Z12.
    #[test]
    fn memory_is_bounded_whatever_is_offered() {
        let mut samples = samples(usize::MAX);
        let row = vec![7; SAMPLE_BYTES_MAX + 5];
        for _ in 0..200 {
            samples.offer(&row);
        }
        assert_eq!(samples.concatenated().0.len(), BYTES_MAX);
        assert!(samples.memory_bytes() < BYTES_MAX + (1 << 20));
    }
}
