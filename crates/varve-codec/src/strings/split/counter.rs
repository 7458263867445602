//! Counters in base 36 that follow text with nothing between (`maria.weber2k4`): where the digits
//! begin shows only by the rows before, whose counters are a little lower.
//!
//! The cut is the writer's affair: text and number come back one after the other wherever it is.

use crate::strings::split::number::NumberForm;

/// The most that a counter rises from one row to the next.
const RISE_MAX: u64 = 64;
/// Rows that the first value of a vector is found on.
pub(crate) const LOOK_ROWS: usize = 24;
/// Of them, rows that may be the first of the chain.
const FIRST_ROWS: usize = 4;

/// The counter of a vector, row after row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    before: u64,
}

impl Counter {
    /// The counter that the most of these texts, the first of a vector, follow; and how many do. Of
    /// equal ones that of the most digits: with fewer, a carry would break the chain.
    pub(crate) fn find(texts: &[&[u8]]) -> Option<(Counter, usize)> {
        let form = NumberForm::COUNTER;
        let mut best: Option<(Counter, usize)> = None;
        for (skipped, text) in texts.iter().enumerate().take(FIRST_ROWS) {
            for digits in 1..=form.digits_max().min(text.len()) {
                let number = text.len().checked_sub(digits).and_then(|at| text.get(at..));
                let Some(value) = number.and_then(|number| form.parse(number)) else {
                    continue;
                };
                let Some(before) = value.cast_unsigned().checked_sub(1) else {
                    continue;
                };
                let start = Counter { before };
                let mut counter = start;
                let rows = texts.iter().skip(skipped);
                let hits = rows.filter(|text| counter.cut(text).is_some()).count();
                if best.is_none_or(|(_, most)| hits >= most) {
                    best = Some((start, hits));
                }
            }
        }
        best
    }

    /// The text before the counter, and its value; `None` where the text does not end in the next
    /// value or one a little above.
    pub(crate) fn cut<'a>(&mut self, text: &'a [u8]) -> Option<(&'a [u8], i64)> {
        let form = NumberForm::COUNTER;
        let least = self.before.checked_add(1)?;
        let most = least.checked_add(RISE_MAX)?;
        for digits in digits_of(least)..=digits_of(most) {
            let (before, number) = text.split_at_checked(text.len().checked_sub(digits)?)?;
            let Some(value) = form.parse(number) else {
                continue;
            };
            if (least..=most).contains(&value.cast_unsigned()) {
                self.before = value.cast_unsigned();
                return Some((before, value));
            }
        }
        None
    }
}

fn digits_of(value: u64) -> usize {
    let mut digits = 1;
    let mut rest = value / 36;
    while rest > 0 {
        digits += 1;
        rest /= 36;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::Counter;

    #[test]
    fn the_chain_shows_where_the_digits_begin() {
        let texts = [
            "annb", "keithzy", "judithzz", "maria", "weber100", "otto102", "z101", "emma103",
        ];
        let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
        let (mut counter, hits) = Counter::find(&texts).unwrap();
        assert_eq!(hits, 5);
        let cuts = texts.iter().map(|text| counter.cut(text));
        let cuts: Vec<_> = cuts.collect();
        let expected: Vec<Option<(&[u8], i64)>> = vec![
            None,
            Some((b"keith", 1294)),
            Some((b"judith", 1295)),
            None,
            Some((b"weber", 1296)),
            Some((b"otto", 1298)),
            None,
            Some((b"emma", 1299)),
        ];
        assert_eq!(cuts, expected);
        assert!(Counter::find(&[]).is_none());
    }
}
