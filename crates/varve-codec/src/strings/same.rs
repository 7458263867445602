//! Same as another: strings that mostly equal those of another column row by row, as the rows where
//! they differ and the strings there.
//!
//! Pays on copies of a column with few changes, at two bytes and the string for a change. Worst
//! case: when all rows differ, ten bits a row over the strings alone. Both columns have the same
//! number of rows; it is the caller who knows which column is meant.
//! Layout: number of differing rows (varint); if any, the bytes of those rows (varint) and those,
//! as ascending nested integers of 32 bits, then the strings there as a nested vector.

use crate::integers::same::{put_rows, take_rows};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::{Strings, StringsRef};
use crate::strings::{StringPlan, decode_plain, gather_plain};
use crate::{CodecError, ROWS_MAX, Shared};

/// Appends how `values` differ from `reference`, each a vector of as many rows.
pub fn encode_same_strings(
    reference: StringsRef<'_>,
    values: StringsRef<'_>,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    if values.len() > ROWS_MAX {
        return Err(CodecError::TooManyRows(values.len()));
    }
    if reference.len() != values.len() {
        return Err(CodecError::Malformed("row count"));
    }
    encode(reference, values, &StringPlan::Basic, out);
    Ok(())
}

/// The strings that [`encode_same_strings`] wrote, given the same reference.
pub fn decode_same_strings(
    shared: &Shared,
    bytes: &[u8],
    reference: StringsRef<'_>,
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    let scope = Scope::new(shared, bytes_max);
    let differing = Differing::take(scope, ByteReader::new(bytes), reference.len())?;
    let strings = differing.decode(scope)?;
    let all = (0..reference.len()).map(|row| match differing.at(row) {
        Some(at) => strings.as_ref().get(at),
        None => reference.get(row),
    });
    collect(all, bytes_max)
}

/// The strings at `positions` of `rows`, given the reference's strings at those positions.
pub fn gather_same_strings(
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
    reference: StringsRef<'_>,
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    crate::positions::check_positions(rows, positions)?;
    if reference.len() != positions.len() {
        return Err(CodecError::Malformed("row count"));
    }
    let scope = Scope::new(shared, bytes_max);
    let differing = Differing::take(scope, ByteReader::new(bytes), rows)?;
    let (which, strings) = differing.gather(scope, positions)?;
    let all = which.iter().enumerate().map(|(i, at)| match at {
        Some(at) => strings.as_ref().get(usize::from(*at)),
        None => reference.get(i),
    });
    collect(all, bytes_max)
}

/// How many of a thousand rows are equal, by stretches of rows spread over the columns.
pub fn equal_strings_per_mille(reference: StringsRef<'_>, values: StringsRef<'_>) -> u32 {
    let rows = reference.len().min(values.len());
    crate::integers::same::equal_per_mille(rows, |row| reference.get(row) == values.get(row))
}

/// The rows that differ, and their strings.
pub(super) fn differing(
    reference: StringsRef<'_>,
    values: StringsRef<'_>,
) -> (Vec<i64>, Vec<usize>) {
    (0_i64..)
        .zip(0..values.len())
        .filter(|(_, row)| reference.get(*row) != values.get(*row))
        .unzip()
}

pub(super) fn encode(
    reference: StringsRef<'_>,
    values: StringsRef<'_>,
    nested: &StringPlan,
    out: &mut Vec<u8>,
) {
    let (positions, rows) = differing(reference, values);
    put_rows(&positions, out);
    if let Ok(strings) = collect(rows.iter().map(|row| values.get(*row)), usize::MAX)
        && !rows.is_empty()
    {
        nested.encode(strings.as_ref(), out);
    }
}

/// The strings of an iterator.
pub(super) fn collect<'a>(
    all: impl Iterator<Item = &'a [u8]>,
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    let mut strings = Strings::with_capacity(all.size_hint().0);
    for string in all {
        strings.push(string, bytes_max)?;
    }
    Ok(strings)
}

/// Differences as stored.
pub(super) struct Differing<'a> {
    /// The rows that differ, ascending.
    rows: Vec<u16>,
    strings: &'a [u8],
}

impl<'a> Differing<'a> {
    pub(super) fn take(
        scope: Scope<'_>,
        mut reader: ByteReader<'a>,
        rows: usize,
    ) -> Result<Differing<'a>, CodecError> {
        let rows = take_rows(scope, &mut reader, rows)?;
        let strings = reader.rest();
        if rows.is_empty() {
            reader.end()?;
        }
        Ok(Differing { rows, strings })
    }

    /// Which of the differing rows this one is.
    pub(super) fn at(&self, row: usize) -> Option<usize> {
        let row = u16::try_from(row).ok()?;
        self.rows.binary_search(&row).ok()
    }

    /// The strings of the differing rows.
    pub(super) fn decode(&self, scope: Scope<'_>) -> Result<Strings, CodecError> {
        if self.rows.is_empty() {
            return Ok(Strings::with_capacity(0));
        }
        decode_plain(scope.nested()?, self.strings, self.rows.len())
    }

    /// For each position which of the strings it takes, if it differs, and those strings.
    pub(super) fn gather(
        &self,
        scope: Scope<'_>,
        positions: &[u16],
    ) -> Result<(Vec<Option<u16>>, Strings), CodecError> {
        let mut wanted = Vec::new();
        let mut which = Vec::with_capacity(positions.len());
        for position in positions {
            let at = self.at(usize::from(*position));
            which.push(match at.and_then(|at| u16::try_from(at).ok()) {
                Some(at) => {
                    wanted.push(at);
                    u16::try_from(wanted.len() - 1).ok()
                }
                None => None,
            });
        }
        if wanted.is_empty() {
            return Ok((which, Strings::with_capacity(0)));
        }
        let rows = self.rows.len();
        let strings = gather_plain(scope.nested()?, self.strings, rows, &wanted)?;
        Ok((which, strings))
    }
}

#[cfg(test)]
mod tests {
    use super::{
        collect, decode_same_strings, encode_same_strings, equal_strings_per_mille,
        gather_same_strings,
    };
    use crate::testing::mutations;
    use crate::{Shared, Strings};
    use proptest::prelude::{prop_assert_eq, proptest};

    fn strings(texts: &[&str]) -> Strings {
        collect(texts.iter().map(|text| text.as_bytes()), usize::MAX).unwrap()
    }

    fn encoded(reference: &Strings, values: &Strings) -> Vec<u8> {
        let mut out = Vec::new();
        encode_same_strings(reference.as_ref(), values.as_ref(), &mut out).unwrap();
        out
    }

    #[test]
    fn golden_bytes() {
        let reference = strings(&["a", "b", "c", "d"]);
        let cases: [(&[&str], &[u8]); 2] = [
            (&["a", "b", "c", "d"], b"\x00"),
            (
                &["a", "x", "c", "yz"],
                b"\x02\x04\x04\x02\x02\x08\x00\x01\x01\x02xyz",
            ),
        ];
        for (values, bytes) in cases {
            let values = strings(values);
            assert_eq!(encoded(&reference, &values), bytes);
            let none = Shared::default();
            let back = decode_same_strings(&none, bytes, reference.as_ref(), 5);
            assert_eq!(back, Ok(values));
            assert!(decode_same_strings(&none, bytes, reference.as_ref(), 3).is_err());
        }
        let fewer = strings(&["a"]);
        let uneven = encode_same_strings(reference.as_ref(), fewer.as_ref(), &mut Vec::new());
        assert!(uneven.is_err());
    }

    #[test]
    fn the_share_of_equal_rows() {
        let texts: Vec<String> = (0..5000).map(|i| i.to_string()).collect();
        let changed: Vec<String> = (0..5000)
            .map(|i| (i - i32::from(i % 4 == 0)).to_string())
            .collect();
        let texts = strings(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let changed = strings(&changed.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(
            equal_strings_per_mille(texts.as_ref(), texts.as_ref()),
            1000
        );
        assert_eq!(
            equal_strings_per_mille(texts.as_ref(), changed.as_ref()),
            750
        );
    }

    proptest! {
        #[test]
        fn strings_come_back(pairs: Vec<(Vec<u8>, Option<Vec<u8>>)>, seed: u16) {
            let of = |(reference, value): &(Vec<u8>, Option<Vec<u8>>)| {
                (reference.clone(), value.clone().unwrap_or(reference.clone()))
            };
            let (reference, values): (Vec<_>, Vec<_>) = pairs.iter().map(of).unzip();
            let reference = collect(reference.iter().map(Vec::as_slice), usize::MAX).unwrap();
            let values = collect(values.iter().map(Vec::as_slice), usize::MAX).unwrap();
            let bytes = encoded(&reference, &values);
            let none = Shared::default();
            let back = decode_same_strings(&none, &bytes, reference.as_ref(), 1 << 20).unwrap();
            prop_assert_eq!(&back, &values);
            let rows = pairs.len();
            let positions = [seed, seed / 2, seed / 3].map(|at| at % rows.max(1) as u16);
            if rows > 0 {
                let pick = |from: &Strings| {
                    let picked = positions.iter().map(|at| from.as_ref().get(usize::from(*at)));
                    collect(picked, usize::MAX).unwrap()
                };
                let few = pick(&reference);
                let few = few.as_ref();
                let back = gather_same_strings(&none, &bytes, rows, &positions, few, 1 << 20);
                prop_assert_eq!(back.unwrap(), pick(&values));
            }
        }

        #[test]
        fn any_bytes_are_an_answer(bytes: Vec<u8>) {
            let reference = strings(&["a", "bc", "d", "e", "f"]);
            let _ = decode_same_strings(&Shared::default(), &bytes, reference.as_ref(), 100);
        }
    }

    #[test]
    fn damage_is_an_answer() {
        let reference = strings(&["a"; 100]);
        let values: Vec<&str> = (0..100)
            .map(|i| if i % 9 == 0 { "xyz" } else { "a" })
            .collect();
        mutations(&encoded(&reference, &strings(&values)), 3000, |bytes| {
            let none = Shared::default();
            let whole = decode_same_strings(&none, bytes, reference.as_ref(), 1000);
            let positions = [0, 9, 99];
            let few = strings(&["a"; 3]);
            let some = gather_same_strings(&none, bytes, 100, &positions, few.as_ref(), 1000);
            if let (Ok(whole), Ok(some)) = (whole, some) {
                for (i, at) in positions.iter().enumerate() {
                    assert_eq!(some.as_ref().get(i), whole.as_ref().get(usize::from(*at)));
                }
            }
        });
    }
}
