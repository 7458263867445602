//! Rows for query sets whose data are too large to keep: the same in each run.

/// A sequence of numbers that look like chance (xorshift64*).
pub(super) struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number from 1 to `most`.
    pub fn to(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % most + 1
    }
}

#[cfg(test)]
mod tests {
    use super::Chance;

    #[test]
    fn numbers_repeat_and_stay_in_their_range() {
        let draw = |seed| -> Vec<u64> {
            let mut chance = Chance::new(seed);
            (0..100).map(|_| chance.to(6)).collect()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!(draw(3).iter().all(|number| (1..=6).contains(number)));
        assert!((1..=6).all(|number| draw(4).contains(&number)));
    }
}
