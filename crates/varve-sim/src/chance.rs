//! Where all choices of a run come from.

use varve_kv::fault::SplitMix64;

/// Choices under a seed.
#[derive(Clone, Debug)]
pub(crate) struct Chance(SplitMix64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(SplitMix64::new(seed))
    }

    /// Choices of their own, so that more of them here change none there.
    pub(crate) fn fork(&mut self) -> Chance {
        Chance::new(self.0.next_u64())
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`, or 0 where there is none.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0.up_to(end.saturating_sub(1))
    }

    /// An index below `len`.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).unsigned_abs();
        low.saturating_add_unsigned(self.0.up_to(span))
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.index(from.len()))
    }
}
