//! Opening, closing, filling up.

use super::Backend;
use super::check::{Failure, commit, equal, get, holds, noise, puts};
use crate::{Bytes, Durability, KeyRange, KvError, Scan, ScanLimit, WriteBatch};

pub(super) async fn what_was_committed_is_there_after_reopening(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    for round in 0..4u8 {
        let kv = backend.open(store).await?;
        let scan = Scan::forward(KeyRange::all(), ScanLimit::NONE);
        let entries = kv.scan(&scan).await?;
        let expected: Vec<_> = (0..round)
            .map(|key| (vec![key], Bytes::from([key; 3])))
            .collect();
        equal(&format!("entries in round {round}"), entries, expected)?;
        let durability = if round % 2 == 0 {
            Durability::Relaxed
        } else {
            Durability::Strict
        };
        let mut batch = WriteBatch::new();
        batch
            .put([round], [round; 3])
            .put("gone", *b"")
            .delete("gone");
        kv.commit(batch, durability).await?;
        kv.close().await?;
    }
    Ok(())
}

pub(super) async fn stores_are_apart(backend: &dyn Backend, store: &str) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    let other = backend.open("stores_are_apart_other").await?;
    commit(&*kv, &puts(&[(b"a", b"1")])).await?;
    equal("the other store", get(&*other, b"a").await?, None)?;
    commit(&*other, &puts(&[(b"a", b"2")])).await?;
    equal(
        "this store",
        get(&*kv, b"a").await?,
        Some(Bytes::from(*b"1")),
    )?;
    other.close().await?;
    equal(
        "with the other one closed",
        get(&*kv, b"a").await?,
        Some(Bytes::from(*b"1")),
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn closed_handles_answer_closed(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(&*kv, &puts(&[(b"a", b"1")])).await?;
    kv.close().await?;
    let scan = Scan::forward(KeyRange::all(), ScanLimit::NONE);
    equal(
        "get_many",
        kv.get_many(&[b"a".to_vec()]).await,
        Err(KvError::Closed),
    )?;
    equal(
        "get_many of nothing",
        kv.get_many(&[]).await,
        Err(KvError::Closed),
    )?;
    equal("scan", kv.scan(&scan).await, Err(KvError::Closed))?;
    let nothing = Scan::forward(KeyRange::new("b", "a"), ScanLimit::NONE);
    equal(
        "scan of nothing",
        kv.scan(&nothing).await,
        Err(KvError::Closed),
    )?;
    equal(
        "read",
        kv.read(&[], Some(&scan)).await,
        Err(KvError::Closed),
    )?;
    equal(
        "commit",
        commit(&*kv, &puts(&[(b"a", b"2")])).await,
        Err(KvError::Closed),
    )?;
    equal(
        "commit of nothing",
        commit(&*kv, &WriteBatch::new()).await,
        Err(KvError::Closed),
    )?;
    equal("close again", kv.close().await, Ok(()))?;
    let kv = backend.open(store).await?;
    equal("reopened", get(&*kv, b"a").await?, Some(Bytes::from(*b"1")))?;
    Ok(kv.close().await?)
}

pub(super) async fn full_store_writes_nothing(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    const QUOTA_BYTES: u64 = 8 << 20;
    let Some(opening) = backend.open_with_quota(store, QUOTA_BYTES) else {
        return Ok(());
    };
    let kv = opening.await?;
    commit(&*kv, &puts(&[(b"before", b"1")])).await?;
    let mut batch = WriteBatch::new();
    batch.put("small", *b"x").delete("before");
    for number in 0..16u8 {
        batch.put([number], noise(u64::from(number), 1 << 20));
    }
    equal(
        "answer",
        kv.commit(batch, Durability::Strict).await,
        Err(KvError::StorageFull),
    )?;
    let scan = Scan::forward(KeyRange::all(), ScanLimit::NONE);
    equal(
        "nothing written",
        kv.scan(&scan).await?,
        vec![(b"before".to_vec(), Bytes::from(*b"1"))],
    )?;
    let mut delete = WriteBatch::new();
    delete.delete("before");
    kv.commit(delete, Durability::Strict).await?;
    commit(&*kv, &puts(&[(b"after", b"2")])).await?;
    holds("small writes go on", get(&*kv, b"after").await?.is_some())?;
    Ok(kv.close().await?)
}
