//! Point reads and combined reads.

use futures_util::future::{join, join_all};

use super::Backend;
use super::check::{Failure, commit, equal, get, holds, keys, noise, puts};
use crate::{Bytes, KeyRange, Scan, ScanLimit};

pub(super) async fn point_gets_keep_order_and_duplicates(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(&*kv, &puts(&[(b"a", b"1"), (b"b", b"2")])).await?;
    let found = kv
        .get_many(&keys(&[b"b", b"absent", b"a", b"b", b"absent", b""]))
        .await?;
    let one = || Some(Bytes::from(*b"1"));
    let two = || Some(Bytes::from(*b"2"));
    equal("values", found, vec![two(), None, one(), two(), None, None])?;
    equal("no keys", kv.get_many(&[]).await?, Vec::new())?;
    Ok(kv.close().await?)
}

pub(super) async fn empty_value_is_not_absence(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(&*kv, &puts(&[(b"empty", b"")])).await?;
    equal(
        "empty value",
        get(&*kv, b"empty").await?,
        Some(Bytes::from([])),
    )?;
    equal("absent", get(&*kv, b"empt").await?, None)?;
    let scan = Scan::forward(KeyRange::all(), ScanLimit::NONE);
    equal(
        "scan",
        kv.scan(&scan).await?,
        vec![(b"empty".to_vec(), Bytes::from([]))],
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn empty_key_is_a_key(backend: &dyn Backend, store: &str) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    equal("before", get(&*kv, b"").await?, None)?;
    commit(&*kv, &puts(&[(b"\0", b"zero"), (b"", b"empty")])).await?;
    equal("get", get(&*kv, b"").await?, Some(Bytes::from(*b"empty")))?;
    let scan = Scan::forward(KeyRange::all(), ScanLimit::entries(1));
    equal(
        "sorts first",
        kv.scan(&scan).await?,
        vec![(Vec::new(), Bytes::from(*b"empty"))],
    )?;
    let mut delete = crate::WriteBatch::new();
    delete.delete(b"");
    commit(&*kv, &delete).await?;
    equal("after its delete", get(&*kv, b"").await?, None)?;
    equal(
        "neighbour",
        get(&*kv, b"\0").await?,
        Some(Bytes::from(*b"zero")),
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn large_values_come_back_whole(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    const SIZES: [usize; 6] = [
        60 * 1024,
        64 * 1024 - 1,
        64 * 1024,
        256 * 1024,
        1 << 20,
        8 << 20,
    ];
    let kv = backend.open(store).await?;
    let mut batch = crate::WriteBatch::new();
    let values: Vec<Bytes> = (0u64..)
        .zip(SIZES)
        .map(|(seed, bytes)| noise(seed, bytes))
        .collect();
    for (number, value) in (0u8..).zip(&values) {
        batch.put([number], value.clone());
    }
    commit(&*kv, &batch).await?;
    let names: Vec<_> = (0u8..)
        .zip(&values)
        .map(|(number, _)| vec![number])
        .collect();
    for (found, value) in kv.get_many(&names).await?.into_iter().zip(&values) {
        holds("a large value differs", found.as_ref() == Some(value))?;
    }
    let scan = Scan::reverse(KeyRange::all(), ScanLimit::NONE);
    let scanned: Vec<Bytes> = kv
        .scan(&scan)
        .await?
        .into_iter()
        .map(|(_, value)| value)
        .collect();
    holds(
        "a scanned large value differs",
        scanned.iter().rev().eq(&values),
    )?;
    kv.close().await?;
    let kv = backend.open(store).await?;
    holds(
        "a large value differs after reopening",
        get(&*kv, &[5]).await?.as_ref() == values.last(),
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn read_answers_gets_and_scan(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    commit(
        &*kv,
        &puts(&[(b"m", b"head"), (b"p1", b"1"), (b"p2", b"2"), (b"q", b"3")]),
    )
    .await?;
    let scan = Scan::forward(KeyRange::prefix("p"), ScanLimit::entries(1));
    let found = kv.read(&keys(&[b"m", b"none"]), Some(&scan)).await?;
    equal(
        "gets",
        found.values,
        vec![Some(Bytes::from(*b"head")), None],
    )?;
    equal(
        "scan",
        found.entries,
        vec![(b"p1".to_vec(), Bytes::from(*b"1"))],
    )?;
    let found = kv
        .read(
            &[],
            Some(&Scan::reverse(KeyRange::prefix("p"), ScanLimit::NONE)),
        )
        .await?;
    equal(
        "scan alone",
        (found.values.len(), found.entries.len()),
        (0, 2),
    )?;
    let found = kv.read(&keys(&[b"q"]), None).await?;
    equal(
        "gets alone",
        (found.values.len(), found.entries.len()),
        (1, 0),
    )?;
    let found = kv.read(&[], None).await?;
    equal("nothing", (found.values.len(), found.entries.len()), (0, 0))?;
    Ok(kv.close().await?)
}

pub(super) async fn read_sees_one_state_among_concurrent_commits(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    const ROUNDS: u32 = 60;
    let kv = backend.open(store).await?;
    // Every commit sets all 41 keys to one number, so that any mixture of two states shows.
    let set_all = |number: u32| {
        let mut batch = crate::WriteBatch::new();
        batch.put("head", number.to_le_bytes());
        for key in 0..40u8 {
            batch.put([b'x', key], number.to_le_bytes());
        }
        batch
    };
    commit(&*kv, &set_all(0)).await?;
    let write = async {
        for number in 1..=ROUNDS {
            commit(&*kv, &set_all(number)).await?;
        }
        Ok::<(), Failure>(())
    };
    let read = async {
        let gets = keys(&[b"head", b"x\x07"]);
        let scan = Scan::forward(KeyRange::prefix("x"), ScanLimit::NONE);
        for _ in 0..ROUNDS {
            let found = kv.read(&gets, Some(&scan)).await?;
            let head = found.values.first().cloned().flatten();
            holds("the head is gone", head.is_some())?;
            let others = found
                .values
                .iter()
                .flatten()
                .chain(found.entries.iter().map(|(_, value)| value));
            holds(
                "a read mixes two states",
                others.into_iter().all(|value| Some(value) == head.as_ref()),
            )?;
            equal("entries", found.entries.len(), 40)?;
        }
        Ok::<(), Failure>(())
    };
    let (written, were_read) = join(write, read).await;
    written?;
    were_read?;
    Ok(kv.close().await?)
}

pub(super) async fn many_reads_in_flight(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    let mut batch = crate::WriteBatch::new();
    for number in 0..200u32 {
        batch.put(number.to_be_bytes(), number.to_le_bytes());
    }
    commit(&*kv, &batch).await?;
    let reads = (0..200u32).map(|number| {
        let kv = &kv;
        async move { (number, get(&**kv, &number.to_be_bytes()).await) }
    });
    for (number, found) in join_all(reads).await {
        equal("value", found?, Some(Bytes::from(number.to_le_bytes())))?;
    }
    Ok(kv.close().await?)
}
