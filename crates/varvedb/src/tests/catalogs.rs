//! The catalog is changed by what a statement changes, and equals one that is made anew.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use varve_catalog::{Catalog, temporary_schema};
use varve_ddl::CatalogCache;
use varve_store::Transaction;

use super::{open, run};
use varve_settings::SearchPath;

/// Changes of every kind of object, several of them at once, names that go from one to another.
const CHANGES: [&str; 36] = [
    "CREATE TABLE t (id int PRIMARY KEY, v text, UNIQUE (v))",
    "CREATE TABLE u (id serial PRIMARY KEY, t int REFERENCES t)",
    "CREATE INDEX i ON t (lower(v))",
    "BEGIN; ALTER TABLE t RENAME TO x; ALTER TABLE u RENAME TO t; ALTER TABLE x RENAME TO u; COMMIT",
    "ALTER INDEX i RENAME TO j",
    "BEGIN; DROP INDEX j; CREATE TABLE j (a int); COMMIT",
    "CREATE VIEW v AS SELECT * FROM t",
    "CREATE OR REPLACE VIEW v AS SELECT *, 1 AS one FROM t",
    "CREATE MATERIALIZED VIEW m AS SELECT 1 AS a",
    "DROP MATERIALIZED VIEW m",
    "CREATE TYPE mood AS ENUM ('sad', 'ok')",
    "CREATE TYPE other AS ENUM ('a')",
    "ALTER TYPE mood ADD VALUE 'happy' AFTER 'ok'",
    "CREATE TYPE pair AS (a int, b mood)",
    "DROP TYPE other",
    "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
    "ALTER DOMAIN positive ADD CONSTRAINT small CHECK (VALUE < 100)",
    "CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS 'SELECT a + 1'",
    "CREATE OR REPLACE FUNCTION f(a int) RETURNS int LANGUAGE sql AS 'SELECT a + 2'",
    "CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE TRIGGER b BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION g()",
    "CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION g()",
    "DROP TRIGGER b ON t",
    "COMMENT ON TABLE t IS 'one'",
    "COMMENT ON COLUMN t.id IS 'two'",
    "COMMENT ON TABLE t IS 'three'",
    "COMMENT ON TABLE t IS NULL",
    "CREATE SCHEMA s",
    "CREATE TABLE s.t (a int)",
    "SET search_path = s, public",
    "ALTER SCHEMA s RENAME TO r",
    "SET search_path = r, public",
    "CREATE TEMP TABLE t (mine int)",
    "DROP SCHEMA r CASCADE",
    "DROP SCHEMA public CASCADE",
    "DROP TYPE IF EXISTS mood; CREATE SCHEMA public",
];

fn catalog(cache: &mut CatalogCache, transaction: &Transaction, path: &str) -> Arc<Catalog> {
    let path = SearchPath::read(path).unwrap();
    cache.get(transaction, &path).unwrap()
}

#[test]
fn a_catalog_that_was_changed_equals_a_new_one() {
    let database = open(&Arc::default());
    let next = &database.shared.temporary.next;
    let own = temporary_schema(next.load(Ordering::Relaxed));
    let mut session = database.session();
    let mut kept = CatalogCache::new(own);
    for change in CHANGES {
        run(&mut session, change);
        let transaction = database.shared.store.begin();
        for path in ["public", "s, r, public"] {
            let changed = catalog(&mut kept, &transaction, path);
            let anew = catalog(&mut CatalogCache::new(own), &transaction, path);
            assert!(changed == anew, "after {change}");
        }
    }
}

#[test]
fn a_statement_looks_at_what_it_changes_only() {
    let database = open(&Arc::default());
    let mut session = database.session();
    let mut before = database.shared.store.begin().catalog_state();
    for number in 0..50 {
        run(&mut session, &format!("CREATE TABLE t{number} (a int)"));
        let after = database.shared.store.begin().catalog_state();
        assert_eq!(after.changes_since(&before).len(), 1);
        before = after;
    }
}
