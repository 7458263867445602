//! Damage for robustness tests, from a fixed seed.

/// A small generator (splitmix64) whose numbers never change.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
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
