//! SplitMix64, and what the generators draw from it: integer arithmetic only, so that every target
//! draws the same values.

/// A stream of numbers that depends on its seed alone.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a data set: set `number` has seed 42 + `number`.
    pub fn of_set(number: u64) -> Random {
        Random { state: 42 + number }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer from 0 to `limit` - 1.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(limit)) >> 64) as u64
    }

    /// An integer from -`reach` to `reach`.
    pub fn within(&mut self, reach: i64) -> i64 {
        self.below(2 * reach as u64 + 1) as i64 - reach
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Mean 0 and deviation 1: the sum of twelve uniform numbers, exact in a double.
    pub fn gauss(&mut self) -> f64 {
        let sum: u64 = (0..12).map(|_| self.bits() >> 32).sum();
        (sum as i64 - (6 << 32)) as f64 / (1_u64 << 32) as f64
    }

    /// Whether something of so many percent happens.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, each as likely.
    pub fn choice<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// One of `choices`, by weight.
    pub fn weighted<T: Copy>(&mut self, choices: &[(T, u64)]) -> T {
        let mut left = self.below(choices.iter().map(|(_, weight)| weight).sum());
        for (value, weight) in choices {
            if left < *weight {
                return *value;
            }
            left -= weight;
        }
        unreachable!("the draw is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The reference outputs of SplitMix64 for seed 1234567.
    #[test]
    fn bits_are_those_of_splitmix64() {
        let mut random = Random { state: 1_234_567 };
        let drawn: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(drawn, published);
    }

    #[test]
    fn draws_stay_in_their_ranges() {
        let mut random = Random::of_set(0);
        let mut sum = 0.0;
        for _ in 0..10_000 {
            assert!(random.below(7) < 7);
            assert!(random.within(5).abs() <= 5);
            assert!((0.0..1.0).contains(&random.unit()));
            assert_ne!(random.weighted(&[(1, 1), (2, 0), (3, 5)]), 2);
            sum += random.gauss();
        }
        assert!(sum.abs() / 10_000.0 < 0.05, "mean of gauss: {sum}");
    }
}
