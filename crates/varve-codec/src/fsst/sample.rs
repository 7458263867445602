//! What a table is trained on: stretches of neighbouring strings from random places.

use crate::split_mix::SplitMix;

/// About how many bytes are taken.
const SAMPLE_BYTES: u64 = 32 << 10;
const STRETCH_BYTES: usize = 256;
const SEED: u64 = 0x5eed_f557;

/// Strings, or parts of long ones.
pub(super) struct Sample<'a> {
    pub(super) strings: Vec<&'a [u8]>,
    pub(super) bytes: u64,
    /// Bytes of all strings that it stands for.
    pub(super) total_bytes: u64,
}

impl<'a> Sample<'a> {
    /// All strings if they are few. Else as many stretches as fit are begun, one at a random place
    /// in each of as many equal parts of all bytes.
    pub(super) fn of(strings: impl Iterator<Item = &'a [u8]> + Clone) -> Sample<'a> {
        let total_bytes = strings.clone().map(|string| string.len() as u64).sum();
        let mut sample = Sample {
            strings: Vec::new(),
            bytes: 0,
            total_bytes,
        };
        if total_bytes <= 2 * SAMPLE_BYTES {
            strings.for_each(|string| sample.push(string));
            return sample;
        }
        let mut places = Places::new(total_bytes);
        let mut start = 0;
        let mut owed = 0_usize;
        for string in strings {
            let end = start + string.len() as u64;
            while places.next < end {
                let into = usize::try_from(places.next - start).unwrap_or(0);
                if string.len() > STRETCH_BYTES {
                    let from = into.min(string.len() - STRETCH_BYTES);
                    let part = string.get(from..from + STRETCH_BYTES);
                    sample.push(part.unwrap_or_default());
                } else {
                    owed = STRETCH_BYTES;
                }
                places.step();
            }
            if owed > 0 {
                let part = string.get(..string.len().min(STRETCH_BYTES));
                sample.push(part.unwrap_or_default());
                owed = owed.saturating_sub(string.len());
            }
            start = end;
        }
        sample
    }

    fn push(&mut self, string: &'a [u8]) {
        self.strings.push(string);
        self.bytes += string.len() as u64;
    }
}

/// Random places, one in each equal part of some bytes.
struct Places {
    next: u64,
    part: u64,
    part_bytes: u64,
    random: SplitMix,
}

impl Places {
    fn new(total_bytes: u64) -> Places {
        let mut places = Places {
            next: 0,
            part: 0,
            part_bytes: total_bytes * STRETCH_BYTES as u64 / SAMPLE_BYTES,
            random: SplitMix(SEED),
        };
        places.step();
        places
    }

    /// The next part's place.
    fn step(&mut self) {
        let within = self.random.next() % self.part_bytes.max(1);
        self.next = self.part * self.part_bytes + within;
        self.part += 1;
    }
}
