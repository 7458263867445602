//! From codes back to bytes, eight codes at a time.

use super::ESCAPE;
use super::table::SymbolTable;
use crate::CodecError;

/// Codes taken together: one look tells whether any of them is an escape or unknown.
const GROUP: usize = 8;
/// What a group may write: every store is of eight bytes, whatever the symbol's length.
const GROUP_ROOM: usize = 8 * GROUP + 8;
/// Codes decoded before the limit is looked at again, so that room grows with what was decoded.
const BLOCK: usize = 256;

/// Appends the string of `codes`, or several strings whose codes follow one another, unless that
/// would add more than `bytes_max` bytes.
pub(crate) fn decode_into(
    table: &SymbolTable,
    codes: &[u8],
    out: &mut Vec<u8>,
    bytes_max: usize,
) -> Result<(), CodecError> {
    let start = out.len();
    let mut rest = codes;
    while !rest.is_empty() {
        let filled = out.len();
        let reach = rest.len().min(BLOCK);
        out.resize(filled + 8 * reach + GROUP_ROOM, 0);
        let room = out.get_mut(filled..).unwrap_or_default();
        let block = decode_block(table, rest, reach, room);
        let (taken, written) = block.inspect_err(|_| out.truncate(start))?;
        out.truncate(filled + written);
        let bytes = filled + written - start;
        if bytes > bytes_max {
            out.truncate(start);
            return Err(CodecError::TooLarge { bytes, bytes_max });
        }
        rest = rest.get(taken..).unwrap_or_default();
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
) -> Result<(usize, usize), CodecError> {
    let mut taken = 0;
    let mut at = 0;
    while taken < reach {
        let rest = codes.get(taken..).unwrap_or_default();
        if let Some(group) = rest.first_chunk::<GROUP>()
            && all_symbols(group, table.symbols)
            && let Some(window) = room
                .get_mut(at..)
                .and_then(|room| room.first_chunk_mut::<GROUP_ROOM>())
        {
            at += decode_group(table, group, window);
            taken += GROUP;
            continue;
        }
        for _ in 0..GROUP {
            let Some((code, rest)) = codes.get(taken..).and_then(<[u8]>::split_first) else {
                break;
            };
            let (word, len) = if *code == ESCAPE {
                let literal = rest.first().ok_or(CodecError::UnexpectedEnd)?;
                taken += 1;
                (u64::from(*literal), 1)
            } else if *code < table.symbols {
                symbol(table, *code)
            } else {
                return Err(CodecError::Malformed("FSST code"));
            };
            taken += 1;
            if let Some(to) = room
                .get_mut(at..)
                .and_then(|room| room.first_chunk_mut::<8>())
            {
                *to = word.to_le_bytes();
            }
            at += len;
        }
    }
    Ok((taken, at))
}

/// Where in the decoded bytes each string ends, given where its codes end. The codes are those that
/// [`decode_into`] took without an error; a code that ends inside an escape is refused.
pub(crate) fn decoded_ends(
    table: &SymbolTable,
    codes: &[u8],
    code_ends: &[u32],
) -> Result<Vec<u32>, CodecError> {
    let mut ends = Vec::with_capacity(code_ends.len() + 1);
    let mut start = 0;
    let mut end = 0_u32;
    for code_end in code_ends {
        let string = codes.get(start..*code_end as usize);
        let string = string.ok_or(CodecError::UnexpectedEnd)?;
        start = *code_end as usize;
        let mut literal = false;
        for code in string {
            if literal {
                literal = false;
            } else if *code == ESCAPE {
                literal = true;
                end += 1;
            } else {
                end += u32::from(table.lengths.get(usize::from(*code)).copied().unwrap_or(0));
            }
        }
        if literal {
            return Err(CodecError::Malformed("FSST escape"));
        }
        ends.push(end);
    }
    Ok(ends)
}

fn all_symbols(group: &[u8; GROUP], symbols: u8) -> bool {
    group.iter().fold(true, |all, code| all & (*code < symbols))
}

/// Returns the bytes written.
fn decode_group(table: &SymbolTable, group: &[u8; GROUP], room: &mut [u8; GROUP_ROOM]) -> usize {
    let mut at = 0;
    for code in group {
        let (word, len) = symbol(table, *code);
        // The mask never changes `at`: it tells the compiler that the store stays inside.
        let at_most = at & (8 * GROUP - 1);
        if let Some(to) = room
            .get_mut(at_most..)
            .and_then(|room| room.first_chunk_mut::<8>())
        {
            *to = word.to_le_bytes();
        }
        at += len;
    }
    at
}

fn symbol(table: &SymbolTable, code: u8) -> (u64, usize) {
    let code = usize::from(code);
    match (table.words.get(code), table.lengths.get(code)) {
        (Some(word), Some(len)) => (*word, usize::from(*len)),
        _ => (0, 0),
    }
}
