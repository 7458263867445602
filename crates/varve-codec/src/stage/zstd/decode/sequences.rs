//! The sequences of a block: how many literals to copy, then how much from how far back
//! (RFC 8878, 3.1.1.3.2 and 3.1.1.4).

use super::backward::BackwardBits;
use super::fse::FseTable;
use super::trained::Trained;
use super::{MALFORMED, Result};
use crate::ByteReader;

/// What the codes of one field mean: the value is a base plus some bits.
pub(super) struct Field {
    pub(super) log_max: u32,
    pub(super) code_max: u8,
    shares: &'static [i16],
    shares_log: u32,
}

pub(super) const LITERAL_LENGTHS: Field = Field {
    log_max: 9,
    code_max: 35,
    shares: &[
        4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1,
        1, 1, -1, -1, -1, -1,
    ],
    shares_log: 6,
};
pub(super) const OFFSETS: Field = Field {
    log_max: 8,
    code_max: 31,
    shares: &[
        1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
    ],
    shares_log: 5,
};
pub(super) const MATCH_LENGTHS: Field = Field {
    log_max: 9,
    code_max: 52,
    shares: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    shares_log: 6,
};

/// Base and width of each code of literal lengths.
const LITERAL_LENGTH_CODES: [(u32, u8); 36] = codes(
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10,
        11, 12, 13, 14, 15, 16,
    ],
    0,
);
/// Base and width of each code of match lengths.
const MATCH_LENGTH_CODES: [(u32, u8); 53] = codes(
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    ],
    3,
);

/// Each code begins where the one before ends.
#[expect(
    clippy::indexing_slicing,
    reason = "done by the compiler, which checks it"
)]
const fn codes<const N: usize>(widths: [u8; N], mut base: u32) -> [(u32, u8); N] {
    let mut codes = [(0, 0); N];
    let mut code = 0;
    while code < N {
        codes[code] = (base, widths[code]);
        base += 1 << widths[code];
        code += 1;
    }
    codes
}

/// Which table a field has.
#[derive(Clone, Copy, Default, PartialEq)]
enum Origin {
    /// None yet, but that of a dictionary.
    #[default]
    Trained,
    Predefined,
    Frame,
}

/// The tables of one field, kept from block to block.
#[derive(Default)]
struct FieldTables {
    origin: Origin,
    frame: FseTable,
    predefined: FseTable,
}

impl FieldTables {
    /// Reads which table the block has for this field.
    fn read<'a>(&mut self, field: &Field, mode: u8, bytes: &'a [u8]) -> Result<&'a [u8]> {
        match mode & 3 {
            0 => {
                self.origin = Origin::Predefined;
                if !self.predefined.is_built() {
                    self.predefined.build(field.shares, field.shares_log)?;
                }
                Ok(bytes)
            }
            1 => {
                let (code, rest) = bytes.split_first().ok_or(MALFORMED)?;
                if *code > field.code_max {
                    return Err(MALFORMED);
                }
                self.origin = Origin::Frame;
                self.frame.set_single(*code);
                Ok(rest)
            }
            2 => {
                self.origin = Origin::Frame;
                self.frame.read(bytes, field.log_max, field.code_max)
            }
            _ => Ok(bytes),
        }
    }

    /// The table, which the block before had if it was not read for this one.
    fn get<'a>(&'a self, trained: Option<&'a FseTable>) -> Result<&'a FseTable> {
        match self.origin {
            Origin::Predefined => Ok(&self.predefined),
            Origin::Frame => Ok(&self.frame),
            Origin::Trained => trained.ok_or(MALFORMED),
        }
    }
}

/// Decodes sequences; keeps the tables and the last offsets of the blocks before.
#[derive(Default)]
pub(super) struct SequencesDecoder {
    literal_lengths: FieldTables,
    offsets: FieldTables,
    match_lengths: FieldTables,
    /// The last three, the latest first.
    recent: [usize; 3],
}

/// Copies of so many bytes or fewer are made as one of this length, which is quicker than one of
/// the right length; what is behind them is not written yet.
const SHORT_BYTES: usize = 16;

/// What a block's sequences read and write.
pub(super) struct Content<'a> {
    /// The whole frame, of which the first `at` bytes are there.
    pub(super) raw: &'a mut [u8],
    pub(super) at: usize,
    /// What stands before the frame.
    pub(super) history: &'a [u8],
}

impl SequencesDecoder {
    /// Begins a frame.
    pub(super) fn reset(&mut self, trained: Option<&Trained>) {
        for field in [
            &mut self.literal_lengths,
            &mut self.offsets,
            &mut self.match_lengths,
        ] {
            field.origin = Origin::Trained;
        }
        self.recent = trained.map_or([1, 4, 8], |trained| trained.recent);
    }

    /// Runs the sequences in `section` and appends what is left of the literals.
    pub(super) fn run(
        &mut self,
        section: &[u8],
        literals: &[u8],
        trained: Option<&Trained>,
        content: &mut Content<'_>,
    ) -> Result<()> {
        let mut section = ByteReader::new(section);
        let mut count = usize::from(section.u8()?);
        if count > 127 {
            let low = usize::from(section.u8()?);
            count = match count {
                255 => low + (usize::from(section.u8()?) << 8) + 0x7f00,
                _ => ((count - 128) << 8) + low,
            };
        }
        if count == 0 {
            return match section.rest() {
                [] => content.append(literals),
                _ => Err(MALFORMED),
            };
        }
        let modes = section.u8()?;
        if modes & 3 != 0 {
            return Err(MALFORMED);
        }
        let rest = section.rest();
        let rest = self
            .literal_lengths
            .read(&LITERAL_LENGTHS, modes >> 6, rest)?;
        let rest = self.offsets.read(&OFFSETS, modes >> 4, rest)?;
        let rest = self.match_lengths.read(&MATCH_LENGTHS, modes >> 2, rest)?;
        let lengths = self
            .literal_lengths
            .get(trained.map(|t| &t.literal_lengths))?;
        let offsets = self.offsets.get(trained.map(|t| &t.offsets))?;
        let matches = self.match_lengths.get(trained.map(|t| &t.match_lengths))?;

        let mut bits = BackwardBits::new(rest)?;
        let mut length_state = lengths.start(&mut bits);
        let mut offset_state = offsets.start(&mut bits);
        let mut match_state = matches.start(&mut bits);
        let mut recent = self.recent;
        let mut literals = literals;
        for unread in (0..count).rev() {
            bits.refill();
            let offset_width = u32::from(offsets.symbol(offset_state)) & 31;
            let offset = (1 << offset_width) + bits.take(offset_width);
            let match_length = value(&MATCH_LENGTH_CODES, matches.symbol(match_state), &mut bits)?;
            bits.refill();
            let length = value(
                &LITERAL_LENGTH_CODES,
                lengths.symbol(length_state),
                &mut bits,
            )?;
            if unread > 0 {
                length_state = lengths.next(length_state, &mut bits);
                match_state = matches.next(match_state, &mut bits);
                offset_state = offsets.next(offset_state, &mut bits);
            }
            let offset = resolve(offset, length == 0, &mut recent);
            content.append_first(literals, length)?;
            literals = literals.get(length..).ok_or(MALFORMED)?;
            content.repeat(offset, match_length)?;
        }
        bits.end()?;
        self.recent = recent;
        content.append(literals)
    }
}

/// What a code and the bits after it say.
#[inline]
fn value(codes: &[(u32, u8)], code: u8, bits: &mut BackwardBits<'_>) -> Result<usize> {
    let (base, width) = codes.get(usize::from(code)).ok_or(MALFORMED)?;
    Ok(*base as usize + bits.take(u32::from(*width)))
}

/// The first three values stand for recent offsets; without literals the latest one would be of no
/// use, so then they stand for others.
#[inline]
fn resolve(value: usize, without_literals: bool, recent: &mut [usize; 3]) -> usize {
    let [latest, second, third] = *recent;
    let offset = match value + usize::from(without_literals) {
        _ if value > 3 => value - 3,
        1 => return latest,
        2 => {
            *recent = [second, latest, third];
            return second;
        }
        3 => third,
        _ => latest.wrapping_sub(1),
    };
    *recent = [offset, latest, second];
    offset
}

impl Content<'_> {
    /// Appends bytes.
    #[inline]
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let room = self.raw.get_mut(self.at..).ok_or(MALFORMED)?;
        room.get_mut(..bytes.len())
            .ok_or(MALFORMED)?
            .copy_from_slice(bytes);
        self.at += bytes.len();
        Ok(())
    }

    /// Appends the first `length` of `bytes`.
    #[inline]
    fn append_first(&mut self, bytes: &[u8], length: usize) -> Result<()> {
        if length <= SHORT_BYTES {
            let room = self.raw.get_mut(self.at..).ok_or(MALFORMED)?;
            let to = room.first_chunk_mut::<SHORT_BYTES>();
            if let (Some(from), Some(to)) = (bytes.first_chunk(), to) {
                *to = *from;
                self.at += length;
                return Ok(());
            }
        }
        self.append(bytes.get(..length).ok_or(MALFORMED)?)
    }

    /// Appends the same byte some times.
    pub(super) fn fill(&mut self, byte: u8, count: usize) -> Result<()> {
        let room = self.raw.get_mut(self.at..).ok_or(MALFORMED)?;
        room.get_mut(..count).ok_or(MALFORMED)?.fill(byte);
        self.at += count;
        Ok(())
    }

    /// Appends `length` bytes from `offset` bytes back, which may be bytes that it appends.
    #[inline]
    pub(super) fn repeat(&mut self, offset: usize, length: usize) -> Result<()> {
        if offset > self.at {
            return self.repeat_history(offset, length);
        }
        let from = self.at - offset;
        let end = self.at + length;
        if length <= SHORT_BYTES && offset >= SHORT_BYTES {
            let parts = self.raw.split_at_mut_checked(self.at);
            if let Some((before, room)) = parts {
                let from = before.get(from..).and_then(|rest| rest.first_chunk());
                let to = room.first_chunk_mut::<SHORT_BYTES>();
                if let (Some(from), Some(to)) = (from, to) {
                    *to = *from;
                    self.at = end;
                    return Ok(());
                }
            }
        }
        if offset == 0 || end > self.raw.len() {
            return Err(MALFORMED);
        }
        if length <= offset {
            self.raw.copy_within(from..from + length, self.at);
        } else {
            // What is there doubles with each copy.
            let mut at = self.at;
            while at < end {
                let some = (at - from).min(end - at);
                self.raw.copy_within(from..from + some, at);
                at += some;
            }
        }
        self.at = end;
        Ok(())
    }

    /// The same from before the frame on.
    #[cold]
    fn repeat_history(&mut self, offset: usize, length: usize) -> Result<()> {
        let back = offset - self.at;
        let from = self.history.len().checked_sub(back).ok_or(MALFORMED)?;
        let history = self.history;
        let some = history.get(from..).unwrap_or_default();
        let some = some.get(..length).unwrap_or(some);
        self.append(some)?;
        match length - some.len() {
            0 => Ok(()),
            rest => self.repeat(offset, rest),
        }
    }
}
