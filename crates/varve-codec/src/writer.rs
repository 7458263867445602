//! Appends the variable-length fields of encoded vectors, and says beforehand how long they will
//! be.

/// Appends an unsigned LEB128.
pub fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Appends a signed number, folded so that small magnitudes are short.
pub fn put_zigzag(value: i64, out: &mut Vec<u8>) {
    put_varint(fold(value), out);
}

/// A number that a codec's own limits keep within a narrower type. Where it is not, which is a
/// mistake of the codec, tests stop; else it is `None`, and the vector is written in another form.
#[inline]
pub(crate) fn fitting<U, T: TryFrom<U>>(number: U) -> Option<T> {
    let fitting = T::try_from(number).ok();
    debug_assert!(
        fitting.is_some(),
        "a number is above the limits of its codec"
    );
    fitting
}

/// A number below 2^16 in the bits that it takes.
#[inline]
pub(crate) fn low16(number: u64) -> u16 {
    debug_assert!(number <= u64::from(u16::MAX));
    let [low, high, ..] = number.to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// A number below 2^32 in the bits that it takes.
#[inline]
pub(crate) fn low32(number: u64) -> u32 {
    debug_assert!(number <= u64::from(u32::MAX));
    let [a, b, c, d, ..] = number.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// A length as an integer: no buffer has 2^63 bytes.
#[inline]
pub(crate) fn length_integer(length: usize) -> i64 {
    (length as u64).cast_signed()
}

/// Appends what `put` writes, behind its length (a varint).
pub(crate) fn put_nested(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let mut nested = Vec::new();
    put(&mut nested);
    put_varint(nested.len() as u64, out);
    out.append(&mut nested);
}

/// Bytes of [`put_varint`].
pub(crate) fn varint_bytes(value: u64) -> usize {
    ((64 - value.leading_zeros()).max(1) as usize).div_ceil(7)
}

/// Bytes of [`put_zigzag`].
pub(crate) fn zigzag_bytes(value: i64) -> usize {
    varint_bytes(fold(value))
}

/// Signed numbers as unsigned ones, small magnitudes as small numbers.
pub(crate) fn fold(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// What [`fold`] folded.
pub(crate) fn unfold(folded: u64) -> i64 {
    (folded >> 1).cast_signed() ^ -(folded & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::{put_varint, put_zigzag, varint_bytes, zigzag_bytes};
    use crate::CodecError;
    use crate::reader::ByteReader;

    #[test]
    fn numbers_round_trip_in_the_bytes_foretold() {
        let mut values = vec![0, u64::MAX];
        values.extend((0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1]));
        for value in values {
            let mut out = Vec::new();
            put_varint(value, &mut out);
            assert_eq!(out.len(), varint_bytes(value));
            assert_eq!(ByteReader::new(&out).varint(), Ok(value));
            let signed = value.cast_signed();
            out.clear();
            put_zigzag(signed, &mut out);
            assert_eq!(out.len(), zigzag_bytes(signed));
            assert_eq!(ByteReader::new(&out).zigzag(), Ok(signed));
        }
    }

    #[test]
    fn varints_past_64_bits_are_refused() {
        let too_long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        let cases: [(&[u8], CodecError); 3] = [
            (&too_long, CodecError::Malformed("varint")),
            (&[0x80; 11], CodecError::Malformed("varint")),
            (&[0x80], CodecError::UnexpectedEnd),
        ];
        for (bytes, error) in cases {
            assert_eq!(ByteReader::new(bytes).varint(), Err(error));
        }
    }
}
