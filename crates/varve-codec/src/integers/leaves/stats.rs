//! What the estimates of all integer codecs need, in one pass over the values.

/// Facts about a vector of integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stats {
    pub(crate) rows: usize,
    pub(crate) first: i64,
    pub(crate) min: i64,
    pub(crate) max: i64,
    /// The least and greatest distance from one value to the next, wrapping.
    pub(crate) delta_min: i64,
    pub(crate) delta_max: i64,
    /// Stretches of equal values.
    pub(crate) runs: usize,
}

impl Stats {
    pub(crate) fn of(values: &[i64]) -> Stats {
        let first = values.first().copied().unwrap_or(0);
        let mut stats = Stats {
            rows: values.len(),
            first,
            min: first,
            max: first,
            delta_min: i64::MAX,
            delta_max: i64::MIN,
            runs: usize::from(!values.is_empty()),
        };
        for (previous, value) in values.iter().zip(values.iter().skip(1)) {
            stats.min = stats.min.min(*value);
            stats.max = stats.max.max(*value);
            let delta = value.wrapping_sub(*previous);
            stats.delta_min = stats.delta_min.min(delta);
            stats.delta_max = stats.delta_max.max(delta);
            stats.runs += usize::from(delta != 0);
        }
        stats
    }

    /// The span of the values.
    pub(crate) fn span(&self) -> u64 {
        self.max.wrapping_sub(self.min).cast_unsigned()
    }

    /// The span of the distances; 0 when there is none.
    pub(crate) fn delta_span(&self) -> u64 {
        if self.rows < 2 {
            return 0;
        }
        self.delta_max.wrapping_sub(self.delta_min).cast_unsigned()
    }
}
