//! Which keys a call covers, and how much of them it may answer at once.

use crate::state::entry_bytes;
use crate::{Entry, Key};

/// The keys from `start` up to, but without, `end`; with no `end`, to the last key. A range whose
/// `end` is not above its `start` is empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyRange {
    /// The first key of the range.
    pub start: Key,
    /// The first key after the range.
    pub end: Option<Key>,
}

impl KeyRange {
    /// The keys from `start` up to, but without, `end`.
    pub fn new(start: impl Into<Key>, end: impl Into<Key>) -> Self {
        Self {
            start: start.into(),
            end: Some(end.into()),
        }
    }

    /// Every key.
    pub fn all() -> Self {
        Self {
            start: Key::new(),
            end: None,
        }
    }

    /// The keys from `start` on.
    pub fn from(start: impl Into<Key>) -> Self {
        Self {
            start: start.into(),
            end: None,
        }
    }

    /// The keys that begin with `prefix`, itself included.
    pub fn prefix(prefix: impl Into<Key>) -> Self {
        let start = prefix.into();
        // The successor of a prefix drops its trailing 0xff bytes and adds one to the byte before;
        // a prefix of 0xff alone has none.
        let mut end = start.clone();
        while end.last() == Some(&u8::MAX) {
            end.pop();
        }
        let end = match end.last_mut() {
            Some(last) => {
                *last = last.saturating_add(1);
                Some(end)
            }
            None => None,
        };
        Self { start, end }
    }

    /// Whether no key can lie in the range.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether `key` lies in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        key >= self.start.as_slice() && self.end.as_ref().is_none_or(|end| key < end.as_slice())
    }
}

/// How much one scan answers: it ends with the entry that reaches either limit. So a range that is
/// not empty answers at least one entry, bytes pass their limit by at most one entry, and an answer
/// that reaches neither limit is the end of the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanLimit {
    /// Entries in one answer; zero counts as one.
    pub entries_max: u32,
    /// Bytes of keys and values in one answer.
    pub bytes_max: u64,
    /// Bytes of each entry that are not counted: what a wrapper adds to values without its caller
    /// knowing.
    pub uncounted_bytes: u32,
}

impl ScanLimit {
    /// No limit: only for ranges known to be small.
    pub const NONE: Self = Self {
        entries_max: u32::MAX,
        bytes_max: u64::MAX,
        uncounted_bytes: 0,
    };

    /// At most so many entries, of any size.
    pub fn entries(entries_max: u32) -> Self {
        Self {
            entries_max,
            ..Self::NONE
        }
    }

    /// Any number of entries, until so many bytes are reached.
    pub fn bytes(bytes_max: u64) -> Self {
        Self {
            bytes_max,
            ..Self::NONE
        }
    }

    /// How many bytes more an answer of so many entries and bytes may hold.
    pub fn bytes_left(&self, entries: u64, bytes: u64) -> u64 {
        let uncounted = entries.saturating_mul(u64::from(self.uncounted_bytes));
        self.bytes_max
            .saturating_sub(bytes.saturating_sub(uncounted))
    }

    /// Whether an answer of so many entries and bytes is complete under this limit.
    pub fn is_reached(&self, entries: u64, bytes: u64) -> bool {
        let is_full = self.bytes_left(entries, bytes) == 0;
        entries > 0 && (entries >= u64::from(self.entries_max) || is_full)
    }
}

/// The order of a scan's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the lowest key up.
    Forward,
    /// From the highest key down.
    Reverse,
}

/// One bounded, ordered read of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The keys that it covers.
    pub range: KeyRange,
    /// How much it answers at once.
    pub limit: ScanLimit,
    /// From which end it starts.
    pub direction: Direction,
}

impl Scan {
    /// A scan from the lowest key up.
    pub fn forward(range: KeyRange, limit: ScanLimit) -> Self {
        Self {
            range,
            limit,
            direction: Direction::Forward,
        }
    }

    /// A scan from the highest key down.
    pub fn reverse(range: KeyRange, limit: ScanLimit) -> Self {
        Self {
            range,
            limit,
            direction: Direction::Reverse,
        }
    }

    /// The scan of what this one left after it answered `entries`, or `None` where nothing is left.
    pub fn rest(&self, entries: &[Entry]) -> Option<Self> {
        let bytes = entries
            .iter()
            .map(|(key, value)| entry_bytes(key, value))
            .sum();
        let count = entries.len() as u64;
        let (last, _) = entries
            .last()
            .filter(|_| self.limit.is_reached(count, bytes))?;
        let mut range = self.range.clone();
        match self.direction {
            // The least key above `last` is `last` followed by one zero byte.
            Direction::Forward => {
                range.start.clone_from(last);
                range.start.push(0);
            }
            Direction::Reverse => range.end = Some(last.clone()),
        }
        Some(Self {
            range,
            ..self.clone()
        })
        .filter(|scan| !scan.range.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;

    #[test]
    fn prefix_ends_at_its_successor() {
        let cases: [(&[u8], Option<&[u8]>); 5] = [
            (b"", None),
            (b"a", Some(b"b")),
            (b"a\xff", Some(b"b")),
            (b"\xff\xff", None),
            (b"\x00\x7f", Some(b"\x00\x80")),
        ];
        for (prefix, end) in cases {
            let range = KeyRange::prefix(prefix);
            assert_eq!(range.end.as_deref(), end, "prefix {prefix:?}");
            assert!(range.contains(prefix));
            assert!(range.contains(&[prefix, b"\xff\xff"].concat()));
        }
    }

    #[test]
    fn empty_ranges() {
        let cases: [(&[u8], &[u8], bool); 4] = [
            (b"a", b"a", true),
            (b"b", b"a", true),
            (b"a", b"a\x00", false),
            (b"", b"a", false),
        ];
        for (start, end, empty) in cases {
            assert_eq!(
                KeyRange::new(start, end).is_empty(),
                empty,
                "{start:?}..{end:?}"
            );
        }
        assert!(!KeyRange::all().is_empty());
    }

    #[test]
    fn the_rest_of_a_scan_begins_beyond_its_last_entry() {
        let entry = |key: &[u8]| -> Entry { (key.to_vec(), Bytes::from([0u8; 10])) };
        let range = KeyRange::new("a", "z");
        let forward = Scan::forward(range.clone(), ScanLimit::entries(2));
        let reverse = Scan::reverse(range.clone(), ScanLimit::bytes(22));
        assert_eq!(forward.rest(&[]), None);
        assert_eq!(forward.rest(&[entry(b"a")]), None);
        let rest = forward
            .rest(&[entry(b"a"), entry(b"b")])
            .map(|scan| scan.range);
        assert_eq!(rest, Some(KeyRange::new(*b"b\x00", "z")));
        let rest = reverse
            .rest(&[entry(b"c"), entry(b"b")])
            .map(|scan| scan.range);
        assert_eq!(rest, Some(KeyRange::new("a", "b")));
        assert_eq!(
            reverse.rest(&[entry(b"b"), entry(b"a")]),
            None,
            "nothing lies below the start"
        );
    }
}
