//! Shared dictionary: the distinct strings of a whole block, ascending by bytes, kept once in its
//! shared part, and for each row the index of its string.
//!
//! Pays on names, states and other text of few values; filters and grouping work on the codes.
//! Worst case: strings that each occur once cost their code on top; the chooser counts the
//! dictionary's bytes.
//! Layout of a vector: resource (u8), codes as nested integers of 32 bits. Layout of the resource:
//! number of strings (varint), then by 1,024 strings the bytes (varint) of their nested vector, and
//! those.

use crate::integers::shared_dictionary::{gather_codes, take_codes};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::shared::{SHARED_VALUES_MAX, STRINGS};
use crate::string_data::Strings;
use crate::strings::{StringPlan, decode_plain, prefix};
use crate::writer::{put_nested, put_varint};
use crate::{CodecError, Decoded, ROWS_MAX, Shared, SharedWriter};

pub(super) fn decode(
    scope: Scope<'_>,
    mut reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Strings>, CodecError> {
    let resource = reader.u8()?;
    let values = scope.shared.strings(resource)?.as_ref().len();
    let codes = take_codes(scope, reader, rows, values)?;
    Ok(Decoded::Shared { codes, resource })
}

pub(super) fn gather(
    scope: Scope<'_>,
    mut reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let values = scope.shared.strings(reader.u8()?)?.as_ref();
    let mut strings = Strings::with_capacity(positions.len());
    for code in gather_codes(scope, reader, rows, positions)? {
        if code >= values.len() {
            return Err(CodecError::Malformed("dictionary code"));
        }
        strings.push(values.get(code), scope.bytes_max)?;
    }
    Ok(strings)
}

impl SharedWriter {
    /// Adds a dictionary of ascending strings.
    pub(crate) fn add_strings(&mut self, values: &Strings) -> Option<u8> {
        self.count_values(values.as_ref().len(), values.bytes.len())?;
        let mut bytes = Vec::new();
        write(values, &mut bytes);
        self.add(STRINGS, bytes)
    }
}

/// Writes the resource.
fn write(values: &Strings, out: &mut Vec<u8>) {
    let values = values.as_ref();
    put_varint(values.len() as u64, out);
    // They ascend, so neighbours may share much.
    let plans = [StringPlan::Basic, prefix::basic()];
    for start in (0..values.len()).step_by(ROWS_MAX) {
        let chunk = values.slice(start, start + ROWS_MAX);
        let written = plans.iter().map(|plan| {
            let mut bytes = Vec::new();
            plan.encode(chunk, &mut bytes);
            bytes
        });
        let bytes = written.min_by_key(Vec::len).unwrap_or_default();
        put_nested(out, |out| out.extend_from_slice(&bytes));
    }
}

/// Reads what [`write`] wrote; at most `values_max` values of `bytes_max` bytes together.
pub(crate) fn read(
    mut reader: ByteReader<'_>,
    values_max: usize,
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    let count = reader.count(0, SHARED_VALUES_MAX.min(values_max), "dictionary size")?;
    let shared = Shared::default();
    let mut values = Strings::with_capacity(0);
    while values.as_ref().len() < count {
        let rows = (count - values.as_ref().len()).min(ROWS_MAX);
        let left = bytes_max.saturating_sub(values.bytes.len());
        let chunk = decode_plain(Scope::new(&shared, left), reader.nested()?, rows)?;
        for i in 0..rows {
            values.push(chunk.as_ref().get(i), bytes_max)?;
        }
    }
    reader.end()?;
    let stored = values.as_ref();
    if !(0..count).is_sorted_by(|a, b| stored.get(*a) < stored.get(*b)) {
        return Err(CodecError::Malformed("dictionary order"));
    }
    Ok(values)
}
