use std::collections::BTreeMap;

use pollster::block_on;
use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

use crate::fault::{CallFault, FaultKv, FaultPlan};
use crate::{
    Durability, Key, KeyRange, Kv, KvError, LARGE_VALUE_BYTES, MemoryKv, Scan, ScanLimit,
    WriteBatch,
};

fn put(key: &str, value: &[u8]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put(key, value);
    batch
}

fn get(kv: &dyn Kv, key: &str) -> Result<Option<Vec<u8>>, KvError> {
    let values = block_on(kv.get_many(&[key.into()]))?;
    Ok(values[0].as_ref().map(|value| value.to_vec()))
}

fn faulty(plan: FaultPlan) -> FaultKv<MemoryKv> {
    FaultKv::new(MemoryKv::new(), plan)
}

#[test]
fn the_planned_call_fails_and_no_other() {
    let kv = faulty(FaultPlan::new(1).at_call(2, CallFault::Fail(KvError::StorageFull)));
    let commit = |key| block_on(kv.commit(put(key, b"v"), Durability::Strict));
    assert_eq!(commit("a"), Ok(()));
    assert_eq!(commit("b"), Err(KvError::StorageFull));
    assert_eq!(commit("c"), Ok(()));
    assert_eq!(get(&kv, "b"), Ok(None));
    assert_eq!(get(&kv, "c"), Ok(Some(b"v".to_vec())));
    assert_eq!(kv.calls(), 5);
}

#[test]
fn a_lost_answer_has_taken_effect_and_a_close_may_have() {
    let kv = faulty(FaultPlan::new(1).at_call(1, CallFault::LoseAnswer));
    let answer = block_on(kv.commit(put("a", b"1"), Durability::Strict));
    assert!(matches!(answer, Err(KvError::Unavailable { .. })));
    assert_eq!(get(&kv, "a"), Ok(Some(b"1".to_vec())));

    let outcomes: Vec<bool> = (0..20)
        .map(|seed| {
            let kv = faulty(FaultPlan::new(seed).at_call(1, CallFault::Close));
            let answer = block_on(kv.commit(put("a", b"1"), Durability::Strict));
            assert!(matches!(answer, Err(KvError::Unavailable { .. })));
            get(&kv, "a").unwrap().is_some()
        })
        .collect();
    assert!(
        outcomes.contains(&true) && outcomes.contains(&false),
        "{outcomes:?}"
    );
}

#[test]
fn a_call_in_which_the_process_dies_never_answers() {
    for carried_out in [false, true] {
        let kv = faulty(FaultPlan::new(1).at_call(1, CallFault::Crash { carried_out }));
        let mut commit = kv.commit(put("a", b"1"), Durability::Strict);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(commit.as_mut().poll(&mut context).is_pending());
        assert!(kv.is_crashing());
        drop(commit);
        block_on(kv.crash()).unwrap();
        assert!(!kv.is_crashing());
        assert_eq!(get(&kv, "a").unwrap().is_some(), carried_out);
    }
}

#[test]
fn a_full_store_writes_nothing_and_still_deletes() {
    let kv = faulty(FaultPlan::new(1).quota_bytes(100));
    block_on(kv.commit(put("a", &[1; 60]), Durability::Strict)).unwrap();
    let mut two = put("b", &[2; 10]);
    two.put("c", [3; 90]);
    assert_eq!(
        block_on(kv.commit(two, Durability::Strict)),
        Err(KvError::StorageFull)
    );
    assert_eq!(get(&kv, "b"), Ok(None));
    let mut batch = put("c", &[3; 90]);
    batch.delete("a");
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    assert_eq!(kv.inner().bytes(), 91);
    kv.set_quota_bytes(Some(10));
    let mut batch = WriteBatch::new();
    batch.delete("c");
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    assert_eq!(kv.inner().bytes(), 0);
}

#[test]
fn one_commit_finds_the_storage_full() {
    let kv = faulty(FaultPlan::new(1).full_at_commit(2));
    let commit = |key| block_on(kv.commit(put(key, b"1"), Durability::Strict));
    assert_eq!(commit("a"), Ok(()));
    assert_eq!(get(&kv, "a").map(|found| found.is_some()), Ok(true));
    assert_eq!(commit("b"), Err(KvError::StorageFull));
    assert_eq!(get(&kv, "b"), Ok(None));
    assert_eq!(commit("b"), Ok(()));
    assert_eq!(kv.commits(), 3);
}

#[test]
fn a_lost_large_value_answers_corrupt_until_it_is_written_again() {
    let large = vec![7u8; LARGE_VALUE_BYTES];
    let mut seen = [false; 2];
    for seed in 0..20 {
        let kv = faulty(FaultPlan::new(seed));
        block_on(kv.commit(put("big", &large), Durability::Relaxed)).unwrap();
        block_on(kv.commit(put("small", b"s"), Durability::Strict)).unwrap();
        let report = block_on(kv.crash()).unwrap();
        assert_eq!((report.commits_lost, report.commits_kept), (0, 0));
        assert_eq!(get(&kv, "small"), Ok(Some(b"s".to_vec())));
        let all = Scan::forward(KeyRange::all(), ScanLimit::NONE);
        if report.values_lost.is_empty() {
            seen[0] = true;
            assert_eq!(get(&kv, "big"), Ok(Some(large.clone())));
        } else {
            seen[1] = true;
            assert!(matches!(
                get(&kv, "big"),
                Err(KvError::Corrupt { key: Some(_), .. })
            ));
            assert!(matches!(
                block_on(kv.scan(&all)),
                Err(KvError::Corrupt { .. })
            ));
            block_on(kv.commit(put("big", b"new"), Durability::Relaxed)).unwrap();
            assert_eq!(get(&kv, "big"), Ok(Some(b"new".to_vec())));
        }
    }
    assert_eq!(seen, [true, true]);
}

#[derive(Debug, Clone)]
struct Step {
    puts: Vec<(u8, u8)>,
    clear_below: Option<u8>,
    strict: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        prop::collection::vec((0..6u8, any::<u8>()), 0..4),
        prop::option::weighted(0.3, 0..6u8),
        prop::bool::weighted(0.25),
    )
        .prop_map(|(puts, clear_below, strict)| Step {
            puts,
            clear_below,
            strict,
        });
    prop::collection::vec(step, 0..12)
}

fn contents(kv: &dyn Kv) -> BTreeMap<Key, Vec<u8>> {
    let scan = Scan::forward(KeyRange::all(), ScanLimit::NONE);
    let entries = block_on(kv.scan(&scan)).unwrap();
    entries
        .into_iter()
        .map(|(key, value)| (key, value.to_vec()))
        .collect()
}

proptest! {
    #[test]
    fn a_crash_leaves_a_state_that_once_was_and_keeps_what_was_strict(steps in steps(), seed: u64) {
        let kv = faulty(FaultPlan::new(seed).yields_max(2));
        let mut states = vec![contents(&kv)];
        let mut last_strict = 0;
        for (number, step) in steps.iter().enumerate() {
            let mut batch = WriteBatch::new();
            if let Some(end) = step.clear_below {
                batch.delete_range(KeyRange::new(vec![], vec![end]));
            }
            for (key, value) in &step.puts {
                batch.put(vec![*key], vec![*value]);
            }
            let durability = if step.strict { Durability::Strict } else { Durability::Relaxed };
            block_on(kv.commit(batch, durability)).unwrap();
            states.push(contents(&kv));
            if step.strict {
                last_strict = number + 1;
            }
        }
        let report = block_on(kv.crash()).unwrap();
        let lost = usize::try_from(report.commits_lost).unwrap();
        prop_assert!(states.len() - 1 - lost >= last_strict);
        prop_assert_eq!(contents(kv.inner()), states[states.len() - 1 - lost].clone());
    }
}
