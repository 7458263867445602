//! Counts of rows by dictionary code: groups without their values.

use super::selection::check_rows;
use super::stretches::{count_each, for_each_code};
use crate::integers::Codes;
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::{TAG_DICTIONARY, TAG_SHARED_DICTIONARY};
use crate::{CodecError, Shared};

/// Counts the selected rows of a vector of integers or strings by the code of their value. Code `i`
/// is value `i` of the dictionary that decoding gives; `counts` is lengthened to the size of that
/// and added to, so the vectors of a block with one shared dictionary can be counted together.
/// `false` when the vector has no dictionary, and nothing was counted.
pub fn count_codes(
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    selection: Option<&[u8]>,
    counts: &mut Vec<usize>,
) -> Result<bool, CodecError> {
    check_rows(rows)?;
    let mut reader = ByteReader::new(bytes);
    match reader.u8()? {
        TAG_DICTIONARY => {
            let codes = Codes::take(reader, rows)?;
            lengthen(counts, codes.distinct);
            count_each(&codes.all(rows)?, rows, selection, counts);
        }
        TAG_SHARED_DICTIONARY => {
            let resource = reader.u8()?;
            let strings = || shared.strings(resource).map(|values| values.as_ref().len());
            let values = shared
                .integers(resource)
                .map(<[i64]>::len)
                .or_else(|_| strings())?;
            lengthen(counts, values);
            let scope = Scope::new(shared, 0);
            for_each_code(
                scope,
                reader.rest(),
                rows,
                selection,
                values,
                &mut |code, count| {
                    if let Some(total) = counts.get_mut(code) {
                        *total += count;
                    }
                },
            )?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn lengthen(counts: &mut Vec<usize>, values: usize) {
    if counts.len() < values {
        counts.resize(values, 0);
    }
}
