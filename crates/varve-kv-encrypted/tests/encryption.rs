//! What is stored, what opens it, and what becomes of it when it is changed from outside.

#![allow(
    clippy::unwrap_used,
    reason = "a test program stops when its own parts are missing"
)]

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{
    Bytes, Durability, Entry, Guard, KeyRange, Kv, KvError, MemoryKv, Scan, ScanLimit, WriteBatch,
};
use varve_kv_encrypted::{EncryptedKv, Encryption, OpenError, open};

const SECRET: &[u8] = b"the plaintext that must not be found";

fn memory() -> (MemoryKv, Arc<dyn Kv>) {
    let memory = MemoryKv::new();
    let kv: Arc<dyn Kv> = Arc::new(memory.reopen());
    (memory, kv)
}

fn key(byte: u8) -> Encryption {
    Encryption::key(&[byte; 32])
}

fn opened(kv: &Arc<dyn Kv>, encryption: &Encryption) -> Arc<EncryptedKv> {
    block_on(open(kv, Some(encryption))).unwrap().unwrap()
}

fn refusal(kv: &Arc<dyn Kv>, encryption: Option<&Encryption>) -> OpenError {
    block_on(open(kv, encryption)).unwrap_err()
}

fn put(kv: &dyn Kv, key: &str, value: &[u8]) {
    let mut batch = WriteBatch::new();
    batch.put(key, value);
    block_on(kv.commit(batch, Durability::Relaxed)).unwrap();
}

fn get(kv: &dyn Kv, key: &str) -> Result<Option<Bytes>, KvError> {
    block_on(kv.get_many(&[key.into()])).map(|mut values| values.remove(0))
}

fn entries(kv: &dyn Kv) -> Vec<Entry> {
    let all = Scan::forward(KeyRange::all(), ScanLimit::NONE);
    block_on(kv.scan(&all)).unwrap()
}

#[test]
fn what_is_stored_holds_no_plaintext_and_no_value_twice() {
    let (raw, kv) = memory();
    let store = opened(&kv, &key(1));
    put(&*store, "a", SECRET);
    put(&*store, "b", SECRET);
    put(&*store, "c", b"");
    let stored = entries(&raw);
    assert_eq!(stored.len(), 5, "three values, the header and its copy");
    for (key, value) in &stored {
        assert!(
            !value
                .windows(6)
                .any(|part| SECRET.windows(6).any(|each| each == part)),
            "{key:?}"
        );
    }
    assert_ne!(get(&raw, "a"), get(&raw, "b"));
    assert_eq!(get(&*store, "b"), Ok(Some(Bytes::from(SECRET))));
    assert_eq!(get(&*store, "c"), Ok(Some(Bytes::from(*b""))));
}

#[test]
fn a_passphrase_opens_the_store_again_and_no_other_does() {
    let (raw, kv) = memory();
    put(&*opened(&kv, &Encryption::passphrase("tea")), "a", SECRET);
    let before = entries(&raw);
    let is_passphrase = true;
    let wrong = Encryption::passphrase("Tea");
    assert_eq!(
        refusal(&kv, Some(&wrong)),
        OpenError::WrongKey { is_passphrase }
    );
    assert_eq!(
        refusal(&kv, Some(&key(1))),
        OpenError::OtherKind { is_passphrase }
    );
    assert_eq!(refusal(&kv, None), OpenError::NoKey { is_passphrase });
    assert_eq!(entries(&raw), before, "nothing was written");
    let store = opened(&kv, &Encryption::passphrase("tea"));
    assert_eq!(get(&*store, "a"), Ok(Some(Bytes::from(SECRET))));
}

#[test]
fn a_store_that_is_not_encrypted_is_refused_with_a_key() {
    let (raw, kv) = memory();
    assert!(block_on(open(&kv, None)).unwrap().is_none());
    put(&raw, "a", SECRET);
    let before = entries(&raw);
    assert_eq!(refusal(&kv, Some(&key(1))), OpenError::NotEncrypted);
    assert_eq!(entries(&raw), before);
}

#[test]
fn a_value_that_was_changed_or_moved_is_corrupt_and_named() {
    let (raw, kv) = memory();
    let store = opened(&kv, &key(1));
    put(&*store, "a", SECRET);
    put(&*store, "b", b"other");
    let sound = get(&raw, "a").unwrap().unwrap();
    let corrupt = |kv: &dyn Kv| match get(kv, "a") {
        Err(KvError::Corrupt { key: Some(key), .. }) => key == b"a",
        answer => panic!("{answer:?}"),
    };
    for at in 0..sound.len() {
        let mut changed = sound.to_vec();
        changed[at] ^= 0x10;
        put(&raw, "a", &changed);
        assert!(corrupt(&*store), "{at}");
        put(&raw, "a", &sound[..at]);
        assert!(corrupt(&*store), "{at}");
    }
    put(&raw, "a", &get(&raw, "b").unwrap().unwrap());
    assert!(corrupt(&*store), "moved");
    put(&raw, "a", &sound);
    assert_eq!(get(&*store, "a"), Ok(Some(Bytes::from(SECRET))));
}

#[test]
fn the_key_is_changed_without_a_change_of_values() {
    let (raw, kv) = memory();
    let store = opened(&kv, &key(1));
    put(&*store, "a", SECRET);
    let value = get(&raw, "a");
    block_on(store.change_key(&Encryption::passphrase("tea"))).unwrap();
    assert_eq!(get(&raw, "a"), value);
    assert!(matches!(
        refusal(&kv, Some(&key(1))),
        OpenError::OtherKind { .. }
    ));
    let again = opened(&kv, &Encryption::passphrase("tea"));
    assert_eq!(get(&*again, "a"), Ok(Some(Bytes::from(SECRET))));
    block_on(again.change_key(&key(2))).unwrap();
    // The first handle does not know of the last change.
    let late = block_on(store.change_key(&key(3)));
    assert!(
        matches!(late, Err(KvError::GuardMismatch { .. })),
        "{late:?}"
    );
    assert_eq!(
        get(&*opened(&kv, &key(2)), "a"),
        Ok(Some(Bytes::from(SECRET)))
    );
}

#[test]
fn a_damaged_header_is_put_back_from_its_copy() {
    for name in ["encryption", "Encryption"] {
        let (raw, kv) = memory();
        put(&*opened(&kv, &key(1)), "a", SECRET);
        let before = entries(&raw);
        put(&raw, name, b"damaged");
        let store = opened(&kv, &key(1));
        assert_eq!(entries(&raw), before);
        block_on(store.change_key(&key(2))).unwrap();
        put(&raw, "encryption", b"damaged");
        put(&raw, "Encryption", b"damaged");
        assert_eq!(refusal(&kv, Some(&key(2))), OpenError::Damaged);
        assert_eq!(refusal(&kv, None), OpenError::Damaged);
    }
}

#[test]
fn the_header_is_out_of_reach() {
    let (raw, kv) = memory();
    let store = opened(&kv, &key(1));
    put(&*store, "f", SECRET);
    let header = get(&raw, "encryption");
    assert_eq!(get(&*store, "encryption"), Ok(None));
    let all = Scan::forward(KeyRange::all(), ScanLimit::entries(1));
    let first = block_on(store.scan(&all)).unwrap();
    assert_eq!(first, [(b"f".to_vec(), Bytes::from(SECRET))]);
    let mut batch = WriteBatch::new();
    batch.delete("encryption").delete_range(KeyRange::all());
    block_on(store.commit(batch, Durability::Strict)).unwrap();
    assert_eq!(entries(&*store), []);
    assert_eq!(get(&raw, "encryption"), header);
    let mut batch = WriteBatch::new();
    batch.put("encryption", *b"mine");
    let answer = block_on(store.commit(batch, Durability::Strict));
    assert!(matches!(answer, Err(KvError::Backend { .. })), "{answer:?}");
}

/// A batch that takes the value of a guarded key from one to another.
fn step(from: Option<&[u8]>, to: &[u8]) -> WriteBatch {
    let key = b"epoch".to_vec();
    let mut batch = WriteBatch::new();
    batch.put(key.clone(), to);
    batch.guard(match from {
        Some(value) => Guard::Holds {
            key,
            value: value.into(),
        },
        None => Guard::Absent { key },
    });
    batch
}

#[test]
fn guards_compare_what_was_encrypted() {
    let (_, kv) = memory();
    let one = opened(&kv, &key(1));
    let two = opened(&kv, &key(1));
    let commit = |store: &EncryptedKv, batch| block_on(store.commit(batch, Durability::Relaxed));
    let mut check = WriteBatch::new();
    check.put("x", *b"1").guard(Guard::Holds {
        key: b"epoch".to_vec(),
        value: Bytes::from(*b"1"),
    });
    commit(&one, step(None, b"1")).unwrap();
    commit(&one, check.clone()).unwrap();
    // The same value, stored anew by another handle: what was remembered is out of date.
    put(&*two, "epoch", b"1");
    commit(&one, check.clone()).unwrap();
    commit(&two, step(Some(b"1"), b"2")).unwrap();
    let found = Some(Bytes::from(*b"2"));
    let mismatch = Err(KvError::GuardMismatch {
        key: b"epoch".to_vec(),
        found,
    });
    assert_eq!(commit(&one, check), mismatch);
    assert_eq!(commit(&one, step(Some(b"0"), b"2")), Ok(()), "a repeat");
}

#[test]
fn a_commit_whose_answer_was_lost_is_repeated_without_harm() {
    let memory = MemoryKv::new();
    let faulty = Arc::new(FaultKv::new(memory.reopen(), FaultPlan::new(1)));
    let kv: Arc<dyn Kv> = faulty.clone();
    let store = opened(&kv, &key(1));
    block_on(store.commit(step(None, b"1"), Durability::Strict)).unwrap();
    let batch = step(Some(b"1"), b"2");
    // The call that reads the guarded key comes first.
    faulty.fault_in(2, CallFault::LoseAnswer);
    let lost = block_on(store.commit(batch.clone(), Durability::Strict));
    assert!(matches!(lost, Err(KvError::Unavailable { .. })), "{lost:?}");
    assert_eq!(get(&*store, "epoch"), Ok(Some(Bytes::from(*b"2"))));
    assert_eq!(block_on(store.commit(batch, Durability::Strict)), Ok(()));
}

#[test]
fn faults_while_a_store_is_made_leave_it_empty_or_made() {
    for call in 1..=3 {
        for fault in [
            CallFault::Fail(KvError::StorageFull),
            CallFault::LoseAnswer,
            CallFault::Close,
        ] {
            let memory = MemoryKv::new();
            let plan = FaultPlan::new(call).at_call(call, fault);
            let kv: Arc<dyn Kv> = Arc::new(FaultKv::new(memory.reopen(), plan));
            let first = block_on(open(&kv, Some(&key(1))));
            assert!(
                matches!(first, Ok(Some(_)) | Err(OpenError::Kv(_))),
                "{first:?}"
            );
            let kv: Arc<dyn Kv> = Arc::new(memory.reopen());
            put(&*opened(&kv, &key(1)), "a", SECRET);
            assert_eq!(
                get(&*opened(&kv, &key(1)), "a"),
                Ok(Some(Bytes::from(SECRET)))
            );
        }
    }
}
