//! Compares a string of codes with bytes, decoding no further than to the first difference.
//!
//! Any codes of a string compare alike, so an answer does not rest on how an encoder cut it.

use core::cmp::Ordering;

use super::ESCAPE;
use super::decode::symbol;
use super::table::SymbolTable;
use crate::CodecError;
use crate::bits::{load, mask};

/// The order of the string of `codes` and `bytes`.
pub(crate) fn compare(
    table: &SymbolTable,
    codes: &[u8],
    bytes: &[u8],
) -> Result<Ordering, CodecError> {
    let (mut codes, mut bytes) = (codes, bytes);
    while let Some((code, rest)) = codes.split_first() {
        codes = rest;
        let (packed, len) = if *code == ESCAPE {
            let (literal, rest) = codes.split_first().ok_or(CodecError::UnexpectedEnd)?;
            codes = rest;
            (u64::from(*literal), 1)
        } else if *code < table.symbols {
            symbol(table, *code)
        } else {
            return Err(CodecError::Malformed("FSST code"));
        };
        // Past their end the bytes read as 0, so where they end first they are the lesser.
        let front = load(bytes, 0);
        let different = (front ^ packed) & mask(u32::try_from(8 * len).unwrap_or(64));
        if different != 0 {
            let at = different.trailing_zeros() & !7;
            return Ok((packed >> at & 0xff).cmp(&(front >> at & 0xff)));
        }
        match bytes.get(len..) {
            Some(rest) => bytes = rest,
            // The bytes end within the symbol.
            None => return Ok(Ordering::Greater),
        }
    }
    Ok([].as_slice().cmp(bytes))
}

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::fsst::{Encoder, train};
    use proptest::prelude::{prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn codes_order_as_their_strings(
            strings in proptest::collection::vec("(abc|de|http://|x)[a-c\u{e9}]{0,3}", 1..30),
            others in proptest::collection::vec("(abc|de|http://|x)?[a-c\u{e9}]{0,3}", 0..20),
        ) {
            let table = train(strings.iter().map(String::as_bytes));
            let encoder = Encoder::new(&table);
            for string in &strings {
                let mut codes = Vec::new();
                encoder.encode_all([string.as_bytes()].into_iter(), &mut codes, |_| {});
                for other in strings.iter().chain(&others) {
                    let order = compare(&table, &codes, other.as_bytes());
                    prop_assert_eq!(order, Ok(string.as_bytes().cmp(other.as_bytes())));
                }
                let cut_short = compare(&table, &[255], b"");
                prop_assert_eq!(cut_short, Err(crate::CodecError::UnexpectedEnd));
            }
        }
    }
}
