//! The backend against [`MemoryKv`]: random steps under fixed seeds must answer the same.

use super::Backend;
use super::check::{Failure, equal};
use crate::fault::SplitMix64;
use crate::{Durability, Guard, Key, KeyRange, Kv, MemoryKv, Scan, ScanLimit, WriteBatch};

const STEPS: u32 = 400;

pub(super) async fn random_steps_match_the_model(
    backend: &dyn Backend,
    store: &str,
) -> Result<(), Failure> {
    let mut random = SplitMix64::new(0x5eed);
    let model = MemoryKv::new();
    let mut kv = backend.open(store).await?;
    for step in 0..STEPS {
        match random.up_to(19) {
            0..=9 => {
                let batch = any_batch(&mut random);
                let durability = if random.up_to(9) == 0 {
                    Durability::Strict
                } else {
                    Durability::Relaxed
                };
                let found = kv.commit(batch.clone(), durability).await;
                let expected = model.commit(batch.clone(), durability).await;
                equal(&format!("step {step}: {batch:?}"), found, expected)?;
            }
            10..=13 => {
                let scan = any_scan(&mut random);
                let what = format!("step {step}: {scan:?}");
                equal(&what, kv.scan(&scan).await, model.scan(&scan).await)?;
            }
            14..=15 => {
                let gets = any_keys(&mut random);
                let what = format!("step {step}: {gets:?}");
                equal(&what, kv.get_many(&gets).await, model.get_many(&gets).await)?;
            }
            16..=18 => {
                let (gets, scan) = (any_keys(&mut random), any_scan(&mut random));
                let what = format!("step {step}: {gets:?} {scan:?}");
                equal(
                    &what,
                    kv.read(&gets, Some(&scan)).await,
                    model.read(&gets, Some(&scan)).await,
                )?;
            }
            _ => {
                kv.close().await?;
                kv = backend.open(store).await?;
            }
        }
    }
    Ok(kv.close().await?)
}

/// Keys of up to three bytes out of four, so that they collide and nest.
fn any_key(random: &mut SplitMix64) -> Key {
    let len = random.up_to(3);
    (0..len)
        .map(|_| {
            [0x00, 0x01, 0x80, 0xff]
                .into_iter()
                .nth(small(random, 3))
                .unwrap_or(0)
        })
        .collect()
}

fn any_keys(random: &mut SplitMix64) -> Vec<Key> {
    (0..random.up_to(6)).map(|_| any_key(random)).collect()
}

fn any_value(random: &mut SplitMix64) -> Vec<u8> {
    let byte = u8::try_from(random.up_to(2)).unwrap_or(0);
    let bytes = if random.up_to(20) == 0 {
        small(random, 100_000)
    } else {
        small(random, 3)
    };
    vec![byte; bytes]
}

fn any_range(random: &mut SplitMix64) -> KeyRange {
    match random.up_to(3) {
        0 => KeyRange::prefix(any_key(random)),
        1 => KeyRange::from(any_key(random)),
        _ => KeyRange::new(any_key(random), any_key(random)),
    }
}

fn any_scan(random: &mut SplitMix64) -> Scan {
    let limit = match random.up_to(2) {
        0 => ScanLimit::NONE,
        1 => ScanLimit::entries(u32::try_from(random.up_to(12)).unwrap_or(0)),
        _ => ScanLimit::bytes(random.up_to(40)),
    };
    let range = any_range(random);
    if random.coin() {
        Scan::forward(range, limit)
    } else {
        Scan::reverse(range, limit)
    }
}

fn any_batch(random: &mut SplitMix64) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for _ in 0..random.up_to(6) {
        match random.up_to(9) {
            0..=6 => batch.put(any_key(random), any_value(random)),
            7..=8 => batch.delete(any_key(random)),
            _ => batch.delete_range(any_range(random)),
        };
    }
    match random.up_to(5) {
        0 => batch.guard(Guard::Absent {
            key: any_key(random),
        }),
        1 => {
            let value = any_value(random).into();
            batch.guard(Guard::Holds {
                key: any_key(random),
                value,
            })
        }
        _ => &mut batch,
    };
    batch
}

fn small(random: &mut SplitMix64, max: u64) -> usize {
    usize::try_from(random.up_to(max)).unwrap_or(0)
}
