//! Processor time of this thread, medians of several passes.

use cpu_time::ThreadTime;
use std::hint::black_box;

/// A pass repeats what it measures until it takes so long, since the clock has its own cost.
const PASS_SECONDS: f64 = 0.002;
const PASSES_MAX: usize = 9;
const PASSES_MIN: usize = 3;
/// What takes longer is measured once.
const LONG_SECONDS: f64 = 0.3;
const COPY_BYTES: usize = 64 << 20;

/// How long all passes of a measurement should take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Seconds of processor time.
    pub seconds: f64,
}

/// The median of seconds that `work` takes.
pub fn seconds_of(budget: Budget, mut work: impl FnMut()) -> f64 {
    let first = timed(1, &mut work);
    if first > LONG_SECONDS {
        return first;
    }
    let repeats = (PASS_SECONDS / first.max(1e-9)).ceil().max(1.0);
    let passes = (budget.seconds / (first * repeats)) as usize;
    let passes = passes.clamp(PASSES_MIN, PASSES_MAX);
    let mut seconds: Vec<f64> = (0..passes)
        .map(|_| timed(repeats as usize, &mut work))
        .collect();
    median(&mut seconds)
}

fn timed(repeats: usize, work: &mut impl FnMut()) -> f64 {
    let start = ThreadTime::now();
    for _ in 0..repeats {
        work();
    }
    start.elapsed().as_secs_f64() / repeats as f64
}

/// The middle value, or the mean of the two in the middle; 0 of none.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        length if length % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Megabytes a second.
pub fn mb_per_s(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / 1e6 / seconds.max(1e-9)
}

/// How fast this machine copies memory right now, in gigabytes a second.
pub fn copy_gb_per_s() -> f64 {
    let from = vec![1_u8; COPY_BYTES];
    let mut to = vec![0_u8; COPY_BYTES];
    let seconds = seconds_of(Budget { seconds: 0.3 }, || {
        to.copy_from_slice(black_box(&from));
        black_box(&to);
    });
    COPY_BYTES as f64 / 1e9 / seconds
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&mut []), 0.0);
    }
}
