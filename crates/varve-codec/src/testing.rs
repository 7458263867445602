//! Damage for robustness tests, from a fixed seed.

use crate::split_mix::SplitMix;

/// A small generator whose numbers never change.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        let mut numbers = SplitMix(self.0);
        let number = numbers.next();
        self.0 = numbers.0;
        number
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Calls `check` with `count` damaged copies: bytes flipped, mostly near the front, cut short, or
/// lengthened.
pub(crate) fn mutations(bytes: &[u8], count: usize, mut check: impl FnMut(&[u8])) {
    let mut random = Random(bytes.len() as u64);
    for _ in 0..count {
        let mut copy = bytes.to_vec();
        for _ in 0..=random.below(3) {
            let reach = if random.below(2) == 0 { 16 } else { copy.len() };
            let at = random.below(reach.min(copy.len()));
            match random.below(8) {
                0 => copy.truncate(at),
                1 => copy.insert(at, random.next() as u8),
                2 if at < copy.len() => copy[at] = 0xff,
                _ if at < copy.len() => copy[at] ^= 1 << random.below(8),
                _ => copy.push(random.next() as u8),
            }
        }
        check(&copy);
    }
}
