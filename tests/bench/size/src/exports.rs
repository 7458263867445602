//! One export for each way in.

use varve_codec::{
    BlockEncoder, BlockOptions, BlockValues, Codec, Comparison, DecodedBits, IntegerKind,
    IntegerPredicate, Shared, Stage, StringPredicate, StringsRef, decode_bits, decode_integers,
    decode_strings, encode_bits, filter_integers, filter_strings, gather_bits, gather_integers,
    gather_strings, put_frames, read_frames, write_frames,
};
use wasm_bindgen::prelude::wasm_bindgen;

const KINDS: [IntegerKind; 3] = [IntegerKind::Int32, IntegerKind::Int64, IntegerKind::Float64];

fn kind(number: usize) -> IntegerKind {
    KINDS.get(number).copied().unwrap_or(IntegerKind::Int64)
}

fn options(codec: usize) -> BlockOptions {
    BlockOptions {
        stage: Stage::Lz4,
        point_reads: false,
        codec: Codec::ALL.get(codec).copied().unwrap_or_default(),
    }
}

/// Encodes a block of words, frames included.
#[wasm_bindgen(js_name = encodeWords)]
pub fn encode_integers(kind_number: usize, codec: usize, words: &[i64], rows: &[usize]) -> Vec<u8> {
    let mut encoder = BlockEncoder::new(options(codec));
    written(
        encoder
            .encode(BlockValues::Integers(kind(kind_number), words), rows)
            .ok(),
    )
}

/// Encodes a block of strings, frames included.
#[wasm_bindgen(js_name = encodeStrings)]
pub fn encode_strings(codec: usize, offsets: &[u32], bytes: &[u8], rows: &[usize]) -> Vec<u8> {
    let mut encoder = BlockEncoder::new(options(codec));
    let strings = StringsRef { offsets, bytes };
    written(encoder.encode(BlockValues::Strings(strings), rows).ok())
}

fn written(block: Option<varve_codec::EncodedBlock>) -> Vec<u8> {
    let Some(block) = block else {
        return Vec::new();
    };
    let mut out = block.shared;
    let frames = write_frames(block.vectors.iter().map(Vec::as_slice), Stage::Lz4);
    let _ = put_frames(&frames, &mut out);
    out
}

/// Encodes bits.
#[wasm_bindgen(js_name = encodeBits)]
pub fn encode_some_bits(bits: &[u8], rows: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = encode_bits(bits, rows, &mut out);
    out
}

/// Reads a vector out of its frame.
#[wasm_bindgen(js_name = readVector)]
pub fn read_vector(stored: &[u8], vectors: usize, vector: usize) -> Option<Vec<u8>> {
    let frames = read_frames(stored, 0, vectors).ok()?;
    let frame = frames.iter().find(|frame| frame.first_vector() <= vector)?;
    Some(frame.vector(stored, vector, &()).ok()?.to_vec())
}

/// Decodes words.
#[wasm_bindgen(js_name = decodeWords)]
pub fn decode_some_words(kind_number: usize, shared: &[u8], bytes: &[u8], rows: usize) -> usize {
    let Ok(shared) = Shared::decode(shared, usize::MAX) else {
        return 0;
    };
    let decoded = decode_integers(kind(kind_number), &shared, bytes, rows);
    decoded.map_or(0, |decoded| {
        std::mem::size_of_val(&std::hint::black_box(decoded))
    })
}

/// Decodes strings.
#[wasm_bindgen(js_name = decodeStrings)]
pub fn decode_some_strings(shared: &[u8], bytes: &[u8], rows: usize, bytes_max: usize) -> usize {
    let Ok(shared) = Shared::decode(shared, bytes_max) else {
        return 0;
    };
    let decoded = decode_strings(&shared, bytes, rows, bytes_max);
    decoded.map_or(0, |decoded| {
        std::mem::size_of_val(&std::hint::black_box(decoded))
    })
}

/// Decodes bits.
#[wasm_bindgen(js_name = decodeBits)]
pub fn decode_some_bits(bytes: &[u8], rows: usize) -> Vec<u8> {
    match decode_bits(bytes, rows) {
        Ok(DecodedBits::Plain(bits)) => bits,
        Ok(DecodedBits::Constant(bit)) => vec![u8::from(bit)],
        Err(_) => Vec::new(),
    }
}

/// Gathers words.
#[wasm_bindgen(js_name = gatherWords)]
pub fn gather_some_words(kind_number: usize, shared: &[u8], bytes: &[u8], at: &[u16]) -> Vec<i64> {
    let shared = Shared::decode(shared, usize::MAX).unwrap_or_default();
    gather_integers(kind(kind_number), &shared, bytes, 1024, at).unwrap_or_default()
}

/// Gathers strings.
#[wasm_bindgen(js_name = gatherStrings)]
pub fn gather_some_strings(shared: &[u8], bytes: &[u8], at: &[u16]) -> Vec<u8> {
    let shared = Shared::decode(shared, usize::MAX).unwrap_or_default();
    let strings = gather_strings(&shared, bytes, 1024, at, usize::MAX);
    strings.map(|strings| strings.bytes).unwrap_or_default()
}

/// Gathers bits.
#[wasm_bindgen(js_name = gatherBits)]
pub fn gather_some_bits(bytes: &[u8], at: &[u16]) -> usize {
    gather_bits(bytes, 1024, at).map_or(0, |bits| bits.len())
}

/// Filters words as they are encoded.
#[wasm_bindgen(js_name = filterWords)]
pub fn filter_some_words(
    kind_number: usize,
    shared: &[u8],
    bytes: &[u8],
    constants: &[i64],
) -> Vec<u8> {
    let shared = Shared::decode(shared, usize::MAX).unwrap_or_default();
    let kind = kind(kind_number);
    let first = constants.first().copied().unwrap_or_default();
    let doubles = constants
        .iter()
        .map(|word| varve_codec::f64_from_integer(*word));
    let predicate = match kind {
        IntegerKind::Float64 => IntegerPredicate::double_in(doubles).and(
            &IntegerPredicate::double(Comparison::Lt, varve_codec::f64_from_integer(first)),
        ),
        _ => IntegerPredicate::integer_in(constants.iter().copied())
            .and(&IntegerPredicate::integer(Comparison::GtEq, first)),
    };
    match filter_integers(kind, &shared, bytes, 1024, &predicate) {
        Ok(DecodedBits::Plain(bits)) => bits,
        _ => Vec::new(),
    }
}

/// Filters strings as they are encoded.
#[wasm_bindgen(js_name = filterStrings)]
pub fn filter_some_strings(shared: &[u8], bytes: &[u8], constant: &[u8]) -> Vec<u8> {
    let shared = Shared::decode(shared, usize::MAX).unwrap_or_default();
    let predicate = StringPredicate::prefix(constant)
        .and(&StringPredicate::compare(Comparison::GtEq, constant))
        .and(&StringPredicate::any_of([constant]));
    match filter_strings(&shared, bytes, 1024, usize::MAX, &predicate) {
        Ok(DecodedBits::Plain(bits)) => bits,
        _ => Vec::new(),
    }
}
