use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use varve_types::{CommitSeq, RunId};

use crate::catalog::Catalog;
use crate::fixtures::{
    GOLDEN_SEQ, golden_log, golden_manifest, golden_merged_log, manifest, ops, records, rows,
};
use crate::format::envelope::{Kind, seal};
use crate::format::log::{self, Content, LogOp, Record};
use crate::format::manifest::Manifest;
use crate::format::{catalog, deletion_vector, intent, keys};

fn compare(name: &str, found: &str, golden: &str) {
    if found != golden {
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, found).unwrap();
        panic!(
            "the bytes are not those of version 1; see {}",
            path.display()
        );
    }
}

#[test]
fn bytes_are_those_of_version_1() {
    let golden = include_str!("../../../../tests/format/v1/manifest.hex");
    compare("manifest.hex", &golden_manifest().unwrap(), golden);
    let golden = include_str!("../../../../tests/format/v1/log.hex");
    compare("log.hex", &golden_log().unwrap(), golden);
    let golden = include_str!("../../../../tests/format/v1/merged-log.hex");
    compare("merged-log.hex", &golden_merged_log().unwrap(), golden);
}

#[test]
fn records_come_back() {
    let golden = manifest();
    assert_eq!(Manifest::decode(&golden.encode().unwrap()).unwrap(), golden);
    let rows = rows();
    let ops = ops(&rows);
    assert_eq!(
        log::decode(GOLDEN_SEQ, &records(1).unwrap()[0].bytes).unwrap(),
        ops
    );
    let mut full = Catalog {
        version: 9,
        ..Catalog::default()
    };
    for op in &ops {
        if let LogOp::Catalog(change) = op {
            full.apply(change).unwrap();
        }
    }
    assert_eq!((full.objects.len(), full.trees.len()), (1, 3));
    assert_eq!(catalog::decode(9, &catalog::encode(&full)).unwrap(), full);
    let runs = [RunId(1), RunId(1 << 50)];
    assert_eq!(intent::decode(4, &intent::encode(4, &runs)).unwrap(), runs);
    let bitmap = (0..5000).step_by(3).collect();
    let value = deletion_vector::encode(RunId(1), 2, &bitmap).unwrap();
    assert_eq!(
        deletion_vector::decode(RunId(1), 2, &value).unwrap(),
        bitmap
    );
}

#[test]
fn a_long_record_is_cut_into_parts_and_short_ones_share_a_value() {
    let record = |at: u64, bytes: usize| Record {
        seq: CommitSeq(100 + at),
        bytes: vec![at as u8; bytes],
    };
    let records: Vec<Record> = [10, 20, 3 << 20, 1 << 19, (1 << 19) - 1000, 2000, 30]
        .into_iter()
        .zip(0..)
        .map(|(bytes, at)| record(at, bytes))
        .collect();
    let values = log::encode(&records, usize::MAX).unwrap();
    let shape: Vec<(u64, bool)> = values
        .iter()
        .map(|value| (value.last.0, value.is_whole))
        .collect();
    let long = (102, false);
    assert_eq!(
        shape,
        [(101, true), long, long, long, (104, true), (106, true)]
    );
    let mut found: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut parts = Vec::new();
    for value in &values {
        let Some(keys::Found::Log(seq, part)) = keys::parse(&value.key) else {
            panic!("{value:?}");
        };
        assert!(value.bytes.len() <= (1 << 20) + 20);
        assert_eq!(value.is_whole, log::is_whole(&value.bytes));
        match log::open_value(seq, part, &value.bytes).unwrap() {
            Content::Part { bytes, is_last } => {
                parts.extend_from_slice(bytes);
                if is_last {
                    found.push((seq.0, std::mem::take(&mut parts)));
                }
            }
            Content::Records { first, records } => {
                assert_eq!(first.0 + records.len() as u64 - 1, seq.0);
                found.extend((first.0..).zip(records.into_iter().map(<[u8]>::to_vec)));
            }
        }
    }
    let expected: Vec<_> = records.into_iter().map(|r| (r.seq.0, r.bytes)).collect();
    assert_eq!(found, expected);
}

/// Bytes under a right checksum are an answer too, whatever they are.
fn decode_all(payload: &[u8]) {
    let _ = log::decode(GOLDEN_SEQ, payload);
    for kind in [Kind::Log, Kind::MergedLog] {
        let value = seal(kind, &keys::log(GOLDEN_SEQ, 0), payload);
        let _ = log::open_value(GOLDEN_SEQ, 0, &value);
    }
    let _ = Manifest::decode(&seal(Kind::Manifest, &keys::manifest(), payload));
    let _ = catalog::decode(1, &seal(Kind::Catalog, &keys::catalog(1), payload));
    let _ = intent::decode(1, &seal(Kind::Intent, &keys::intent(1), payload));
    let key = keys::deletion_vector(RunId(1), 1);
    let _ = deletion_vector::decode(RunId(1), 1, &seal(Kind::DeletionVector, &key, payload));
}

proptest! {
    #[test]
    fn any_bytes_are_an_answer(payload in vec(any::<u8>(), 0..200)) {
        decode_all(&payload);
    }

    #[test]
    fn damaged_records_are_an_answer(
        damage in vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let payload = records(1).unwrap()[0].bytes.clone();
        let merged = log::encode(&records(3).unwrap(), usize::MAX).unwrap()[0].bytes[16..].to_vec();
        let mut full = Catalog { version: 1, ..Catalog::default() };
        for op in log::decode(GOLDEN_SEQ, &payload).unwrap() {
            if let LogOp::Catalog(change) = op {
                full.apply(&change).unwrap();
            }
        }
        let catalog = catalog::encode(&full)[16..].to_vec();
        for mut bytes in [payload, merged, catalog, manifest().encode().unwrap()[16..].to_vec()] {
            for (at, byte) in &damage {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            decode_all(&bytes);
        }
    }
}
