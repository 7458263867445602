//! The calls under test. Each takes any bytes and returns.

use crate::input::{Input, Kind};
use varve_codec::{
    Comparison, IntegerKind, IntegerPredicate, Shared, StringPredicate, Strings, decode_bits,
    decode_integers, decode_plain_integers, decode_plain_strings, decode_same_integers,
    decode_same_strings, decode_strings, f64_from_integer, filter_integers, filter_strings,
    gather_bits, gather_integers, gather_same_integers, gather_same_strings, gather_strings,
    read_frames, split_bits,
};

/// The most bytes of text that a vector may decode to.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// A vector with its shared part, from the bytes of an [`Input`].
pub fn block(bytes: &[u8]) {
    if let Some(input) = Input::of_bytes(bytes)
        && let Ok(shared) = Shared::decode(&input.shared, TEXT_BYTES_MAX)
    {
        vector(
            input.kind,
            &shared,
            &input.vector,
            usize::from(input.rows),
            true,
        );
    }
}

/// A vector whose shared part is sound; `every_call` also filters it.
pub fn vector(kind: Kind, shared: &Shared, bytes: &[u8], rows: usize, every_call: bool) {
    let last = u16::try_from(rows.saturating_sub(1)).unwrap_or(u16::MAX);
    let positions = [last, 0, last / 2];
    match kind {
        Kind::Words(kind) => {
            let decoded = decode_plain_integers(kind, shared, bytes, rows);
            let gathered = gather_integers(kind, shared, bytes, rows, &positions);
            if let (Ok(decoded), Ok(gathered)) = (&decoded, &gathered) {
                assert_eq!(decoded.len(), rows);
                assert_eq!(gathered.first(), decoded.last());
            }
            if every_call {
                let _ = decode_integers(kind, shared, bytes, rows);
                let constant = decoded.ok().and_then(|words| words.first().copied());
                let constant = constant.unwrap_or(0);
                let predicate = match kind {
                    IntegerKind::Float64 => {
                        IntegerPredicate::double(Comparison::Lt, f64_from_integer(constant))
                    }
                    _ => IntegerPredicate::integer(Comparison::Lt, constant),
                };
                let _ = filter_integers(kind, shared, bytes, rows, &predicate);
            }
        }
        Kind::Strings => {
            let decoded = decode_plain_strings(shared, bytes, rows, TEXT_BYTES_MAX);
            let gathered = gather_strings(shared, bytes, rows, &positions, TEXT_BYTES_MAX);
            if let Ok(strings) = &decoded {
                assert_eq!(strings.offsets.len(), rows + 1);
                assert!(strings.bytes.len() <= TEXT_BYTES_MAX);
                assert!(strings.offsets.is_sorted());
                assert_eq!(
                    strings.offsets.last().map(|end| *end as usize),
                    Some(strings.bytes.len())
                );
                if let Ok(gathered) = &gathered {
                    let last = strings.as_ref().get(usize::from(last));
                    assert_eq!(gathered.as_ref().get(0), last);
                }
            }
            if every_call {
                let _ = decode_strings(shared, bytes, rows, TEXT_BYTES_MAX);
                let constant = decoded.as_ref().map(|strings| strings.as_ref().get(0));
                let constant = constant.unwrap_or(b"any");
                for predicate in [
                    StringPredicate::compare(Comparison::Eq, constant),
                    StringPredicate::prefix(constant.get(..1).unwrap_or_default()),
                ] {
                    let _ = filter_strings(shared, bytes, rows, TEXT_BYTES_MAX, &predicate);
                }
            }
        }
        Kind::SameWords => {
            let reference = reference_words(rows);
            let kind = IntegerKind::Int64;
            let decoded = decode_same_integers(kind, shared, bytes, &reference);
            let at = positions.map(|position| reference.get(usize::from(position)).copied());
            let at = at.map(Option::unwrap_or_default);
            let gathered = gather_same_integers(kind, shared, bytes, rows, &positions, &at);
            if let (Ok(decoded), Ok(gathered)) = (decoded, gathered) {
                assert_eq!(decoded.len(), rows);
                assert_eq!(gathered.first(), decoded.last());
            }
        }
        Kind::SameStrings => {
            let reference = reference_strings(rows);
            let reference = reference.as_ref();
            let decoded = decode_same_strings(shared, bytes, reference, TEXT_BYTES_MAX);
            if let Ok(strings) = decoded {
                assert_eq!(strings.offsets.len(), rows + 1);
                assert!(strings.bytes.len() <= TEXT_BYTES_MAX);
            }
            let one = reference.slice(usize::from(last), usize::from(last) + 1);
            let _ = gather_same_strings(shared, bytes, rows, &[last], one, TEXT_BYTES_MAX);
        }
        Kind::Bits => {
            let _ = decode_bits(bytes, rows);
            let _ = gather_bits(bytes, rows, &positions);
            let _ = split_bits(bytes, rows);
        }
    }
}

/// The column that [`Kind::SameWords`] is mostly the same as.
pub fn reference_words(rows: usize) -> Vec<i64> {
    (0_i64..).map(|row| row * 7 % 1000).take(rows).collect()
}

/// The column that [`Kind::SameStrings`] is mostly the same as.
pub fn reference_strings(rows: usize) -> Strings {
    let mut strings = Strings {
        offsets: vec![0],
        bytes: Vec::new(),
    };
    for row in 0..rows {
        strings.bytes.extend(format!("row {}", row % 90).bytes());
        let end = u32::try_from(strings.bytes.len()).unwrap_or(u32::MAX);
        strings.offsets.push(end);
    }
    strings
}

/// The frames of a block.
pub fn frames(bytes: &[u8]) {
    for vectors in [1, 20] {
        for frame in read_frames(bytes, 0, vectors).into_iter().flatten() {
            let _ = frame.vector(bytes, frame.first_vector(), &());
        }
    }
}
