//! Keys of the store: a byte that names the kind, then ids and counters, big-endian so that they
//! order by number.
//!
//! | key | value |
//! |---|---|
//! | `a` | epoch |
//! | `B` | the manifest again, as at `b` |
//! | `b` | manifest |
//! | `C` version | the catalog again, as at `c` |
//! | `c` version | catalog |
//! | `h` run | run head |
//! | `i` intent | intent |
//! | `l` sequence, part (u32) | log value |
//! | `m` run, version | deletion vector of a run |
//! | `q` run | note on a run that was put aside |
//! | `r` run, number (u32) | value of a run |
//! | `s` epoch, ticket | scratch batch; under the greatest epoch, the reserve and what looks for space |
//!
//! Manifest and catalog are stored twice, in the same commits: every open needs them, so one bad
//! value must not take the store along. Numbers are u64 where nothing else is said. Intents and log
//! are neighbours, so that one scan reads both. The letter `e`, small and large, is left to
//! encryption.

use varve_kv::{Key, KeyRange};
use varve_types::{CommitSeq, RunId};

const HEAD: u8 = b'h';
const INTENT: u8 = b'i';
const LOG: u8 = b'l';
const DELETION_VECTORS: u8 = b'm';
const QUARANTINE: u8 = b'q';
const RUN: u8 = b'r';
const SCRATCH: u8 = b's';

pub(crate) fn epoch() -> Key {
    b"a".to_vec()
}

pub(crate) fn manifest() -> Key {
    b"b".to_vec()
}

pub(crate) fn catalog(version: u64) -> Key {
    numbered(b'c', version)
}

/// Where the copy of the manifest is.
pub(crate) fn manifest_copy() -> Key {
    b"B".to_vec()
}

/// Where the copy of a catalog is.
pub(crate) fn catalog_copy(version: u64) -> Key {
    numbered(b'C', version)
}

/// Why a run is listed no more although its values are kept.
pub(crate) fn quarantine(run: RunId) -> Key {
    numbered(QUARANTINE, run.0)
}

/// The notes on all runs that were put aside.
pub(crate) fn all_quarantine() -> KeyRange {
    KeyRange::prefix([QUARANTINE])
}

pub(crate) fn head(run: RunId) -> Key {
    numbered(HEAD, run.0)
}

pub(crate) fn intent(id: u64) -> Key {
    numbered(INTENT, id)
}

pub(crate) fn log(seq: CommitSeq, part: u32) -> Key {
    let mut key = numbered(LOG, seq.0);
    key.extend_from_slice(&part.to_be_bytes());
    key
}

pub(crate) fn deletion_vector(run: RunId, version: u64) -> Key {
    let mut key = numbered(DELETION_VECTORS, run.0);
    key.extend_from_slice(&version.to_be_bytes());
    key
}

pub(crate) fn run_value(run: RunId, number: u32) -> Key {
    let mut key = numbered(RUN, run.0);
    key.extend_from_slice(&number.to_be_bytes());
    key
}

pub(crate) fn scratch(epoch: u64, ticket: u64) -> Key {
    let mut key = numbered(SCRATCH, epoch);
    key.extend_from_slice(&ticket.to_be_bytes());
    key
}

/// Space for the time when the storage is full; after the scratch batches of all epochs.
pub(crate) fn reserve() -> Key {
    scratch(u64::MAX, 0)
}

/// What is written and deleted again to see whether there is space; beside the reserve.
pub(crate) fn look() -> Key {
    scratch(u64::MAX, 1)
}

/// The scratch batches of all epochs, and the reserve.
pub(crate) fn all_scratch() -> KeyRange {
    KeyRange::prefix([SCRATCH])
}

/// Every intent and log value.
pub(crate) fn intents_and_log() -> KeyRange {
    KeyRange::new([INTENT], [LOG + 1])
}

/// The log values from this sequence on.
pub(crate) fn log_from(seq: CommitSeq) -> KeyRange {
    KeyRange::new(numbered(LOG, seq.0), [LOG + 1])
}

/// The log values up to and with this sequence.
pub(crate) fn log_through(seq: CommitSeq) -> KeyRange {
    KeyRange::new([LOG], numbered(LOG, seq.0.saturating_add(1)))
}

/// The log values after this sequence.
#[cfg(feature = "inspect")]
pub(crate) fn log_after(seq: CommitSeq) -> KeyRange {
    KeyRange::new(numbered(LOG, seq.0.saturating_add(1)), [LOG + 1])
}

/// Everything that belongs to a run.
pub(crate) fn all_of_run(run: RunId) -> [KeyRange; 3] {
    [HEAD, DELETION_VECTORS, RUN].map(|kind| KeyRange::prefix(numbered(kind, run.0)))
}

/// What a key from [`intents_and_log`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Intent(u64),
    Log(CommitSeq, u32),
}

/// The values of runs from this one on, of one of three kinds: heads, deletion vectors, pages.
pub(crate) fn kinds_of_runs_from(run: RunId) -> [KeyRange; 3] {
    [HEAD, DELETION_VECTORS, RUN].map(|kind| KeyRange::new(numbered(kind, run.0), [kind + 1]))
}

/// The run that a key of [`kinds_of_runs_from`] or [`all_quarantine`] belongs to.
pub(crate) fn run_of(key: &[u8]) -> Option<RunId> {
    let number = key.get(1..)?.first_chunk::<8>()?;
    Some(RunId(u64::from_be_bytes(*number)))
}

/// Reads a key from [`intents_and_log`]; `None` for one that this store never wrote.
pub(crate) fn parse(key: &[u8]) -> Option<Found> {
    let (kind, rest) = key.split_first()?;
    let (number, rest) = rest.split_first_chunk::<8>()?;
    let number = u64::from_be_bytes(*number);
    match (*kind, rest) {
        (INTENT, []) => Some(Found::Intent(number)),
        (LOG, [a, b, c, d]) => Some(Found::Log(
            CommitSeq(number),
            u32::from_be_bytes([*a, *b, *c, *d]),
        )),
        _ => None,
    }
}

/// Names the record of a key in a sentence.
pub(crate) fn describe(key: &[u8]) -> String {
    let number = |from: usize| {
        let bytes = key.get(from..).and_then(<[u8]>::first_chunk::<8>);
        bytes.map_or(0, |bytes| u64::from_be_bytes(*bytes))
    };
    let part = || {
        let bytes = key.get(9..).and_then(<[u8]>::first_chunk::<4>);
        bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
    };
    match key.first() {
        Some(b'a') => "the epoch".to_owned(),
        Some(b'B') => "the copy of the manifest".to_owned(),
        Some(b'b') => "the manifest".to_owned(),
        Some(b'C') => format!("the copy of catalog {}", number(1)),
        Some(b'c') => format!("catalog {}", number(1)),
        Some(&HEAD) => format!("head of run {}", number(1)),
        Some(&INTENT) => format!("intent {}", number(1)),
        Some(&LOG) => format!("part {} of log record {}", part(), number(1)),
        Some(&DELETION_VECTORS) => format!("deletion vector {} of run {}", number(9), number(1)),
        Some(&QUARANTINE) => format!("the note on run {}", number(1)),
        Some(&RUN) => format!("page {} of run {}", part(), number(1)),
        Some(&SCRATCH) => format!("scratch batch {}", number(9)),
        _ => "an unknown record".to_owned(),
    }
}

fn numbered(kind: u8, number: u64) -> Key {
    let mut key = vec![kind];
    key.extend_from_slice(&number.to_be_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::{Found, all_quarantine, describe, intents_and_log, log_from, log_through, parse};
    use varve_types::{CommitSeq, RunId};

    #[test]
    fn keys_name_their_records() {
        let cases = [
            (super::epoch(), "the epoch"),
            (super::manifest(), "the manifest"),
            (super::catalog(3), "catalog 3"),
            (super::head(RunId(4)), "head of run 4"),
            (super::manifest_copy(), "the copy of the manifest"),
            (super::catalog_copy(3), "the copy of catalog 3"),
            (super::quarantine(RunId(3)), "the note on run 3"),
            (super::intent(5), "intent 5"),
            (super::log(CommitSeq(6), 7), "part 7 of log record 6"),
            (
                super::deletion_vector(RunId(8), 9),
                "deletion vector 9 of run 8",
            ),
            (super::run_value(RunId(1), 2), "page 2 of run 1"),
            (super::scratch(1, 2), "scratch batch 2"),
            (b"x".to_vec(), "an unknown record"),
        ];
        for (key, text) in cases {
            assert_eq!(describe(&key), text);
        }
    }

    #[test]
    fn intents_and_log_are_read_and_deleted_by_range() {
        let found = [Found::Intent(1), Found::Log(CommitSeq(2), 1)];
        let keys = [super::intent(1), super::log(CommitSeq(2), 1)];
        for (key, found) in keys.iter().zip(found) {
            assert_eq!(parse(key), Some(found));
            assert!(intents_and_log().contains(key));
        }
        assert_eq!(parse(b"l123"), None);
        assert!(!intents_and_log().contains(&super::deletion_vector(RunId(1), 1)));
        assert!(!intents_and_log().contains(&super::head(RunId(1))));
        let from = log_from(CommitSeq(2));
        assert!(from.contains(&super::log(CommitSeq(2), 0)));
        assert!(!from.contains(&super::log(CommitSeq(1), u32::MAX)));
        assert!(!from.contains(&super::deletion_vector(RunId(1), 1)));
        assert!(all_quarantine().contains(&super::quarantine(RunId(u64::MAX))));
        let through = log_through(CommitSeq(2));
        assert!(through.contains(&super::log(CommitSeq(2), u32::MAX)));
        assert!(!through.contains(&super::log(CommitSeq(3), 0)));
        assert!(!through.contains(&super::intent(1)));
    }
}
