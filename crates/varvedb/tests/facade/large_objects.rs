//! Large objects: what goes in comes out, in memory that does not grow with them.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Kv, MemoryKv};
use varvedb::{Database, LargeObject, Options, Session, SystemEnv};

use super::{fails, ints, rows, run, session};

const MIB: u64 = 1 << 20;
const COUNT: &str = "SELECT count(*) FROM _large_objects";

/// Bytes that no codec makes smaller, and that are known at each place.
fn noise(start: u64, count: u64) -> Vec<u8> {
    let byte = |at: u64| {
        let word = (at / 4 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let word = (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (word >> (24 + 8 * (at % 4))) as u8
    };
    (start..start + count).map(byte).collect()
}

/// Writes so many bytes, in pieces of a size.
fn written(session: &mut Session, bytes: u64, size: u64) -> LargeObject {
    block_on(async {
        let mut writer = session.write_large_object().await.unwrap();
        let mut at = 0;
        while at < bytes {
            let piece = noise(at, size.min(bytes - at));
            writer.write(&piece).await.unwrap();
            at += piece.len() as u64;
        }
        writer.finish().await.unwrap()
    })
}

/// Reads bytes and compares them; how many there were.
fn checked(session: &mut Session, oid: i32, range: std::ops::Range<u64>) -> u64 {
    block_on(async {
        let mut at = range.start;
        let mut reader = session.read_large_object(oid, range).await.unwrap();
        let mut count = 0;
        while let Some(page) = reader.next().await.unwrap() {
            assert!(page.len() as u64 <= MIB);
            assert!(page == noise(at, page.len() as u64), "at {at}");
            at += page.len() as u64;
            count += page.len() as u64;
        }
        count
    })
}

fn state<T: std::fmt::Debug>(result: varve_types::Result<T>) -> String {
    result.unwrap_err().state().code().to_owned()
}

fn with_memory(kv: &Arc<MemoryKv>, memory_limit_bytes: u64) -> Database {
    let kv: Arc<dyn Kv> = Arc::clone(kv) as Arc<dyn Kv>;
    let options = Options {
        memory_limit_bytes,
        ..Options::browser()
    };
    block_on(Database::open(kv, Arc::new(SystemEnv::new()), options)).unwrap()
}

#[test]
fn what_goes_in_comes_out_however_it_is_cut() {
    let mut session = session();
    for (bytes, size) in [
        (0, 1),
        (1, 1),
        (MIB - 1, 1000),
        (MIB, MIB),
        (MIB + 1, 70_001),
        (2 * MIB, 3 * MIB),
        (3 * MIB + 5, 999_983),
    ] {
        let object = written(&mut session, bytes, size);
        assert_eq!(object.bytes, bytes);
        assert_eq!(
            block_on(session.large_object_bytes(object.oid)).unwrap(),
            bytes
        );
        assert_eq!(checked(&mut session, object.oid, 0..u64::MAX), bytes);
        for range in [1..2, MIB - 1..MIB + 1, MIB..2 * MIB, 4..4] {
            let expected = range.end.min(bytes).saturating_sub(range.start);
            assert_eq!(checked(&mut session, object.oid, range), expected);
        }
    }
}

#[test]
fn several_hundred_megabytes_pass_through_a_small_memory() {
    const BYTES: u64 = 320 * MIB;
    const MEMORY: u64 = 24 * MIB;
    let kv = Arc::new(MemoryKv::new());
    let database = with_memory(&kv, MEMORY);
    let mut session = database.session();
    let object = written(&mut session, BYTES, 3 * MIB / 2);
    assert_eq!(checked(&mut session, object.oid, 0..BYTES), BYTES);
    assert!(database.memory_used_bytes() <= MEMORY);
    assert!(kv.bytes() >= BYTES);
    block_on(session.unlink_large_object(object.oid)).unwrap();
    run(&mut session, "VACUUM");
    assert!(kv.bytes() < MIB);
}

#[test]
fn what_is_given_up_leaves_nothing() {
    let mut session = session();
    block_on(async {
        let mut writer = session.write_large_object().await.unwrap();
        writer.write(&noise(0, 3 * MIB)).await.unwrap();
        writer.abort().await.unwrap();
        let mut writer = session.write_large_object().await.unwrap();
        writer.write(&noise(0, 3 * MIB)).await.unwrap();
        drop(writer);
    });
    assert_eq!(rows(&mut session, COUNT), ints(&[0]));
}

#[test]
fn an_object_that_is_not_there() {
    let mut session = session();
    for oid in [1, -1] {
        assert_eq!(state(block_on(session.large_object_bytes(oid))), "42704");
        assert_eq!(state(block_on(session.unlink_large_object(oid))), "42704");
    }
    let object = written(&mut session, 5, 5);
    let next = written(&mut session, 5, 5);
    assert!(next.oid > object.oid);
    block_on(session.unlink_large_object(object.oid)).unwrap();
    assert_eq!(
        state(block_on(session.unlink_large_object(object.oid))),
        "42704"
    );
    assert_eq!(
        state(block_on(session.read_large_object(object.oid, 0..1)).map(|_| ())),
        "42704"
    );
    assert_eq!(checked(&mut session, next.oid, 0..9), 5);
}

#[test]
fn a_reader_sees_the_snapshot_of_its_block_or_that_the_object_is_gone() {
    let kv = Arc::new(MemoryKv::new());
    let database = with_memory(&kv, 64 * MIB);
    let mut session = database.session();
    let object = written(&mut session, 2 * MIB, MIB);
    let read_unlinked = |session: &mut Session| {
        block_on(async {
            let mut reader = session.read_large_object(object.oid, 0..2 * MIB).await?;
            assert!(reader.next().await?.is_some());
            let unlinked = database.session().unlink_large_object(object.oid).await;
            unlinked.or_else(|error| match error.state().code() {
                "42704" => Ok(()),
                _ => Err(error),
            })?;
            reader.next().await
        })
    };
    run(&mut session, "BEGIN");
    assert!(read_unlinked(&mut session).unwrap().is_some());
    run(&mut session, "COMMIT");
    let again = written(&mut session, 2 * MIB, MIB);
    let result = block_on(async {
        let mut reader = session.read_large_object(again.oid, 0..2 * MIB).await?;
        assert!(reader.next().await?.is_some());
        database.session().unlink_large_object(again.oid).await?;
        reader.next().await
    });
    assert_eq!(state(result), "42704");
}

#[test]
fn in_a_block_it_is_undone_with_it() {
    let mut session = session();
    run(&mut session, "BEGIN");
    let object = written(&mut session, 3 * MIB, MIB);
    assert_eq!(checked(&mut session, object.oid, 0..u64::MAX), 3 * MIB);
    run(&mut session, "ROLLBACK");
    assert_eq!(
        state(block_on(session.large_object_bytes(object.oid))),
        "42704"
    );
    run(&mut session, "BEGIN");
    let kept = written(&mut session, MIB + 1, MIB);
    run(&mut session, "COMMIT");
    assert_eq!(checked(&mut session, kept.oid, 0..u64::MAX), MIB + 1);
    run(&mut session, "BEGIN");
    block_on(async {
        let mut writer = session.write_large_object().await.unwrap();
        writer.write(&noise(0, MIB)).await.unwrap();
        drop(writer);
    });
    assert_eq!(fails(&mut session, "SELECT 1").state().code(), "25P02");
    run(&mut session, "ROLLBACK");
    assert_eq!(rows(&mut session, COUNT), ints(&[2]));
}

#[test]
fn a_page_that_was_cut_is_told() {
    let mut session = session();
    let object = written(&mut session, 2 * MIB, MIB);
    let cut = "UPDATE _large_objects SET data = 'x' WHERE pageno = 0";
    run(&mut session, cut);
    let result = block_on(async {
        let mut reader = session.read_large_object(object.oid, 0..2 * MIB).await?;
        reader.next().await
    });
    assert_eq!(state(result), "XX001");
}
