//! Leaves: the codecs that hold their values themselves, and the choice among them.

use super::decimal::Parts;
use super::stats::Stats;
use super::{WordKind, constant, decimal, delta, frame, plain};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::{CodecError, Decoded, TAG_CONSTANT, TAG_DECIMAL, TAG_DELTA, TAG_FRAME, TAG_PLAIN};

/// A leaf codec and the bytes that it takes, tag included.
pub(super) struct Choice {
    pub(super) tag: u8,
    pub(super) bytes: usize,
    decimal: Option<Parts>,
}

/// The smallest leaf; at equal size the one that decodes with less work.
pub(super) fn choose(kind: WordKind, values: &[i64], stats: &Stats) -> Choice {
    let (tag, bytes) = choose_integer(kind, stats);
    let mut best = Choice {
        tag,
        bytes,
        decimal: None,
    };
    if kind == WordKind::Float64
        && best.tag != TAG_CONSTANT
        && let Some(parts) = Parts::of(values)
    {
        let integers = choose_integer(WordKind::Int64, &Stats::of(&parts.integers));
        let bytes = 1 + parts.estimate(integers.1);
        if bytes < best.bytes {
            best = Choice {
                tag: TAG_DECIMAL,
                bytes,
                decimal: Some(parts),
            };
        }
    }
    best
}

fn choose_integer(kind: WordKind, stats: &Stats) -> (u8, usize) {
    if let Some(bytes) = constant::estimate(stats) {
        return (TAG_CONSTANT, 1 + bytes);
    }
    let mut best = (TAG_PLAIN, 1 + plain::estimate(kind, stats));
    let frame = 1 + frame::estimate(stats);
    if frame < best.1 {
        best = (TAG_FRAME, frame);
    }
    match delta::estimate(stats) {
        Some(bytes) if (1 + bytes) * 8 < best.1 * 7 => (TAG_DELTA, 1 + bytes),
        _ => best,
    }
}

/// Appends the values in the chosen leaf.
pub(super) fn encode_as(
    choice: &Choice,
    kind: WordKind,
    values: &[i64],
    stats: &Stats,
    out: &mut Vec<u8>,
) {
    out.push(choice.tag);
    match (choice.tag, &choice.decimal) {
        (TAG_DECIMAL, Some(parts)) => parts.encode(out),
        (TAG_CONSTANT, _) => constant::encode(stats, out),
        (TAG_FRAME, _) => frame::encode(values, stats, out),
        (TAG_DELTA, _) => delta::encode(values, stats, out),
        _ => plain::encode(kind, values, out),
    }
}

/// Appends the values in the smallest leaf.
pub(super) fn encode(kind: WordKind, values: &[i64], out: &mut Vec<u8>) {
    let stats = Stats::of(values);
    let choice = choose(kind, values, &stats);
    encode_as(&choice, kind, values, &stats, out);
}

/// The values behind a tag.
pub(super) fn decode(
    scope: Scope<'_>,
    kind: WordKind,
    tag: u8,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    Ok(Decoded::Plain(match tag {
        TAG_PLAIN => plain::decode(kind, reader, rows)?,
        TAG_CONSTANT => return Ok(Decoded::Constant(vec![constant::decode(reader)?])),
        TAG_FRAME => frame::decode(reader, rows)?,
        TAG_DELTA => delta::decode(reader, rows)?,
        TAG_DECIMAL if kind == WordKind::Float64 => decimal::decode(scope, reader, rows)?,
        tag => return Err(CodecError::UnknownTag(tag)),
    }))
}

/// The values at `positions` behind a tag.
pub(super) fn gather(
    scope: Scope<'_>,
    kind: WordKind,
    tag: u8,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    match tag {
        TAG_PLAIN => plain::gather(kind, reader, rows, positions),
        TAG_CONSTANT => constant::gather(reader, positions),
        TAG_FRAME => frame::gather(reader, rows, positions),
        TAG_DELTA => delta::gather(reader, rows, positions),
        TAG_DECIMAL if kind == WordKind::Float64 => decimal::gather(scope, reader, rows, positions),
        tag => Err(CodecError::UnknownTag(tag)),
    }
}
