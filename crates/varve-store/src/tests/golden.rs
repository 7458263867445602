use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use varve_types::RunId;

use crate::catalogue::Catalogue;
use crate::fixtures::{GOLDEN_SEQ, golden_log, golden_manifest, manifest, ops, rows};
use crate::format::envelope::{Kind, seal};
use crate::format::log::{self, LogOp};
use crate::format::manifest::Manifest;
use crate::format::{catalogue, intent, keys, marks};

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
    compare("manifest.hex", &golden_manifest(), golden);
    let golden = include_str!("../../../../tests/format/v1/log.hex");
    compare("log.hex", &golden_log(), golden);
}

#[test]
fn records_come_back() {
    let golden = manifest();
    assert_eq!(Manifest::decode(&golden.encode()).unwrap(), golden);
    let rows = rows();
    let ops = ops(&rows);
    let mut record = Vec::new();
    for (part, (_, value)) in log::encode(GOLDEN_SEQ, &ops).into_iter().enumerate() {
        log::join(GOLDEN_SEQ, part as u32, &value, &mut record).unwrap();
    }
    assert_eq!(log::decode(GOLDEN_SEQ, &record).unwrap(), ops);
    let mut full = Catalogue {
        version: 9,
        ..Catalogue::default()
    };
    for op in &ops {
        if let LogOp::Catalogue(change) = op {
            full.apply(change).unwrap();
        }
    }
    assert_eq!((full.objects.len(), full.trees.len()), (1, 2));
    assert_eq!(
        catalogue::decode(9, &catalogue::encode(&full)).unwrap(),
        full
    );
    let runs = [RunId(1), RunId(1 << 50)];
    assert_eq!(intent::decode(4, &intent::encode(4, &runs)).unwrap(), runs);
    let bitmap = (0..5000).step_by(3).collect();
    let value = marks::encode(RunId(1), 2, &bitmap).unwrap();
    assert_eq!(marks::decode(RunId(1), 2, &value).unwrap(), bitmap);
}

#[test]
fn a_long_record_is_cut_into_parts() {
    let long = vec![7_u8; 3 << 20];
    let ops = [LogOp::Insert {
        tree: varve_types::TreeId(1),
        schema_version: 1,
        rows: vec![&long],
    }];
    let values = log::encode(GOLDEN_SEQ, &ops);
    assert_eq!(values.len(), 4);
    let mut record = Vec::new();
    for (part, (key, value)) in (0..).zip(&values) {
        assert_eq!(*key, keys::log(GOLDEN_SEQ, part));
        let complete = log::join(GOLDEN_SEQ, part, value, &mut record).unwrap();
        assert_eq!(complete, part == 3);
    }
    assert_eq!(log::decode(GOLDEN_SEQ, &record).unwrap(), ops);
}

/// Bytes under a right checksum are an answer too, whatever they are.
fn decode_all(payload: &[u8]) {
    let _ = log::decode(GOLDEN_SEQ, payload);
    let _ = Manifest::decode(&seal(Kind::Manifest, &keys::manifest(), payload));
    let _ = catalogue::decode(1, &seal(Kind::Catalogue, &keys::catalogue(1), payload));
    let _ = intent::decode(1, &seal(Kind::Intent, &keys::intent(1), payload));
    let key = keys::marks(RunId(1), 1);
    let _ = marks::decode(RunId(1), 1, &seal(Kind::Marks, &key, payload));
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
        let rows = rows();
        let mut payload = Vec::new();
        for (part, (_, value)) in log::encode(GOLDEN_SEQ, &ops(&rows)).into_iter().enumerate() {
            log::join(GOLDEN_SEQ, part as u32, &value, &mut payload).unwrap();
        }
        let mut full = Catalogue { version: 1, ..Catalogue::default() };
        for op in log::decode(GOLDEN_SEQ, &payload).unwrap() {
            if let LogOp::Catalogue(change) = op {
                full.apply(&change).unwrap();
            }
        }
        let catalogue = catalogue::encode(&full)[16..].to_vec();
        for mut bytes in [payload, catalogue, manifest().encode()[16..].to_vec()] {
            for (at, byte) in &damage {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            decode_all(&bytes);
        }
    }
}
