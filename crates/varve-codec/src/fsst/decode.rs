//! From codes back to bytes, eight codes at a time.

use super::ESCAPE;
use super::table::SymbolTable;
use crate::CodecError;
use crate::string_data::Strings;

/// Codes taken together: one look tells whether any of them is an escape or unknown.
const GROUP: usize = 8;
/// What a group may write: every store is of eight bytes, whatever the symbol's length.
const GROUP_ROOM: usize = 8 * GROUP + 8;
/// Codes decoded before the limit is looked at again, so that room grows with what was decoded.
const BLOCK: usize = 256;
/// A block ends with a group or an escape.
const BLOCK_CODES_MAX: usize = BLOCK + GROUP;
/// In the place of bytes written: no string ends between an escape and its byte.
const WITHIN_ESCAPE: usize = 0xffff;

/// Appends the string of `codes`, or several strings whose codes follow one another, unless that
/// would add more than `bytes_max` bytes.
pub(crate) fn decode_into(
    table: &SymbolTable,
    codes: &[u8],
    out: &mut Vec<u8>,
    bytes_max: usize,
) -> Result<(), CodecError> {
    let start = out.len();
    let decoded = decode_blocks(table, codes, out, bytes_max, |_, _, _| Ok(()));
    decoded.inspect_err(|_| out.truncate(start))
}

/// The strings whose codes follow one another and end at `code_ends`, which ascend to the number of
/// codes; of at most `bytes_max` bytes together.
pub(crate) fn decode_strings(
    table: &SymbolTable,
    codes: &[u8],
    code_ends: &[u32],
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    const ENDS: CodecError = CodecError::Malformed("FSST string ends");
    let mut strings = Strings::with_capacity(code_ends.len());
    let Strings { offsets, bytes } = &mut strings;
    let mut left = code_ends;
    let mut take_ends = |code: usize, byte: usize, written: &[u16]| {
        while let Some((end, rest)) = left.split_first() {
            let within = (*end as usize).checked_sub(code).ok_or(ENDS)?;
            let Some(written) = written.get(within) else {
                break;
            };
            if usize::from(*written) == WITHIN_ESCAPE {
                return Err(ENDS);
            }
            let end = u32::try_from(byte + usize::from(*written)).map_err(|_| ENDS)?;
            offsets.push(end);
            left = rest;
        }
        Ok(())
    };
    take_ends(0, 0, &[0])?;
    decode_blocks(table, codes, bytes, bytes_max, take_ends)?;
    if left.is_empty()
        && code_ends
            .last()
            .is_none_or(|end| *end as usize == codes.len())
    {
        Ok(strings)
    } else {
        Err(ENDS)
    }
}

/// After each block calls `ended` with the codes and the bytes before it, and the bytes that it had
/// written after each of its codes, from none of them on.
fn decode_blocks(
    table: &SymbolTable,
    codes: &[u8],
    out: &mut Vec<u8>,
    bytes_max: usize,
    mut ended: impl FnMut(usize, usize, &[u16]) -> Result<(), CodecError>,
) -> Result<(), CodecError> {
    let start = out.len();
    let mut written = [0; BLOCK_CODES_MAX + 1];
    let mut taken = 0;
    while let Some(rest) = codes.get(taken..)
        && !rest.is_empty()
    {
        let filled = out.len();
        let reach = rest.len().min(BLOCK);
        out.resize(filled + 8 * reach + GROUP_ROOM, 0);
        let room = out.get_mut(filled..).unwrap_or_default();
        let (block_codes, block_bytes) = decode_block(table, rest, reach, room, &mut written)?;
        out.truncate(filled + block_bytes);
        let bytes = filled + block_bytes - start;
        if bytes > bytes_max {
            return Err(CodecError::TooLarge { bytes, bytes_max });
        }
        let written = written.get(..=block_codes).unwrap_or_default();
        ended(taken, filled - start, written)?;
        taken += block_codes;
    }
    Ok(())
}

/// Decodes at least `reach` codes, and past them only to end a group or an escape. Returns codes
/// taken and bytes written.
fn decode_block(
    table: &SymbolTable,
    codes: &[u8],
    reach: usize,
    room: &mut [u8],
    written: &mut [u16; BLOCK_CODES_MAX + 1],
) -> Result<(usize, usize), CodecError> {
    let mut taken = 0;
    let mut at = 0;
    while taken < reach {
        let rest = codes.get(taken..).unwrap_or_default();
        if let Some(group) = rest.first_chunk()
            && all_symbols(group, table.symbols)
            && let Some(room) = room.get_mut(at..).and_then(<[u8]>::first_chunk_mut)
            && let Some(written) = written
                .get_mut(taken + 1..)
                .and_then(<[u16]>::first_chunk_mut)
        {
            at = decode_group(table, group, at, room, written);
            taken += GROUP;
            continue;
        }
        let mut rest = rest.iter();
        let end = taken + GROUP;
        while taken < end
            && let Some(code) = rest.next()
        {
            let (packed, len) = if *code == ESCAPE {
                let literal = rest.next().ok_or(CodecError::UnexpectedEnd)?;
                taken += 1;
                note(written, taken, WITHIN_ESCAPE);
                (u64::from(*literal), 1)
            } else if *code < table.symbols {
                symbol(table, *code)
            } else {
                return Err(CodecError::Malformed("FSST code"));
            };
            if let Some(to) = room.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *to = packed.to_le_bytes();
            }
            taken += 1;
            at += len;
            note(written, taken, at);
        }
    }
    Ok((taken, at))
}

/// Decodes to `room` and says after each code how many bytes the block has, which were `start`.
fn decode_group(
    table: &SymbolTable,
    group: &[u8; GROUP],
    start: usize,
    room: &mut [u8; GROUP_ROOM],
    written: &mut [u16; GROUP],
) -> usize {
    let mut at = 0;
    for (code, written) in group.iter().zip(written) {
        let (packed, len) = symbol(table, *code);
        // The mask never changes `at`: it tells the compiler that the store stays inside.
        let inside = at & (8 * GROUP - 1);
        if let Some(to) = room.get_mut(inside..).and_then(<[u8]>::first_chunk_mut) {
            *to = packed.to_le_bytes();
        }
        at += len;
        *written = low16(start + at);
    }
    start + at
}

fn all_symbols(group: &[u8; GROUP], symbols: u8) -> bool {
    group.iter().fold(true, |all, code| all & (*code < symbols))
}

pub(super) fn symbol(table: &SymbolTable, code: u8) -> (u64, usize) {
    let code = usize::from(code);
    match (table.packed.get(code), table.lengths.get(code)) {
        (Some(packed), Some(len)) => (*packed, usize::from(*len)),
        _ => (0, 0),
    }
}

fn note(written: &mut [u16], code: usize, bytes: usize) {
    if let Some(place) = written.get_mut(code) {
        *place = low16(bytes);
    }
}

/// The bytes of a block are fewer than 65,536.
fn low16(bytes: usize) -> u16 {
    let [low, high, ..] = (bytes as u64).to_le_bytes();
    u16::from_le_bytes([low, high])
}
