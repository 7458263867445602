//! The decoder against frames of the `zstd` tool, and what both directions refuse. Interoperation,
//! golden bytes and mutations are in `tests/zstd`.

use super::{ZstdDecoder, ZstdDictionary, ZstdFraming, decompress_zstd, zstd_content_bytes_max};
use crate::CodecError;

/// `zstd -19`, with a checksum.
const FRAME: &str = "28b52ffd644c00e50100a2030c11b0a903284d58570e1349ced06047198b08878a3c273b38922b07ac42278d7937c918a8ac21d8f438a3b62b77a15b010200ec56a096daa2ca20b056ea";
/// `zstd -19 -D` with [`HISTORY`].
const FRAME_WITH_HISTORY: &str = "28b52ffd24325d0000086103100515c071017b576d67951c";
const HISTORY: &[u8] = b"varve layer of sediment, fine and sorted, never disturbed";
const WITH_HISTORY: &[u8] = b"a layer of sediment, never sorted, never disturbed";

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |digits: &[u8]| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap();
    hex.as_bytes().chunks_exact(2).map(byte).collect()
}

fn text() -> Vec<u8> {
    b"varve layer of sediment, fine and sorted; varve layer of sediment, laid down once; ".repeat(4)
}

#[test]
fn frames_of_the_tool_are_decoded() {
    let frame = bytes(FRAME);
    let raw = decompress_zstd(&frame, ZstdFraming::Standard, None, 332, 332);
    assert_eq!(raw, Ok(text()));
    let history = ZstdDictionary::new(HISTORY).unwrap();
    assert_eq!((history.id(), history.bytes()), (0, HISTORY));
    assert_eq!(history.memory_bytes(), HISTORY.len());
    let frame = bytes(FRAME_WITH_HISTORY);
    let mut raw = [0; 50];
    ZstdDecoder::new()
        .decode(&frame, ZstdFraming::Standard, Some(&history), &mut raw)
        .unwrap();
    assert_eq!(raw, WITH_HISTORY);
}

#[test]
fn content_of_unknown_length_is_added_up_to_a_limit() {
    let frame = bytes(FRAME);
    let append = |frame: &[u8], bytes_max: usize| {
        let mut raw = b"before ".to_vec();
        let room = (&mut raw, bytes_max);
        let decoded = ZstdDecoder::new().append(frame, ZstdFraming::Standard, None, room);
        decoded.map(|()| raw)
    };
    let wanted = [b"before ", text().as_slice()].concat();
    assert_eq!(append(&frame, 332), Ok(wanted.clone()));
    assert_eq!(append(&frame, 1 << 30), Ok(wanted));
    assert!(matches!(
        append(&frame, 331),
        Err(CodecError::TooLarge { bytes: 332, .. })
    ));
    let empty = append(&[], 332);
    assert_eq!(empty, Err(CodecError::UnexpectedEnd));
}

#[test]
fn room_is_made_for_blocks_whatever_a_header_says() {
    let standard = ZstdFraming::Standard;
    // Ten bytes, and a content size of 4 GiB.
    let lies = bytes("28b52ffda0ffffffff010000");
    let malformed = Err(CodecError::Malformed("zstd frame"));
    assert_eq!(zstd_content_bytes_max(&lies, standard), malformed);
    // Without a content size: one byte that stands 131,072 times, three times over.
    let repeated = bytes("28b52ffd0038020010610200106103001061");
    assert_eq!(zstd_content_bytes_max(&repeated, standard), Ok(3 << 17));
    let mut raw = Vec::new();
    let mut decoder = ZstdDecoder::new();
    decoder
        .append(&repeated, standard, None, (&mut raw, 1 << 20))
        .unwrap();
    assert_eq!(raw, vec![b'a'; 3 << 17]);
    let cut = repeated.get(..repeated.len() - 1).unwrap();
    assert_eq!(zstd_content_bytes_max(cut, standard), malformed);
}

#[test]
fn a_compact_frame_has_no_magic() {
    let frame = bytes(FRAME);
    let raw = decompress_zstd(&frame[4..], ZstdFraming::Compact, None, 332, 332);
    assert_eq!(raw, Ok(text()));
    let other = decompress_zstd(&frame, ZstdFraming::Compact, None, 332, 332);
    assert_eq!(other, Err(CodecError::Malformed("zstd frame")));
}

#[test]
fn frames_follow_each_other_and_some_hold_nothing() {
    let skippable = [0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    let frame = bytes(FRAME);
    let frames = [&frame, &skippable[..], &frame].concat();
    let raw = decompress_zstd(&frames, ZstdFraming::Standard, None, 664, 664);
    assert_eq!(raw, Ok(text().repeat(2)));
    let cut = frames.get(..frame.len() + 10).unwrap();
    let raw = decompress_zstd(cut, ZstdFraming::Standard, None, 332, 332);
    assert!(raw.is_err());
}

#[test]
fn declared_lengths_and_checksums_are_held_to() {
    let mut frame = bytes(FRAME);
    let malformed = Err(CodecError::Malformed("zstd frame"));
    for wrong in [0, 331, 333] {
        let raw = decompress_zstd(&frame, ZstdFraming::Standard, None, wrong, 1000);
        assert_eq!(raw, malformed, "{wrong}");
    }
    let too_large = CodecError::TooLarge {
        bytes: 332,
        bytes_max: 331,
    };
    let raw = decompress_zstd(&frame, ZstdFraming::Standard, None, 332, 331);
    assert_eq!(raw, Err(too_large));
    *frame.last_mut().unwrap() ^= 1;
    let raw = decompress_zstd(&frame, ZstdFraming::Standard, None, 332, 332);
    assert_eq!(raw, malformed);
    let nothing = decompress_zstd(&[], ZstdFraming::Standard, None, 0, 0);
    assert_eq!(nothing, Err(CodecError::UnexpectedEnd));
}

#[test]
fn a_missing_dictionary_and_a_malformed_one_are_refused() {
    let frame = bytes(FRAME_WITH_HISTORY);
    assert!(decompress_zstd(&frame, ZstdFraming::Standard, None, 50, 50).is_err());
    let trained_magic = [0x37, 0xA4, 0x30, 0xEC, 1, 0, 0, 0, 9, 9, 9];
    let malformed = CodecError::Malformed("zstd dictionary");
    assert_eq!(ZstdDictionary::new(&trained_magic).unwrap_err(), malformed);
}
