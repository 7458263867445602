//! What transparent compression says beside its answers, and the dictionaries that it keeps.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{Kv, MemoryKv};
use varve_types::{SqlState, Value};
use varvedb::{Database, Options, Session, SystemEnv};

use super::{fails, open, rows, run, session};

const EVENTS: &str = "CREATE TABLE events (id int PRIMARY KEY, data text); \
     INSERT INTO events SELECT g, '{\"name\": \"event number ' || g % 17 || '\", \"state\": \"' || \
     md5((g % 5)::text) || '\"}' FROM generate_series(1, 20000) g";

fn enable(session: &mut Session, chooser: &str) {
    let config = format!(
        "SELECT zstd_enable_transparent('{{\"table\": \"events\", \"column\": \"data\", \
         \"dict_chooser\": \"{chooser}\"}}')"
    );
    assert_eq!(rows(session, &config), [[Value::text("Done!")]]);
}

/// The notices of a call that leaves nothing to do.
fn maintain(session: &mut Session) -> Vec<String> {
    let call = "SELECT zstd_incremental_maintenance(NULL, 1)";
    let result = pollster::block_on(session.query(call, &[])).unwrap();
    assert_eq!(result.rows(), [[Value::Int4(0)]]);
    let notices = result.notices.iter();
    notices.map(|notice| notice.message.clone()).collect()
}

fn events() -> Session {
    let mut session = session();
    run(&mut session, EVENTS);
    session
}

#[test]
fn each_group_is_told() {
    let mut session = events();
    enable(
        &mut session,
        "CASE WHEN id < 10 THEN ''few'' ELSE ''many'' END",
    );
    let notices = maintain(&mut session);
    let [few, alone, with] = notices.as_slice() else {
        panic!("{notices:?}");
    };
    assert!(
        few.starts_with("events.data: 9 rows with key \"few\""),
        "{few}"
    );
    assert!(
        alone.starts_with("events.data: compressed 9 rows without"),
        "{alone}"
    );
    let expected = "events.data: compressed 19991 rows with dictionary 1:";
    assert!(with.starts_with(expected), "{with}");
    assert_eq!(maintain(&mut session), [""; 0], "nothing waits");
}

#[test]
fn a_configuration_that_is_wrong_is_told_and_stops_no_other() {
    let mut session = events();
    enable(&mut session, "''a''");
    run(
        &mut session,
        "CREATE SCHEMA s; CREATE TABLE s.more AS SELECT id, data FROM events; \
         ALTER TABLE s.more ADD PRIMARY KEY (id); SELECT zstd_enable_transparent('{\"table\": \
         \"s.more\", \"column\": \"data\", \"dict_chooser\": \"''b''\"}'); \
         UPDATE _zstd_configs SET config = json_patch(config, '{\"dict_chooser\": \"nowhere\"}') \
         WHERE id = 1",
    );
    let notices = maintain(&mut session);
    let [wrong, with] = notices.as_slice() else {
        panic!("{notices:?}");
    };
    let expected = "row 1 of \"_zstd_configs\": dict_chooser: column \"nowhere\"";
    assert!(wrong.starts_with(expected), "{wrong}");
    assert!(with.starts_with("more.data: compressed 20000"), "{with}");
    let stats = "SELECT \"table\", rows FROM zstd_stats WHERE dict_id = 1";
    let expected = [[Value::text("s.more"), Value::Int8(20_000)]];
    assert_eq!(rows(&mut session, stats), expected);
    let [_] = maintain(&mut session).as_slice() else {
        panic!("what was compressed is compressed again");
    };
}

/// Z11.
#[test]
fn a_dictionary_is_prepared_once() {
    let misses = "SELECT misses FROM varve_caches WHERE name = 'dictionary'";
    let mut session = events();
    enable(&mut session, "''a''");
    maintain(&mut session);
    assert_eq!(rows(&mut session, misses), [[Value::Int8(1)]]);
    run(
        &mut session,
        "INSERT INTO events SELECT id + 100000, data FROM events",
    );
    maintain(&mut session);
    assert_eq!(rows(&mut session, misses), [[Value::Int8(1)]]);
}

/// Z8: the process dies at any call of maintenance; nothing is lost, and the next one goes on.
#[test]
fn maintenance_may_be_cut_off_anywhere() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let mut session = open_on(&kv).session();
    run(&mut session, EVENTS);
    enable(&mut session, "''k'' || id / 10001");
    let all = "SELECT count(*), md5(string_agg(data, '' ORDER BY id)) FROM events";
    let before = rows(&mut session, all);
    drop(session);
    let mut cuts = 0;
    for call in 1.. {
        let mut session = open_on(&kv).session();
        kv.fault_in(
            call,
            CallFault::Crash {
                carried_out: call % 2 == 0,
            },
        );
        let work = "SELECT zstd_incremental_maintenance(NULL, 1)";
        let ended = until_crash(&kv, session.query(work, &[]));
        drop(session);
        if let Some(ended) = ended {
            assert_eq!(ended.unwrap().rows(), [[Value::Int4(0)]]);
            break;
        }
        cuts += 1;
        pollster::block_on(kv.crash()).unwrap();
        let mut session = open_on(&kv).session();
        assert_eq!(rows(&mut session, all), before, "after call {call}");
    }
    kv.forget_faults();
    assert!(cuts > 5, "{cuts}");
    let mut session = open_on(&kv).session();
    assert_eq!(rows(&mut session, all), before);
    let groups = "SELECT chooser_key, rows FROM zstd_stats ORDER BY 1";
    let group = |key, count| vec![Value::text(key), Value::Int8(count)];
    assert_eq!(
        rows(&mut session, groups),
        [group("k0", 10_000), group("k1", 10_000)]
    );
}

fn open_on(kv: &Arc<FaultKv<MemoryKv>>) -> Database {
    let kv: Arc<dyn Kv> = Arc::clone(kv) as Arc<dyn Kv>;
    let env = Arc::new(SystemEnv::new());
    pollster::block_on(Database::open(kv, env, Options::browser())).unwrap()
}

/// What work answers, or nothing where a call of it is the last one of the process.
fn until_crash<T>(kv: &FaultKv<MemoryKv>, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match work.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return Some(answer),
            Poll::Pending if kv.is_crashing() => return None,
            Poll::Pending => {}
        }
    }
}

#[test]
fn the_cache_of_dictionaries_is_as_large_as_it_is_set() {
    let counters = "SELECT hits, misses, evictions, entries, bytes, capacity FROM varve_caches
                    WHERE name = 'dictionary'";
    let numbers = |session: &mut Session| -> Vec<i64> {
        let row = rows(session, counters).remove(0);
        row.iter().map(|value| value.integer().unwrap()).collect()
    };
    let mut session = events();
    enable(&mut session, "''a''");
    maintain(&mut session);
    let full = numbers(&mut session);
    assert!(full[3] == 1 && full[4] > 16 << 10, "{full:?}");
    run(&mut session, "SET varve.dictionary_cache_bytes = 0");
    assert_eq!(numbers(&mut session)[2..], [1, 0, 0, 0]);
    run(
        &mut session,
        "INSERT INTO events SELECT id + 100000, data FROM events",
    );
    maintain(&mut session);
    let none = numbers(&mut session);
    assert_eq!(none[3..], [0, 0, 0], "nothing is kept");
    assert!(none[1] > full[1], "{none:?}");
    run(&mut session, "RESET varve.dictionary_cache_bytes");
    assert_eq!(
        rows(&mut session, "SHOW varve.dictionary_cache_bytes"),
        [[Value::text("16MB")]]
    );
}

#[test]
fn maintenance_is_no_part_of_a_block() {
    let mut session = events();
    run(&mut session, "BEGIN");
    let call = "SELECT zstd_incremental_maintenance(NULL, 1)";
    let error = fails(&mut session, call);
    assert_eq!(error.state(), SqlState::ACTIVE_SQL_TRANSACTION);
}

/// Documents that fill a vector with few rows, and are like each other.
#[test]
fn large_documents_share_a_dictionary_under_zstd() {
    let kv = Arc::new(MemoryKv::new());
    let mut session = open(&kv).session();
    run(
        &mut session,
        "CREATE TABLE docs (id int PRIMARY KEY, doc text COMPRESSION zstd(9));
         INSERT INTO docs SELECT i, (SELECT string_agg(md5(((j * 7919 + i % 3) / 4)::text), ' ')
             FROM generate_series(1, 900) j) || i FROM generate_series(1, 200) i",
    );
    run(&mut session, "CHECKPOINT");
    run(&mut session, "COMPRESS docs");
    let all = "SELECT count(*), sum(length(doc)), md5(string_agg(doc, '' ORDER BY id)) FROM docs";
    let before = rows(&mut session, all);
    let bytes = "SELECT stored_bytes, encodings FROM varve_storage WHERE column_name = 'doc'";
    let found = rows(&mut session, bytes);
    assert_eq!(found[0][1], Value::text("plain, zstd"));
    assert!(found[0][0].integer().unwrap() < 130_000, "{found:?}");
    drop(session);
    let mut session = open(&kv).session();
    let one = "SELECT right(doc, 3) FROM docs WHERE id = 177";
    assert_eq!(rows(&mut session, one), [[Value::text("177")]]);
    assert_eq!(rows(&mut session, all), before);
}

/// By chooser key the rows that are compressed with its dictionary.
const GROUPS: &str = "SELECT chooser_key, dict_id, sum(rows)::bigint FROM zstd_stats
    GROUP BY 1, 2 ORDER BY 2";

fn group(key: &str, dictionary: i32, rows: i64) -> Vec<Value> {
    vec![Value::text(key), Value::Int4(dictionary), Value::Int8(rows)]
}

/// Two groups with a dictionary each, all values compressed.
fn two_groups() -> (Session, [Vec<Value>; 2]) {
    let mut session = events();
    enable(&mut session, "''k'' || id / 10001");
    maintain(&mut session);
    let groups = [group("k0", 1, 10_000), group("k1", 2, 10_000)];
    assert_eq!(rows(&mut session, GROUPS), groups);
    (session, groups)
}

const ALL_EVENTS: &str = "SELECT count(*), md5(string_agg(data, '' ORDER BY id)) FROM events";

#[test]
fn a_table_that_is_written_anew_keeps_its_values_compressed() {
    let (mut session, groups) = two_groups();
    let before = rows(&mut session, ALL_EVENTS);
    run(
        &mut session,
        "ALTER TABLE events ADD COLUMN more int NOT NULL DEFAULT 7",
    );
    assert_eq!(rows(&mut session, GROUPS), groups);
    run(&mut session, "ALTER TABLE events ALTER more TYPE text");
    assert_eq!(rows(&mut session, GROUPS), groups);
    run(
        &mut session,
        "BEGIN; ALTER TABLE events ADD COLUMN a int DEFAULT 1; \
         ALTER TABLE events ADD COLUMN b int DEFAULT 2; COMMIT",
    );
    assert_eq!(rows(&mut session, GROUPS), groups);
    assert_eq!(rows(&mut session, ALL_EVENTS), before);
    assert_eq!(maintain(&mut session), [""; 0], "nothing waits");
}

/// What nobody has compressed yet waits on, and of what is not as the chooser knows it nothing is
/// chosen.
#[test]
fn a_table_that_is_written_anew_compresses_nothing_that_waits() {
    let mut session = events();
    enable(&mut session, "''k'' || id / 10001");
    run(
        &mut session,
        "CHECKPOINT; ALTER TABLE events ADD COLUMN more int DEFAULT 7",
    );
    let none: [Vec<Value>; 0] = [];
    assert_eq!(rows(&mut session, GROUPS), none);
    maintain(&mut session);
    run(
        &mut session,
        "INSERT INTO events SELECT id + 100010, data FROM events; \
         ALTER TABLE events ALTER more TYPE text",
    );
    let waiting = vec![Value::Null, Value::Null, Value::Int8(20_000)];
    let mut groups = vec![group("k0", 1, 10_000), group("k1", 2, 10_000), waiting];
    assert_eq!(rows(&mut session, GROUPS), groups);
    maintain(&mut session);
    groups.pop();
    assert_eq!(rows(&mut session, GROUPS)[..2], groups);
    run(&mut session, "ALTER TABLE events ALTER id TYPE bigint");
    assert_eq!(rows(&mut session, GROUPS), none);
    maintain(&mut session);
    assert_eq!(rows(&mut session, GROUPS)[..2], groups);
}

/// COMPRESS is the maintenance of the tables that it names, to its end.
#[test]
fn compress_leaves_no_value_waiting() {
    let mut session = events();
    run(
        &mut session,
        "CREATE TABLE others AS SELECT id, data FROM events; ALTER TABLE others ADD PRIMARY KEY \
         (id); SELECT zstd_enable_transparent('{\"table\": \"others\", \"column\": \"data\", \
         \"dict_chooser\": \"''o''\"}')",
    );
    enable(&mut session, "''k'' || id / 10001");
    let compress = pollster::block_on(session.query("COMPRESS events", &[])).unwrap();
    assert_eq!(compress.command, "COMPRESS");
    let [first, second] = &compress.notices[..] else {
        panic!("{:?}", compress.notices);
    };
    for (notice, number) in [(first, 1), (second, 2)] {
        let expected = format!("events.data: compressed 10000 rows with dictionary {number}:");
        assert!(notice.message.starts_with(&expected), "{}", notice.message);
    }
    let mut groups = vec![group("k0", 1, 10_000), group("k1", 2, 10_000)];
    assert_eq!(rows(&mut session, GROUPS), groups, "others wait");
    run(
        &mut session,
        "INSERT INTO events SELECT id + 100010, data FROM events",
    );
    run(&mut session, "VACUUM (COMPRESS) events");
    groups.push(group("k10", 3, 10_000));
    groups.push(group("k11", 4, 10_000));
    assert_eq!(rows(&mut session, GROUPS), groups);
    run(&mut session, "COMPRESS");
    groups.push(group("o", 5, 20_000));
    assert_eq!(rows(&mut session, GROUPS), groups);
    assert_eq!(maintain(&mut session), [""; 0], "nothing waits");
}

/// Of a column that nobody enabled but which is to be compressed by value, too.
#[test]
fn compress_needs_no_configuration() {
    let mut session = session();
    let create = EVENTS.replace("data text", "data text COMPRESSION zstd_values");
    run(&mut session, &create);
    let waits = "SELECT encodings LIKE '%due' FROM varve_storage WHERE column_name = 'data'";
    run(&mut session, "CHECKPOINT");
    assert_eq!(rows(&mut session, waits), [[Value::Boolean(true)]]);
    run(&mut session, "COMPRESS events");
    assert_eq!(rows(&mut session, waits), [[Value::Boolean(false)]]);
}

/// Z7: a duration binds within a run; what was done is kept, and the next call goes on there.
#[test]
fn a_call_without_time_takes_one_step() {
    let mut session = events();
    enable(&mut session, "''a''");
    run(
        &mut session,
        "UPDATE _zstd_configs SET config = json_patch(config, \
         '{\"incremental_compression_step_bytes\": 100000}')",
    );
    let before = rows(&mut session, ALL_EVENTS);
    let compressed = "SELECT coalesce(sum(rows), 0)::bigint FROM zstd_stats WHERE dict_id = 1";
    let (mut calls, mut last) = (1, Value::Int8(0));
    let call = "SELECT zstd_incremental_maintenance(0, 1)";
    while rows(&mut session, call) == [[Value::Int4(1)]] {
        let now = rows(&mut session, compressed).remove(0).remove(0);
        assert!(
            calls == 1 || now.integer() > last.integer(),
            "{now:?} {last:?}"
        );
        last = now;
        calls += 1;
        assert_eq!(rows(&mut session, ALL_EVENTS), before, "after call {calls}");
    }
    assert!(calls > 5, "{calls}");
    assert_eq!(rows(&mut session, compressed), [[Value::Int8(20_000)]]);
    assert_eq!(rows(&mut session, ALL_EVENTS), before);
}
