//! Short copies: the pieces of a string are a few bytes each, and a copy of a fixed length costs
//! less than one that must look at its length first.

/// Bytes that are copied at once.
pub(super) const SHORT_BYTES: usize = 16;

/// Appends the first `length` of `bytes`; what follows them may be copied too, and is cut off again.
pub(super) fn put_short(bytes: &[u8], length: usize, out: &mut Vec<u8>) {
    if length <= SHORT_BYTES
        && let Some(chunk) = bytes.first_chunk::<SHORT_BYTES>()
    {
        let end = out.len() + length;
        out.extend_from_slice(chunk);
        out.truncate(end);
    } else {
        out.extend_from_slice(bytes.get(..length).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::put_short;

    #[test]
    fn only_the_wanted_bytes_are_appended() {
        let bytes: Vec<u8> = (0..40).collect();
        for length in 0..=40 {
            for from in [bytes.as_slice(), &bytes[..length]] {
                let mut out = vec![7];
                put_short(from, length, &mut out);
                assert_eq!(out[0], 7);
                assert_eq!(out[1..], bytes[..length]);
            }
        }
    }
}
