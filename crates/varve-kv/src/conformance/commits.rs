//! Batches: order within, atomicity, size.

use futures_util::future::join_all;

use super::Backend;
use super::check::{Failure, all_pages, commit, equal, get, keys_of, puts};
use crate::{Bytes, Durability, KeyRange, Kv, Scan, ScanLimit, WriteBatch};

async fn all_keys(kv: &dyn Kv) -> Result<Vec<Vec<u8>>, Failure> {
    Ok(keys_of(
        &all_pages(kv, Scan::forward(KeyRange::all(), ScanLimit::NONE)).await?,
    ))
}

pub(super) async fn empty_batches_succeed(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    kv.commit(WriteBatch::new(), Durability::Relaxed).await?;
    kv.commit(WriteBatch::new(), Durability::Strict).await?;
    equal("still empty", all_keys(&*kv).await?.len(), 0)?;
    Ok(kv.close().await?)
}

pub(super) async fn later_writes_win(backend: &dyn Backend, store: &str) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    let mut batch = WriteBatch::new();
    batch
        .put("a", *b"1")
        .put("a", *b"2")
        .put("b", *b"1")
        .delete("b")
        .delete("c")
        .put("c", *b"1");
    kv.commit(batch, Durability::Strict).await?;
    equal(
        "put twice",
        get(&*kv, b"a").await?,
        Some(Bytes::from(*b"2")),
    )?;
    equal("put and deleted", get(&*kv, b"b").await?, None)?;
    equal(
        "deleted and put",
        get(&*kv, b"c").await?,
        Some(Bytes::from(*b"1")),
    )?;
    commit(&*kv, &puts(&[(b"a", b"3")])).await?;
    equal(
        "overwritten",
        get(&*kv, b"a").await?,
        Some(Bytes::from(*b"3")),
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn range_deletes_take_their_turn(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(
        &*kv,
        &puts(&[(b"a", b""), (b"b", b""), (b"c", b""), (b"d", b"")]),
    )
    .await?;
    let mut batch = WriteBatch::new();
    batch
        .put("bb", *b"")
        .delete_range(KeyRange::new("b", "d"))
        .put("c", *b"again");
    commit(&*kv, &batch).await?;
    equal(
        "keys",
        all_keys(&*kv).await?,
        vec![b"a".to_vec(), b"c".to_vec(), b"d".to_vec()],
    )?;
    equal(
        "put after the range",
        get(&*kv, b"c").await?,
        Some(Bytes::from(*b"again")),
    )?;
    let mut batch = WriteBatch::new();
    batch
        .put(*b"\xff\xff\xff", *b"")
        .delete_range(KeyRange::from("c"));
    commit(&*kv, &batch).await?;
    equal("open end", all_keys(&*kv).await?, vec![b"a".to_vec()])?;
    let mut batch = WriteBatch::new();
    batch
        .put("", *b"")
        .delete_range(KeyRange::all())
        .put("new", *b"");
    commit(&*kv, &batch).await?;
    equal("all", all_keys(&*kv).await?, vec![b"new".to_vec()])?;
    Ok(kv.close().await?)
}

pub(super) async fn deleting_what_is_absent_is_no_error(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    let mut batch = WriteBatch::new();
    batch
        .delete("nothing")
        .delete_range(KeyRange::prefix("none"));
    commit(&*kv, &batch).await?;
    equal("still empty", all_keys(&*kv).await?.len(), 0)?;
    Ok(kv.close().await?)
}

pub(super) async fn ten_thousand_keys_in_one_batch(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    const KEYS: u32 = 10_000;
    let kv = backend.open(store).await?;
    let mut batch = WriteBatch::new();
    for number in (0..KEYS).rev() {
        batch.put(number.to_be_bytes(), number.to_le_bytes());
    }
    kv.commit(batch, Durability::Strict).await?;
    let entries = all_pages(
        &*kv,
        Scan::forward(KeyRange::all(), ScanLimit::entries(4096)),
    )
    .await?;
    let expected: Vec<_> = (0..KEYS)
        .map(|number| {
            (
                number.to_be_bytes().to_vec(),
                Bytes::from(number.to_le_bytes()),
            )
        })
        .collect();
    equal("entries", entries, expected)?;
    let wanted: Vec<_> = (0..KEYS)
        .step_by(7)
        .map(|number| number.to_be_bytes().to_vec())
        .collect();
    let found = kv.get_many(&wanted).await?;
    equal("found", found.iter().flatten().count(), wanted.len())?;
    let mut batch = WriteBatch::new();
    for number in (0..KEYS).step_by(2) {
        batch.delete(number.to_be_bytes());
    }
    kv.commit(batch, Durability::Strict).await?;
    equal("half", all_keys(&*kv).await?.len(), 5_000)?;
    Ok(kv.close().await?)
}

pub(super) async fn concurrent_commits_all_take_effect(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    let commits = (0..50u8).map(|number| {
        let mut batch = WriteBatch::new();
        batch.put([number], [number]).put("last", [number]);
        let durability = if number % 10 == 0 {
            Durability::Strict
        } else {
            Durability::Relaxed
        };
        kv.commit(batch, durability)
    });
    for answer in join_all(commits).await {
        answer?;
    }
    equal("keys", all_keys(&*kv).await?.len(), 51)?;
    Ok(kv.close().await?)
}
