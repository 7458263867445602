//! SQLite's scripts on the engine.

#![allow(missing_docs, reason = "tests")]

use varve_dialect::Dialect::Sqlite;
use varve_tests_dialect::{load, refused, run, session};

const DUMP: &str = r#"PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, [Full Name] VARCHAR(5) COLLATE NOCASE,
  price DECIMAL(10,2), ratio REAL, active BOOLEAN NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  made DATETIME DEFAULT CURRENT_TIMESTAMP, told TEXT DEFAULT (datetime('now')), raw BLOB,
  state TEXT DEFAULT "new", any, owner INTEGER REFERENCES "user"(id) ON DELETE CASCADE);
INSERT INTO item VALUES(1,'longer than five',0.98999999999999999111,1.5,1,'2020-01-02 03:04:05','x',X'00ff','old',7,1);
INSERT INTO item VALUES(2,replace('a\nb','\n',char(10)),2,1e999,0,'2020-01-02',NULL,NULL,'new',8,NULL);
CREATE TABLE "user" (id INTEGER PRIMARY KEY, email TEXT UNIQUE, born INTEGER) WITHOUT ROWID;
INSERT INTO "user" VALUES(1,'a@b','unknown');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('item',9);
CREATE TABLE log(what TEXT, item INT);
CREATE INDEX item_state ON item (state DESC) WHERE active = 1;
CREATE VIEW cheap AS SELECT i."full name" AS name, ifnull(price, 0) AS Price FROM item i
  WHERE i.active = 1 AND state LIKE 'OLD' AND state <> "gone" ORDER BY Price;
CREATE TRIGGER item_log AFTER UPDATE OF price ON item WHEN new.price <> old.price BEGIN
  INSERT INTO log VALUES ('price', new.id); END;
CREATE TRIGGER item_keep BEFORE DELETE ON item BEGIN
  SELECT RAISE(ABORT, 'kept') WHERE old.state = 'old'; END;
COMMIT;
"#;

#[test]
fn a_dump_loads_with_its_rows_constraints_views_and_triggers() {
    let mut db = session();
    let script = load(&mut db, DUMP, Sqlite);
    assert_eq!(script.passed_over.len(), 5);
    let rows = run(&mut db, "SELECT * FROM item ORDER BY id");
    assert_eq!(
        rows,
        [
            "1|longer than five|0.99|1.5|t|2020-01-02 03:04:05|x|\\x00ff|old|7|1",
            "2|a\nb|2.00|Infinity|f|2020-01-02 00:00:00|NULL|NULL|new|8|NULL"
        ]
    );
    assert_eq!(
        run(&mut db, "SELECT * FROM cheap"),
        ["longer than five|0.99"]
    );
    let added =
        "INSERT INTO item (\"Full Name\") VALUES ('x') RETURNING id, state, active, length(told)";
    assert_eq!(run(&mut db, added), ["10|new|t|19"]);
    run(&mut db, "UPDATE item SET price = 3 WHERE id = 2");
    assert_eq!(run(&mut db, "SELECT * FROM log"), ["price|2"]);
    assert!(refused(&mut db, "DELETE FROM item WHERE id = 1").contains("kept"));
    assert!(refused(&mut db, "INSERT INTO item (owner) VALUES (5)").contains("foreign key"));
    assert_eq!(run(&mut db, "SELECT born FROM \"user\""), ["unknown"]);
}

#[test]
fn rows_take_the_place_of_others() {
    let mut db = session();
    let script = "CREATE TABLE a (k TEXT PRIMARY KEY, n INT DEFAULT 5, m INT);
        INSERT INTO a VALUES ('x', 1, 1);
        INSERT OR IGNORE INTO a VALUES ('x', 2, 2);
        REPLACE INTO a (k, m) VALUES ('x', 3), ('y', 4);
        INSERT OR REPLACE INTO a VALUES ('y', 6, 6);
        INSERT INTO a VALUES ('z', 1, 1) ON CONFLICT(k) DO UPDATE SET n = excluded.n + 1;
        UPDATE a SET m = m / 0 WHERE K = 'z' OR n == 9;
        DELETE FROM a WHERE k = 'q';";
    load(&mut db, script, Sqlite);
    assert_eq!(
        run(&mut db, "SELECT * FROM a ORDER BY k"),
        ["x|5|3", "y|6|6", "z|1|NULL"]
    );
}

#[test]
fn what_a_column_holds_decides_where_types_are_advice() {
    let mut db = session();
    let script = "CREATE TABLE a (t DATETIME, u DATETIME, d DATE, b BOOLEAN, j JSON, z TIMESTAMP, n NUMERIC(4,1), q UUID);
        INSERT INTO a VALUES (1577836800, '2020-01-01T00:00:00.5', '2020-01-01', 2, '{\"a\": 1}', '2020-01-01 00:00:00+02:00', 1234.56, '123e4567-e89b-12d3-a456-426614174000');";
    let translation = load(&mut db, script, Sqlite);
    assert_eq!(translation.remarks.len(), 3, "{:?}", translation.remarks);
    let types = "SELECT string_agg(data_type, ', ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'a'";
    let expected = "bigint, timestamp without time zone, date, bigint, json, \
                    timestamp with time zone, double precision, uuid";
    assert_eq!(run(&mut db, types), [expected]);
}
