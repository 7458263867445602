use std::sync::Arc;

use varve_types::RunId;

use super::Stored;
use crate::envelope::{Kind, seal};
use crate::fixtures::golden_run;
use crate::{CheckedValue, FinishedRun, GroupIndex, GroupReader, KeyFilter, RunError, RunHead};

/// A generator (splitmix64) whose numbers never change.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }

    fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut copy = bytes.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(copy.len());
            match self.below(8) {
                0 => copy.truncate(at),
                1 => copy.insert(at, 0x80),
                _ if at < copy.len() => copy[at] ^= 1 << self.below(8),
                _ => copy.push(0),
            }
        }
        copy
    }
}

#[test]
fn damage_is_named_by_the_checksum() {
    let run = golden_run().unwrap();
    let id = run.head.run();
    let mut random = Random(1);
    for _ in 0..2000 {
        let head = random.damage(&run.head_bytes);
        if head != run.head_bytes {
            let error = RunHead::decode(id, &head).unwrap_err();
            let version = matches!(error, RunError::UnsupportedVersion { .. });
            assert!(
                version
                    || matches!(
                        error,
                        RunError::Corrupt {
                            value_number: None,
                            ..
                        }
                    )
            );
        }
        let value = &run.values[0];
        let bytes = random.damage(&value.bytes);
        if bytes != value.bytes {
            assert!(CheckedValue::check(id, 0, bytes.into()).is_err());
        }
    }
}

#[test]
fn a_sound_value_in_another_place_is_refused() {
    let run = golden_run().unwrap();
    let bytes: Arc<[u8]> = run.values[0].bytes.clone().into();
    assert!(CheckedValue::check(run.head.run(), 0, Arc::clone(&bytes)).is_ok());
    assert!(CheckedValue::check(run.head.run(), 1, Arc::clone(&bytes)).is_err());
    assert!(CheckedValue::check(RunId(8), 0, Arc::clone(&bytes)).is_err());
    assert!(RunHead::decode(RunId(8), &run.head_bytes).is_err());
    assert!(RunHead::decode(run.head.run(), &bytes).is_err());
    let error = CheckedValue::check(RunId(8), 0, bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "page 0 of run 8 is corrupt: malformed checksum"
    );
    assert_eq!(varve_types::Error::from(error).state().code(), "XX001");
}

#[test]
fn a_later_version_is_refused_by_name() {
    let run = golden_run().unwrap();
    for version in [2, 5] {
        let refused = RunError::UnsupportedVersion {
            run: RunId(7),
            version: version.into(),
        };
        let mut bytes = run.head_bytes.clone();
        bytes[4] = version;
        let error = RunHead::decode(RunId(7), &bytes).unwrap_err();
        assert_eq!(error, refused);
        let mut bytes = run.values[0].bytes.clone();
        bytes[4] = version;
        let error = CheckedValue::check(RunId(7), 0, bytes.into()).unwrap_err();
        assert_eq!(error, refused);
    }
}

/// Damage under a checksum made right again: what remains are the parsers' own checks.
#[test]
fn damage_under_a_right_checksum_is_an_answer() {
    let FinishedRun {
        head,
        head_bytes,
        values,
        ..
    } = golden_run().unwrap();
    let run = head.run();
    let mut random = Random(2);
    let reseal = |kind, mut bytes: Vec<u8>| {
        bytes.resize(bytes.len().max(16), 0);
        seal(kind, run, &mut bytes);
        bytes
    };
    let (mut heads, mut columns) = (0, 0);
    let good = Stored::of(&golden_run().unwrap());
    let mut heads_read = vec![Arc::clone(&good.head)];
    for _ in 0..3000 {
        let damaged = random.damage(&head_bytes);
        if let Ok(head) = RunHead::decode(run, &reseal(Kind::Head, damaged)) {
            heads += 1;
            heads_read.push(Arc::new(head));
        }
    }
    for round in 0..3000 {
        let head = &heads_read[random.below(heads_read.len())];
        let bytes = match round % 3 {
            0 => values[0].bytes.clone(),
            _ => random.damage(&values[0].bytes),
        };
        let value = CheckedValue::check(run, 0, reseal(Kind::Data(0), bytes).into()).unwrap();
        let _ = GroupIndex::decode(head, 0, &value);
        if let Ok(filter) = KeyFilter::of_group(head, 0, &value) {
            filter.may_contain(random.below(1 << 30) as u64);
        }
        let Ok(reader) = GroupReader::new(Arc::clone(head), 0, vec![value]) else {
            continue;
        };
        let column = random.below(head.columns().len());
        let vector = random.below(3);
        columns += usize::from(reader.column(column, vector).is_ok());
        let _ = reader.gather(column, vector, &[0, 99, 1023]);
        let _ = reader.search(vector, &[1, b's', 0, 0]);
    }
    assert!(heads > 100 && columns > 500, "{heads} {columns}");
}
