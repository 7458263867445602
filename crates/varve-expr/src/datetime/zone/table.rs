//! The IANA time zone database, packed by `cargo xtask zones`, which describes the table.

use std::sync::{Arc, Mutex, PoisonError};

use super::posix::Posix;
use super::{DAY_S, LocalTime, Rules};

static TABLE: &[u8] = include_bytes!("zones.bin");

/// A name of the database and its zone.
type Loaded = (String, Arc<Rules>);

/// The zones that were asked for.
static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// The streams of the table.
struct Streams {
    names: Reader,
    zones: Reader,
    counts: Reader,
    times: Reader,
    rules: Reader,
    kinds: Reader,
    days: Reader,
    seconds: Reader,
}

impl Streams {
    fn new() -> Option<Streams> {
        let mut table = Reader(TABLE);
        table.up_to(0)?;
        let mut next = || {
            let length = table.varint()?;
            table.bytes(usize::try_from(length).ok()?).map(Reader)
        };
        Some(Streams {
            names: next()?,
            zones: next()?,
            counts: next()?,
            times: next()?,
            rules: next()?,
            kinds: next()?,
            days: next()?,
            seconds: next()?,
        })
    }
}

/// The version of the database.
#[cfg(test)]
pub(super) fn version() -> &'static str {
    let version = Reader(TABLE).up_to(0).unwrap_or_default();
    core::str::from_utf8(version).unwrap_or_default()
}

/// All names of the database.
#[cfg(test)]
pub(super) fn names() -> Vec<&'static str> {
    let names = Streams::new().map_or(&[][..], |streams| streams.names.0);
    let names = names.split(|byte| *byte == b'\n');
    let names = names.filter_map(|name| core::str::from_utf8(name).ok());
    names.filter(|name| !name.is_empty()).collect()
}

/// The zone of a name, in any case.
pub(super) fn find(name: &str) -> Option<Arc<Rules>> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut known = loaded.iter();
    if let Some((_, rules)) = known.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Some(Arc::clone(rules));
    }
    let rules = Arc::new(load(name)?);
    loaded.push((rules.name.clone(), Arc::clone(&rules)));
    Some(rules)
}

fn load(name: &str) -> Option<Rules> {
    let mut streams = Streams::new()?;
    let (name, number) = loop {
        let known = streams.names.up_to(b'\n')?;
        let number = streams.zones.varint()?;
        if known.eq_ignore_ascii_case(name.as_bytes()) {
            break (core::str::from_utf8(known).ok()?, number);
        }
    };
    for _ in 0..number {
        zone(&mut streams)?;
    }
    let mut rules = zone(&mut streams)?;
    name.clone_into(&mut rules.name);
    Some(rules)
}

/// The next zone.
fn zone(streams: &mut Streams) -> Option<Rules> {
    let (times, transitions) = (streams.counts.varint()?, streams.counts.varint()?);
    let mut rules = Rules::default();
    for _ in 0..times {
        rules.times.push(local_time(&mut streams.times)?);
    }
    let tail = core::str::from_utf8(streams.rules.up_to(b'\n')?).ok()?;
    rules.tail = Posix::parse(tail);
    let offset_of = |kind: u8| {
        let time = rules.times.get(usize::from(kind));
        time.map(|time| i64::from(time.offset_s))
    };
    let (mut offset_s, mut day) = (offset_of(0)?, 0);
    for _ in 0..transitions {
        let kind = streams.kinds.byte()?;
        day += streams.days.signed()?;
        let second = match streams.seconds.byte()? {
            255 => match streams.seconds.bytes(3)? {
                [a, b, c] => i64::from(u32::from_le_bytes([*a, *b, *c, 0])),
                _ => return None,
            },
            quarter => i64::from(quarter) * 900,
        };
        let at_s = day * DAY_S + second - offset_s;
        rules.transitions.push((at_s, kind));
        offset_s = offset_of(kind)?;
    }
    Some(rules)
}

/// An offset, an abbreviation, and a byte that ends it.
fn local_time(times: &mut Reader) -> Option<LocalTime> {
    let offset_s = i32::try_from(times.signed()?).ok()?;
    let end = times.0.iter().position(|byte| *byte < 2)?;
    let abbreviation = core::str::from_utf8(times.bytes(end)?).ok()?.to_owned();
    Some(LocalTime {
        offset_s,
        is_summer: times.byte()? == 1,
        abbreviation,
    })
}

/// What is left of a stream.
struct Reader(&'static [u8]);

impl Reader {
    fn bytes(&mut self, count: usize) -> Option<&'static [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    /// All before a byte, which is skipped.
    fn up_to(&mut self, end: u8) -> Option<&'static [u8]> {
        let length = self.0.iter().position(|byte| *byte == end)?;
        let taken = self.bytes(length);
        self.byte()?;
        taken
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}
