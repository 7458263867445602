//! Codes and tables against what they came from, and ratios against the paper's.

use std::io::Read;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};

use super::table::Symbol;
use super::{Encoder, SymbolTable, decode_into, decode_strings, train};
use crate::CodecError;
use crate::reader::ByteReader;
use crate::testing::{Random, mutations};

fn table(symbols: &[&[u8]]) -> SymbolTable {
    let symbol = |bytes: &&[u8]| {
        let bytes = bytes.iter().map(|byte| Symbol::of_byte(*byte));
        bytes.reduce(Symbol::followed_by).expect("not empty")
    };
    SymbolTable::new(&symbols.iter().map(symbol).collect::<Vec<_>>())
}

fn encoded(table: &SymbolTable, string: &[u8]) -> Vec<u8> {
    let mut codes = Vec::new();
    Encoder::new(table).encode_all([string].into_iter(), &mut codes, |_| {});
    codes
}

fn decoded(table: &SymbolTable, codes: &[u8], bytes_max: usize) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    decode_into(table, codes, &mut out, bytes_max)?;
    Ok(out)
}

fn written(table: &SymbolTable) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write(&mut bytes);
    assert_eq!(bytes.len(), table.written_bytes());
    bytes
}

fn read(bytes: &[u8]) -> Result<SymbolTable, CodecError> {
    let mut reader = ByteReader::new(bytes);
    let table = SymbolTable::read(&mut reader)?;
    reader.end()?;
    Ok(table)
}

/// The codes as the paper has them, one at a time.
fn slow_decoded(table: &SymbolTable, codes: &[u8]) -> Option<Vec<u8>> {
    let symbols: Vec<Symbol> = table.symbols().collect();
    let mut out = Vec::new();
    let mut codes = codes.iter();
    while let Some(code) = codes.next() {
        if *code == 255 {
            out.push(*codes.next()?);
        } else {
            let symbol = symbols.get(usize::from(*code))?;
            out.extend(&symbol.packed.to_le_bytes()[..usize::from(symbol.len)]);
        }
    }
    Some(out)
}

/// The fewest code bytes of `string`.
fn slow_code_bytes(table: &SymbolTable, string: &[u8]) -> usize {
    let mut costs = vec![0; string.len() + 1];
    for at in (0..string.len()).rev() {
        costs[at] = 2 + costs[at + 1];
        for symbol in table.symbols() {
            let len = usize::from(symbol.len);
            if string[at..].starts_with(&symbol.packed.to_le_bytes()[..len]) {
                costs[at] = costs[at].min(1 + costs[at + len]);
            }
        }
    }
    costs[0]
}

#[test]
fn golden_bytes() {
    let table = table(&[b"e", b"va", b"var", b"varve", b"rve ", b"\0\0", b"database"]);
    let bytes = b"\x01\x02\x01\x01\x01\0\0\x01e\0\0vavarrve varvedatabase";
    assert_eq!(written(&table), bytes);
    let cases: [(&[u8], &[u8]); 7] = [
        (b"", b""),
        (b"varve", b"\x05"),
        (b"varve database", b"\x02\x04\x06"),
        (b"va", b"\x02"),
        (b"database!", b"\x06\xff!"),
        (b"\0\0\0", b"\x01\xff\0"),
        (b"\xff", b"\xff\xff"),
    ];
    for (string, codes) in cases {
        assert_eq!(encoded(&table, string), codes, "{string:?}");
        assert_eq!(decoded(&table, codes, 100), Ok(string.to_vec()));
    }
}

#[test]
fn a_trained_table_stays_the_same() {
    let strings: Vec<String> = (0..40)
        .map(|i| format!("user{}@example.org", i * 37))
        .collect();
    let table = train(strings.iter().map(String::as_bytes));
    let bytes = b"\x0a\x02\0\x02\x01\0\0\x0101234567891114.orguseruser1@example";
    assert_eq!(written(&table), bytes);
}

#[test]
fn what_no_encoder_writes_is_refused() {
    let cases: [(&[u8], CodecError); 6] = [
        (b"\x01\0\0\0\0\0\0", CodecError::UnexpectedEnd),
        (b"\x02\0\0\0\0\0\0\0a", CodecError::UnexpectedEnd),
        (
            b"\x02\0\0\0\0\0\0\0ba",
            CodecError::Malformed("FSST symbol order"),
        ),
        (
            b"\x02\0\0\0\0\0\0\0aa",
            CodecError::Malformed("FSST symbol order"),
        ),
        (
            b"\xff\x01\0\0\0\0\0\0",
            CodecError::Malformed("FSST symbol count"),
        ),
        (b"\0\0\0\0\0\0\0\0a", CodecError::TrailingBytes),
    ];
    for (bytes, error) in cases {
        assert_eq!(
            read(bytes).map(|table| table.symbols),
            Err(error),
            "{bytes:?}"
        );
    }
    let table = table(&[b"ab"]);
    let long = [[0; 20].as_slice(), &[255]].concat();
    let cases: [(&[u8], CodecError); 4] = [
        (&[255], CodecError::UnexpectedEnd),
        (&long, CodecError::UnexpectedEnd),
        (&[0, 1], CodecError::Malformed("FSST code")),
        (
            &[0, 0, 0, 0, 254, 0, 0, 0],
            CodecError::Malformed("FSST code"),
        ),
    ];
    for (codes, error) in cases {
        assert_eq!(decoded(&table, codes, 100), Err(error), "{codes:?}");
    }
}

#[test]
fn strings_end_between_symbols_at_the_end_of_the_codes() {
    let table = table(&[b"ab"]);
    let codes = [[0; 300].as_slice(), &[255, 1, 0]].concat();
    let ends = |code_ends: &[u32]| {
        let strings = decode_strings(&table, &codes, code_ends, 1000)?;
        Ok(strings.offsets)
    };
    assert_eq!(
        ends(&[0, 7, 7, 300, 302, 303, 303]),
        Ok(vec![0, 0, 14, 14, 600, 601, 603, 603])
    );
    let malformed = Err(CodecError::Malformed("FSST string ends"));
    for wrong in [
        &[300, 301, 303][..],
        &[302],
        &[302, 304],
        &[303, 2],
        &[303, 304],
    ] {
        assert_eq!(ends(wrong), malformed, "{wrong:?}");
    }
}

#[test]
fn decoding_stops_near_its_limit() {
    let table = table(&[b"abcdefgh"]);
    assert_eq!(decoded(&table, &[0; 4], 32).map(|out| out.len()), Ok(32));
    let mut out = b"kept".to_vec();
    let error = decode_into(&table, &[0; 1 << 20], &mut out, 31);
    assert!(matches!(error, Err(CodecError::TooLarge { bytes, bytes_max: 31 }) if bytes < 4096));
    assert_eq!(out, b"kept");
    assert!(out.capacity() < 8192);
}

#[test]
fn damaged_tables_and_codes_are_answers() {
    let strings: Vec<String> = (0..200)
        .map(|i| format!("/flights/{}/{i}", i % 7))
        .collect();
    let table = train(strings.iter().map(String::as_bytes));
    let mut codes = Vec::new();
    let all = strings.iter().map(String::as_bytes);
    Encoder::new(&table).encode_all(all, &mut codes, |_| {});
    mutations(&written(&table), 20_000, |bytes| {
        if let Ok(table) = read(bytes) {
            assert_eq!(written(&table), bytes);
            let _ = decoded(&table, &codes, 10_000);
        }
    });
    mutations(&codes, 20_000, |codes| {
        let answer = decoded(&table, codes, usize::MAX);
        assert_eq!(answer.ok(), slow_decoded(&table, codes));
    });
}

/// Strings over few letters, over all bytes, and of parts that come again.
fn strings() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let letters = vec(prop_oneof![0..3_u8, 250..=255_u8], 0..40);
    let pieces = vec(0..6_usize, 0..12).prop_map(|pieces| {
        const PIECES: [&str; 6] = ["the ", "them", "http://", "\0\0\0", "ana", "banana "];
        pieces
            .iter()
            .flat_map(|piece| PIECES[*piece].bytes())
            .collect()
    });
    vec(prop_oneof![letters, vec(any::<u8>(), 0..40), pieces], 0..40)
}

proptest! {
    #[test]
    fn strings_come_back_alone_and_together(strings in strings(), long in vec(0..4_u8, 0..3000)) {
        let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).chain([&long[..]]).collect();
        let table = train(strings.iter().copied());
        let again = read(&written(&table)).expect("as written");
        let mut codes = Vec::new();
        let mut ends = vec![0];
        let encoder = Encoder::new(&again);
        encoder.encode_all(strings.iter().copied(), &mut codes, |end| ends.push(end));
        let whole = strings.concat();
        prop_assert_eq!(decoded(&table, &codes, whole.len()), Ok(whole.clone()));
        let code_ends: Vec<u32> = ends[1..].iter().map(|end| *end as u32).collect();
        let together = decode_strings(&table, &codes, &code_ends, whole.len());
        let together = together.expect("as encoded");
        prop_assert_eq!(together.as_ref().len(), strings.len());
        prop_assert_eq!(&together.bytes, &whole);
        for (i, string) in strings.iter().enumerate() {
            prop_assert_eq!(together.as_ref().get(i), *string);
        }
        for (string, ends) in strings.iter().zip(ends.windows(2)) {
            let own = &codes[ends[0]..ends[1]];
            prop_assert_eq!(decoded(&table, own, string.len()), Ok(string.to_vec()));
            prop_assert_eq!(encoded(&table, string), own);
            prop_assert_eq!(slow_decoded(&table, own), Some(string.to_vec()));
        }
    }

    #[test]
    fn no_cut_is_shorter(strings in strings(), other in strings()) {
        let table = train(strings.iter().map(Vec::as_slice));
        for string in strings.iter().chain(&other) {
            prop_assert_eq!(encoded(&table, string).len(), slow_code_bytes(&table, string));
        }
    }

    #[test]
    fn equal_codes_are_equal_strings(strings in strings(), seed: u64) {
        let table = train(strings.iter().map(Vec::as_slice));
        let mut random = Random(seed);
        for string in &strings {
            let other = &strings[random.below(strings.len())];
            let equal = encoded(&table, string) == encoded(&table, other);
            prop_assert_eq!(equal, string == other);
        }
    }

    #[test]
    fn any_codes_are_what_the_slow_way_says(strings in strings(), codes: Vec<u8>) {
        let table = train(strings.iter().map(Vec::as_slice));
        let below = |code: &u8| if *code < 240 { *code % table.symbols.max(1) } else { *code };
        let codes: Vec<u8> = codes.iter().map(below).collect();
        prop_assert_eq!(decoded(&table, &codes, usize::MAX).ok(), slow_decoded(&table, &codes));
    }

    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>) {
        if let Ok(table) = read(&bytes) {
            prop_assert_eq!(written(&table), bytes);
        }
    }
}

/// The paper's figure is of lines with their line feeds, a table left out of account.
#[test]
fn ratios_are_the_papers_or_better() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/corpora/compression/fsst-dbtext"
    );
    let Ok(paper) = std::fs::read_to_string(format!("{folder}/paper_ratios.csv")) else {
        eprintln!("skipped: {folder} is not there");
        return;
    };
    let mut files = 0;
    for row in paper.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let Ok(frame) = std::fs::read(format!("{folder}/{}.zst", fields[0])) else {
            continue;
        };
        let line_ratio: f64 = fields[3].parse().expect("a number");
        let text = unpacked(&frame);
        let ratio = ratio(
            &text
                .split_inclusive(|byte| *byte == b'\n')
                .collect::<Vec<_>>(),
        );
        assert!(
            ratio >= line_ratio,
            "{}: {ratio:.3} against {line_ratio}",
            fields[0]
        );
        files += 1;
    }
    assert_eq!(files, 9);
}

fn unpacked(frame: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(frame).expect("a frame");
    decoder.read_to_end(&mut text).expect("a frame");
    text
}

/// Bytes of the strings over bytes of their codes and tables, a table for 65,536 strings.
fn ratio(strings: &[&[u8]]) -> f64 {
    let mut codes = Vec::new();
    let mut raw_bytes = 0;
    let mut table_bytes = 0;
    for block in strings.chunks(65_536) {
        let table = train(block.iter().copied());
        Encoder::new(&table).encode_all(block.iter().copied(), &mut codes, |_| {});
        table_bytes += table.written_bytes();
        raw_bytes += block.iter().map(|string| string.len()).sum::<usize>();
    }
    raw_bytes as f64 / (codes.len() + table_bytes) as f64
}
