//! Functions of SQL against the reference library: it reads what they compress, they read what it
//! compresses, with dictionaries that either has trained (Z14, Z16, Z24).

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests, on test data"
)]

use std::sync::Arc;

use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use proptest::sample::select;
use varve_kv::MemoryKv;
use varve_tests_zstd::{Kind, Random, json_row};
use varve_types::Value;
use varvedb::{Database, Options, Session, SystemEnv};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, DParameter, FrameFormat};

fn session() -> Session {
    let env = Arc::new(SystemEnv::new());
    let database = Database::open(Arc::new(MemoryKv::new()), env, Options::browser());
    pollster::block_on(database).unwrap().session()
}

fn bytea(bytes: &[u8]) -> Value {
    Value::Bytea(bytes.into())
}

/// The one value that a query answers.
fn value(session: &mut Session, sql: &str, parameters: &[Value]) -> Vec<u8> {
    let answer = pollster::block_on(session.query(sql, parameters)).unwrap();
    match answer.rows().concat().as_slice() {
        [Value::Bytea(bytes)] => bytes.to_vec(),
        other => panic!("{other:?}"),
    }
}

fn format(is_compact: bool) -> FrameFormat {
    match is_compact {
        false => FrameFormat::One,
        true => FrameFormat::Magicless,
    }
}

fn reference_decode(frame: &[u8], is_compact: bool, dictionary: &[u8], bytes: usize) -> Vec<u8> {
    let mut reference = Decompressor::with_dictionary(dictionary).unwrap();
    let format = DParameter::Format(format(is_compact));
    reference.set_parameter(format).unwrap();
    reference.decompress(frame, bytes).unwrap()
}

fn reference_encode(raw: &[u8], level: i32, is_compact: bool, dictionary: &[u8]) -> Vec<u8> {
    let mut reference = Compressor::with_dictionary(level, dictionary).unwrap();
    let standard = !is_compact;
    for parameter in [
        CParameter::Format(format(is_compact)),
        CParameter::ChecksumFlag(standard),
        CParameter::ContentSizeFlag(standard),
        CParameter::DictIdFlag(standard),
    ] {
        reference.set_parameter(parameter).unwrap();
    }
    reference.compress(raw).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn frames_go_both_ways(
        kind in select(&Kind::ALL[..]),
        bytes in 0..300_000_usize,
        level in 1..=22_i32,
        is_compact: bool,
        dictionary in any::<Option<Vec<u8>>>(),
    ) {
        let raw = kind.data(bytes);
        let dictionary = dictionary.filter(|bytes| !bytes.is_empty());
        let bytes_of = dictionary.clone().unwrap_or_default();
        let given = dictionary.as_deref().map_or(Value::Null, bytea);
        let mut session = session();
        let compact = Value::Boolean(is_compact);
        let frame = value(
            &mut session,
            "SELECT zstd_compress($1::bytea, $2::int, $3::bytea, $4)",
            &[bytea(&raw), Value::Int4(level), given.clone(), compact.clone()],
        );
        let decoded = reference_decode(&frame, is_compact, &bytes_of, raw.len());
        prop_assert_eq!(&decoded, &raw);
        let theirs = reference_encode(&raw, level, is_compact, &bytes_of);
        let decoded = value(
            &mut session,
            "SELECT zstd_decompress($1, false, $2::bytea, $3)",
            &[bytea(&theirs), given, compact],
        );
        prop_assert_eq!(&decoded, &raw);
    }
}

#[test]
fn dictionaries_go_both_ways() {
    let mut session = session();
    let mut random = Random::new(7);
    let rows: Vec<Vec<u8>> = (0..3000)
        .map(|id| json_row(&mut random, id).into_bytes())
        .collect();
    pollster::block_on(session.execute_script("CREATE TABLE rows (data bytea)")).unwrap();
    for row in &rows {
        let row = [bytea(row)];
        pollster::block_on(session.query("INSERT INTO rows VALUES ($1)", &row)).unwrap();
    }
    let own = value(
        &mut session,
        "SELECT zstd_train_dict(data, 16384, 2000) FROM rows",
        &[],
    );
    let theirs = zstd::dict::from_samples(&rows, 16384).unwrap();
    for dictionary in [own, theirs] {
        let row = rows.last().unwrap();
        let given = [bytea(row), bytea(&dictionary)];
        let frame = value(
            &mut session,
            "SELECT zstd_compress($1::bytea, 3, $2::bytea)",
            &given,
        );
        assert!(
            frame.len() * 2 < row.len(),
            "{} of {}",
            frame.len(),
            row.len()
        );
        let decoded = reference_decode(&frame, false, &dictionary, row.len());
        assert_eq!(&decoded, row);
        let frame = reference_encode(row, 3, false, &dictionary);
        let given = [bytea(&frame), bytea(&dictionary)];
        let decoded = value(
            &mut session,
            "SELECT zstd_decompress($1, false, $2::bytea)",
            &given,
        );
        assert_eq!(&decoded, row);
    }
}
