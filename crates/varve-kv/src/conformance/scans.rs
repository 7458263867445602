//! Ordered scans, their ranges and their limits.

use super::Backend;
use super::check::{Failure, all_pages, commit, equal, holds, keys, keys_of, noise};
use crate::{Entry, Key, KeyRange, Kv, Scan, ScanLimit, WriteBatch};

/// Keys that differ by sign, by length and by 0x00 and 0xff, in their order.
const ORDERED: [&[u8]; 13] = [
    b"",
    b"\0",
    b"\0\0",
    b"\0\xff",
    b"\x01",
    b"a",
    b"a\0",
    b"aa",
    b"b",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xff\xff",
];

async fn open_ordered(backend: &dyn Backend, store: &str) -> Result<Box<dyn Kv>, Failure> {
    let kv = backend.open(store).await?;
    let mut batch = WriteBatch::new();
    // Inserted out of order, so that only the backend can sort them.
    for key in ORDERED
        .iter()
        .step_by(2)
        .chain(ORDERED.iter().skip(1).step_by(2).rev())
    {
        batch.put(*key, [key, b"=".as_slice()].concat());
    }
    commit(&*kv, &batch).await?;
    Ok(kv)
}

pub(super) async fn keys_order_by_unsigned_bytes(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = open_ordered(backend, store).await?;
    let mut expected = keys(&ORDERED);
    let forward = kv
        .scan(&Scan::forward(KeyRange::all(), ScanLimit::NONE))
        .await?;
    equal("forward", keys_of(&forward), expected.clone())?;
    holds(
        "values stay with their keys",
        forward.iter().all(|(key, value)| value.starts_with(key)),
    )?;
    expected.reverse();
    let reverse = kv
        .scan(&Scan::reverse(KeyRange::all(), ScanLimit::NONE))
        .await?;
    equal("reverse", keys_of(&reverse), expected)?;
    Ok(kv.close().await?)
}

pub(super) async fn ranges_include_start_and_exclude_end(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = open_ordered(backend, store).await?;
    let ranges = [
        KeyRange::new("a", "b"),
        KeyRange::new("a\0", "aa\0"),
        KeyRange::new("", "a"),
        KeyRange::new(*b"\x7f", *b"\xff"),
        KeyRange::new("a1", "zz"),
        KeyRange::prefix("a"),
        KeyRange::prefix(*b"\xff"),
        KeyRange::prefix(*b"\0"),
        KeyRange::from(*b"\x80"),
        KeyRange::all(),
    ];
    for range in ranges {
        let mut expected: Vec<Key> = keys(&ORDERED)
            .into_iter()
            .filter(|key| range.contains(key))
            .collect();
        let scan = Scan::forward(range.clone(), ScanLimit::NONE);
        equal(
            &format!("forward {range:?}"),
            keys_of(&kv.scan(&scan).await?),
            expected.clone(),
        )?;
        expected.reverse();
        let scan = Scan::reverse(range.clone(), ScanLimit::NONE);
        equal(
            &format!("reverse {range:?}"),
            keys_of(&kv.scan(&scan).await?),
            expected,
        )?;
    }
    Ok(kv.close().await?)
}

pub(super) async fn empty_ranges_answer_nothing(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = open_ordered(backend, store).await?;
    let ranges = [
        KeyRange::new("a", "a"),
        KeyRange::new("b", "a"),
        KeyRange::new("", ""),
        KeyRange::new("c", "d"),
        KeyRange::from(*b"\xff\xff\xff"),
    ];
    for range in ranges {
        for scan in [
            Scan::forward(range.clone(), ScanLimit::NONE),
            Scan::reverse(range.clone(), ScanLimit::entries(1)),
        ] {
            equal(&format!("{scan:?}"), kv.scan(&scan).await?, Vec::new())?;
            equal("read", kv.read(&[], Some(&scan)).await?.entries, Vec::new())?;
        }
        let mut batch = WriteBatch::new();
        batch.delete_range(range);
        commit(&*kv, &batch).await?;
    }
    let all = kv
        .scan(&Scan::forward(KeyRange::all(), ScanLimit::NONE))
        .await?;
    equal(
        "deleting empty ranges deletes nothing",
        all.len(),
        ORDERED.len(),
    )?;
    Ok(kv.close().await?)
}

pub(super) async fn entry_limits_stop_the_scan(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = open_ordered(backend, store).await?;
    for (entries_max, count) in [
        (0, 1),
        (1, 1),
        (2, 2),
        (12, 12),
        (13, 13),
        (14, 13),
        (u32::MAX, 13),
    ] {
        let limit = ScanLimit::entries(entries_max);
        let forward = kv.scan(&Scan::forward(KeyRange::all(), limit)).await?;
        let expected: Vec<Key> = keys(&ORDERED).into_iter().take(count).collect();
        equal(
            &format!("forward {entries_max}"),
            keys_of(&forward),
            expected,
        )?;
        let reverse = kv.scan(&Scan::reverse(KeyRange::all(), limit)).await?;
        let expected: Vec<Key> = keys(&ORDERED).into_iter().rev().take(count).collect();
        equal(
            &format!("reverse {entries_max}"),
            keys_of(&reverse),
            expected,
        )?;
    }
    Ok(kv.close().await?)
}

pub(super) async fn byte_limits_stop_after_the_entry_that_reaches_them(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    let mut batch = WriteBatch::new();
    for number in 0..20u8 {
        batch.put([number], [number; 99]);
    }
    commit(&*kv, &batch).await?;
    for (bytes_max, count) in [
        (0, 1),
        (1, 1),
        (99, 1),
        (100, 1),
        (101, 2),
        (200, 2),
        (1999, 20),
        (2001, 20),
    ] {
        let limit = ScanLimit::bytes(bytes_max);
        for scan in [
            Scan::forward(KeyRange::all(), limit),
            Scan::reverse(KeyRange::all(), limit),
        ] {
            equal(&format!("{scan:?}"), kv.scan(&scan).await?.len(), count)?;
        }
    }
    Ok(kv.close().await?)
}

pub(super) async fn pages_cover_the_range_once(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = open_ordered(backend, store).await?;
    let limits = [1, 2, 5, 13, 100].map(ScanLimit::entries);
    for limit in limits.into_iter().chain([1, 4, 7].map(ScanLimit::bytes)) {
        let mut expected = keys(&ORDERED);
        let forward = all_pages(&*kv, Scan::forward(KeyRange::all(), limit)).await?;
        equal(
            &format!("forward {limit:?}"),
            keys_of(&forward),
            expected.clone(),
        )?;
        expected.reverse();
        let reverse = all_pages(&*kv, Scan::reverse(KeyRange::all(), limit)).await?;
        equal(&format!("reverse {limit:?}"), keys_of(&reverse), expected)?;
    }
    Ok(kv.close().await?)
}

pub(super) async fn long_scans_of_mixed_sizes(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let kv = backend.open(store).await?;
    // Runs of small values between large ones: a backend that reads ahead in steps has to change
    // its step.
    let mut batch = WriteBatch::new();
    let mut expected: Vec<Entry> = Vec::new();
    for number in 0..1200u16 {
        let bytes = match number % 300 {
            0 => 300 * 1024,
            1..=9 => 20 * 1024,
            _ => usize::from(number % 50),
        };
        let entry = (
            number.to_be_bytes().to_vec(),
            noise(u64::from(number), bytes),
        );
        batch.put(entry.0.clone(), entry.1.clone());
        expected.push(entry);
    }
    commit(&*kv, &batch).await?;
    let limits = [
        ScanLimit::NONE,
        ScanLimit::entries(333),
        ScanLimit::bytes(100_000),
        ScanLimit {
            entries_max: 250,
            bytes_max: 250_000,
            uncounted_bytes: 0,
        },
        ScanLimit {
            uncounted_bytes: 100,
            ..ScanLimit::bytes(100_000)
        },
    ];
    for limit in limits {
        let forward = all_pages(&*kv, Scan::forward(KeyRange::all(), limit)).await?;
        holds(&format!("forward {limit:?}"), forward == expected)?;
        let reverse = all_pages(&*kv, Scan::reverse(KeyRange::all(), limit)).await?;
        holds(
            &format!("reverse {limit:?}"),
            reverse.iter().rev().eq(&expected),
        )?;
    }
    Ok(kv.close().await?)
}
