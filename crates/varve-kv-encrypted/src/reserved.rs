//! Where the header lies. Who uses the wrapper sees neither of its keys: they read as absent, scans
//! pass over them and range deletes leave them.
//!
//! A store's keys begin with other letters; its format leaves these two alone.

use varve_kv::{KeyRange, Scan, ScanLimit};

use crate::cipher::OVERHEAD_BYTES;
use crate::header::HEADER_BYTES;

/// The header.
pub(crate) const HEADER: &[u8] = b"encryption";
/// The header and its copy: without it all is lost, so one bad value must not take it along.
pub(crate) const KEYS: &[&[u8]; 2] = &[HEADER, b"Encryption"];

/// Whether a key is one of the header's.
pub(crate) fn is_reserved(key: &[u8]) -> bool {
    KEYS.contains(&key)
}

/// The range without the keys of the header.
pub(crate) fn parts(range: &KeyRange) -> Vec<KeyRange> {
    let mut parts = vec![range.clone()];
    for key in KEYS.iter().filter(|key| range.contains(key)) {
        let around = |part: KeyRange| {
            if !part.contains(key) {
                return vec![part];
            }
            let before = KeyRange::new(part.start, *key);
            // The least key above one is that one followed by a zero byte.
            let start = [*key, &[0]].concat();
            vec![
                before,
                KeyRange {
                    start,
                    end: part.end,
                },
            ]
        };
        parts = parts.into_iter().flat_map(around).collect();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The scan of stored values that answers what `scan` asks for, or up to two entries more where the
/// header is in its range.
pub(crate) fn stored_scan(scan: &Scan) -> Scan {
    let reserved = KEYS.iter().filter(|key| scan.range.contains(key));
    let reserved = u32::try_from(reserved.count()).unwrap_or(u32::MAX);
    let header_bytes = HEADER_BYTES.saturating_add(OVERHEAD_BYTES);
    let more_bytes = u64::from(reserved.saturating_mul(header_bytes));
    Scan {
        limit: ScanLimit {
            entries_max: scan.limit.entries_max.max(1).saturating_add(reserved),
            bytes_max: scan.limit.bytes_max.saturating_add(more_bytes),
            uncounted_bytes: scan.limit.uncounted_bytes.saturating_add(OVERHEAD_BYTES),
        },
        ..scan.clone()
    }
}

#[cfg(test)]
mod tests {
    use varve_kv::KeyRange;

    use super::{HEADER, is_reserved, parts};

    #[test]
    fn ranges_leave_the_header_out() {
        let all = parts(&KeyRange::all());
        assert_eq!(all.len(), 3);
        for key in [
            &b""[..],
            b"Encryption\0",
            b"a",
            b"encryptio",
            b"encryption\0",
            b"\xff",
        ] {
            assert!(all.iter().any(|part| part.contains(key)), "{key:?}");
        }
        for key in super::KEYS {
            assert!(!all.iter().any(|part| part.contains(key)));
            assert!(is_reserved(key));
        }
        let from = parts(&KeyRange::from(HEADER));
        assert_eq!(from, [KeyRange::from(*b"encryption\0")]);
        let other = KeyRange::new("a", "b");
        assert_eq!(parts(&other), [other]);
        assert_eq!(parts(&KeyRange::new("b", "a")), []);
    }
}
