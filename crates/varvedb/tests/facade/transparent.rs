//! What transparent compression says beside its answers, and the dictionaries that it keeps.

use varve_types::{SqlState, Value};
use varvedb::Session;

use super::{fails, rows, run, session};

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

#[test]
fn maintenance_is_no_part_of_a_block() {
    let mut session = events();
    run(&mut session, "BEGIN");
    let call = "SELECT zstd_incremental_maintenance(NULL, 1)";
    let error = fails(&mut session, call);
    assert_eq!(error.state(), SqlState::ACTIVE_SQL_TRANSACTION);
}
