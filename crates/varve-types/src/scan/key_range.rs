//! Ranges of keys.

use crate::key_prefix_end;

/// Keys from `from` up to, but without, `to`, as memcomparable bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    /// The lowest key; `None`: no bound.
    pub from: Option<Vec<u8>>,
    /// The lowest key above; `None`: no bound.
    pub to: Option<Vec<u8>>,
}

impl KeyRange {
    /// The keys that begin with these bytes.
    pub fn prefix(bytes: Vec<u8>) -> KeyRange {
        KeyRange {
            to: key_prefix_end(&bytes),
            from: Some(bytes),
        }
    }

    /// Whether the range has no bounds.
    pub fn is_all(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Whether the range holds any of the keys from `first` to `last`.
    pub fn meets(&self, first: &[u8], last: &[u8]) -> bool {
        self.from.as_deref().is_none_or(|from| from <= last)
            && self.to.as_deref().is_none_or(|to| first < to)
    }

    /// Whether it holds all of them.
    pub fn covers(&self, first: &[u8], last: &[u8]) -> bool {
        self.from.as_deref().is_none_or(|from| from <= first)
            && self.to.as_deref().is_none_or(|to| last < to)
    }

    /// The keys of both ranges.
    pub fn intersect(self, other: &KeyRange) -> KeyRange {
        KeyRange {
            // No bound is the lowest `from`, but the highest `to`.
            from: self.from.max(other.from.clone()),
            to: match (self.to, other.to.clone()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }
}
