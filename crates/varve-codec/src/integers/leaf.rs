//! Leaves: the codecs that hold their values themselves, and the choice among them.

use crate::integers::alp::{self, Parts};
use crate::integers::leaves::linear::{self, Line};
use crate::integers::leaves::patched::{self, Window};
use crate::integers::leaves::stats::Stats;
use crate::integers::leaves::{block_leaf, constant, delta, frame, plain};
use crate::integers::{IntegerKind, decimal};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::{
    TAG_ALP, TAG_CONSTANT, TAG_DECIMAL, TAG_DELTA, TAG_FRAME, TAG_LINEAR, TAG_PATCHED, TAG_PLAIN,
};
use crate::{CodecError, Decoded};

/// A leaf codec and the bytes that it takes, tag included.
pub(super) struct Choice {
    pub(super) tag: u8,
    pub(super) bytes: usize,
    leaf: Leaf,
}

/// A leaf codec with what its choice found out.
enum Leaf {
    Plain,
    Constant,
    Frame,
    Delta,
    Patched(Window),
    Linear(Line),
    /// The integers have statistics and a leaf of their own.
    Alp(Parts, Stats, Box<Choice>),
}

/// The smallest leaf; at equal size the one that decodes with less work.
pub(super) fn choose(kind: IntegerKind, values: &[i64], stats: &Stats) -> Choice {
    let best = choose_integer(kind, values, stats);
    if kind == IntegerKind::Float64
        && best.tag != TAG_CONSTANT
        && let Some(parts) = Parts::of(&[], values)
    {
        let stats = Stats::of(&parts.scaled_integers);
        let scaled_integers = choose_integer(IntegerKind::Int64, &parts.scaled_integers, &stats);
        let bytes = 1 + parts.header_bytes() + scaled_integers.bytes;
        if bytes < best.bytes {
            return Choice {
                tag: TAG_ALP,
                bytes,
                leaf: Leaf::Alp(parts, stats, Box::new(scaled_integers)),
            };
        }
    }
    best
}

/// The bytes, tag included, of the smallest leaf that needs no second look at the values.
pub(super) fn quick_estimate(kind: IntegerKind, stats: &Stats) -> usize {
    let delta = delta::estimate(stats).unwrap_or(usize::MAX - 1);
    let best = plain::estimate(kind, stats).min(frame::estimate(stats));
    1 + best.min(delta)
}

/// As [`choose`], without a look at what the doubles are.
pub(super) fn choose_integer(kind: IntegerKind, values: &[i64], stats: &Stats) -> Choice {
    let choice = |tag, bytes, leaf| Choice {
        tag,
        bytes: 1 + bytes,
        leaf,
    };
    if let Some(bytes) = constant::estimate(stats) {
        return choice(TAG_CONSTANT, bytes, Leaf::Constant);
    }
    let mut best = choice(TAG_PLAIN, plain::estimate(kind, stats), Leaf::Plain);
    let frame = choice(TAG_FRAME, frame::estimate(stats), Leaf::Frame);
    if frame.bytes < best.bytes {
        best = frame;
    }
    if let Some(window) = Window::of(values, stats) {
        let patched = choice(TAG_PATCHED, window.bytes(stats.rows), Leaf::Patched(window));
        if patched.bytes < best.bytes {
            best = patched;
        }
    }
    if let Some(line) = Line::of(values, stats) {
        let linear = choice(TAG_LINEAR, line.bytes(stats.rows), Leaf::Linear(line));
        if linear.bytes < best.bytes {
            best = linear;
        }
    }
    match delta::estimate(stats) {
        Some(bytes) if (1 + bytes) * 8 < best.bytes * 7 => choice(TAG_DELTA, bytes, Leaf::Delta),
        _ => best,
    }
}

/// Appends the values in the chosen leaf.
pub(super) fn encode_as(
    choice: &Choice,
    kind: IntegerKind,
    values: &[i64],
    stats: &Stats,
    out: &mut Vec<u8>,
) {
    out.push(choice.tag);
    match &choice.leaf {
        Leaf::Plain => plain::encode(kind, values, out),
        Leaf::Constant => constant::encode(stats, out),
        Leaf::Frame => frame::encode(values, stats, out),
        Leaf::Delta => delta::encode(values, stats, out),
        Leaf::Patched(window) => window.encode(values, out),
        Leaf::Linear(line) => line.encode(values, out),
        Leaf::Alp(parts, stats, scaled_integers) => {
            parts.put_header(out);
            encode_as(
                scaled_integers,
                IntegerKind::Int64,
                &parts.scaled_integers,
                stats,
                out,
            );
        }
    }
}

/// Appends the values in the smallest leaf.
pub(super) fn encode(kind: IntegerKind, values: &[i64], out: &mut Vec<u8>) {
    let stats = Stats::of(values);
    let choice = choose(kind, values, &stats);
    encode_as(&choice, kind, values, &stats, out);
}

/// The values behind a tag.
pub(super) fn decode(
    scope: Scope<'_>,
    kind: IntegerKind,
    tag: u8,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Vec<i64>>, CodecError> {
    Ok(Decoded::Plain(match tag {
        TAG_PLAIN => plain::decode(kind, reader, rows)?,
        TAG_CONSTANT => return Ok(Decoded::Constant(vec![constant::decode(reader)?])),
        TAG_FRAME => frame::decode(reader, rows)?,
        TAG_DELTA => delta::decode(reader, rows)?,
        TAG_PATCHED => patched::decode(reader, rows)?,
        TAG_LINEAR => linear::decode(reader, rows)?,
        TAG_DECIMAL if kind == IntegerKind::Float64 => decimal::decode(scope, reader, rows)?,
        TAG_ALP if kind == IntegerKind::Float64 => alp::decode(scope, reader, rows)?,
        tag => (block_leaf(kind, tag)?.decode)(reader, rows)?,
    }))
}

/// The values at `positions` behind a tag.
pub(super) fn gather(
    scope: Scope<'_>,
    kind: IntegerKind,
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
        TAG_PATCHED => patched::gather(reader, rows, positions),
        TAG_LINEAR => linear::gather(reader, rows, positions),
        TAG_DECIMAL if kind == IntegerKind::Float64 => {
            decimal::gather(scope, reader, rows, positions)
        }
        TAG_ALP if kind == IntegerKind::Float64 => alp::gather(scope, reader, rows, positions),
        tag => (block_leaf(kind, tag)?.gather)(reader, rows, positions),
    }
}
