//! The records of one of RocksDB's logs, past those that are damaged. Its MANIFEST is such a log
//! too.
//!
//! A log is cut into blocks of 32 KiB. A record is in one fragment, or in several where it crosses
//! blocks: masked CRC-32C of what follows the length, length (2 bytes), type (1 byte), in recycled
//! logs the low 4 bytes of the log's number, payload. Fewer than 7 bytes at the end of a block are
//! zero.

use super::crc32c::{crc32c, masked};
use super::wire::Fields;

const BLOCK_BYTES: usize = 32 << 10;
const HEADER_BYTES: usize = 7;
const TYPE_AT: usize = 6;
/// A type with this bit may be skipped by who does not know it.
const SKIPPABLE: u8 = 0x80;

/// What is found at a place of a log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A whole record.
    Record(Vec<u8>),
    /// Bytes that are no sound record.
    Damage,
}

/// Reads a log from its front.
pub(crate) struct LogReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The fragments of a record that is not complete, and where it began.
    begun: Option<(usize, Vec<u8>)>,
}

enum Part {
    Full,
    First,
    Middle,
    Last,
    /// Says something about the log itself.
    Note,
}

struct Fragment<'a> {
    part: Part,
    payload: &'a [u8],
    bytes: usize,
}

impl<'a> LogReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> LogReader<'a> {
        LogReader {
            bytes,
            at: 0,
            begun: None,
        }
    }

    fn block_rest(&self) -> &'a [u8] {
        let end = (self.at / BLOCK_BYTES + 1) * BLOCK_BYTES;
        let end = end.min(self.bytes.len());
        self.bytes.get(self.at..end).unwrap_or_default()
    }

    /// Goes on behind damage, at the next place where a sound fragment is.
    fn resume(&mut self) {
        loop {
            self.at += 1;
            let rest = self.block_rest();
            // Few places look like the type of a fragment, and only there is a sum worth its time.
            let can_be = rest.get(TYPE_AT).is_some_and(|kind| (1..=8).contains(kind));
            let is_sound = can_be && fragment(rest).is_some();
            if self.at.is_multiple_of(BLOCK_BYTES) || rest.is_empty() || is_sound {
                return;
            }
        }
    }

    /// A fragment that does not fit what came before: what came before is damaged.
    fn give_up(&mut self) -> Option<(usize, Found)> {
        self.begun.take().map(|(from, _)| (from, Found::Damage))
    }
}

impl Iterator for LogReader<'_> {
    /// Where in the log, and what.
    type Item = (usize, Found);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.block_rest();
            if rest.is_empty() {
                return self.give_up();
            }
            let is_end_of_block = (self.at + rest.len()).is_multiple_of(BLOCK_BYTES);
            if rest.len() < HEADER_BYTES && is_end_of_block {
                self.at += rest.len();
                continue;
            }
            let from = self.at;
            let Some(fragment) = fragment(rest) else {
                self.resume();
                let (from, _) = self.begun.take().unwrap_or((from, Vec::new()));
                return Some((from, Found::Damage));
            };
            let is_begun = self.begun.is_some();
            match fragment.part {
                Part::Note => self.at += fragment.bytes,
                Part::Full | Part::First if is_begun => return self.give_up(),
                Part::Full => {
                    self.at += fragment.bytes;
                    return Some((from, Found::Record(fragment.payload.to_vec())));
                }
                Part::First => {
                    self.at += fragment.bytes;
                    self.begun = Some((from, fragment.payload.to_vec()));
                }
                Part::Middle | Part::Last => {
                    self.at += fragment.bytes;
                    let Some((_, record)) = &mut self.begun else {
                        return Some((from, Found::Damage));
                    };
                    record.extend_from_slice(fragment.payload);
                    if matches!(fragment.part, Part::Last)
                        && let Some((from, record)) = self.begun.take()
                    {
                        return Some((from, Found::Record(record)));
                    }
                }
            }
        }
    }
}

/// The fragment at the front of the rest of a block, if it is sound.
fn fragment(rest: &[u8]) -> Option<Fragment<'_>> {
    let mut fields = Fields(rest);
    let sum = fields.u32()?;
    let length = usize::from(fields.u16()?);
    let checked = fields.0;
    let kind = fields.byte()?;
    let (part, is_recycled) = match kind {
        1 => (Part::Full, false),
        2 => (Part::First, false),
        3 => (Part::Middle, false),
        4 => (Part::Last, false),
        5 => (Part::Full, true),
        6 => (Part::First, true),
        7 => (Part::Middle, true),
        8 => (Part::Last, true),
        9 | 10 => (Part::Note, false),
        11 => (Part::Note, true),
        kind if kind & SKIPPABLE != 0 => (Part::Note, kind & 1 == 1),
        _ => return None,
    };
    if is_recycled {
        fields.u32()?;
    }
    let payload = fields.take(length)?;
    let bytes = rest.len() - fields.0.len();
    let checked = checked.get(..bytes - HEADER_BYTES + 1)?;
    (masked(crc32c(&[checked])) == sum).then_some(Fragment {
        part,
        payload,
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::{BLOCK_BYTES, Found, HEADER_BYTES, LogReader, crc32c, masked};

    fn log(records: &[Vec<u8>]) -> Vec<u8> {
        let mut log = Vec::new();
        for record in records {
            let mut rest = record.as_slice();
            let mut is_first = true;
            loop {
                let left = BLOCK_BYTES - log.len() % BLOCK_BYTES;
                if left < HEADER_BYTES {
                    log.resize(log.len() + left, 0);
                    continue;
                }
                let (now, later) = rest.split_at(rest.len().min(left - HEADER_BYTES));
                let kind = match (is_first, later.is_empty()) {
                    (true, true) => 1,
                    (true, false) => 2,
                    (false, false) => 3,
                    (false, true) => 4,
                };
                log.extend(masked(crc32c(&[&[kind], now])).to_le_bytes());
                log.extend(u16::try_from(now.len()).unwrap().to_le_bytes());
                log.push(kind);
                log.extend_from_slice(now);
                is_first = false;
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
        }
        log
    }

    fn records(log: &[u8]) -> Vec<Vec<u8>> {
        let found = LogReader::new(log).filter_map(|(_, found)| match found {
            Found::Record(record) => Some(record),
            Found::Damage => None,
        });
        found.collect()
    }

    #[test]
    fn one_changed_byte_costs_one_record() {
        let written: Vec<Vec<u8>> = [10, 0, 300, 70_000, 5, 32_000, 9, 755, 40]
            .iter()
            .zip(1..)
            .map(|(length, byte): (&usize, u8)| vec![byte | 0x40; *length])
            .collect();
        let log = log(&written);
        assert_eq!(records(&log), written);
        assert!(LogReader::new(&log).all(|(_, found)| found != Found::Damage));
        for at in (0..log.len()).step_by(997).chain(0..40) {
            let mut damaged = log.clone();
            damaged[at] ^= 0x41;
            let found = records(&damaged);
            assert!(found.len() + 1 >= written.len(), "{at}");
            assert!(found.iter().all(|record| written.contains(record)), "{at}");
        }
        for end in (0..log.len()).step_by(1009) {
            let found = records(&log[..end]);
            assert_eq!(found, written[..found.len()]);
        }
    }

    #[test]
    fn zeros_at_the_end_are_damage_where_a_record_could_be() {
        let mut log = log(&[vec![1; 20]]);
        log.resize(log.len() + 100, 0);
        let found: Vec<_> = LogReader::new(&log).map(|(_, found)| found).collect();
        assert_eq!(found, [Found::Record(vec![1; 20]), Found::Damage]);
    }
}
