//! Where all choices of a run come from.

use varve_kv::fault::SplitMix64;

/// Choices under a seed.
#[derive(Clone, Debug)]
pub struct Chance(SplitMix64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(SplitMix64::new(seed))
    }

    /// The choices of the `index`th case of a seed, whatever the cases before it took.
    pub fn of_case(seed: u64, index: u64) -> Chance {
        let mut first = SplitMix64::new(seed);
        let mixed = first.next_u64() ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Chance::new(mixed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`, or 0 where there is none.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0.up_to(end.saturating_sub(1))
    }

    /// An index below `len`.
    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).unsigned_abs();
        low.saturating_add_unsigned(self.0.up_to(span))
    }

    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())].clone()
    }

    /// One of these, as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, from: &[(u64, T)]) -> T {
        let total = from.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for (weight, choice) in from {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return *choice,
            }
        }
        from[0].1
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}
