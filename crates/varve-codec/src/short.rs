//! Short copies: where strings are put together from pieces of a few bytes, a copy of a fixed
//! length costs less than one that must look at its length first.

/// Bytes that are copied at once.
pub(crate) const SHORT_BYTES: usize = 16;

/// Appends the first `length` of `bytes`; what follows may be copied too, and is cut off again.
pub(crate) fn put_short(bytes: &[u8], length: usize, out: &mut Vec<u8>) {
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

/// Appends once more the `length` bytes from `start` on, which must be there.
pub(crate) fn repeat_short(start: usize, length: usize, out: &mut Vec<u8>) {
    let end = out.len() + length;
    if length <= SHORT_BYTES && start + SHORT_BYTES <= out.len() {
        out.extend_from_within(start..start + SHORT_BYTES);
        out.truncate(end);
    } else {
        out.extend_from_within(start..start + length);
    }
}

/// As `strip_prefix`, without a call for a prefix of some bytes.
#[inline]
pub(crate) fn strip_short<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (front, rest) = text.split_at_checked(prefix.len())?;
    let (front_integers, front_tail) = front.as_chunks::<8>();
    let (integers, tail) = prefix.as_chunks::<8>();
    let equal = integers.iter().zip(front_integers).all(|(a, b)| a == b)
        && tail.iter().zip(front_tail).all(|(a, b)| a == b);
    equal.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{put_short, repeat_short, strip_short};

    #[test]
    fn prefixes_are_stripped() {
        let text: Vec<u8> = (0..40).collect();
        for length in 0..=40 {
            assert_eq!(strip_short(&text, &text[..length]), Some(&text[length..]));
            assert_eq!(
                strip_short(&text[..length], &text[..]).is_some(),
                length == 40
            );
            for wrong in 0..length {
                let mut prefix = text[..length].to_vec();
                prefix[wrong] ^= 1;
                assert_eq!(strip_short(&text, &prefix), None);
            }
        }
    }

    #[test]
    fn bytes_are_repeated() {
        for (start, length) in [(0, 0), (3, 5), (20, 10), (0, 30), (14, 16), (30, 0)] {
            let bytes: Vec<u8> = (0..30).collect();
            let mut out = bytes.clone();
            repeat_short(start, length, &mut out);
            assert_eq!(out, [&bytes[..], &bytes[start..start + length]].concat());
        }
    }

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
