//! Functions and triggers: they are part of transactions, and there after a reopen.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{SqlState, Value};

use super::{fails, open, rows, run};

#[test]
fn functions_come_back_after_a_reopen() {
    let kv = Arc::new(MemoryKv::new());
    let call = "SELECT next_of(1), (SELECT count(*) FROM both_of(2))";
    let expected = vec![vec![Value::Int4(2), Value::Int8(2)]];
    {
        let database = open(&kv);
        let mut session = database.session();
        run(
            &mut session,
            "CREATE FUNCTION next_of(a INT DEFAULT 5) RETURNS INT LANGUAGE sql RETURN a + 1;
             CREATE FUNCTION both_of(n INT) RETURNS TABLE (x INT, y TEXT) LANGUAGE sql
             AS $$ SELECT i, i::text FROM generate_series(1, n) i $$",
        );
        assert_eq!(rows(&mut session, call), expected);
        run(&mut session, "BEGIN; DROP FUNCTION next_of");
        let gone = fails(&mut session, call);
        assert_eq!(gone.state(), SqlState::UNDEFINED_FUNCTION);
        run(&mut session, "ROLLBACK");
        assert_eq!(rows(&mut session, call), expected);
    }
    let database = open(&kv);
    let mut session = database.session();
    assert_eq!(rows(&mut session, call), expected);
    let six = vec![vec![Value::Int4(6)]];
    assert_eq!(rows(&mut session, "SELECT next_of()"), six);
    // A plan that is kept calls the function as it is now.
    run(
        &mut session,
        "CREATE OR REPLACE FUNCTION next_of(a INT DEFAULT 5) RETURNS INT LANGUAGE sql RETURN a - 1",
    );
    let four = vec![vec![Value::Int4(4)]];
    assert_eq!(rows(&mut session, "SELECT next_of()"), four);
}

#[test]
fn triggers_come_back_after_a_reopen() {
    let kv = Arc::new(MemoryKv::new());
    {
        let database = open(&kv);
        let mut session = database.session();
        run(
            &mut session,
            "CREATE TABLE t (a INT, b TEXT);
             CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN NEW.b := TG_ARGV[0] || NEW.a; RETURN NEW; END $$;
             CREATE TRIGGER t1 BEFORE INSERT ON t FOR EACH ROW WHEN (NEW.a > 1)
             EXECUTE FUNCTION fill('n')",
        );
        run(&mut session, "BEGIN; DROP TRIGGER t1 ON t; ROLLBACK");
        run(&mut session, "BEGIN; DROP TABLE t; ROLLBACK");
    }
    let database = open(&kv);
    let mut session = database.session();
    run(&mut session, "INSERT INTO t VALUES (1, 'own'), (2, 'own')");
    let expected = vec![
        vec![Value::Int4(1), Value::text("own")],
        vec![Value::Int4(2), Value::text("n2")],
    ];
    assert_eq!(rows(&mut session, "SELECT * FROM t ORDER BY a"), expected);
    // What a trigger has written goes with the statement that fails.
    run(
        &mut session,
        "CREATE TABLE log (a INT);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO log VALUES (NEW.a);
         IF NEW.a > 5 THEN RAISE EXCEPTION 'too big'; END IF;
         RETURN NULL; END $$;
         CREATE TRIGGER t2 AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION note()",
    );
    let refused = fails(&mut session, "INSERT INTO t VALUES (3, ''), (6, '')");
    assert_eq!(refused.state(), SqlState::RAISE_EXCEPTION);
    let count = "SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM log)";
    let expected = vec![vec![Value::Int8(2), Value::Int8(0)]];
    assert_eq!(rows(&mut session, count), expected);
    run(&mut session, "DROP TABLE t; DROP FUNCTION fill, note");
}

#[test]
fn copies_fire_triggers() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE t (a INT PRIMARY KEY, b TEXT NOT NULL);
         CREATE TABLE seen (n SERIAL, what TEXT);
         CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF new.a = 2 THEN RETURN NULL; END IF;
             new.b := coalesce(new.b, 'none');
             RETURN new;
         END $$;
         CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO seen (what) SELECT concat_ws(' ', tg_when, tg_level, new.b);
             RAISE NOTICE 'seen';
             RETURN NULL;
         END $$;
         CREATE TRIGGER t1 BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION fill();
         CREATE TRIGGER t2 AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION see();
         CREATE FUNCTION begun() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO seen (what) VALUES (tg_when || ' ' || tg_level);
             RETURN NULL;
         END $$;
         CREATE TRIGGER t3 BEFORE INSERT ON t EXECUTE FUNCTION begun();
         CREATE TRIGGER t4 AFTER INSERT ON t EXECUTE FUNCTION begun();",
    );
    let mut copy = |text: &str| {
        pollster::block_on(async {
            session.copy_begin("COPY t FROM STDIN (FORMAT csv)").await?;
            session.copy_write(text.as_bytes()).await?;
            session.copy_finish().await
        })
    };
    let copied = copy("1,x\n2,y\n3,\n").unwrap();
    assert_eq!(copied.affected_rows, Some(2));
    assert_eq!(copied.notices.len(), 2);
    let error = copy("4,z\n1,x\n").unwrap_err();
    assert_eq!(error.state(), SqlState::UNIQUE_VIOLATION);
    let seen = rows(&mut session, "SELECT what FROM seen ORDER BY n");
    let expected = [
        "BEFORE STATEMENT",
        "AFTER ROW x",
        "AFTER ROW none",
        "AFTER STATEMENT",
    ];
    let expected = expected.map(|what| vec![Value::text(what)]);
    assert_eq!(seen, expected);
    let loaded = database.bulk_load("t", &["a", "b"], Default::default());
    assert_eq!(loaded.unwrap_err().state(), SqlState::FEATURE_NOT_SUPPORTED);
}
