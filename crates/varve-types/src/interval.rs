//! `interval`: months, days and microseconds, which PostgreSQL keeps apart.

use core::cmp::Ordering;

const DAY_US: i128 = 86_400_000_000;
const MONTH_DAYS: i128 = 30;

/// A span of time. Two are equal in the struct where they show the same; [`Interval::compare`]
/// takes a month for 30 days and a day for 24 hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interval {
    /// Months, years among them.
    pub months: i32,
    /// Days.
    pub days: i32,
    /// Microseconds.
    pub us: i64,
}

impl Interval {
    /// Bytes of the stored form, of which the first [`Interval::ORDER_BYTES`] give the order.
    pub const BYTES: usize = 32;
    /// Bytes that order as the values do.
    pub const ORDER_BYTES: usize = 16;

    /// All of it in microseconds.
    pub fn span_us(self) -> i128 {
        let days = i128::from(self.months) * MONTH_DAYS + i128::from(self.days);
        days * DAY_US + i128::from(self.us)
    }

    /// The order of spans.
    pub fn compare(self, other: Interval) -> Ordering {
        self.span_us().cmp(&other.span_us())
    }

    /// Some interval of this span; `None` where none is so long.
    pub fn of_span_us(span: i128) -> Option<Interval> {
        let clamped = |wanted: i128| {
            let most = i128::from(i32::MAX);
            i32::try_from(wanted.clamp(-most, most)).ok()
        };
        let months = clamped(span / (DAY_US * MONTH_DAYS))?;
        let left = span - i128::from(months) * MONTH_DAYS * DAY_US;
        let days = clamped(left / DAY_US)?;
        let us = i64::try_from(left - i128::from(days) * DAY_US).ok()?;
        Some(Interval { months, days, us })
    }

    /// The span in bytes that order as it does.
    pub fn order_bytes(self) -> [u8; Interval::ORDER_BYTES] {
        (self.span_us().cast_unsigned() ^ (1 << 127)).to_be_bytes()
    }

    /// The interval of [`Interval::order_bytes`], as [`Interval::of_span_us`] gives it.
    pub fn from_order_bytes(bytes: [u8; Interval::ORDER_BYTES]) -> Option<Interval> {
        Interval::of_span_us((u128::from_be_bytes(bytes) ^ (1 << 127)).cast_signed())
    }

    /// The stored form: the span, then the parts, little-endian.
    pub fn to_bytes(self) -> [u8; Interval::BYTES] {
        let mut bytes = [0; Interval::BYTES];
        let parts = self.order_bytes().into_iter();
        let parts = parts.chain(self.months.to_le_bytes());
        let parts = parts.chain(self.days.to_le_bytes());
        for (slot, byte) in bytes.iter_mut().zip(parts.chain(self.us.to_le_bytes())) {
            *slot = byte;
        }
        bytes
    }

    /// The interval of a stored form.
    pub fn from_bytes(bytes: &[u8]) -> Option<Interval> {
        let (_, parts) = bytes.split_first_chunk::<{ Interval::ORDER_BYTES }>()?;
        let (months, parts) = parts.split_first_chunk::<4>()?;
        let (days, us) = parts.split_first_chunk::<4>()?;
        Some(Interval {
            months: i32::from_le_bytes(*months),
            days: i32::from_le_bytes(*days),
            us: i64::from_le_bytes(us.try_into().ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;
    use proptest::prelude::{prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn bytes_come_back_and_order(a: (i32, i32, i64), b: (i32, i32, i64)) {
            let [a, b] = [a, b].map(|(months, days, us)| Interval { months, days, us });
            prop_assert_eq!(Interval::from_bytes(&a.to_bytes()), Some(a));
            prop_assert_eq!(a.order_bytes().cmp(&b.order_bytes()), a.compare(b));
            if let Some(same) = Interval::from_order_bytes(a.order_bytes()) {
                prop_assert_eq!(same.span_us(), a.span_us());
            }
        }
    }
}
