//! The condition on a batch, by which a stale writer is kept out.

use futures_util::future::join_all;

use super::Backend;
use super::check::{Failure, commit, equal, get, puts};
use crate::{Bytes, Guard, KeyRange, Kv, KvError, WriteBatch};

fn holds(value: &[u8]) -> Guard {
    Guard::Holds {
        key: b"epoch".to_vec(),
        value: Bytes::from(value),
    }
}

fn absent() -> Guard {
    Guard::Absent {
        key: b"epoch".to_vec(),
    }
}

fn guarded(guard: Guard, entries: &[(&[u8], &[u8])]) -> WriteBatch {
    let mut batch = puts(entries);
    batch.guard(guard);
    batch
}

fn mismatch(found: Option<&[u8]>) -> Result<(), KvError> {
    Err(KvError::GuardMismatch {
        key: b"epoch".to_vec(),
        found: found.map(Bytes::from),
    })
}

async fn value(kv: &dyn Kv, key: &[u8]) -> Result<Option<Vec<u8>>, KvError> {
    Ok(get(kv, key).await?.map(|value| value.to_vec()))
}

pub(super) async fn matching_guard_lets_the_batch_through(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(&*kv, &puts(&[(b"epoch", b"1")])).await?;
    commit(&*kv, &guarded(holds(b"1"), &[(b"a", b"x")])).await?;
    equal("written", value(&*kv, b"a").await?, Some(b"x".to_vec()))?;
    equal(
        "the guard itself is not written",
        value(&*kv, b"epoch").await?,
        Some(b"1".to_vec()),
    )?;
    let mut batch = guarded(holds(b"1"), &[]);
    batch.delete_range(KeyRange::all());
    commit(&*kv, &batch).await?;
    equal(
        "a batch may delete its own guard",
        value(&*kv, b"epoch").await?,
        None,
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn mismatched_guard_writes_nothing(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(&*kv, &puts(&[(b"epoch", b"2"), (b"a", b"kept")])).await?;
    let mut batch = guarded(holds(b"1"), &[(b"b", b"x"), (b"a", b"x")]);
    batch.delete_range(KeyRange::all()).put("c", *b"x");
    equal(
        "other value",
        commit(&*kv, &batch).await,
        mismatch(Some(b"2")),
    )?;
    equal("kept", value(&*kv, b"a").await?, Some(b"kept".to_vec()))?;
    equal("not written", value(&*kv, b"b").await?, None)?;
    equal(
        "not written after the range",
        value(&*kv, b"c").await?,
        None,
    )?;
    let longer = guarded(holds(b"2\0"), &[(b"b", b"x")]);
    equal(
        "a prefix is not equal",
        commit(&*kv, &longer).await,
        mismatch(Some(b"2")),
    )?;
    let empty = guarded(holds(b""), &[(b"b", b"x")]);
    equal(
        "empty is not equal",
        commit(&*kv, &empty).await,
        mismatch(Some(b"2")),
    )?;
    let mut clear = WriteBatch::new();
    clear.delete("epoch");
    commit(&*kv, &clear).await?;
    equal(
        "absent holds nothing",
        commit(&*kv, &empty).await,
        mismatch(None),
    )?;
    equal("nor the empty value", value(&*kv, b"b").await?, None)?;
    commit(&*kv, &puts(&[(b"after", b"1")])).await?;
    equal(
        "the store goes on",
        value(&*kv, b"after").await?,
        Some(b"1".to_vec()),
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn absent_guard(backend: &dyn Backend, store: &str) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(&*kv, &guarded(absent(), &[(b"a", b"1")])).await?;
    equal("written", value(&*kv, b"a").await?, Some(b"1".to_vec()))?;
    commit(&*kv, &puts(&[(b"epoch", b"")])).await?;
    let batch = guarded(absent(), &[(b"a", b"2")]);
    equal(
        "an empty value is present",
        commit(&*kv, &batch).await,
        mismatch(Some(b"")),
    )?;
    equal("kept", value(&*kv, b"a").await?, Some(b"1".to_vec()))?;
    Ok(kv.close().await?)
}

pub(super) async fn repeat_that_finds_its_own_value_succeeds(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    let first = guarded(absent(), &[(b"epoch", b"1"), (b"a", b"first")]);
    commit(&*kv, &first).await?;
    commit(&*kv, &first).await?;
    let second = guarded(holds(b"1"), &[(b"epoch", b"2"), (b"a", b"second")]);
    commit(&*kv, &second).await?;
    commit(&*kv, &puts(&[(b"a", b"since then")])).await?;
    commit(&*kv, &second).await?;
    equal(
        "a repeat writes nothing again",
        value(&*kv, b"a").await?,
        Some(b"since then".to_vec()),
    )?;
    equal(
        "an older repeat",
        commit(&*kv, &first).await,
        mismatch(Some(b"2")),
    )?;
    let mut undone = guarded(holds(b"1"), &[(b"epoch", b"2")]);
    undone.put("epoch", *b"3");
    equal(
        "only the last value counts",
        commit(&*kv, &undone).await,
        mismatch(Some(b"2")),
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn empty_batch_with_guard_checks(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(&*kv, &guarded(absent(), &[])).await?;
    equal(
        "holds",
        commit(&*kv, &guarded(holds(b"1"), &[])).await,
        mismatch(None),
    )?;
    commit(&*kv, &puts(&[(b"epoch", b"1")])).await?;
    commit(&*kv, &guarded(holds(b"1"), &[])).await?;
    equal(
        "absent",
        commit(&*kv, &guarded(absent(), &[])).await,
        mismatch(Some(b"1")),
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn only_one_of_racing_takeovers_wins(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(&*kv, &puts(&[(b"epoch", b"0")])).await?;
    let takeovers: Vec<WriteBatch> = (1..=8u8)
        .map(|leader| {
            guarded(
                holds(b"0"),
                &[(b"epoch", &[leader]), (b"leader", &[leader])],
            )
        })
        .collect();
    let answers = join_all(takeovers.iter().map(|batch| commit(&*kv, batch))).await;
    equal(
        "winners",
        answers.iter().filter(|answer| answer.is_ok()).count(),
        1,
    )?;
    let winner = (1..=8u8)
        .zip(&answers)
        .find(|(_, answer)| answer.is_ok())
        .map(|(leader, _)| vec![leader]);
    equal("epoch", value(&*kv, b"epoch").await?, winner.clone())?;
    equal("leader", value(&*kv, b"leader").await?, winner)?;
    Ok(kv.close().await?)
}
